/* Insider transactions and holdings: Forms 3, 4 and 5 under Section 16(a) of the Exchange Act. */
#include "datasets/datasets.h"

/* Transaction codes of Form 4 (SEC, "Ownership Form Codes") and what each is called here. */
const dsc_transaction_code_t dsc_transaction_codes[] = {
    {"P", "purchase"},
    {"S", "sale"},
    {"V", "voluntary_report"},
    {"A", "grant"},
    {"D", "disposition_to_issuer"},
    {"F", "tax_withholding"},
    {"I", "discretionary"},
    {"M", "option_exercise"},
    {"C", "conversion"},
    {"E", "expiration_short"},
    {"H", "expiration_long"},
    {"O", "exercise_out_of_the_money"},
    {"X", "exercise_in_the_money"},
    {"G", "gift"},
    {"L", "small_acquisition"},
    {"W", "inheritance"},
    {"Z", "voting_trust"},
    {"J", "other"},
    {"K", "equity_swap"},
    {"U", "tender"},
    {NULL, NULL},
};

static const char *const transaction_code_choices[] = {
    "P", "S", "V", "A", "D", "F", "I", "M", "C", "E", "H",
    "O", "X", "G", "L", "W", "Z", "J", "K", "U", NULL};
static const char *const acquired_disposed_choices[] = {"A", "D", NULL};
static const char *const ownership_choices[] = {"direct", "indirect", NULL};
static const char *const form_choices[] = {"3", "3/A", "4", "4/A", "5", "5/A", NULL};

#define REPORT_COLUMNS                                                                            \
    {"form", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, form_choices, "form type as filed"},           \
    {"period_of_report", DSC_COLUMN_DATE, 0, NULL, "date of the earliest transaction reported"},  \
    {"original_filing_date", DSC_COLUMN_DATE, 0, NULL,                                            \
     "amendments: filing date of the form that is amended"},                                      \
    {"owner_cik", DSC_COLUMN_INTEGER, 0, NULL, "CIK of the first reporting owner"},               \
    {"insider_name", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL,                                  \
     "first reporting owner, as filed"},                                                          \
    {"relationship", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL,                                  \
     "of the first reporting owner to the issuer"},                                               \
    {"joint_owners", DSC_COLUMN_TEXTS, 0, NULL, "further reporting owners of the same form"},     \
    {"is_derivative", DSC_COLUMN_BOOLEAN, DSC_COLUMN_REQUIRED, NULL,                              \
     "whether it stands in the table of derivative securities"},                                  \
    {"security_title", DSC_COLUMN_TEXT, 0, NULL, "title of the security, as filed"}

#define UNDERLYING_COLUMNS                                                                        \
    {"ownership", DSC_COLUMN_TEXT, 0, ownership_choices, "direct or indirect"},                   \
    {"ownership_nature", DSC_COLUMN_TEXT, 0, NULL, "nature of indirect ownership, as filed"},     \
    {"conversion_price", DSC_COLUMN_DECIMAL, 0, NULL,                                             \
     "derivatives: conversion or exercise price in USD"},                                         \
    {"exercise_date", DSC_COLUMN_DATE, 0, NULL, "derivatives: first day of exercise"},            \
    {"expiration_date", DSC_COLUMN_DATE, 0, NULL, "derivatives: last day of exercise"},           \
    {"underlying_title", DSC_COLUMN_TEXT, 0, NULL, "derivatives: underlying security"},           \
    {"underlying_shares", DSC_COLUMN_DECIMAL, 0, NULL,                                            \
     "derivatives: shares of the underlying security"},                                           \
    {"footnotes", DSC_COLUMN_JSON, 0, NULL,                                                       \
     "footnotes of the row, in order: id, field (what the text is about; null: the row) and text"}, \
    {"remarks", DSC_COLUMN_TEXT, 0, NULL, "remarks of the form, which are about all of its rows"}

