/* Loading records into dataset tables: set-wise, idempotent, several files a transaction, each
 * whole or not at all. */
#ifndef DSC_LOADER_H
#define DSC_LOADER_H

#include "engine/connection.h"
#include "engine/dataset.h"

#include <apr_pools.h>

/* What became of the rows of a file. read = stored + unchanged + rejected, and `superseded` counts
 * the versions of all datasets that files are loaded into which have an end by it and had none
 * before. */
typedef struct {
    long long read, stored, unchanged, superseded, rejected;
} dsc_load_count_t;

/* Adds what became of a file's rows to a sum. */
void dsc_load_count_add(dsc_load_count_t *sum, const dsc_load_count_t *count);

/* Where a record comes from. All but the provider may be NULL. */
typedef struct {
    const char *provider;
    const char *url;
    const char *accession;
    const char *quote; /* verbatim text from the source */
    const char
        *content_hash; /* "sha256:<hex>" of the file it is from; NULL: of the one being loaded */
    const char *extracted_at; /* NULL: the time of loading */
} dsc_load_provenance_t;

/* One record of a dataset. `values` has one text for each of the dataset's columns, in their
 * order, NULL if the source has none: integers and decimals as digits, booleans "t"/"f", dates
 * YYYY-MM-DD, datetimes ISO with zone, texts as a PostgreSQL array literal, JSON as text. */
typedef struct {
    const char *location; /* where in the file, for rejects: "line 12", "nonDerivativeTable[3]" */
    const char *cik;      /* of the issuer, digits; NULL: by symbol */
    /* Of the issuer, when cik is NULL: spellings with a space between them, of which the first that
     * is listed counts. */
    const char *symbol;
    /* The day whose listing the symbol means, YYYY-MM-DD; it must then agree with issuer_name, if
     * that is given. NULL: the present listing, whatever the name. */
    const char *symbol_on;
    int unlisted_issuer; /* a symbol that nothing lists names a party, instead of being rejected */
    const char *party;   /* of the issuer, when it has neither: "politician/jane-doe" */
    const char *issuer_name; /* names the issuer when nothing else does yet; may be NULL */
    const char *record_key;
    const char *known_at; /* ISO datetime with zone, or NULL and known_on is given */
    const char *known_on; /* a date: known at the end of that day in New York */
    dsc_load_provenance_t provenance;
    const char *const *values;
} dsc_load_record_t;

typedef struct dsc_loader_t dsc_loader_t;

/* Options of an import as the command line gives them. */
typedef struct {
    int strict;           /* a reject makes the whole file fail */
    const char *known_at; /* for sources without a date of their own: the date of the snapshot */
    const char *dataset;  /* ndjson: of lines that do not name theirs; NULL: each must */
    const char *clock; /* sec-submissions: "utc" or "eastern", of the files; NULL: they are asked */
    /* sec-13f: what a file does not state about its report itself; NULL: not given */
    const char *cik, *accession, *period;
} dsc_load_options_t;

/* Makes a loader on an open connection. `pool` lives as long as the loader. */
dsc_loader_t *dsc_loader_create(apr_pool_t *pool, dsc_connection_t *connection,
                                const dsc_load_options_t *options);

const dsc_load_options_t *dsc_loader_options(const dsc_loader_t *loader);

/* A pool that is cleared when the file ends. */
apr_pool_t *dsc_loader_file_pool(dsc_loader_t *loader);

/* Begins a file: opens the transaction if none is open, and the import_run row. `joins`: it may be
 * merged with others of the transaction, because its importer names the words by which it finds
 * their rows (dsc_loader_meets()). */
apr_status_t dsc_loader_begin(dsc_loader_t *loader, const char *source, const char *file,
                              int joins);

/* Validates a record against its dataset's columns and stages it; a faulty one is rejected with
 * its reason and counted, and APR_SUCCESS is returned all the same. An error means that the
 * database failed: give the file up. */
