/* Files of a transaction that are merged together. Rows of small files are kept here until a round
 * is full. Then they are sent and merged with the statements that one file alone would take. The
 * result is that of the files one by one, because the files of a round have nothing in common: no
 * record of one file is stated by another (but see DSC_OF_STATEMENTS), and no word by which one
 * finds stored rows (dsc_loader_meets()) is named by another. A file that has something in common
 * with an earlier one ends the round before it. */
#include "loader/loader_internal.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

/* What the file at hand has staged, while the files before it are merged. */
typedef struct {
    char *bytes;
    size_t length;
    long long rows;
} dsc_aside_t;

/* ---------------------------------------------------------------------- what is derived */

/* Files whose sources the derived rows name, though their own rows said nothing new. */
static apr_status_t note_derived(dsc_loader_t *loader, const dsc_stage_t *stage,
                                 const PGresult *derived)
{
    dsc_buffer_t *issuers = dsc_buffer_create(loader->file_pool, 256);
    const char *parameter;
    PGresult *result;
    apr_status_t rv;
    int row;

    for (row = 0; row < PQntuples(derived); row++) {
        dsc_buffer_printf(issuers, "%s%s", row == 0 ? "{" : ",", PQgetvalue(derived, row, 1));
    }
    dsc_buffer_append_char(issuers, '}');
    parameter = dsc_buffer_text(issuers);
    rv = dsc_loader_query(loader,
                          apr_psprintf(loader->file_pool,
                                       "SELECT DISTINCT f.file FROM disclosed.%s t"
                                       " JOIN pg_temp.staged_source f USING (source_id)"
                                       " WHERE t.issuer_id = ANY ($1::bigint[])",
                                       stage->dataset->table),
                          1, &parameter, &result);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (row = 0; row < PQntuples(result); row++) {
        APR_ARRAY_IDX(loader->files, atoi(PQgetvalue(result, row, 0)), dsc_loaded_file_t *)
            ->changed = 1;
    }
    PQclear(result);
    return APR_SUCCESS;
}

static apr_status_t derive(dsc_loader_t *loader, const dsc_stage_t *stage, int count,
                           dsc_loaded_file_t *const *files)
{
    const char *parameters[] = {files[0]->run, files[0]->content_hash};
    PGresult *result;
    apr_status_t rv =
        dsc_loader_query(loader,
                         apr_psprintf(loader->file_pool,
                                      "SELECT dataset, changed_issuer FROM disclosed.%s($1, $2)",
                                      stage->dataset->derive),
                         DSC_COUNT(parameters), parameters, &result);

    if (rv != APR_SUCCESS) {
        return rv;
    }
    if (PQntuples(result) > 0) {
        rv = dsc_statement_touches(loader, result);
        files[0]->changed |= count == 1;
        if (rv == APR_SUCCESS && count > 1) {
            rv = note_derived(loader, stage, result);
        }
    }
    PQclear(result);
    return rv;
}

/* ------------------------------------------------------------------------------ a round */

/* Sends what is staged, sources first. */
static apr_status_t send_all(dsc_loader_t *loader)
{
    apr_status_t rv = dsc_source_send(loader);
    int i;

    for (i = 0; rv == APR_SUCCESS && i < loader->stage_count; i++) {
        dsc_stage_t *stage = loader->stages[i];

        if (stage != NULL && stage->rows > 0) {
            rv = dsc_stage_send(loader, stage, 0);
        }
    }
    return rv;
}

/* Chooses the rows of one level; returns whether there are any. */
static int choose_level(const dsc_loader_t *loader, dsc_stage_t *stage, int level)
{
    int i, any = 0;

    for (i = 0; i < loader->files->nelts; i++) {
        stage->merging[i] = stage->level_of[i] == level ? stage->of_file[i] : 0;
        any |= stage->merging[i] > 0;
    }
    return any;
}

static apr_status_t merge_all(dsc_loader_t *loader)
{
    apr_status_t rv = APR_SUCCESS;
    int i;

    for (i = 0; rv == APR_SUCCESS && i < loader->stage_count; i++) {
        dsc_stage_t *stage = loader->stages[i];

        if (stage != NULL && stage->rows > 0 && choose_level(loader, stage, 0)) {
            rv = dsc_merge_run(loader, stage);
        }
    }
    return rv;
}

/* What follows from the rows of the first level, which have been merged; the others are merged one
 * by one, each when the one before has been derived. A level is empty if the file that had it has
 * been forgotten. */
static apr_status_t derive_levels(dsc_loader_t *loader, dsc_stage_t *stage, int count,
                                  dsc_loaded_file_t *const *files)
{
    apr_status_t rv = derive(loader, stage, count, files);
    int level;

    for (level = 1; rv == APR_SUCCESS && level < DSC_MOST_LEVELS; level++) {
        if (!choose_level(loader, stage, level)) {
            continue;
        }
        stage->unclean = 1;
        if ((rv = dsc_stage_send(loader, stage, level)) == APR_SUCCESS &&
            (rv = dsc_merge_run(loader, stage)) == APR_SUCCESS) {
            rv = derive(loader, stage, count, files);
        }
    }
    return rv;
}