static const dsc_column_t transaction_columns[] = {
    REPORT_COLUMNS,
    {"transaction_code", DSC_COLUMN_TEXT, 0, transaction_code_choices, "Form 4 transaction code"},
    {"transaction_type", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL,
     "what the code means: purchase, sale, grant, ..."},
    {"acquired_disposed", DSC_COLUMN_TEXT, 0, acquired_disposed_choices,
     "A: acquired, D: disposed of"},
    {"shares", DSC_COLUMN_DECIMAL, 0, NULL, "shares, or units of the derivative security"},
    {"price", DSC_COLUMN_DECIMAL, 0, NULL, "price of one share or unit in USD"},
    {"value", DSC_COLUMN_DECIMAL, 0, NULL, "shares times price in USD"},
    {"shares_owned_after", DSC_COLUMN_DECIMAL, 0, NULL, "shares owned after the transaction"},
    {"value_owned_after", DSC_COLUMN_DECIMAL, 0, NULL,
     "value owned after the transaction in USD, where the form states that instead of shares"},
    UNDERLYING_COLUMNS,
    {"equity_swap", DSC_COLUMN_BOOLEAN, 0, NULL, "whether an equity swap is involved"},
    {"rule_10b5_1", DSC_COLUMN_BOOLEAN, 0, NULL,
     "whether the form says that a Rule 10b5-1(c) plan was followed; absent before 2023"},
    {"timeliness", DSC_COLUMN_TEXT, 0, NULL, "E: reported early, L: late"},
    {"transaction_date", DSC_COLUMN_DATE, 0, NULL, "date of the transaction"},
    {"filing_date", DSC_COLUMN_DATE, DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED, NULL,
     "date of filing"},
};

static const dsc_column_t holding_columns[] = {
    REPORT_COLUMNS,
    {"shares_owned", DSC_COLUMN_DECIMAL, 0, NULL, "shares, or units of the derivative security"},
    {"value_owned", DSC_COLUMN_DECIMAL, 0, NULL,
     "value in USD, where the form states that instead of shares"},
    UNDERLYING_COLUMNS,
    {"filing_date", DSC_COLUMN_DATE, DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED, NULL,
     "date of filing"},
};

/* ---------------------------------------------------------------------- served */

static const dsc_field_t insider_fields[] = {
    {"name", DSC_FIELD_TEXT, 0, "t.insider_name", NULL, NULL, NULL, NULL,
     "First reporting owner, as filed."},
    {"relationship", DSC_FIELD_TEXT, 0, "t.relationship", NULL, NULL, NULL, NULL,
     "Relationship to the issuer: Director, Officer: <title>, 10% Owner, Other: <text>."},
    {"joint_owners", DSC_FIELD_JSON, DSC_NULLABLE | DSC_ARRAY, DSC_JSON_ARRAY("t.joint_owners"),
     NULL, NULL, NULL, NULL, "Further reporting owners of the same form."},
};

static const dsc_shape_t insider_shape = {
    "Insider", "Who reported the transaction.", insider_fields, DSC_COUNT(insider_fields)};

static const dsc_field_t footnote_fields[] = {
    {"id", DSC_FIELD_TEXT, DSC_NULLABLE, NULL, NULL, NULL, NULL, NULL,
     "Number of the footnote in the form: F1."},
    {"field", DSC_FIELD_TEXT, DSC_NULLABLE, NULL, NULL, NULL, NULL, NULL,
     "Field of the row that it stands on; an element of the form (natureOfOwnership) where none "
     "shows it; null: the row or the form as a whole."},
    {"text", DSC_FIELD_TEXT, DSC_NULLABLE, NULL, NULL, NULL, NULL, NULL,
     "The footnote; null where the form has none of that number."},
};

static const dsc_shape_t footnote_shape = {"InsiderFootnote", "A footnote of Form 3, 4 or 5.",
                                           footnote_fields, DSC_COUNT(footnote_fields)};

#define FOOTNOTES                                                                                 \
    {"footnotes", DSC_FIELD_JSON, DSC_NULLABLE | DSC_ARRAY, "t.footnotes::text", NULL, NULL,      \
     NULL, &footnote_shape,                                                                       \
     "Footnotes of the row, in the order of the form; null when there are none."},               \
    {"remarks", DSC_FIELD_TEXT, DSC_NULLABLE, "t.remarks", NULL, NULL, NULL, NULL,                \
     "Remarks of the form, the same in each of its rows; null when there are none."}

