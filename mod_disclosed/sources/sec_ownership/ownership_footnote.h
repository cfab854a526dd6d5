/* The footnotes of Forms 3, 4 and 5, and the values of a row to which they are attached. In the
 * SEC's schema any value of a row may have footnotes, and so may the coding of a transaction as a
 * whole. */
#ifndef DSC_OWNERSHIP_FOOTNOTE_H
#define DSC_OWNERSHIP_FOOTNOTE_H

#include "engine/buffer.h"

#include <apr_pools.h>
#include <jansson.h>
#include <libxml/tree.h>

enum {
    DSC_FOOTNOTES_LIMIT = 64 * 1024 * 1024 /* bytes of a form's footnotes, over all rows */
};

/* Orders footnotes of one value by the numbers of their ids: F2 before F10. */
int dsc_footnote_compare(const char *one, const char *two);

/* What the API calls the value of a row that an element holds, else the element's name. */
const char *dsc_footnote_field(const char *element, int is_holding);

/* Adds a footnote to a list while the form's stay within the limit; beyond it the form is
 * refused. */
void dsc_footnote_add(size_t *stored, json_t *list, const char *id, const char *field,
                      const char *text);

/* A list as it is stored, NULL if nothing is in it; the list is freed. */
const char *dsc_footnote_list(apr_pool_t *pool, json_t *list);

typedef struct dsc_footnotes_t dsc_footnotes_t;

/* Reads the texts of a document, and the references to them outside of its rows; `is_row`
 * recognizes rows. */
dsc_footnotes_t *dsc_footnotes_read(apr_pool_t *pool, xmlNode *root,
                                    int (*is_row)(const xmlNode *table, const xmlNode *element));

/* All footnotes of a row in the order of the form, those of one value by their numbers, as a JSON
 * array of {id, field, text}; NULL: none. `field` is what the API calls the value, else the name of
 * its element; null for the row as a whole. References from outside of the rows, and texts that
 * nothing refers to, are each row's. */
const char *dsc_footnotes_of_row(dsc_footnotes_t *notes, xmlNode *row, int is_holding);

/* Adds the texts of the footnotes on an element to a quote, each once and on a line of its own. */
void dsc_footnotes_quote(dsc_footnotes_t *notes, xmlNode *element, dsc_buffer_t *quote);

/* References without a text, and texts without a reference, for the operator; NULL: none. */
const char *dsc_footnotes_remark(const dsc_footnotes_t *notes);

/* Why the document cannot be taken, once its rows have been read: an id appears twice, or the rows'
 * footnotes have come to more than is stored of one document; NULL: it can. */
const char *dsc_footnotes_error(const dsc_footnotes_t *notes);

/* Why a footnote's id may not appear twice: nobody knows which text counts. */
const char *dsc_footnote_twice(apr_pool_t *pool, const char *id);

#endif
