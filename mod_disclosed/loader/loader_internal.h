/* The loader's inside, shared by its files. From the top down: loader.c (a file's life), loader_count.c
 * (statistics), loader_settle.c (what follows), loader_merge.c (staged rows into timelines), loader_record.c and
 * loader_symbol.c (records, and whom their symbols name), loader_stage.c (temporary tables and COPY), loader_source.c,
 * loader_lock.c, loader_told.c (progress, rejects, notes), loader_sql.c (statements). None calls one above it. */
#ifndef DSC_LOADER_INTERNAL_H
#define DSC_LOADER_INTERNAL_H

#include "engine/buffer.h"
#include "loader/loader.h"

#include <apr_errno.h>
#include <apr_hash.h>
#include <apr_tables.h>
#include <openssl/evp.h>

/* A staged content hash that is the file's own, which is known when all of it has been read. */
#define DSC_HASH_OF_FILE "="

/* The database failed; the loader's error says how. */
#define DSC_LOADER_DATABASE (APR_OS_START_USERERR + 1)

/* From so many rows on, statistics are gathered and plans made for them. */
enum {
    LARGE_LOAD = 2000
};

/* Numbers of sources, taken from the database some at a time. */
typedef struct {
    char texts[64][12];
    int left;
} dsc_source_numbers_t;

/* A statement that is prepared at its first use on the connection. */
typedef struct {
    const char *sql;
    const char *name; /* NULL until prepared */
} dsc_statement_t;

/* What the database says about a column: what an absent value becomes, and bounds. */
typedef struct {
    const char *absent; /* SQL in place of an absent value; NULL: stays NULL */
    int required;       /* NOT NULL and nothing stands in for an absent value */
    int indexed;        /* in a B-tree, whose entries must stay under 2704 bytes */
} dsc_stage_column_t;

/* Whom a record is about: an issuer that is known, or what names one. */
typedef struct {
    const char *issuer_id, *cik, *party;
    const char *identity;        /* of the timeline: the CIK, the party, or else the issuer_id */
    const char *source_identity; /* in src_id; of what is named by symbol that, whoever is listed */
    const char *listed_name;     /* of a party: who is listed under its symbol, by another name */
} dsc_issuer_t;

/* The staging of one dataset on this connection. */
typedef struct {
    const dsc_dataset_t *dataset;
    int slot;           /* see dsc_slot_of() */
    int global_key;     /* DSC_KEY_GLOBAL */
    int snapshots;      /* DSC_SNAPSHOTS */
    int settle_known;   /* the next is known */
    int settle_returns; /* its settle function returns further issuers */
    int ready;          /* temporary tables exist */
    int made_here;      /* they were made in the open transaction */
    int accession_required;
    int document; /* index of the column that names the row's document; -1: there is none */
    const dsc_stage_column_t *columns; /* as the dataset's */
    const char *checks;       /* SQL that is true for a row that a CHECK refuses; NULL: none */
    const char *check_reason; /* SQL that yields why a row is refused */
    dsc_buffer_t *block;      /* COPY text not yet sent; NULL until rows are met */
    EVP_MD_CTX *sha256;       /* the loader's */
    long long rows;           /* staged in this file */
    int changed;              /* rows of the dataset were written */
    dsc_statement_t copy, refuse, lacks_issuer, add_issuers, name_issuers, is_plain, insert_plain,
        touch_plain, passes, classify, close_previous, close_holder, move, rehash, insert, touch,
        restate, resume, expect, empty_act, statistics, listed_statistics;
} dsc_stage_t;