/* Datasets whose versions follow from all that was stated. */
static apr_status_t derive_all(dsc_loader_t *loader, int count, dsc_loaded_file_t *const *files)
{
    apr_status_t rv = APR_SUCCESS;
    int i;

    for (i = 0; rv == APR_SUCCESS && i < loader->stage_count; i++) {
        dsc_stage_t *stage = loader->stages[i];

        if (stage != NULL && stage->rows > 0 && stage->dataset->derive != NULL) {
            rv = derive_levels(loader, stage, count, files);
        }
    }
    return rv;
}

static apr_status_t merge_round(dsc_loader_t *loader, int count, dsc_loaded_file_t *const *files)
{
    apr_status_t rv;
    int i;

    if ((rv = send_all(loader)) != APR_SUCCESS) {
        return rv;
    }
    dsc_loader_progress(loader, "waiting for other loads");
    if ((rv = dsc_lock_written(loader)) != APR_SUCCESS) {
        return rv;
    }
    dsc_loader_progress(loader, "merging");
    rv = dsc_source_keep(loader, count, files);
    for (i = 0; i < count; i++) {
        files[i]->rejected_before = files[i]->count.rejected;
    }
    rv = rv == APR_SUCCESS ? dsc_statements_before(loader, count, files) : rv;
    if (rv != APR_SUCCESS || (rv = dsc_whole_look(loader, count, files)) != APR_SUCCESS ||
        (rv = merge_all(loader)) != APR_SUCCESS ||
        (rv = dsc_analyze_grown(loader)) != APR_SUCCESS) {
        return rv;
    }
    dsc_loader_progress(loader, "deriving");
    rv = derive_all(loader, count, files);
    if (rv == APR_SUCCESS && (rv = dsc_statements_after(loader, count, files)) == APR_SUCCESS) {
        rv = dsc_whole_end(loader, count, files);
    }
    return rv;
}

/* Nothing is staged, and nothing has been met. */
static void begin_round(dsc_loader_t *loader)
{
    int i;

    for (i = 0; i < loader->stage_count; i++) {
        dsc_stage_t *stage = loader->stages[i];

        if (stage != NULL) {
            stage->unclean |= stage->rows > 0;
            stage->rows = 0;
            memset(stage->of_file, 0, sizeof(stage->of_file));
        }
    }
    loader->unclean_sources = 1;
    apr_hash_clear(loader->met);
}

apr_status_t dsc_round_end(dsc_loader_t *loader)
{
    dsc_loaded_file_t *files[DSC_MOST_FILES];
    int count = 0;
    apr_status_t rv;

    for (; loader->merged < loader->files->nelts - loader->reading; loader->merged++) {
        dsc_loaded_file_t *file = APR_ARRAY_IDX(loader->files, loader->merged, dsc_loaded_file_t *);

        if (file->failure == NULL) {
            files[count++] = file;
        }
    }
    if (count == 0) {
        return APR_SUCCESS;
    }
    rv = merge_round(loader, count, files);
    if (rv == APR_SUCCESS) {
        rv = dsc_source_drop_unused(loader, count, files);
    }
    begin_round(loader);
    return rv;
}

/* ------------------------------------------------------------------- the file at hand */

static dsc_aside_t cut(const dsc_loader_t *loader, dsc_buffer_t *buffer, size_t from)
{
    dsc_aside_t aside;

    aside.length = buffer->length - from;
    aside.bytes = apr_pmemdup(loader->file_pool, buffer->data + from, aside.length);
    aside.rows = 0;
    buffer->length = from;
    return aside;
}

/* Returns where it begins. */
static size_t paste(dsc_buffer_t *buffer, const dsc_aside_t *aside)
{
    size_t from = buffer->length;

    dsc_buffer_append(buffer, aside->bytes, aside->length);
    return from;
}

static dsc_aside_t *cut_stages(dsc_loader_t *loader)
{
    dsc_aside_t *aside =
        apr_pcalloc(loader->file_pool, sizeof(*aside) * (size_t)loader->stage_count);
    int i, at = loader->at->number;

    for (i = 0; i < loader->stage_count; i++) {
        dsc_stage_t *stage = loader->stages[i];

        if (stage != NULL && stage->of_file[at] > 0) {
            int level = stage->level_of[at];

            aside[i] = cut(loader, stage->blocks[level], stage->kept[level]);
            aside[i].rows = stage->of_file[at];
            stage->rows -= stage->of_file[at];
            stage->of_file[at] = 0;
        }
    }
    return aside;
}