apr_status_t dsc_loader_add(dsc_loader_t *loader, const dsc_dataset_t *dataset,
                            const dsc_load_record_t *record);

/* Finds the issuers of many records with symbol_on at once, before they are added. `pool` is for
 * the time of the call. */
apr_status_t dsc_loader_find_symbols(dsc_loader_t *loader, apr_pool_t *pool, int count,
                                     const dsc_load_record_t *records);

/* Accounts for a row of the file that makes no record, with its reason. */
apr_status_t dsc_loader_reject(dsc_loader_t *loader, const char *location, const char *reason,
                               const char *sample);

/* How many rows of the file have been rejected so far, and how many wait for the merge. */
long long dsc_loader_rejected(const dsc_loader_t *loader);
long long dsc_loader_staged(const dsc_loader_t *loader);

/* Declares that the file has the right format and may be without a row: otherwise a file without
 * rows is refused. */
void dsc_loader_may_be_empty(dsc_loader_t *loader);

/* Adds a line to what is reported of the file beyond its counts: at the terminal, and in the
 * message of its import_run. */
void dsc_loader_note(dsc_loader_t *loader, const char *text);

/* Room for one record's values, all NULL. */
const char **dsc_load_values(apr_pool_t *pool, const dsc_dataset_t *dataset);

/* Sets the value of the named column; a name that the dataset does not have is a slip in the
 * importer and aborts. */
void dsc_load_set(const dsc_dataset_t *dataset, const char **values, const char *column,
                  const char *text);

/* Sets the content hash of the file that is being loaded, any time before the commit: records
 * without one of their own take it. Without it they have none. */
void dsc_loader_content_hash(dsc_loader_t *loader, const char *content_hash);

/* Names a word by which the file finds rows of other files, or they find its own: an accession
 * number, a digest. If another file of the transaction has named it too, that one is merged first.
 * To be called before anything is looked up by it; NULL is no word. */
apr_status_t dsc_loader_meets(dsc_loader_t *loader, const char *word);

/* The file is merged with no other. */
apr_status_t dsc_loader_alone(dsc_loader_t *loader);

/* As a parameter of the statements below: the content hash of the file, which is known when they
 * run, and its import_run_id. Known by their addresses, whatever other parameters say. */
extern const char dsc_loader_hash_of_file[], dsc_loader_run_of_file[];

/* As a parameter of statements that run after the merge: whether it has rejected none of the file's
 * rows, "t" or "f". */
extern const char dsc_loader_all_merged[];

/* Runs SQL of the importer's own in the file's transaction, after all that was staged has been
 * merged and before anything is reconciled: the importer hands it over here, `parameters` are text
 * and bound. If it changes rows of a dataset it RETURNs (dataset name, issuer_id) for each, so
 * that reconciling and statistics follow, and may say with them how many versions it has ended, and
 * how many hold again that were counted as unchanged. */
apr_status_t dsc_loader_after_merge(dsc_loader_t *loader, const char *sql, int count,
                                    const char *const *parameters);

/* The same once for all files that are merged with this one, behind their statements of their own.
 * Each parameter is bound as an array with an element for each file that has handed over this SQL,
 * which may do so once; as a third column it RETURNs the element's place, from 1. */
apr_status_t dsc_loader_after_together(dsc_loader_t *loader, const char *sql, int count,
                                       const char *const *parameters);

/* The same for before the merge, with all locks held: for what has to be put right in stored rows
 * for the staged ones to meet them. */
apr_status_t dsc_loader_before_merge(dsc_loader_t *loader, const char *sql, int count,
                                     const char *const *parameters);

/* The same for SQL without parameters, once for all files that are merged with this one and pass
 * the same. */
apr_status_t dsc_loader_before_merge_once(dsc_loader_t *loader, const char *sql);

/* The same for SQL that writes only rows of staged companies, so that loads of others may run at
 * the same time. */