struct dsc_loader_t {
    apr_pool_t *pool, *file_pool;
    dsc_connection_t *connection;
    dsc_load_options_t options;
    dsc_stage_t **stages; /* by dataset index; NULL until the dataset is met */
    int stage_count;
    int statements;   /* prepared so far */
    int common_ready; /* table "touched" exists */
    int common_made_here;
    apr_hash_t *providers;   /* of source_provider */
    apr_pool_t *symbol_pool; /* below the file pool */
    /* symbol pool: symbol, or with day and name -> dsc_issuer_t, the last 50,000 at most */
    apr_hash_t *symbols;
    dsc_statement_t present_symbol;
    int holds_listings;            /* no other load may change them until this file's end */
    long long name_mismatches;     /* records that name another company than their symbol's */
    const char *mismatches_listed; /* file pool: the first of them */
    EVP_MD_CTX *sha256;
    dsc_buffer_t *rejects;      /* COPY text of import_reject */
    dsc_buffer_t *source_block; /* COPY text of the file's sources */
    apr_pool_t *source_pool;    /* below the file pool */
    apr_hash_t
        *sources; /* source pool: what a source says -> its number, the last 10,000 at most */
    dsc_source_numbers_t source_numbers;
    dsc_buffer_t *source_text; /* for the time of a look at `sources` */
    dsc_statement_t next_sources, keep_sources, drop_sources;
    int has_sources; /* of the open file, any */
    int restates;    /* rows of the file went to table restated */
    dsc_load_count_t count;
    apr_array_header_t *kept;        /* file pool: the first rejects */
    apr_array_header_t *before;      /* file pool: statements for before the merge */
    apr_array_header_t *after;       /* file pool: statements for after the merge */
    apr_array_header_t *notes_after; /* file pool: those for after settling, whose rows are notes */
    const char *source, *file, *run; /* file pool; run: the import_run_id */
    long long order;                 /* of the last staged row in the file */
    const char *error;
    const char *note;         /* file pool: what is to be told of the file; NULL: nothing */
    const char *content_hash; /* file pool: of the file; NULL: not told */
    long long unanalyzed;     /* rows read by the files since statistics were gathered last */
    int open;                 /* a transaction is */
    const char *phase;        /* of the file, as it is told at the terminal */
    void (*progress)(void *baton, const dsc_load_count_t *count,
                     const char *phase); /* may be NULL */
    void *progress_baton;
};

/* A reject as it is told at the terminal. */
typedef struct {
    const char *location, *reason, *sample;
} dsc_load_reject_t;

/* The first rejects of the file, at most 100, until the next file begins. */
const dsc_load_reject_t *dsc_loader_rejects(const dsc_loader_t *loader, int *count);

/* What is to be noted of the file that was loaded last; NULL: nothing. */
const char *dsc_loader_notes(const dsc_loader_t *loader);

/* Leaves a file without a trace, since nothing of it is to be loaded. */
void dsc_loader_leave(dsc_loader_t *loader);

/* Has a function called from time to time while a file is being loaded; `phase`: "reading" and so on. */
void dsc_loader_on_progress(dsc_loader_t *loader,
                            void (*progress)(void *baton, const dsc_load_count_t *count,
                                             const char *phase),
                            void *baton);

/* ---- loader_told.c */

enum {
    DSC_SAMPLE_LENGTH = 200
};

/* Text as the database takes it, of at most `limit` bytes: foreign bytes, as file names may have, are replaced. */
const char *dsc_loader_text(apr_pool_t *pool, const char *text, size_t limit);

/* Tells how far it is; a phase begins where it is not NULL. */
void dsc_loader_progress(dsc_loader_t *loader, const char *phase);

/* Appends a reject to those that are not sent yet, and sends them. */
void dsc_loader_append_reject(dsc_loader_t *loader, const dsc_load_reject_t *reject);
apr_status_t dsc_loader_flush_rejects(dsc_loader_t *loader);

/* ---- loader_symbol.c */

int dsc_is_symbol(const char *symbol);

/* Whom the record's symbol names. */
apr_status_t dsc_issuer_of_symbol(dsc_loader_t *loader, const dsc_load_record_t *record,
                                  const dsc_issuer_t **issuer);

/* Counts the record where its file names another company than is listed under its symbol; tells of
 * them when the file ends. */
void dsc_note_name_mismatch(dsc_loader_t *loader, const dsc_load_record_t *record,
                            const dsc_issuer_t *issuer);
void dsc_report_name_mismatches(dsc_loader_t *loader);

/* ---- loader_sql.c */

/* Runs several statements at once, without values and rows. */
apr_status_t dsc_loader_script(dsc_loader_t *loader, const char *sql);

/* What dsc_loader_query() does, prepared once; `planned` says that the plan for few rows will not do now. */
apr_status_t dsc_loader_run(dsc_loader_t *loader, dsc_statement_t *statement, int planned,
                            int count, const char *const *parameters, PGresult **result);

