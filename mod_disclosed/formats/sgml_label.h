/* What the lines of a submission's header begin with. */
#ifndef DSC_SGML_LABEL_H
#define DSC_SGML_LABEL_H

/* A field of the header: its label in .txt files and its tag in .nc files. */
typedef enum {
    DSC_SGML_OTHER, /* is not read */
    DSC_SGML_ACCESSION,
    DSC_SGML_FORM,
    DSC_SGML_FORM_TYPE, /* the same, once more for each filer */
    DSC_SGML_PERIOD,
    DSC_SGML_FILED_ON,
    DSC_SGML_ACCEPTED,
    DSC_SGML_ITEM,
    DSC_SGML_COUNT,
    DSC_SGML_NAME,
    DSC_SGML_CIK,
    DSC_SGML_FILE_NUMBER
} dsc_sgml_field_t;

/* Whose label or tag it is. */
dsc_sgml_field_t dsc_sgml_field(const char *label);

/* Of the line from `from` to `to`, the label of a field that it has but for one character, as in
 * "ITEM INFORMAVION:", or that stands in its middle, because a line end was lost; NULL if there is
 * none. */
const char *dsc_sgml_damaged_label(const char *from, const char *to);

#endif
