/* Sources as rows of tables: the listings of their documents, their addresses, and the importers
 * of the documents. */
#ifndef DSC_FOLLOW_TABLE_H
#define DSC_FOLLOW_TABLE_H

#include <apr_pools.h>
#include <apr_tables.h>

/* What a body must be, to be taken for one. */
typedef enum {
    DSC_BODY_SUBMISSION,
    DSC_BODY_ATOM,
    DSC_BODY_MASTER_INDEX,
    DSC_BODY_JSON,
    DSC_BODY_DELIMITED,
    DSC_BODY_ZIP,
    DSC_BODY_PDF,
    DSC_BODY_PAGE /* HTML */
} dsc_follow_body_t;

/* How a publisher wants to be asked. Origins that share a name share the limit.
 */
typedef struct {
    const char *name;
    int spacing;       /* milliseconds between two requests, over all processes and
                  hosts */
    int wants_contact; /* a User-Agent with an e-mail address */
} dsc_request_limit_t;

/* Which parts a listing or file has: each begins with a day, which stands for
 * it. */
typedef enum {
    DSC_PARTS_WHOLE,
    DSC_PARTS_WEEKDAYS,    /* complete when the day is over */
    DSC_PARTS_QUARTERS,    /* grow until the quarter is over */
    DSC_PARTS_YEARS,       /* likewise */
    DSC_PARTS_SETTLEMENTS, /* FINRA's days of settlement, published later */
    DSC_PARTS_COUNT
} dsc_follow_parts_t;

/* What becomes of documents of a kind. */
typedef struct {
    const char *kind; /* the form, or a word of ours */
    const char *url;  /* of those about a company, with {cik}; NULL: what lists one
                      says where it is */
    dsc_follow_body_t body;
    const char *importers[4]; /* in this order; ended by NULL */
    int again;                /* seconds after which it is asked for again, because it changes; 0:
                never */
    const char *follows[3];   /* kinds of documents about its filer that are new with it */
    apr_int64_t most;         /* bytes that one may have */
    int is_one;               /* an archive whose members are one file: stored in one transaction */
} dsc_follow_kind_t;

/* A document that a listing names. */
typedef struct {
    const char *identity, *kind, *url;
    const char *cik;          /* digits; NULL: of no company */
    const char *published_at; /* ISO; NULL: not stated */
} dsc_follow_entry_t;

struct dsc_follow_source_t;
struct dsc_follow_listing_t;

/* One page of a listing, fetched and to be read. */
typedef struct {
    apr_pool_t *pool;
    const struct dsc_follow_source_t *source;
    const struct dsc_follow_listing_t *listing;
    const char *path;            /* of the file that has the body */
    const char *part;            /* YYYY-MM-DD, or "-infinity" */
    const char *since;           /* YYYY-MM-DD: what is older is not wanted; NULL: all is */
    apr_array_header_t *seen;    /* const char *: what stood at its top the last time */
    apr_array_header_t *entries; /* dsc_follow_entry_t: what the function adds */
    apr_array_header_t *top;     /* const char *: what is at the top of this page */
    const char *source_time;     /* the time that it states; NULL: none */
    int met;                     /* something of `seen` is on it, or it is the last one */
    const char *error;           /* why it cannot be read; NULL: it can */
} dsc_follow_page_t;

typedef struct dsc_follow_listing_t {
    const char *name;
    const char *url; /* with {start}, {year}, {quarter}, {day} */
    dsc_follow_body_t body;
    dsc_follow_parts_t parts;
    int again;    /* seconds between two looks; 0: as --poll says */
    int priority; /* of the documents that it names: the lowest first */
    int pages;    /* the most that are read of it at once */
    void (*read)(dsc_follow_page_t *page);
    const char *about; /* for --help and documentation */
    const char *names; /* of data sets: what is in their names behind the period */
    int moves;         /* addresses change: a document that is wanted is where it was seen last */
} dsc_follow_listing_t;

/* A document that no listing names: its address is known. */
typedef struct {
    const char *kind;
    const char *url;
    dsc_follow_parts_t parts;
} dsc_follow_file_t;

typedef struct dsc_follow_source_t {
    const char *name, *about;
    const dsc_request_limit_t *request_limit;
    const dsc_follow_listing_t *listings; /* ended by a row without a name; NULL: none */
    const dsc_follow_file_t *files;       /* likewise */
    const dsc_follow_kind_t *kinds;       /* likewise */
} dsc_follow_source_t;

/* All sources that are followed, ended by one without a name. */
extern const dsc_follow_source_t dsc_follow_sources[];

/* The SEC's, for all that asks it. */
extern const dsc_request_limit_t dsc_request_limit_sec;

/* Those of archives that an empty database is filled from. */
extern const dsc_follow_source_t dsc_bootstrap_sources[];

/* The row of that name; NULL: there is none. */
const dsc_follow_source_t *dsc_follow_find_source(const dsc_follow_source_t *sources,
                                                  const char *name);

/* What becomes of documents of the kind; NULL: they are not for us. */
const dsc_follow_kind_t *dsc_follow_find_kind(const dsc_follow_source_t *source, const char *kind);

/* Whether one of the sources is asked at the origin, https://HOST, of an address. */
int dsc_follow_has_origin(const dsc_follow_source_t *sources, const char *url);

/* What stands for the words in braces of an address. */
typedef struct {
    const char *part; /* YYYY-MM-DD: {year}, {quarter}, {day} */
    int start;        /* {start}: of the page that begins after so many entries */
    const char *cik;  /* {cik}: digits, made ten */
} dsc_address_values_t;

const char *dsc_follow_address(apr_pool_t *pool, const char *url,
                               const dsc_address_values_t *place);

/* Readers of listings. */
void dsc_follow_read_feed(dsc_follow_page_t *page);
void dsc_follow_read_index(dsc_follow_page_t *page);
void dsc_follow_read_house(dsc_follow_page_t *page);
void dsc_follow_read_data_sets(dsc_follow_page_t *page);

#endif