/* Runs a statement that writes; adds the number of rows written to *rows. */
apr_status_t dsc_loader_write(dsc_loader_t *loader, dsc_statement_t *statement, int planned,
                              int count, const char *const *parameters, long long *rows);

/* Sends what the buffer holds by COPY and empties it. */
apr_status_t dsc_loader_copy(dsc_loader_t *loader, const char *sql, dsc_buffer_t *block);

/* Appends one COPY field (NULL: \N), escaped, without the separator. */
void dsc_copy_field(dsc_buffer_t *block, const char *text);

/* Remembers the connection's last error and returns DSC_LOADER_DATABASE. */
apr_status_t dsc_loader_failed(dsc_loader_t *loader, const char *message);

/* ---- loader_source.c */

/* The number of the record's source, one for all records of the file that come from the same; `cik` of the issuer, or
 * NULL. It stays what it is until the next call. */
apr_status_t dsc_source_of(dsc_loader_t *loader, const dsc_stage_t *stage,
                           const dsc_load_record_t *record, const char *cik,
                           const char **source_id);

/* Makes the temporary table in which sources are sent. */
apr_status_t dsc_source_make_table(dsc_loader_t *loader);

/* Sends them to that table: before rows that name them. */
apr_status_t dsc_source_send(dsc_loader_t *loader);

/* Stores the file's sources, before rows are merged; takes them back where the file has stored nothing. */
apr_status_t dsc_source_keep(dsc_loader_t *loader);
apr_status_t dsc_source_drop_unused(dsc_loader_t *loader);

/* ---- loader_stage.c */

/* What the loader keeps of a dataset: enough for one that has changed without rows of this file. */
apr_status_t dsc_stage_of(dsc_loader_t *loader, const dsc_dataset_t *dataset, dsc_stage_t **stage);

/* The same, made ready for rows in the open transaction: what its table asks for, and temporary tables. */
apr_status_t dsc_stage_open(dsc_loader_t *loader, const dsc_dataset_t *dataset,
                            dsc_stage_t **stage);

/* Appends a checked record, sending the block when it is full. `issuer_id` is NULL where the
 * record's cik or party names the issuer. */
apr_status_t dsc_stage_append(dsc_loader_t *loader, dsc_stage_t *stage,
                              const dsc_load_record_t *record, const dsc_issuer_t *issuer);

/* ---- loader_lock.c */

/* The lowest index of the datasets that share the dataset's settle function: they are locked and settled together. */
int dsc_slot_of(const dsc_dataset_t *dataset);

/* Whether any dataset of the slot has staged rows, or has changed. */
int dsc_slot_has_rows(const dsc_loader_t *loader, int slot, int changed);

/* Calls `visit` for each dataset that a dataset depends on, until one says stop. */
int dsc_each_followed(const dsc_dataset_t *dataset,
                      int (*visit)(const dsc_follow_t *follow, void *baton), void *baton);
int dsc_followed_slot(const dsc_follow_t *follow);

/* Keeps other loads from changing listings until the file's end: what symbols mean must be the same when rows
 * are merged as when they were looked up, or a row that is the company's by then would be stored beside it. */
apr_status_t dsc_lock_listings_shared(dsc_loader_t *loader);

/* Locks, in one order for all loaders, what the staged datasets write. */
apr_status_t dsc_lock_written(dsc_loader_t *loader);

/* Locks what all datasets write: issuer. */
apr_status_t dsc_lock_issuers(dsc_loader_t *loader);

/* ---- loader_merge.c */

/* Merges the staged rows of one dataset into its table. */
apr_status_t dsc_merge_run(dsc_loader_t *loader, dsc_stage_t *stage);

/* ---- loader_settle.c */

/* Announces what the load has added to datasets that say how. */
apr_status_t dsc_announce_run(dsc_loader_t *loader);

/* Runs settle functions, and the functions of datasets that follow what has changed. */
apr_status_t dsc_settle_run(dsc_loader_t *loader);

/* ---- loader_count.c */

/* After a large merge, and at its end: tables that have grown by it get PostgreSQL's statistics at
 * once. Autovacuum comes later, and without them what follows reads whole tables again and again. */
apr_status_t dsc_count_analyze(dsc_loader_t *loader);

/* Counts anew what has changed. */
apr_status_t dsc_count_run(dsc_loader_t *loader);

#endif
