/* Slots for work that holds a thread while another server responds. An account may use a quarter
 * of them, so that an account with slow work leaves room for others. Accounts are those of
 * dsc_call_process_account(). */
#ifndef DSC_WORK_SLOTS_H
#define DSC_WORK_SLOTS_H

#include <apr_time.h>
#include <pthread.h>
#include <stdint.h>

enum {
    DSC_MOST_WORK_SLOTS = 16
};

/* Those of one kind of work, in this process; begins as DSC_WORK_SLOTS. */
typedef struct {
    pthread_mutex_t lock;
    int count;
    struct {
        uint64_t account;
        apr_time_t until; /* when the work ends at the latest; 0: the place is free */
    } places[DSC_MOST_WORK_SLOTS];
} dsc_work_slots_t;

#define DSC_WORK_SLOTS(n)                                                                          \
    {                                                                                              \
        .lock = PTHREAD_MUTEX_INITIALIZER, .count = (n)                                            \
    }

typedef enum {
    DSC_WORK_SLOT_TAKEN,
    DSC_WORK_SLOT_ACCOUNT_FULL, /* the account has as many as it may */
    DSC_WORK_SLOT_ALL_FULL
} dsc_work_slot_t;

/* Takes a place for work that ends at `until` at the latest, by the clock of `now`. If there is
 * none, `wait` is how long it may take until one is released: one of the account's own, or any. */
dsc_work_slot_t dsc_work_slot_take(dsc_work_slots_t *places, uint64_t account, apr_time_t now,
                                   apr_time_t until, int *place, apr_interval_time_t *wait);

/* Releases a place that was taken. */
void dsc_work_slot_release(dsc_work_slots_t *places, int place);

#endif
