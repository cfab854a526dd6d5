/* The loader's inside, shared by its files. From the top down: loader.c (the life of files and of
 * their transaction), loader_count.c (counts of datasets), loader_reconcile.c (what follows),
 * loader_record.c and loader_symbol.c (records, and whom their symbols name), loader_round.c (files
 * that are merged at once), loader_statement.c (what importers run with it), loader_whole.c (what
 * files that are the whole of a filing leave out), loader_merge.c (staged rows into timelines),
 * loader_largest.c, loader_analyze.c, loader_stage.c (temporary tables and COPY), loader_source.c,
 * loader_lock.c, loader_report.c (progress, rejects, notes), loader_sql.c (statements). None calls
 * one above it. */
#ifndef DSC_LOADER_INTERNAL_H
#define DSC_LOADER_INTERNAL_H

#include "engine/buffer.h"
#include "loader/loader.h"

#include <apr_errno.h>
#include <apr_hash.h>
#include <apr_tables.h>
#include <apr_time.h>
#include <openssl/evp.h>

/* So much is sent at once. */
#define DSC_BLOCK_SIZE ((size_t)1 << 20)

/* A staged content hash that is the file's own, which is known when all of it has been read. */
#define DSC_HASH_OF_FILE "="

/* The database failed; the loader's error says how. */
#define DSC_LOADER_DATABASE (APR_OS_START_USERERR + 1)

enum {
    /* From so many rows on, statistics are gathered and plans made for them. */
    LARGE_LOAD = 2000,
    /* Files of a transaction, which has as many sources of import_run; their numbers are part of
     * row_order. */
    DSC_MOST_FILES = 256,
    DSC_ORDER_BITS = 40,
    /* Of files of a round that state the same record of a dataset with DSC_OF_STATEMENTS, one after
     * the other. */
    DSC_MOST_LEVELS = 24
};

/* Of staged row q that one behind it in its file replaces: version v was in force before both. */
#define DSC_BEFORE_INSTANT                                                                         \
    " OR (NOT q.is_last AND v.known_at < s.known_at AND v.superseded_at = s.known_at)"

/* SQL: which file of the transaction a staged row belongs to; `order` is its row_order. */
#define DSC_FILE_OF(order) "(" order " >> 40)"

/* Behind WITH changed AS (... RETURNING row_order): rows by file. */
#define DSC_COUNT_BY_FILE " SELECT " DSC_FILE_OF("row_order") ", count(*) FROM changed GROUP BY 1"

/* A statement of an importer, with its parameters. */
typedef struct {
    const char *sql;
    int count;
    const char *const *parameters;
    int of_companies; /* it writes rows of staged companies alone */
    int once;         /* it is run once for all files that have handed it over */
} dsc_after_t;

/* A filing of which a file has all rows of a dataset. */
typedef struct {
    const dsc_dataset_t *dataset;
    const char *cik, *accession;
    int is_of_set; /* rows of other filings may have been rejected */
    int is_stored; /* rows of it were, before the file was merged */
} dsc_whole_t;

/* A file of the open transaction. All of it lives in the transaction's pool. */
typedef struct {
    int number;                      /* from 0 */
    const char *source, *file, *run; /* run: the import_run_id */
    dsc_load_count_t count;
    apr_array_header_t *kept;        /* the first rejects */
    apr_array_header_t *before;      /* statements for before the merge */
    apr_array_header_t *after;       /* statements for after the merge */
    apr_array_header_t *together;    /* those of all files of a round at once */
    apr_array_header_t *wholes;      /* dsc_whole_t */
    uint64_t whole_slots;            /* of their datasets */
    long long rejected_before;       /* before the merge */
    apr_array_header_t *notes_after; /* those for after reconciling, whose rows are notes */
    apr_array_header_t *words;       /* the words that it has named, see dsc_round_meet() */
    long long order;                 /* of its last staged row */
    long long rows;                  /* staged */
    long long name_mismatches;       /* records that name another company than their symbol's */
    const char *mismatches_listed;   /* the first of them */
    const char *note;                /* what is to be reported of it; NULL: nothing */
    const char *content_hash;        /* NULL: not stated */
    const char *failure;             /* why nothing of it is stored; NULL: it is */
    int has_sources;
    int changed;  /* something of it is stored, or has changed what is */
    int is_alone; /* it is merged with no other */
    int may_be_empty;
    int has_sent_rejects;
    int is_damaged; /* for which it failed: it is not what was packed */
} dsc_loaded_file_t;

