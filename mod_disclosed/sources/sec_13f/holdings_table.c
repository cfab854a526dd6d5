/* Form 13F's information table in XML. */
#include "sources/sec_13f/holdings_xml.h"

#include "engine/shape.h"
#include "sources/shared/ownership_xml.h"

#include <apr_strings.h>
#include <stddef.h>
#include <string.h>

#define HOLDING(path, member)                                                                      \
    {                                                                                              \
        path, DSC_OWNED_TEXT, offsetof(dsc_holding_t, member)                                      \
    }

static const dsc_owned_field_t row_fields[] = {
    HOLDING("nameOfIssuer", issuer_title),
    HOLDING("titleOfClass", class_title),
    HOLDING("cusip", cusip),
    HOLDING("figi", figi),
    HOLDING("value", value),
    HOLDING("shrsOrPrnAmt/sshPrnamt", amount),
    HOLDING("shrsOrPrnAmt/sshPrnamtType", amount_type),
    HOLDING("putCall", put_call),
    HOLDING("investmentDiscretion", discretion),
    HOLDING("otherManager", other_managers),
    HOLDING("votingAuthority/Sole", voting_sole),
    HOLDING("votingAuthority/Shared", voting_shared),
    HOLDING("votingAuthority/None", voting_none),
};

/* Whether a path of a row's fields is that of the element, or leads through it. */
static int is_known(const char *path)
{
    size_t length = strlen(path);

    for (int i = 0; i < DSC_COUNT(row_fields); i++) {
        const char *known = row_fields[i].path;

        if (strncmp(known, path, length) == 0 && (known[length] == '\0' || known[length] == '/')) {
            return 1;
        }
    }
    return 0;
}

/* An element that the format does not have, for example putcall: what it means is not known, and
 * without it the row may mean something else. NULL: there is none. */
static const char *unknown_element(apr_pool_t *pool, xmlNode *element, const char *above)
{
    const char *unknown = NULL;

    for (xmlNode *one = dsc_owned_next(element, NULL, NULL); one != NULL && unknown == NULL;
         one = dsc_owned_next(element, one, NULL)) {
        const char *path = apr_pstrcat(pool, above, dsc_owned_local_name(one), NULL);

        unknown = is_known(path) ? unknown_element(pool, one, apr_pstrcat(pool, path, "/", NULL))
                                 : dsc_owned_local_name(one);
    }
    return unknown;
}

static void read_row(apr_pool_t *pool, xmlNode *element, long number, dsc_holding_t *row)
{
    const char *unknown;

    memset(row, 0, sizeof(*row));
    row->number = number;
    row->location = apr_psprintf(pool, "infoTable[%ld]", number);
    dsc_owned_read(pool, element, row_fields, DSC_COUNT(row_fields), row, &row->error,
                   &row->sample);
    unknown = unknown_element(pool, element, "");
    if (unknown != NULL && row->error == NULL) {
        row->error = "the row has an element that the format does not have";
        row->sample = apr_pstrdup(pool, unknown);
    }
    dsc_holding_normalise(pool, row);
}

apr_status_t dsc_holdings_table_read(apr_pool_t *pool, const dsc_holdings_xml_t *table,
                                     dsc_holding_visit_t *visit, void *baton, const char **reason)
{
    apr_status_t status = APR_SUCCESS;
    dsc_xml_stream_t stream;
    apr_pool_t *own, *each;
    xmlNode *element;
    long number = 0;

    apr_pool_create(&own, pool);
    apr_pool_create(&each, own);
    if (dsc_xml_stream_open(&stream, own, table, "informationTable")) {
        while (status == APR_SUCCESS &&
               (element = dsc_xml_stream_next(&stream, "infoTable")) != NULL) {
            dsc_holding_t row;

            read_row(each, element, ++number, &row);
            status = visit(baton, &row);
            apr_pool_clear(each);
        }
    }
    if (stream.reason != NULL && status == APR_SUCCESS) {
        *reason = apr_pstrdup(pool, stream.reason);
        status = APR_EGENERAL;
    }
    apr_pool_destroy(own);
    return status;
}