apr_status_t dsc_loader_before_merge_of_companies(dsc_loader_t *loader, const char *sql);

/* Asks the database after all is reconciled; what the rows' first columns say is noted, as by
 * dsc_loader_note. `parameters` are text and bound. */
apr_status_t dsc_loader_note_after(dsc_loader_t *loader, const char *sql, int count,
                                   const char *const *parameters);

/* Asks the database within the file's transaction, with text parameters; *result (may be NULL) is
 * the caller's to clear. */
apr_status_t dsc_loader_query(dsc_loader_t *loader, const char *sql, int count,
                              const char *const *parameters, PGresult **result);

/* Makes other loads that hold the same wait until this one ends: for what the importer asks the
 * database before the file is merged. To be called before anything else is locked. A transaction
 * that already has other files does not wait; its files are then loaded one by one. */
apr_status_t dsc_loader_hold(dsc_loader_t *loader, const char *what);

/* Says that the file has all rows that a filing of this CIK has of a dataset (with of_filing):
 * those that earlier files of its importer had besides were in force at no time, and those that one
 * of them lacked are again. It is not so if a row of the file is rejected, nor of a document of no
 * known filing (NULL). */
apr_status_t dsc_loader_whole(dsc_loader_t *loader, const dsc_dataset_t *dataset, const char *cik,
                              const char *accession);

/* The same of one of many filings in a data set, no row of which the importer has seen rejected:
 * rejected rows are other filings'. What the merge rejects may be of any of them. */
apr_status_t dsc_loader_whole_of_set(dsc_loader_t *loader, const dsc_dataset_t *dataset,
                                     const char *cik, const char *accession);

/* Says that statements of the importer's own write rows of a dataset, also if the file has none: it
 * is locked as if it had. */
apr_status_t dsc_loader_writes(dsc_loader_t *loader, const dsc_dataset_t *dataset);

/* The same of what every file asks: it is prepared, once for each text. */
apr_status_t dsc_loader_repeat(dsc_loader_t *loader, const char *sql, int count,
                               const char *const *parameters, PGresult **result);

/* Registers a function that is called when a file has been read and before it is merged, so that
 * what it passes to dsc_loader_after_merge() is stored with the file or not at all. `name` is that
 * of dsc_loader_begin(). */
typedef apr_status_t (*dsc_loader_complete_t)(void *baton, dsc_loader_t *loader, const char *name);
void dsc_loader_on_complete(dsc_loader_t *loader, dsc_loader_complete_t complete, void *baton);

/* Ends a file that has been read: it is complete, and is stored when the transaction is. */
apr_status_t dsc_loader_end(dsc_loader_t *loader);

/* Whether the transaction holds enough. */
int dsc_loader_is_full(const dsc_loader_t *loader);

/* Merges what was staged, reconciles, refreshes statistics, commits. An error means that nothing of
 * the transaction is stored, whose end it is then for the caller to make. */
apr_status_t dsc_loader_commit(dsc_loader_t *loader);

/* What became of the rows of the file that ended last. */
const dsc_load_count_t *dsc_loader_count(const dsc_loader_t *loader);

/* How many files the transaction has, or the one that ended last had. */
int dsc_loader_files(const dsc_loader_t *loader);

/* Gives the file at hand up, within its transaction: nothing of it is stored but its import_run row
 * that says why. */
apr_status_t dsc_loader_fail(dsc_loader_t *loader, const char *reason);

/* Gives the transaction up. The file at hand leaves an import_run row that says why, others
 * nothing. */
apr_status_t dsc_loader_abandon(dsc_loader_t *loader, const char *reason);

/* Leaves the file at hand without a trace, because nothing of it is to be loaded. */
apr_status_t dsc_loader_leave(dsc_loader_t *loader);

/* What the last database error was. */
const char *dsc_loader_error(const dsc_loader_t *loader);

#endif
