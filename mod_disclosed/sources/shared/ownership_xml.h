/* Reading single values of EDGAR's XML forms: an ownershipDocument, a Form 13F. */
#ifndef DSC_OWNERSHIP_XML_H
#define DSC_OWNERSHIP_XML_H

#include <apr_pools.h>
#include <apr_tables.h>
#include <libxml/tree.h>

typedef enum {
    DSC_OWNED_TEXT,
    DSC_OWNED_NUMBER,
    DSC_OWNED_DATE,    /* a zone behind the date is cut off */
    DSC_OWNED_BOOLEAN, /* "t" or "f" */
    DSC_OWNED_CIK,     /* without leading zeros */
    DSC_OWNED_AMOUNT,  /* not negative; commas between thousands and a percent sign are taken off */
    DSC_OWNED_US_DATE, /* MM/DD/YYYY or MM-DD-YYYY, or as DSC_OWNED_DATE; as YYYY-MM-DD */
    DSC_OWNED_YES_NO   /* Y or N as well as what DSC_OWNED_BOOLEAN takes: "t" or "f" */
} dsc_owned_type_t;

/* One value: where it is below an element, and where in a struct it goes. */
typedef struct {
    const char *path; /* "transactionAmounts/transactionShares" */
    dsc_owned_type_t type;
    size_t offset; /* of a const char * */
} dsc_owned_field_t;

/* An element's name without its namespace prefix. */
const char *dsc_owned_local_name(const xmlNode *node);

/* Next child element of that name (any name: NULL), after `previous` or from the first. */
xmlNode *dsc_owned_next(xmlNode *parent, xmlNode *previous, const char *name);

/* The first element at a path of names, or NULL. */
xmlNode *dsc_owned_find(xmlNode *element, const char *path);

/* What is wrong if an element of the path, or the value in it, has a sibling of its name: nobody
 * knows which of them counts. NULL: none has. */
const char *dsc_owned_twin_error(apr_pool_t *pool, xmlNode *element, const char *path);

/* The same for several paths: the first error. For elements that the schema allows once and
 * dsc_owned_read() does not read. */
const char *dsc_owned_twins_error(apr_pool_t *pool, xmlNode *element, const char *const *paths,
                                  int count);

/* That error of an element, by its name. */
const char *dsc_owned_twice(apr_pool_t *pool, const char *name);

/* Whether text stands directly in an element, white space apart. */
int dsc_owned_has_text(const xmlNode *element);

/* What an element says: the text of its child <value>, else its own; trimmed, inner runs of white
 * space as one space, NULL when empty. */
const char *dsc_owned_text(apr_pool_t *pool, xmlNode *element);

/* Trims a text and makes inner runs of white space single spaces, in place. */
char *dsc_owned_squeeze(char *text);

/* Checks a text against its type and converts it to the form that is stored. NULL and *error
 * (`element "text" is not a number`) if it has another type. */
const char *dsc_owned_value(apr_pool_t *pool, const char *element, const char *text,
                            dsc_owned_type_t type, const char **error);

/* Reads all fields of a table into a struct; the first error is kept in *error, its text in
 * *sample (may be NULL); a faulty field stays NULL. */
void dsc_owned_read(apr_pool_t *pool, xmlNode *element, const dsc_owned_field_t *fields, int count,
                    void *into, const char **error, const char **sample);

/* Whether a document is of a schema before X0203, which asked for less. */
int dsc_ownership_is_early(apr_pool_t *pool, xmlNode *root);

/* The rows of the document's two tables, as dsc_ownership_row_t, and what is odd about its
 * footnotes in *remark (NULL: nothing). NULL and *reason when there is too much of them. */
apr_array_header_t *dsc_ownership_rows(apr_pool_t *pool, xmlNode *root, const char **remark,
                                       const char **reason);

#endif