static const dsc_field_t transaction_fields[] = {
    {"id", DSC_FIELD_INTEGER, 0, "t.id", NULL, NULL, NULL, NULL, "Number of the record."},
    {"symbol", DSC_FIELD_TEXT, DSC_NULLABLE, "i.symbol", NULL, NULL, NULL, NULL,
     "Primary listing of the issuer, TICKER:MARKET; null when it has none."},
    {"ticker", DSC_FIELD_TEXT, DSC_NULLABLE, "i.ticker", NULL, NULL, NULL, NULL,
     "Ticker of that listing."},
    {"company_cik", DSC_FIELD_CIK, DSC_NULLABLE, "i.cik", NULL, NULL, NULL, NULL,
     "CIK of the issuer."},
    {"insider", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &insider_shape,
     "Who reported the transaction."},
    {"transaction_type", DSC_FIELD_TEXT, 0, "t.transaction_type", NULL, NULL, NULL, NULL,
     "What the code means: purchase, sale, grant, ..."},
    {"transaction_code", DSC_FIELD_TEXT, DSC_NULLABLE, "t.transaction_code", NULL, NULL, NULL,
     NULL, "Form 4 transaction code."},
    {"shares", DSC_FIELD_DECIMAL, DSC_NULLABLE, "t.shares", NULL, NULL, NULL, NULL,
     "Shares, or units of the derivative security."},
    {"price", DSC_FIELD_VALUE, DSC_NULLABLE, "t.price", "USD_per_share", NULL, NULL, NULL,
     "Price of one share or unit; null where the form has a footnote in its place."},
    {"value", DSC_FIELD_VALUE, DSC_NULLABLE, "t.value", "USD", NULL, NULL, NULL,
     "Shares times price."},
    {"shares_owned_after", DSC_FIELD_DECIMAL, DSC_NULLABLE, "t.shares_owned_after", NULL, NULL,
     NULL, NULL, "Shares owned after the transaction."},
    {"transaction_date", DSC_FIELD_DATE, DSC_NULLABLE, "t.transaction_date", NULL, NULL, NULL,
     NULL, "Date of the transaction."},
    {"filing_date", DSC_FIELD_DATE, 0, "t.filing_date", NULL, NULL, NULL, NULL,
     "Date of filing; where the source does not state it, the date of signature."},
    {"form", DSC_FIELD_TEXT, 0, "t.form", NULL, NULL, NULL, NULL, "Form type as filed."},
    {"is_derivative", DSC_FIELD_BOOLEAN, 0, "t.is_derivative", NULL, NULL, NULL, NULL,
     "Whether it stands in the table of derivative securities."},
    {"security_title", DSC_FIELD_TEXT, DSC_NULLABLE, "t.security_title", NULL, NULL, NULL, NULL,
     "Title of the security, as filed."},
    {"acquired_disposed", DSC_FIELD_TEXT, DSC_NULLABLE, "t.acquired_disposed", NULL, NULL, NULL,
     NULL, "A: acquired, D: disposed of."},
    {"ownership", DSC_FIELD_TEXT, DSC_NULLABLE, "t.ownership", NULL, NULL, NULL, NULL,
     "direct or indirect."},
    FOOTNOTES,
    {"provenance", DSC_FIELD_PROVENANCE, 0, "t", NULL, NULL, "insider", NULL,
     "Where it comes from; quote holds the footnotes that stand in place of numbers."},
};

static const dsc_shape_t transaction_shape = {
    "InsiderTransaction", "A transaction that an insider reported on Form 4 or 5.",
    transaction_fields, DSC_COUNT(transaction_fields)};

static const dsc_source_t transaction_source = {
    "insider_transaction t JOIN " DSC_ISSUER, NULL, "t.filing_date",
    "date", "t.id", 0};

const dsc_dataset_t dsc_dataset_insider = {
    "insider", "insider_transaction", "Insider transactions of Forms 4 and 5",
    transaction_columns, DSC_COUNT(transaction_columns), "filing_date", "settle_insiders",
    &transaction_source, &transaction_shape};