/* Numbers of sources, taken from the database some at a time: the more the more have been
 * needed. */
typedef struct {
    char texts[2048][12];
    int left, next; /* next: how many to take, 0 before the first */
} dsc_source_numbers_t;

/* How a transaction holds a lock. */
typedef enum {
    DSC_NOT_HELD,
    DSC_HELD_SHARED,
    DSC_HELD_ALONE
} dsc_hold_t;

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
    /* How its long values are compressed, as a clause: a value is stored as it was staged. */
    const char *compression;
} dsc_stage_column_t;

/* Whom a record is about: an issuer that is known, or what names one. */
typedef struct {
    const char *issuer_id, *cik, *party;
    const char *identity;        /* of the timeline: the CIK, the party, or else the issuer_id */
    const char *source_identity; /* in src_id; for rows named by symbol the symbol, whichever
                                    company is listed */
    const char *listed_name;     /* of a party: who is listed under its symbol, by another name */
} dsc_issuer_t;

/* The staging of one dataset on this connection. */
typedef struct {
    const dsc_dataset_t *dataset;
    int slot;       /* see dsc_slot_of() */
    int global_key; /* DSC_KEY_GLOBAL */
    int snapshots;  /* DSC_SNAPSHOTS */
    /* DSC_LAST_COUNTS: " AND" that version p is of neither the file nor another copy of the
     * document that row s is of; else "" */
    const char *unless_replaced;
    int ready;        /* temporary tables exist */
    int made_here;    /* they were made in the open transaction */
    int passes_ready; /* so do those for rows whose records are stored, or stated twice */
    int passes_made_here;
    int accession_required;
    int document; /* index of the column that names the row's document; -1: there is none */
    const dsc_stage_column_t *columns; /* as the dataset's */
    const char *checks;       /* SQL that is true for a row that a CHECK refuses; NULL: none */
    const char *check_reason; /* SQL that yields why a row is refused */
    int slow_checks;          /* a function "..._fault" looks through lists of values */
    dsc_buffer_t *blocks[DSC_MOST_LEVELS]; /* COPY text not yet sent; NULL until rows are met */
    size_t kept[DSC_MOST_LEVELS];          /* their lengths when the file at hand began */
    int level_of[DSC_MOST_FILES];          /* in which of them the rows of a file are */
    long long merging[DSC_MOST_FILES];     /* rows of the level that is being merged, by file */
    EVP_MD_CTX *sha256;                    /* the loader's */
    long long rows;                        /* staged and not merged yet */
    long long of_file[DSC_MOST_FILES];     /* of these, by file */
    int staged;                            /* in this transaction, any */
    int unclean; /* the temporary tables hold rows that have been merged */
    int changed; /* rows of the dataset were written */
    dsc_statement_t copy, refuse, lacks_issuer, add_issuers, name_issuers, is_plain, insert_plain,
        touch_plain, passes, classify, close_previous, close_holder, move, rehash, insert, touch,
        raise, restate, resume, expect, empty_act, statistics, listed_statistics, look_stored,
        find_left_out, find_all_left_out;
} dsc_stage_t;

