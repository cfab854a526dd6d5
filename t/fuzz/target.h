/* What is fuzzed: each import format, through its importer and the loader, and each parser on a
 * request's way. A target takes any bytes; what is wrong shows as a report of a sanitizer, as an
 * abort, or by the time and memory that it takes. */
#ifndef DSC_FUZZ_TARGET_H
#define DSC_FUZZ_TARGET_H

#include "loader/loader.h"

#include <apr_pools.h>

typedef struct {
    const char *name;
    /* Of a request's parser: takes one input. NULL for a format. */
    void (*parse)(apr_pool_t *pool, const char *data, size_t size);
    /* Of a format: its importer, and the name of the file as which the bytes are read. Without a
     * name the bytes hold several files: lines "=== NAME", each followed by the file's bytes. */
    const char *importer, *file;
    dsc_load_options_t options;
} dsc_target_t;

/* Ended by one without a name. */
extern const dsc_target_t dsc_import_targets[], dsc_request_targets[], dsc_search_targets[];

/* All of these; ended by NULL. */
extern const dsc_target_t *const dsc_target_tables[];

const dsc_target_t *dsc_target_find(const char *name);

/* Lives as long as the program: what is made once for all inputs. */
extern apr_pool_t *dsc_fuzz_pool;
void dsc_fuzz_begin(void);
void dsc_fuzz_end(void);

/* How long this process has been at work, on a processor; the clock on the wall runs for others as
 * well. */
apr_time_t dsc_processor_time(void);

/* Rows that the inputs so far have stored. */
extern long long dsc_fuzz_stored;

/* Runs one input. */
void dsc_target_run(const dsc_target_t *target, const char *data, size_t size);

/* What became of a file, or of several. */
typedef struct {
    int committed, refused;
    const char *reason; /* why the last refused one was; in the pool */
    dsc_load_count_t count;
} dsc_fuzz_load_t;

/* Loads the bytes as the target's file; what is staged goes to the sink of no_server.h. */
dsc_fuzz_load_t dsc_fuzz_load(apr_pool_t *pool, const dsc_target_t *target, const char *data,
                              size_t size);

#endif
