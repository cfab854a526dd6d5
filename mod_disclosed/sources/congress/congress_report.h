/* Periodic transaction reports of one file on their way to the loader: rows are gathered by report,
 * because what a report's filing date is shows only when the whole file has been read. */
#ifndef DSC_CONGRESS_REPORT_H
#define DSC_CONGRESS_REPORT_H

#include "loader/loader.h"
#include "sources/congress/politician_name.h"

#include <jansson.h>

typedef struct dsc_congress_file_t dsc_congress_file_t;

/* A row as its source has it. All but `location` may be NULL. */
typedef struct {
    const char *location; /* "[12]" */
    const char *address;  /* of the report */
    const dsc_politician_name_t *name;
    const char *state_district, *political_party;
    const char *transaction_date, *filing_date, *owner, *ticker, *asset_name, *asset_type, *type,
        *amount, *comment;
    const char *filing_date_member; /* what the source calls its filing date, for quotes */
    const char *quote;              /* what the source says beyond these */
    const char *error, *sample;     /* why it cannot be taken, and an excerpt of it */
    int is_paper;                   /* stands for a report on paper: says no transaction */
    int is_taken_back;              /* its error is that it takes a transaction back */
} dsc_congress_row_t;

/* Whether a file is a report itself, has copies of many, each with all of its rows, or a copy of
 * rows of many, of which it may leave some out. */
typedef enum {
    DSC_CONGRESS_COPY,
    DSC_CONGRESS_COPIES,
    DSC_CONGRESS_REPORT
} dsc_congress_kind_t;

/* Begins a file of the chamber. */
dsc_congress_file_t *dsc_congress_begin(dsc_loader_t *loader, int is_house,
                                        dsc_congress_kind_t kind);

/* Notes that something in the report could not be read, so that a copy may have more. */
void dsc_congress_lacks(dsc_congress_file_t *file);

/* Takes a row, or rejects it. */
apr_status_t dsc_congress_take(dsc_congress_file_t *file, const dsc_congress_row_t *row);

/* Adds all rows to the loader. */
apr_status_t dsc_congress_finish(dsc_congress_file_t *file);

/* ---- JSON, as the files of both chambers have it */

/* Parses a file that has been read whole; NULL and *reason if it is no JSON. The pool frees it. */
json_t *dsc_congress_parse(apr_pool_t *pool, const char *text, size_t length, const char **reason);

/* What files call the address of a report. */
#define DSC_CONGRESS_ADDRESSES "ptr_link", "source_url", "pdf_url", "link"

/* Why it cannot be a list of transactions or reports; NULL: it can. */
const char *dsc_congress_list_error(apr_pool_t *pool, const json_t *root);

/* The text (or number, as text) of the first of the members, NULL-terminated, that is there and not
 * null. *member, unless NULL, is its name. */
const char *dsc_congress_member(apr_pool_t *pool, const json_t *object, const char *const *names,
                                const char **member);

/* Fills a row from the members that the sources of both chambers share; what is set already stays
 * if the object has nothing. One that is neither text nor a number is the row's error. */
void dsc_congress_fill(apr_pool_t *pool, const json_t *object, dsc_congress_row_t *row);

/* The time of a file that does not state when it was made: --known-at, or else now; ISO, UTC. */
const char *dsc_congress_snapshot_time(dsc_loader_t *loader);

#endif
