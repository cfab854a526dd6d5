/* The webhook tests that run in this process at a time: each holds a thread while its receiver thinks. An account has a quarter of the
 * places, so that one whose receivers are silent leaves room for others. */
#ifndef DSC_WEBHOOK_TEST_PLACES_H
#define DSC_WEBHOOK_TEST_PLACES_H

#include <apr_time.h>
#include <stdint.h>

enum {
    DSC_TEST_PLACES = 8,
    DSC_TEST_PLACES_OF_ACCOUNT = DSC_TEST_PLACES / 4
};

typedef enum {
    DSC_TEST_MAY_RUN,
    DSC_TEST_ACCOUNT_FULL, /* the account has as many as it may */
    DSC_TEST_ALL_FULL
} dsc_test_place_t;

/* Takes a place for a test that ends at `until` at the latest, by the clock of `now`. Where there is none, `wait` is how long it may take
 * until one is released: one of the account's own, or any. */
dsc_test_place_t dsc_test_place_take(uint64_t account, apr_time_t now, apr_time_t until, int *place,
                                     apr_interval_time_t *wait);

/* Releases a place that was taken. */
void dsc_test_place_release(int place);

#endif
