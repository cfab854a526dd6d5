/* What the command line asks of disclosedctl webhook, and what its actions share. */
#ifndef DSC_WEBHOOK_REQUEST_H
#define DSC_WEBHOOK_REQUEST_H

#include "ctl/command.h"

typedef struct {
    const char *id; /* of an endpoint or a delivery; NULL: none is given */
    const char *account, *endpoint, *since, *secret_file, *limit;
    int ended, lost;
    long long overlap; /* seconds */
} dsc_webhook_request_t;

/* Columns of an endpoint, of alias e with the account a. No secret is among them. */
#define DSC_WEBHOOK_COLUMNS                                                                        \
    "e.endpoint_id, a.account_id, a.owner, e.url, to_json(e.topics) AS topics, e.secret_hint,"     \
    " CASE WHEN e.disabled_at IS NULL THEN 'active' ELSE 'disabled' END AS state,"                 \
    " e.disabled_at, e.disabled_reason, e.failing_since, e.concurrency::bigint AS concurrency,"    \
    " (SELECT count(*) FROM disclosed.webhook_delivery d"                                          \
    "  WHERE d.endpoint_id = e.endpoint_id AND d.next_attempt_at IS NOT NULL) AS waiting,"         \
    " CASE WHEN e.previous_until > now() THEN e.previous_until END AS previous_until,"             \
    " e.created_at"

/* The column's value, "" for null. */
const char *dsc_text_of(PGresult *result, int row, const char *column);

/* Prints the column's value behind `label`, if there is one; a time without its fraction. */
void dsc_print_some(PGresult *result, int row, const char *label, const char *column);
void dsc_print_time(PGresult *result, int row, const char *label, const char *column);

/* Prints an endpoint's row as lines of text. */
void dsc_webhook_print(PGresult *result, int row);

/* Prints the endpoint's row that a statement with its id as $1 returns: an object with --json.
 * `secret` (may be NULL) is shown with it. Returns the exit code; if there is no row, an error is
 * printed. */
int dsc_webhook_show(const dsc_context_t *context, dsc_connection_t *connection, const char *sql,
                     int count, const char *const *parameters, const char *secret);

/* The actions that change something. */
int dsc_webhook_replay(dsc_context_t *context, dsc_connection_t *connection,
                       const dsc_webhook_request_t *request);
int dsc_webhook_disable(dsc_context_t *context, dsc_connection_t *connection,
                        const dsc_webhook_request_t *request);
int dsc_webhook_enable(dsc_context_t *context, dsc_connection_t *connection,
                       const dsc_webhook_request_t *request);
int dsc_webhook_rotate(dsc_context_t *context, dsc_connection_t *connection,
                       const dsc_webhook_request_t *request);
int dsc_webhook_remove(dsc_context_t *context, dsc_connection_t *connection,
                       const dsc_webhook_request_t *request);

#endif