static void paste_stages(dsc_loader_t *loader, const dsc_aside_t *aside)
{
    int i, at = loader->at->number;

    for (i = 0; i < loader->stage_count; i++) {
        dsc_stage_t *stage = loader->stages[i];

        if (stage != NULL) {
            dsc_stage_begin_file(stage, at);
        }
        if (aside[i].rows > 0) {
            (void)paste(stage->blocks[0], &aside[i]);
            stage->rows = stage->of_file[at] = aside[i].rows;
        }
    }
}

static void meet_again(dsc_loader_t *loader)
{
    const apr_array_header_t *words = loader->at->words;
    int i;

    for (i = 0; i < words->nelts; i++) {
        apr_hash_set(loader->met, APR_ARRAY_IDX(words, i, const char *), APR_HASH_KEY_STRING,
                     loader->at);
    }
}

/* Merges the files before the one at hand. */
static apr_status_t merge_earlier(dsc_loader_t *loader)
{
    dsc_aside_t *stages, sources, rejects;
    apr_status_t rv;

    if (loader->merged == loader->at->number) {
        return APR_SUCCESS;
    }
    stages = cut_stages(loader);
    sources = cut(loader, loader->source_block, loader->kept_sources);
    rejects = cut(loader, loader->rejects, loader->kept_rejects);
    rv = dsc_round_end(loader);
    paste_stages(loader, stages);
    loader->kept_sources = paste(loader->source_block, &sources);
    loader->kept_rejects = paste(loader->rejects, &rejects);
    meet_again(loader);
    return rv;
}

/* The other file that has named the word; NULL: none has. */
static const dsc_loaded_file_t *file_naming(const dsc_loader_t *loader, const char *word)
{
    const dsc_loaded_file_t *other = apr_hash_get(loader->met, word, APR_HASH_KEY_STRING);

    return other == loader->at ? NULL : other;
}

static void tell(dsc_loader_t *loader, const char *word)
{
    const char *kept;

    if (apr_hash_get(loader->met, word, APR_HASH_KEY_STRING) != loader->at) {
        kept = apr_pstrdup(loader->batch_pool, word);
        apr_hash_set(loader->met, kept, APR_HASH_KEY_STRING, loader->at);
        APR_ARRAY_PUSH(loader->at->words, const char *) = kept;
    }
}

apr_status_t dsc_round_meet(dsc_loader_t *loader, const char *word)
{
    apr_status_t rv = APR_SUCCESS;

    if (loader->at->is_alone) {
        return APR_SUCCESS;
    }
    if (file_naming(loader, word) != NULL) {
        rv = merge_earlier(loader);
    }
    tell(loader, word);
    return rv;
}

/* The rows that the file has at a lower level are merged with those to come. */
static void raise_level(dsc_loader_t *loader, dsc_stage_t *stage, int level)
{
    int *now = &stage->level_of[loader->at->number];
    dsc_aside_t aside = cut(loader, dsc_stage_block(loader, stage, *now), stage->kept[*now]);

    (void)paste(dsc_stage_block(loader, stage, level), &aside);
    *now = level;
}

apr_status_t dsc_round_follow(dsc_loader_t *loader, dsc_stage_t *stage, const char *word)
{
    const dsc_loaded_file_t *other = file_naming(loader, word);
    apr_status_t rv = APR_SUCCESS;
    int level = other == NULL ? 0 : stage->level_of[other->number] + 1;

    if (level == DSC_MOST_LEVELS) {
        rv = merge_earlier(loader);
    } else if (level > stage->level_of[loader->at->number]) {
        raise_level(loader, stage, level);
    }
    tell(loader, word);
    return rv;
}

apr_status_t dsc_round_alone(dsc_loader_t *loader)
{
    loader->at->is_alone = 1;
    return merge_earlier(loader);
}

/* A file that is merged alone may have sent rows: then no other's are staged. */
apr_status_t dsc_round_forget(dsc_loader_t *loader)
{
    int i, at = loader->at->number;

    for (i = 0; i < loader->stage_count; i++) {
        dsc_stage_t *stage = loader->stages[i];

        if (stage != NULL && stage->of_file[at] > 0) {
            int level = stage->level_of[at];

            stage->unclean |= loader->at->is_alone;
            stage->blocks[level]->length = loader->at->is_alone ? 0 : stage->kept[level];
            stage->rows -= stage->of_file[at];
            stage->of_file[at] = 0;
        }
    }
    loader->unclean_sources |= loader->at->is_alone;
    loader->source_block->length = loader->at->is_alone ? 0 : loader->kept_sources;
    loader->rejects->length = loader->kept_rejects;
    return loader->at->has_sent_rejects
               ? dsc_loader_query(loader,
                                  "DELETE FROM disclosed.import_reject WHERE import_run_id = $1", 1,
                                  &loader->at->run, NULL)
               : APR_SUCCESS;
}
