/* People: officers and directors, investor-relations contacts, analysts. */
#include "datasets/datasets.h"

static const char *const category_choices[] = {"executives", "ir", "analysts", NULL};

static const dsc_column_t executive_columns[] = {
    {"person_cik", DSC_COLUMN_INTEGER, 0, NULL, "CIK of the person"},
    {"name", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED | DSC_COLUMN_KEY, NULL, "as filed"},
    {"role", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL, "title or capacity, as filed"},
    {"category", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED | DSC_COLUMN_KEY, category_choices,
     "executives (officers and directors), ir or analysts"},
    {"affiliation", DSC_COLUMN_TEXT, 0, NULL, "firm that the person speaks for"},
    {"person_rank", DSC_COLUMN_INTEGER, DSC_COLUMN_REQUIRED, NULL,
     "order of showing: 1 chief executive, 2 chief financial officer, 3 other officers, 4 directors, 5 others"},
    {"is_current", DSC_COLUMN_BOOLEAN, DSC_COLUMN_REQUIRED, NULL,
     "whether the latest report still says so"},
    {"reported_on", DSC_COLUMN_DATE, DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED, NULL,
     "date of the report that says so"},
};

static const dsc_field_t executive_fields[] = {
    {"name", DSC_FIELD_TEXT, 0, "t.name", NULL, NULL, NULL, NULL, "Name, as filed."},
    {"role", DSC_FIELD_TEXT, 0, "t.role", NULL, NULL, NULL, NULL, "Title or capacity, as filed."},
    {"category", DSC_FIELD_TEXT, 0, "t.category", NULL, NULL, NULL, NULL,
     "executives (officers and directors), ir or analysts."},
    {"affiliation", DSC_FIELD_TEXT, DSC_NULLABLE, "t.affiliation", NULL, NULL, NULL, NULL,
     "Firm that the person speaks for."},
    {"rank", DSC_FIELD_INTEGER, 0, "t.person_rank", NULL, NULL, NULL, NULL,
     "Order of showing: 1 chief executive, 2 chief financial officer, 3 other officers, 4 "
     "directors, 5 others."},
    {"is_current", DSC_FIELD_BOOLEAN, 0, "t.is_current", NULL, NULL, NULL, NULL,
     "Whether the latest report still says so."},
    {"provenance", DSC_FIELD_PROVENANCE, 0, "t", NULL, NULL, "executive", NULL,
     "The report that says so."},
};

static const dsc_shape_t executive_shape = {"Executive", "A person who speaks for a company.",
                                            executive_fields, DSC_COUNT(executive_fields)};

static const dsc_source_t executive_source = {"executive t", NULL, "t.person_rank", "bigint",
                                              "t.id", 0};

/* Analysts who speak in calls are among the people, unless another source names them. */
static const dsc_follow_t executive_follows[] = {
    {"executive", "settle_analysts"}, {"transcript", "settle_analysts"}, {NULL, NULL}};

const dsc_dataset_t dsc_dataset_executive = {
    "executive", "executive", "Officers, directors, investor-relations contacts and analysts",
    executive_columns, DSC_COUNT(executive_columns), "reported_on", "settle_executives",
    &executive_source, &executive_shape, "{category}/{name}", 0, executive_follows};

static const dsc_parameter_t executives_parameters[] = {
    DSC_PARAMETER_COMPANY,
    {"category", DSC_IN_QUERY, DSC_LITERAL, 0, category_choices, {0, 0, 0, 0}, NULL,
     "t.category = ?", NULL, "Only this category."},
    {"current_only", DSC_IN_QUERY, DSC_BOOLEAN, 0, NULL, {0, 0, 0, 0}, "true", "t.is_current",
     NULL, "Only persons who are current."},
    DSC_PARAMETER_LIMIT("50", 500),
    DSC_PARAMETER_AS_OF,
};

static const char *const reads[] = {"executive", "company", "listing", NULL};

const dsc_endpoint_t dsc_endpoint_executives = {
    "list_executives", "GET", "/v1/companies/{symbol}/executives", "Companies",
    "People who speak for a company.", DSC_ANSWER_ALL, DSC_WITH_COMPANY, executives_parameters,
    DSC_COUNT(executives_parameters), &executive_source, &executive_shape, reads, NULL, NULL,
    NULL};