struct dsc_loader_t {
    apr_pool_t *pool, *file_pool;
    apr_pool_t
        *batch_pool; /* of the open transaction, and of what is reported of it until the next one */
    dsc_connection_t *connection;
    dsc_load_options_t options;
    dsc_stage_t **stages; /* by dataset index; NULL until the dataset is met */
    int stage_count;
    int statements;       /* prepared so far */
    apr_hash_t *repeated; /* text -> dsc_statement_t */
    int common_ready;     /* table "touched" exists */
    int common_made_here;
    apr_hash_t
        *returning; /* reconciling functions that return further issuers; NULL: not asked yet */
    apr_hash_t *providers;   /* of source_provider */
    apr_pool_t *symbol_pool; /* below the file pool */
    /* symbol pool: symbol, or with day and name -> dsc_issuer_t, the last 50,000 at most */
    apr_hash_t *symbols;
    dsc_statement_t present_symbol;
    int holds_listings;            /* no other load may change them until this transaction's end */
    dsc_hold_t issuers;            /* the lock of issuer */
    uint64_t locked;               /* slots whose locks the transaction holds alone */
    uint64_t shared;               /* and with loads of other companies */
    apr_hash_t *known_companies;   /* batch pool: CIKs of staged rows */
    apr_array_header_t *companies; /* batch pool: the same, const char *, as they were met */
    int companies_locked;          /* how many of them */
    int of_others;                 /* there are rows without a CIK, or of many companies */
    int locked_listings;           /* exclusively */
    EVP_MD_CTX *sha256;
    dsc_buffer_t *rejects;      /* COPY text of import_reject */
    size_t kept_rejects;        /* its length when the file at hand began */
    dsc_buffer_t *source_block; /* COPY text of the files' sources */
    size_t kept_sources;        /* its length when the file at hand began */
    apr_pool_t *source_pool;    /* below the file pool */
    apr_hash_t
        *sources; /* source pool: what a source says -> its number, the last 10,000 at most */
    dsc_source_numbers_t source_numbers;
    dsc_buffer_t *source_text; /* for the time of a look at `sources` */
    dsc_statement_t next_sources, keep_sources, drop_sources, empty_sources, finish_runs;
    apr_array_header_t *files; /* batch pool: dsc_loaded_file_t * of the transaction */
    dsc_loaded_file_t *at;     /* the last of them */
    int merged;                /* how many of them have been merged */
    int reading;               /* the last one is not complete */
    apr_hash_t
        *met; /* batch pool: words that files of the round have named -> dsc_loaded_file_t * */
    int unclean_sources; /* the temporary table holds sources that have been stored */
    apr_time_t began;    /* the transaction */
    const char *error;
    int is_passing; /* the file failed for what it cannot help: PostgreSQL is short of something, or
                       others are at its rows */
    long long unanalyzed; /* rows read by the files since statistics were gathered last */
    int open;             /* a transaction is */
    const char *phase;    /* of the file, as printed at the terminal */
    void (*progress)(void *baton, const dsc_load_count_t *count,
                     const char *phase); /* may be NULL */
    void *progress_baton;
    dsc_loader_complete_t complete; /* called when a file has been read; NULL: nothing */
    void *complete_baton;
};

/* A reject, as printed at the terminal. */
typedef struct {
    const char *location, *reason, *sample;
} dsc_load_reject_t;

/* ---- loader_report.c */

enum {
    DSC_SAMPLE_LENGTH = 200
};

/* Text as the database takes it, of at most `limit` bytes: foreign bytes, as file names may have,
 * are replaced. */
const char *dsc_loader_text(apr_pool_t *pool, const char *text, size_t limit);

/* Reports the progress; a phase begins if it is not NULL. */
void dsc_loader_progress(dsc_loader_t *loader, const char *phase);

/* Appends a reject of a file to those that are not sent yet, and sends them. */
void dsc_loader_append_reject(dsc_loader_t *loader, const dsc_loaded_file_t *file,
                              const dsc_load_reject_t *reject);
apr_status_t dsc_loader_flush_rejects(dsc_loader_t *loader);

