/* Reports about a file while it is loaded, and afterwards: progress, rejects, notes. */
#include "loader/loader_internal.h"

#include "engine/interrupt.h"
#include "engine/utf8.h"

#include <apr_strings.h>
#include <string.h>

enum {
    KEPT_REJECTS = 100
};

#define REJECT_BLOCK ((size_t)1 << 20)

const char *dsc_loader_text(apr_pool_t *pool, const char *text, size_t limit)
{
    dsc_slice_t slice;
    size_t length = strlen(text);

    slice.data = text;
    slice.length = length > limit ? limit : length;
    slice = dsc_utf8_clean(pool, slice);
    return apr_pstrmemdup(pool, slice.data, slice.length);
}

static void on_tick(void *loader)
{
    dsc_loader_progress(loader, NULL);
}

void dsc_loader_on_progress(dsc_loader_t *loader,
                            void (*progress)(void *baton, const dsc_load_count_t *count,
                                             const char *phase),
                            void *baton)
{
    loader->progress = progress;
    loader->progress_baton = baton;
    dsc_interrupt_while_waiting(progress != NULL ? on_tick : NULL, loader);
}

void dsc_loader_progress(dsc_loader_t *loader, const char *phase)
{
    loader->phase = phase != NULL ? phase : loader->phase;
    if (loader->progress != NULL && loader->phase != NULL && loader->at != NULL) {
        loader->progress(loader->progress_baton, &loader->at->count, loader->phase);
    }
}

apr_status_t dsc_loader_flush_rejects(dsc_loader_t *loader)
{
    return dsc_loader_copy(loader,
                           "COPY disclosed.import_reject (import_run_id, place, reason, sample)"
                           " FROM STDIN",
                           loader->rejects);
}

void dsc_loader_append_reject(dsc_loader_t *loader, const dsc_loaded_file_t *file,
                              const dsc_load_reject_t *reject)
{
    dsc_buffer_append_text(loader->rejects, file->run);
    dsc_buffer_append_char(loader->rejects, '\t');
    dsc_copy_field(loader->rejects, reject->location);
    dsc_buffer_append_char(loader->rejects, '\t');
    dsc_copy_field(loader->rejects, reject->reason);
    dsc_buffer_append_char(loader->rejects, '\t');
    dsc_copy_field(loader->rejects, reject->sample);
    dsc_buffer_append_char(loader->rejects, '\n');
}

/* A file of nothing but errors must not fill the memory: the first rejects are kept with the
 * file, the others live in a pool that ends here. */
apr_status_t dsc_loader_reject_of(dsc_loader_t *loader, dsc_loaded_file_t *file,
                                  const char *location, const char *reason, const char *sample)
{
    int keep = file->kept->nelts < KEPT_REJECTS;
    dsc_load_reject_t reject;
    apr_pool_t *pool = loader->batch_pool;

    if (!keep) {
        apr_pool_create(&pool, loader->file_pool);
    }
    reject.location = dsc_loader_text(pool, location, DSC_SAMPLE_LENGTH);
    reject.reason = dsc_loader_text(pool, reason, 4 * DSC_SAMPLE_LENGTH);
    reject.sample = sample == NULL ? NULL : dsc_loader_text(pool, sample, DSC_SAMPLE_LENGTH);
    file->count.read++;
    file->count.rejected++;
    dsc_loader_append_reject(loader, file, &reject);
    if (keep) {
        APR_ARRAY_PUSH(file->kept, dsc_load_reject_t) = reject;
    } else {
        apr_pool_destroy(pool);
    }
    if (dsc_interrupt_is_due()) {
        return dsc_loader_failed(loader, dsc_interrupt_text());
    }
    if (loader->rejects->length < REJECT_BLOCK) {
        return APR_SUCCESS;
    }
    file->has_sent_rejects = 1;
    loader->kept_rejects = 0;
    return dsc_loader_flush_rejects(loader);
}

apr_status_t dsc_loader_reject(dsc_loader_t *loader, const char *location, const char *reason,
                               const char *sample)
{
    return dsc_loader_reject_of(loader, loader->at, location, reason, sample);
}

void dsc_loader_note_of(dsc_loader_t *loader, dsc_loaded_file_t *file, const char *text)
{
    const char *note = dsc_loader_text(loader->batch_pool, text, 4096);

    file->note =
        file->note == NULL ? note : apr_pstrcat(loader->batch_pool, file->note, "\n", note, NULL);
}

void dsc_loader_note(dsc_loader_t *loader, const char *text)
{
    dsc_loader_note_of(loader, loader->at, text);
}

void dsc_load_count_add(dsc_load_count_t *sum, const dsc_load_count_t *count)
{
    sum->read += count->read;
    sum->stored += count->stored;
    sum->unchanged += count->unchanged;
    sum->superseded += count->superseded;
    sum->rejected += count->rejected;
}
