/* What the lines of a submission's header begin with. */
#include "formats/sgml_label.h"

#include <apr_lib.h>
#include <string.h>

static const struct {
    const char *label;
    dsc_sgml_field_t field;
} labels[] = {
    {"ACCESSION NUMBER", DSC_SGML_ACCESSION},
    {"ACCESSION-NUMBER", DSC_SGML_ACCESSION},
    {"CONFORMED SUBMISSION TYPE", DSC_SGML_FORM},
    {"TYPE", DSC_SGML_FORM},
    {"FORM TYPE", DSC_SGML_FORM_TYPE},
    {"FORM-TYPE", DSC_SGML_FORM_TYPE},
    {"CONFORMED PERIOD OF REPORT", DSC_SGML_PERIOD},
    {"PERIOD", DSC_SGML_PERIOD},
    {"FILED AS OF DATE", DSC_SGML_FILED_ON},
    {"FILING-DATE", DSC_SGML_FILED_ON},
    {"ACCEPTANCE-DATETIME", DSC_SGML_ACCEPTED},
    {"ITEM INFORMATION", DSC_SGML_ITEM},
    {"ITEMS", DSC_SGML_ITEM},
    {"PUBLIC DOCUMENT COUNT", DSC_SGML_COUNT},
    {"PUBLIC-DOCUMENT-COUNT", DSC_SGML_COUNT},
    {"COMPANY CONFORMED NAME", DSC_SGML_NAME},
    {"CONFORMED-NAME", DSC_SGML_NAME},
    {"CENTRAL INDEX KEY", DSC_SGML_CIK},
    {"CIK", DSC_SGML_CIK},
    {"SEC FILE NUMBER", DSC_SGML_FILE_NUMBER},
    {"FILE-NUMBER", DSC_SGML_FILE_NUMBER},
};

enum {
    LABELS = sizeof(labels) / sizeof(labels[0])
};

dsc_sgml_field_t dsc_sgml_field(const char *label)
{
    for (int i = 0; i < LABELS; i++) {
        if (!strcmp(labels[i].label, label)) {
            return labels[i].field;
        }
    }
    return DSC_SGML_OTHER;
}

/* How many bytes differ where the line begins with the label and the sign that ends it. */
static int differences(const char *from, const char *to, const char *label, char sign)
{
    size_t length = strlen(label);
    int different = 0;

    if ((size_t)(to - from) <= length) {
        return 2;
    }
    for (size_t i = 0; i < length; i++) {
        different += from[i] != label[i];
    }
    return different + (from[length] != sign);
}

/* Whether the label stands behind another one. PUBLIC REFERENCE ACCESSION NUMBER is one of its
 * own. */
static int is_within(const char *from, const char *to, const char *label)
{
    size_t length = strlen(label);
    const char *at;

    for (at = from + 1; at < to && (at = memchr(at, *label, (size_t)(to - at))) != NULL; at++) {
        if ((size_t)(to - at) > length && at[length] == ':' && !memcmp(at, label, length) &&
            at[-1] != ' ') {
            return 1;
        }
    }
    return 0;
}

const char *dsc_sgml_damaged_label(const char *from, const char *to)
{
    while (from < to && apr_isspace(*from)) {
        from++;
    }
    for (int i = 0; i < LABELS; i++) {
        const char *label = labels[i].label;
        int is_text = strchr(label, ' ') != NULL;

        /* FILM-NUMBER is no FILE-NUMBER */
        if (labels[i].field == DSC_SGML_FILE_NUMBER) {
            continue;
        }
        if (from < to &&
            (is_text ? differences(from, to, label, ':') == 1 || is_within(from, to, label)
                     : differences(from + 1, to, label, '>') + (*from != '<') == 1)) {
            return label;
        }
    }
    return NULL;
}