/* What dsc_loader_reject() does, of any file of the transaction. */
apr_status_t dsc_loader_reject_of(dsc_loader_t *loader, dsc_loaded_file_t *file,
                                  const char *location, const char *reason, const char *sample);

/* What dsc_loader_note() does, of any file. */
void dsc_loader_note_of(dsc_loader_t *loader, dsc_loaded_file_t *file, const char *text);

/* ---- loader_symbol.c */

int dsc_is_symbol(const char *symbol);

/* Whom the record's symbol names. */
apr_status_t dsc_issuer_of_symbol(dsc_loader_t *loader, const dsc_load_record_t *record,
                                  const dsc_issuer_t **issuer);

/* Counts the record if its file names another company than is listed under its symbol; they are
 * reported when the file ends. */
void dsc_note_name_mismatch(dsc_loader_t *loader, const dsc_load_record_t *record,
                            const dsc_issuer_t *issuer);
void dsc_report_name_mismatches(dsc_loader_t *loader);

/* ---- loader_sql.c */

/* Runs several statements at once, without values and rows. */
apr_status_t dsc_loader_script(dsc_loader_t *loader, const char *sql);

/* What dsc_loader_query() does, prepared once; `planned` says that the plan for few rows will not
 * do now. */
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

/* The number of the record's source, one for all records of the file that come from the same; `cik`
 * of the issuer, or NULL. It stays what it is until the next call. */
apr_status_t dsc_source_of(dsc_loader_t *loader, const dsc_stage_t *stage,
                           const dsc_load_record_t *record, const char *cik,
                           const char **source_id);

/* Makes the temporary table in which sources are sent. */
apr_status_t dsc_source_make_table(dsc_loader_t *loader);

/* Sends them to that table: before rows that name them. */
apr_status_t dsc_source_send(dsc_loader_t *loader);

/* Stores the sources of the round's files, before rows are merged; takes them back of those that
 * have stored nothing. */
apr_status_t dsc_source_keep(dsc_loader_t *loader, int count, dsc_loaded_file_t *const *files);
apr_status_t dsc_source_drop_unused(dsc_loader_t *loader, int count,
                                    dsc_loaded_file_t *const *files);

/* ---- loader_stage.c */

/* What the loader keeps of a dataset: enough for one that has changed without rows of this file. */
apr_status_t dsc_stage_of(dsc_loader_t *loader, const dsc_dataset_t *dataset, dsc_stage_t **stage);

/* The same, made ready for rows in the open transaction: what its table asks for, and temporary
 * tables. */
apr_status_t dsc_stage_open(dsc_loader_t *loader, const dsc_dataset_t *dataset,
                            dsc_stage_t **stage);

/* Makes the temporary tables that rows go through whose records are stored, or stated twice. */
apr_status_t dsc_stage_passes(dsc_loader_t *loader, dsc_stage_t *stage);

/* A file begins that has that number. */
void dsc_stage_begin_file(dsc_stage_t *stage, int number);

/* The text to which the rows of a level are appended. */
dsc_buffer_t *dsc_stage_block(dsc_loader_t *loader, dsc_stage_t *stage, int level);

/* Sends the rows of a level, to a temporary table without those that have been merged. */
apr_status_t dsc_stage_send(dsc_loader_t *loader, dsc_stage_t *stage, int level);

/* Appends a checked record, sending the block when it is full. `issuer_id` is NULL if the
 * record's cik or party names the issuer. */
apr_status_t dsc_stage_append(dsc_loader_t *loader, dsc_stage_t *stage,
                              const dsc_load_record_t *record, const dsc_issuer_t *issuer);

/* ---- loader_lock.c */

/* The lowest index of the datasets that share the dataset's reconciling function: they are locked
 * and reconciled together. */
int dsc_slot_of(const dsc_dataset_t *dataset);

