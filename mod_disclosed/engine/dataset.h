/* A dataset: its table, its columns, and how it is shown. The loader's SQL, the NDJSON schema,
 * coverage counts, look-ups of src_ids and the ETags of responses are derived from these tables. */
#ifndef DSC_DATASET_H
#define DSC_DATASET_H

#include "engine/shape.h"
#include "engine/tables.h"

typedef enum {
    DSC_COLUMN_INTEGER, /* bigint */
    DSC_COLUMN_DECIMAL, /* numeric, bound as text */
    DSC_COLUMN_TEXT,
    DSC_COLUMN_BOOLEAN,
    DSC_COLUMN_DATE,     /* YYYY-MM-DD */
    DSC_COLUMN_DATETIME, /* timestamptz, UTC */
    DSC_COLUMN_TEXTS,    /* text[] */
    DSC_COLUMN_JSON      /* jsonb */
} dsc_column_type_t;

enum {
    DSC_COLUMN_REQUIRED = 1,
    DSC_COLUMN_KEY = 2,            /* NDJSON: part of the record key, in column order */
    DSC_COLUMN_FORWARD_FILLED = 4, /* absent in a source: the value of the version before stays */
    DSC_COLUMN_NOT_COMPARED = 8,   /* a difference here alone makes no new version */
    DSC_COLUMN_LARGEST =
        16 /* of that kind: all versions of a record have the largest that any file has said */
};

/* The most bytes of one value: a longer one is rejected. */
#define DSC_LARGEST_VALUE ((size_t)8 << 20)

/* One column beyond those that every dataset table has (sql/0001_foundation.sql). */
typedef struct dsc_column_t {
    const char *name;
    dsc_column_type_t type;
    unsigned flags;
    const char *const *choices; /* NULL, or the allowed values, NULL-terminated */
    const char *description;
} dsc_column_t;

/* C(name, SQL type): the columns of a staged row before the dataset's own, none of which has one of
 * these names. */
#define DSC_STAGED_COLUMNS(C)                                                                      \
    C(row_order, bigint)                                                                           \
    C(issuer_id, bigint)                                                                           \
    C(cik, bigint)                                                                                 \
    C(party, text)                                                                                 \
    C(issuer_name, text)                                                                           \
    C(place, text)                                                                                 \
    C(record_key, text)                                                                            \
    C(key_digest, uuid)                                                                            \
    C(known_at, timestamptz)                                                                       \
    C(src_digest, uuid)                                                                            \
    C(source_id, integer)                                                                          \
    C(accession, text)                                                                             \
    C(quote, text)

enum {
    DSC_KEY_FIXED = 1,    /* NDJSON: the record key can only be what key_form makes */
    DSC_KEY_GLOBAL = 2,   /* a record key stands for one current row over all issuers */
    DSC_SAYS_SYMBOLS = 4, /* what symbols mean: loads that look symbols up are waited for */
    DSC_DERIVED = 8,      /* made of other datasets: never loaded itself */
    DSC_SNAPSHOTS = 16,   /* stated as a whole again and again: what repeats a version is kept, in
                             table restated */
    DSC_OF_FILINGS = 32, /* rows of filings: their addresses follow from CIK and accession number */
    DSC_OF_STATEMENTS = 64, /* many files state the same records, whose versions `derive` makes */
    /* What its merge, its functions and those of datasets that follow it write for a company is
     * that company's alone, and what they read of others no load of such datasets writes: loads of
     * different companies go side by side. */
    DSC_BY_COMPANY = 128,
    /* Of what a file says of a record and instant, the last counts, and of copies of a document the
     * one loaded last, also if it was loaded before. A copy has the same provider, address and
     * accession number, or none as well. Without it, and of different documents, a version that was
     * replaced stays so. */
    DSC_LAST_COUNTS = 256,
    /* Addresses follow from what rows say: a copy has the same provider, whatever its address. */
    DSC_ADDRESS_FOLLOWS = 512,
    /* Rows of a file are written day by day: of its indexes those that begin with the day, or a
     * code and the day, are most, and stay half empty if each day is met again and again. */
    DSC_WRITTEN_BY_DAY = 1024
};

