/* Problem details (RFC 9457) of this service. */
#ifndef DSC_PROBLEM_H
#define DSC_PROBLEM_H

#include "engine/buffer.h"

typedef struct {
    int status;
    const char *slug;
    const char *title;
    const char *detail; /* if nothing more is known */
} dsc_problem_t;

/* The table of problems, ended by a row without a slug. */
extern const dsc_problem_t dsc_problems[];

/* The problem for a status; the one for 400 or 500 when that class has none of its own for it. */
const dsc_problem_t *dsc_problem_find(int status);

/* What is called that. */
const dsc_problem_t *dsc_problem_named(const char *slug);

/* Appends the body. `detail` may be NULL; `required_tier` only with tier-required. */
void dsc_problem_write(dsc_buffer_t *buffer, const dsc_problem_t *problem, const char *docs_url,
                       const char *detail, const char *request_id, const char *instance,
                       const char *required_tier);

struct dsc_call_t;

/* Makes the call's response the problem of that status. `detail` NULL: the table's. Returns the
 * status. */
int dsc_call_problem(struct dsc_call_t *call, int status, const char *detail);

/* The same by its slug, which must be one of the table. */
int dsc_call_problem_of(struct dsc_call_t *call, const char *slug, const char *detail,
                        const char *required_tier);

#endif