static const dsc_field_t holding_fields[] = {
    {"id", DSC_FIELD_INTEGER, 0, "t.id", NULL, NULL, NULL, NULL, "Number of the record."},
    {"symbol", DSC_FIELD_TEXT, DSC_NULLABLE, "i.symbol", NULL, NULL, NULL, NULL,
     "Primary listing of the issuer."},
    {"company_cik", DSC_FIELD_CIK, DSC_NULLABLE, "i.cik", NULL, NULL, NULL, NULL,
     "CIK of the issuer."},
    {"insider", DSC_FIELD_OBJECT, 0, NULL, NULL, NULL, NULL, &insider_shape,
     "Who reported the holding."},
    {"security_title", DSC_FIELD_TEXT, DSC_NULLABLE, "t.security_title", NULL, NULL, NULL, NULL,
     "Title of the security, as filed."},
    {"shares_owned", DSC_FIELD_DECIMAL, DSC_NULLABLE, "t.shares_owned", NULL, NULL, NULL, NULL,
     "Shares, or units of the derivative security."},
    {"ownership", DSC_FIELD_TEXT, DSC_NULLABLE, "t.ownership", NULL, NULL, NULL, NULL,
     "direct or indirect."},
    {"filing_date", DSC_FIELD_DATE, 0, "t.filing_date", NULL, NULL, NULL, NULL, "Date of filing."},
    FOOTNOTES,
    {"provenance", DSC_FIELD_PROVENANCE, 0, "t", NULL, NULL, "insider_holding", NULL,
     "Where it comes from; quote holds the footnotes that stand in place of numbers."},
};

static const dsc_shape_t holding_shape = {
    "InsiderHolding", "A holding that an insider reported on Form 3, 4 or 5.", holding_fields,
    DSC_COUNT(holding_fields)};

static const dsc_source_t holding_source = {
    "insider_holding t JOIN " DSC_ISSUER, NULL, "t.filing_date", "date",
    "t.id", 0};

const dsc_dataset_t dsc_dataset_insider_holding = {
    "insider_holding", "insider_holding", "Insider holdings of Forms 3, 4 and 5", holding_columns,
    DSC_COUNT(holding_columns), "filing_date", "settle_insiders", &holding_source, &holding_shape};

/* `way`: how rows of several codes are read. A company's have no index that begins with the code. */
#define TRANSACTION_FILTERS(way)                                                                  \
    {"transaction_types", DSC_IN_QUERY, DSC_LITERAL, DSC_REPEATABLE | (way),                      \
     transaction_code_choices, {0, 0, 0, 0}, NULL, "?", NULL,                                     \
     "Form 4 transaction codes to keep; repeat the parameter for several.",                       \
     "t.transaction_code"},                                                                       \
    {"min_value", DSC_IN_QUERY, DSC_NUMBER, DSC_PLAN_EACH_TIME, NULL, {0, 0, 0, 0}, NULL,         \
     "t.value >= ?", NULL, "Least value of a transaction in USD."},                               \
    {"start_date", DSC_IN_QUERY, DSC_DATE, 0, NULL, {0, 0, 0, 0}, NULL, "t.filing_date >= ?",     \
     NULL, "First filing date."},                                                                 \
    {"end_date", DSC_IN_QUERY, DSC_DATE, 0, NULL, {0, 0, 0, 0}, NULL, "t.filing_date <= ?", NULL, \
     "Last filing date."},                                                                        \
    DSC_PARAMETER_CURSOR, DSC_PARAMETER_LIMIT("50", 500), DSC_PARAMETER_DIRECTION("filing_date"), \
    DSC_PARAMETER_AS_OF_BY("t.filing_date")

static const dsc_parameter_t insider_parameters[] = {TRANSACTION_FILTERS(DSC_EACH)};

static const dsc_parameter_t company_insider_parameters[] = {
    DSC_PARAMETER_COMPANY,
    TRANSACTION_FILTERS(DSC_PLAN_EACH_TIME),
};

static const char *const reads[] = {"insider", "company", "listing", NULL};

const dsc_endpoint_t dsc_endpoint_insider = {
    "list_insider", "GET", "/v1/insider", "Insider transactions",
    "Insider transactions of all companies.", DSC_ANSWER_LIST, 0, insider_parameters,
    DSC_COUNT(insider_parameters), &transaction_source, &transaction_shape, reads, NULL, NULL,
    NULL};

const dsc_endpoint_t dsc_endpoint_company_insider = {
    "list_company_insider", "GET", "/v1/companies/{symbol}/insider", "Insider transactions",
    "Insider transactions of one company.", DSC_ANSWER_LIST, 0, company_insider_parameters,
    DSC_COUNT(company_insider_parameters), &transaction_source, &transaction_shape, reads, NULL,
    NULL, NULL};