/* What must be looked at again when a load has changed another dataset. */
typedef struct {
    const char *dataset; /* NULL ends the table */
    /* SQL function of the issuers touched there; returns the issuers (SETOF bigint) whose rows it
     * has changed here. */
    const char *function;
} dsc_follow_t;

typedef struct dsc_dataset_t {
    const char *name; /* "insider": in src_id, dataset_stat, NDJSON */
    const char *table;
    const char *description;
    const dsc_column_t *columns;
    int column_count;
    const char *date_column; /* whose greatest day is the dataset's `latest` */
    /* SQL function of issuer ids run after a load; NULL: none. It may return further issuers
     * (SETOF bigint) whose rows it has changed. */
    const char *reconcile;
    const dsc_source_t *source; /* what /v1/src and lists read from; NULL: not shown */
    const dsc_shape_t *shape;
    const char *key_form; /* NDJSON: how a record key is made, "{ticker}:{market}", "{member?}"
                           * being one that may be absent; NULL: of the columns marked
                           * DSC_COLUMN_KEY, with ":" between them */
    unsigned flags;
    const dsc_follow_t *follows; /* NULL, or what it depends on */
    const char *rows;            /* NULL, or the table whose rows `table`, a view, has in words */
    const char *keeps; /* NULL, or other tables that its loads change, separated by spaces */
    const char *day;   /* SQL of a row's day for `latest`; NULL: that of the date column */
    /* SQL function of a load's import_run_id and its file's content hash, run when the staged rows
     * have been merged: derives versions from all that was stated; returns what it changed. NULL:
     * none. */
    const char *derive;
    /* Call of an SQL function that announces what a load has added: rows with recorded_at = now(),
     * issuers in pg_temp.touched. NULL: nothing is announced. */
    const char *announce;
    /* Call of an SQL function of the rows in pg_temp.stage_<name>: what reconciling will most
     * likely write into columns that no record has, so that it need not write the rows again. It
     * returns row_order, superseded_at and the columns `expected`, a list that NULL ends; NULL if
     * nothing is expected. NULL: there is none. */
    const char *expect;
    const char *const *expected;
    /* DSC_LAST_COUNTS: condition on staged row s that a reconciling function says which of its
     * versions stands, whichever was loaded last. NULL: of none. */
    const char *ordered;
    /* NDJSON: SQL that gives staged rows what other datasets say of them, as reconciling gives it
     * to stored ones, so that they meet, or stored ones what staged rows say of them. It returns
     * what has changed, as statements of importers do. NULL: there is none. */
    const char *complete_lines;
    /* DSC_OF_FILINGS: the column with the name of the row's document in its filing; NULL: the
     * filing is meant. */
    const char *document;
    /* Condition on row t that it belongs to filing w (w.issuer_id, NULL for an issuer that is not
     * known yet, and w.accession), if a file may be the whole of a filing (dsc_loader_whole()):
     * the table then has a column left_out. NULL: files have parts of it. */
    const char *of_filing;
    /* SQL that has filings reconciled anew of which rows were left out ($1: issuer ids, $2:
     * accession numbers). NULL: reconciling finds them. */
    const char *reconcile_anew;
    /* Condition on row t: how many rows meet it is counted as well, as "<name>/listed". NULL: all
     * are listed. */
    const char *listed;
    /* The opposite of `listed`, by which an index finds the few rows that are not. */
    const char *unlisted;
    /* A text column that loads note, with issuer and record key, in pg_temp.written_<name> of all
     * versions of the records that they change: functions that follow look at those instead of all
     * rows of the issuers. NULL: nothing is noted. */
    const char *noted;
} dsc_dataset_t;

#endif
