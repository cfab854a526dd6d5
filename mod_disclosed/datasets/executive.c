/* People: officers and directors, investor-relations contacts, analysts. */
#include "datasets/datasets.h"

CHOICES(category_choices, "executives", "ir", "analysts");

static const dsc_shape_t executive_shape = SHAPE("Executive", "An executive or contact of a company.",
    TEXT("name", "t.name", "Name, as filed."),
    TEXT("role", "t.role", "Title or capacity, as filed."),
    TEXT("category", "t.category", "Category: executives (officers and directors), ir (investor relations) or analysts."),
    TEXT("affiliation", "t.affiliation", "Firm that the person represents; null if not stated.", NULLABLE),
    INTEGER("rank", "t.person_rank",
            "Display order: 1 chief executive, 2 chief financial officer, 3 other officers, 4 directors, 5 others."),
    BOOLEAN("is_current", "t.is_current", "Whether the latest report still names the person in this role."),
    PROVENANCE("executive", "The report that states it."));

/* Never paged: the tie-breaker of persons with one rank need not be a number. */
static const dsc_source_t executive_source = {
    .from = "executive t",
    .order = "t.person_rank",
    .order_type = "bigint",
    .tie = "t.name, t.record_key",
};

const dsc_dataset_t dsc_dataset_executive = {
    DATASET("executive", "executive", "Officers, directors, investor-relations contacts and analysts"),
    COLUMNS(
        COLUMN(INTEGER, "person_cik", "CIK of the person"),
        KEY(TEXT, "name", "as filed"),
        REQUIRED(TEXT, "role", "title or capacity, as filed"),
        KEY(TEXT, "category", "executives (officers and directors), ir or analysts", .choices = category_choices),
        COLUMN(TEXT, "affiliation", "firm that the person represents"),
        REQUIRED(INTEGER, "person_rank",
                 "display order: 1 chief executive, 2 chief financial officer, 3 other officers, 4 directors, 5 others"),
        REQUIRED(BOOLEAN, "is_current", "whether the latest report still names the person in this role"),
        COLUMN(DATE, "reported_on", "date of the report that states it",
               .flags = DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED)),
    .flags = DSC_OF_STATEMENTS | DSC_LAST_COUNTS,
    .key_form = "{category}/{name}",
    .date_column = "reported_on",
    .keeps = "executive_stated",
    .derive = "state_executives",
    .follows = FOLLOWS({"executive", "reconcile_analysts"}, {"transcript", "reconcile_analysts"}),
    SHOWN(executive_source, executive_shape),
};

const dsc_endpoint_t dsc_endpoint_executives = {
    GET("list_executives", "/v1/companies/{symbol}/executives"),
    ABOUT("Companies", "Executives and contacts of a company."),
    ALL(executive_source, executive_shape),
    PARAMETERS(
        DSC_PARAMETER_COMPANY,
        QUERY(LITERAL, "category", "Only persons of this category.", .choices = category_choices, .predicate = "t.category = ?"),
        QUERY(BOOLEAN, "current_only", "Only current persons.", .default_text = "true",
              .predicate = "t.is_current"),
        DSC_PARAMETERS_ROWS("50", 500),
        DSC_PARAMETER_AS_OF),
    .flags = DSC_WITH_COMPANY,
};
