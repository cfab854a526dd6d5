/* Slots for work that holds a thread while another server responds. An account may use a quarter
 * of them, so that an account with slow work leaves room for others. */
#ifndef DSC_PLACES_H
#define DSC_PLACES_H

#include <apr_time.h>
#include <pthread.h>
#include <stdint.h>

enum {
    DSC_MOST_PLACES = 16
};

/* Those of one kind of work, in this process; begins as DSC_PLACES. */
typedef struct {
    pthread_mutex_t lock;
    int count;
    struct {
        uint64_t account;
        apr_time_t until; /* when the work ends at the latest; 0: the place is free */
    } places[DSC_MOST_PLACES];
} dsc_places_t;

#define DSC_PLACES(n)                                                                              \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER, .count = (n)                                            \
    }

typedef enum {
    DSC_PLACE_TAKEN,
    DSC_PLACE_ACCOUNT_FULL, /* the account has as many as it may */
    DSC_PLACE_ALL_FULL
} dsc_place_t;

/* Takes a place for work that ends at `until` at the latest, by the clock of `now`. If there is none, `wait` is how long it may take
 * until one is released: one of the account's own, or any. */
dsc_place_t dsc_place_take(dsc_places_t *places, uint64_t account, apr_time_t now, apr_time_t until,
                           int *place, apr_interval_time_t *wait);

/* Releases a place that was taken. */
void dsc_place_release(dsc_places_t *places, int place);

#endif
