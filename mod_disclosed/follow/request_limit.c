#include "follow/request_limit.h"

#include <apr_strings.h>
#include <stdio.h>
#include <stdlib.h>

enum {
    LONGEST_PAUSE = 86400 /* a Retry-After beyond it is a mistake, or a way to say no */
};

int dsc_request_limit_take(dsc_connection_t *connection, const dsc_request_limit_t *request_limit,
                           int *wait)
{
    char spacing[16];
    const char *parameters[] = {request_limit->name, spacing};
    PGresult *result;
    int is_free;

    *wait = -1;
    snprintf(spacing, sizeof(spacing), "%d", request_limit->spacing);
    result = dsc_run(connection, "SELECT wait, paused FROM disclosed.take_followed_slot($1, $2)", 2,
                     parameters);
    if (result == NULL) {
        return 0;
    }
    *wait = atoi(PQgetvalue(result, 0, 0));
    is_free = *PQgetvalue(result, 0, 1) == 'f';
    PQclear(result);
    return is_free;
}

void dsc_request_limit_pause(dsc_connection_t *connection, const dsc_request_limit_t *request_limit,
                             long seconds, const char *reason)
{
    char text[24];
    const char *parameters[] = {request_limit->name, seconds >= 0 ? text : NULL, reason};

    snprintf(text, sizeof(text), "%ld", seconds > LONGEST_PAUSE ? LONGEST_PAUSE : seconds);
    PQclear(dsc_run(connection, "SELECT disclosed.pause_followed($1, $2, $3)", 3, parameters));
}

void dsc_request_limit_resume(dsc_connection_t *connection,
                              const dsc_request_limit_t *request_limit)
{
    PQclear(dsc_run(connection, "SELECT disclosed.resume_followed($1)", 1, &request_limit->name));
}
