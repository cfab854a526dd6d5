/* A language model that words answers: any server with OpenAI's chat-completions interface. It
 * gets what was found, and its text is used only after it has been checked against that. */
#ifndef DSC_ASK_MODEL_H
#define DSC_ASK_MODEL_H

#include <apr_pools.h>
#include <apr_tables.h>
#include <apr_time.h>
#include <stdatomic.h>
#include <stdint.h>

/* How it fares, in this process. */
typedef struct {
    _Atomic int failures;            /* in a row */
    _Atomic apr_time_t paused_until; /* by dsc_monotonic_now() */
} dsc_ask_model_state_t;

typedef struct dsc_ask_model_t {
    const char *url;
    const char *name; /* of the model; NULL: the server's own choice */
    const char *key;  /* bearer token; NULL: none */
    apr_interval_time_t timeout;
    int most_tokens;
    dsc_ask_model_state_t *state;
} dsc_ask_model_t;

/* A sentence of the model's. */
typedef struct {
    const char *text;
    apr_array_header_t *sources; /* of int, from 1: what it names as its sources */
} dsc_ask_worded_t;

/* Has the model word an answer: `sources` (of const char *) are what may be said, numbered from 1.
 * Returns the sentences (of dsc_ask_worded_t), or NULL with *error saying why there are none: the
 * model failed, took too long, answered in another form, or is left alone for half a minute after
 * five failures in a row. *error stays NULL if the account has as many questions with the model as
 * it may: that is no failure. */
apr_array_header_t *dsc_ask_model_word(apr_pool_t *pool, const dsc_ask_model_t *model,
                                       uint64_t account, const char *question,
                                       const apr_array_header_t *sources, const char **error);

#endif