/* Whether any dataset of the slot has staged rows, or has changed. */
int dsc_slot_has_rows(const dsc_loader_t *loader, int slot, int changed);

/* Calls `visit` for each dataset that a dataset depends on, until one says stop. */
int dsc_each_followed(const dsc_dataset_t *dataset,
                      int (*visit)(const dsc_follow_t *follow, void *baton), void *baton);
int dsc_followed_slot(const dsc_follow_t *follow);

/* Keeps other loads from changing listings until the file's end: symbols must mean the same when
 * rows are merged as when they were looked up. Otherwise a row that belongs to the company by then
 * would be stored separately. */
apr_status_t dsc_lock_listings_shared(dsc_loader_t *loader);

/* Notes whose row is staged: see dsc_lock_written(). */
void dsc_lock_note_company(dsc_loader_t *loader, const char *cik);

/* Whether the files write company by company, and with another company they would lock out other
 * loads. */
int dsc_lock_is_full(const dsc_loader_t *loader);

/* Behind the locks: rows of this company change as well. Fails if another load is at work on
 * them. */
apr_status_t dsc_lock_other_company(dsc_loader_t *loader, const char *cik);

/* Locks, in one order for all loaders, what the staged datasets write: for other companies' loads
 * as well, or, if everything is written company by company, for those of the same companies. */
apr_status_t dsc_lock_written(dsc_loader_t *loader);

/* Locks what all datasets write: issuer. */
apr_status_t dsc_lock_issuers(dsc_loader_t *loader);

/* Before events and counts, which all loads write: those of other companies come to it one after
 * the other. */
apr_status_t dsc_lock_end(dsc_loader_t *loader);

/* ---- loader_issuer.c: issuers of staged rows */

#define ISSUER_JOIN                                                                                \
    " LEFT JOIN disclosed.issuer i ON i.cik = s.cik"                                               \
    " LEFT JOIN disclosed.issuer j ON j.party_key = s.party"
#define ISSUER_ID "coalesce(s.issuer_id, i.issuer_id, j.issuer_id)"

/* Which issuers a stage lacks. */
typedef struct {
    int new, nameless;
} dsc_lacking_t;

/* Writes the SQL. */
void dsc_issuers_prepare(apr_pool_t *pool, dsc_stage_t *stage);

/* Finds out whether issuers are new, or are to be named, and holds other loads off then; makes and
 * names them. */
apr_status_t dsc_issuers_find(dsc_loader_t *loader, dsc_stage_t *stage, int large,
                              dsc_lacking_t *lacking);
apr_status_t dsc_issuers_make(dsc_loader_t *loader, dsc_stage_t *stage, int large,
                              const dsc_lacking_t *lacking);

/* ---- loader_merge.c */

/* Merges the staged rows of one dataset into its table. */
apr_status_t dsc_merge_run(dsc_loader_t *loader, dsc_stage_t *stage);

/* ---- loader_merge_sql.c */

/* Writes the SQL of the dataset's merge. */
void dsc_merge_prepare(apr_pool_t *pool, dsc_stage_t *stage);

/* ---- loader_largest.c */

/* Writes the SQL of a dataset that has such a column; `versions` joins the stored versions of a
 * staged row's record, as "v.row_id". */
void dsc_largest_prepare(apr_pool_t *pool, dsc_stage_t *stage, const char *versions);

/* loader_note.c; each is "" for a dataset of which nothing is noted. Before INSERT: notes the
 * records that a pass has written
 * (`same_record`: a condition that v is a version of the one of a and s), with the values of all
 * their versions, as some have ended; or the staged rows, which have been inserted as they are. */
const char *dsc_note_sql(apr_pool_t *pool, const dsc_dataset_t *dataset, const char *same_record);
const char *dsc_note_plain_sql(apr_pool_t *pool, const dsc_dataset_t *dataset);

/* Of a statement that changes rows t as WITH changed AS (UPDATE ... RETURNING t.issuer_id, ...):
 * what it returns besides, and the part of it that notes the changed rows. */
