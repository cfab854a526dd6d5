/* Ask credits: the cost of a call is reserved before it is answered, and settled afterwards. */
#ifndef DSC_CREDITS_H
#define DSC_CREDITS_H

#include "engine/call.h"

/* Holds the call's cost from the month's allowance, then from what was topped up. Returns 1; 0 with
 * the response set to 402 if fewer remain, or to an outage's problem. */
int dsc_credits_reserve(dsc_call_t *call);

/* Ends the call's reservation: a successful response (2xx) has used it, anything else releases it.
 * While the database cannot be asked it stays held; the background process releases it later. */
void dsc_credits_settle(dsc_call_t *call);

#endif