const char *dsc_returned_note_sql(apr_pool_t *pool, const dsc_dataset_t *dataset);
const char *dsc_note_changed_sql(apr_pool_t *pool, const dsc_dataset_t *dataset);

/* ---- loader_whole.c */

/* Before the merge: looks which filings are stored of which the round's files say that they are the
 * whole. */
apr_status_t dsc_whole_look(dsc_loader_t *loader, int count, dsc_loaded_file_t *const *files);

/* After it: ends what they leave out. */
apr_status_t dsc_whole_end(dsc_loader_t *loader, int count, dsc_loaded_file_t *const *files);

/* ---- loader_round.c: files of a transaction that are merged at once */

/* Names what the current file states or looks up. If another file of the round has named it too,
 * the files before this one are merged first. */
apr_status_t dsc_round_meet(dsc_loader_t *loader, const char *word);

/* The same of a record of a dataset with DSC_OF_STATEMENTS: of that dataset this file's rows are
 * merged after the other's. */
apr_status_t dsc_round_follow(dsc_loader_t *loader, dsc_stage_t *stage, const char *word);

/* Merges the files before the one at hand, so that this one is merged alone. */
apr_status_t dsc_round_alone(dsc_loader_t *loader);

/* Merges all files that have been read, with the statements of their importers. */
apr_status_t dsc_round_end(dsc_loader_t *loader);

/* Takes back what the file at hand has staged. */
apr_status_t dsc_round_forget(dsc_loader_t *loader);

/* ---- loader_statement.c: statements of importers */

/* The parameters of one, with what is known by then in its place. */
const char *const *dsc_statement_parameters(const dsc_loader_t *loader,
                                            const dsc_loaded_file_t *file,
                                            const dsc_after_t *statement);

/* Marks what one says that it has changed: rows of dataset and issuer. */
apr_status_t dsc_statement_touches(dsc_loader_t *loader, PGresult *result);

/* Runs those of the files that come before their rows are merged, and those that come after it. */
apr_status_t dsc_statements_before(dsc_loader_t *loader, int count,
                                   dsc_loaded_file_t *const *files);
apr_status_t dsc_statements_after(dsc_loader_t *loader, int count, dsc_loaded_file_t *const *files);

/* ---- loader_reconcile.c */

/* Announces what the load has added to datasets that say how. */
apr_status_t dsc_announce_run(dsc_loader_t *loader);

/* Runs reconciling functions, and the functions of datasets that follow what has changed. */
apr_status_t dsc_reconcile_run(dsc_loader_t *loader);

/* ---- loader_analyze.c */

/* Of the temporary table of the dataset that begins with `prefix`; `only_planned`: of the columns
 * that plans look at. */
apr_status_t dsc_analyze_staged(dsc_loader_t *loader, const dsc_stage_t *stage, const char *prefix,
                                int only_planned);

/* Each of many passes looks a few rows up by their order. */
apr_status_t dsc_index_staged(dsc_loader_t *loader, const dsc_stage_t *stage);

/* After a large merge, and at the end: tables that have grown by it get PostgreSQL's statistics at
 * once. Autovacuum comes later, and without them what follows reads whole tables again and
 * again. */
apr_status_t dsc_analyze_grown(dsc_loader_t *loader);

/* ---- loader_count.c */

/* Counts anew what has changed. */
apr_status_t dsc_count_run(dsc_loader_t *loader);

/* ---- loader.c */

/* Gives the transaction up, and reports nothing about its files. */
void dsc_loader_roll_back(dsc_loader_t *loader);

/* Has a function called from time to time while a file is being loaded; `phase`: "reading" and so
 * on. */
void dsc_loader_on_progress(dsc_loader_t *loader,
                            void (*progress)(void *baton, const dsc_load_count_t *count,
                                             const char *phase),
                            void *baton);

#endif
