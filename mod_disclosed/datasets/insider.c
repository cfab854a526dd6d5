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
    {0},
};

CHOICES(transaction_code_choices, "P", "S", "V", "A", "D", "F", "I", "M", "C", "E", "H", "O", "X", "G", "L", "W", "Z",
        "J", "K", "U");
CHOICES(acquired_disposed_choices, "A", "D");
CHOICES(ownership_choices, "direct", "indirect");
CHOICES(form_choices, "3", "3/A", "4", "4/A", "5", "5/A");

#define REPORT_COLUMNS                                                                                                \
    REQUIRED(TEXT, "form", "form type, as filed", .choices = form_choices),                                           \
    COLUMN(DATE, "period_of_report", "date of the earliest transaction reported"),                                    \
    COLUMN(DATE, "original_filing_date", "amendments only: filing date of the amended form"),                         \
    COLUMN(INTEGER, "owner_cik", "CIK of the first reporting owner"),                                                 \
    REQUIRED(TEXT, "insider_name", "name of the first reporting owner, as filed"),                                    \
    REQUIRED(TEXT, "relationship", "relationship of the first reporting owner to the issuer"),                        \
    COLUMN(TEXTS, "joint_owners", "names of further reporting owners of the same form"),                              \
    REQUIRED(BOOLEAN, "is_derivative", "whether the form lists it in the table of derivative securities"),            \
    COLUMN(TEXT, "security_title", "title of the security, as filed")

#define UNDERLYING_COLUMNS                                                                                            \
    COLUMN(TEXT, "ownership", "direct or indirect", .choices = ownership_choices),                                    \
    COLUMN(TEXT, "ownership_nature", "nature of indirect ownership, as filed"),                                       \
    COLUMN(DECIMAL, "conversion_price", "derivatives: conversion or exercise price in USD"),                          \
    COLUMN(DATE, "exercise_date", "derivatives: first day of exercise"),                                              \
    COLUMN(DATE, "expiration_date", "derivatives: last day of exercise"),                                             \
    COLUMN(TEXT, "underlying_title", "derivatives: title of the underlying security"),                                \
    COLUMN(DECIMAL, "underlying_shares", "derivatives: number of shares of the underlying security"),                 \
    COLUMN(JSON, "footnotes",                                                                                         \
           "footnotes of the row, in order: id, field (the field that it is attached to; null: the row) and text"),   \
    COLUMN(TEXT, "remarks", "remarks of the form, which apply to all of its rows")

/* ---------------------------------------------------------------------- served */
static const dsc_shape_t insider_shape = SHAPE("Insider", "The reporting owners of the transaction.",
    TEXT("name", "t.insider_name", "Name of the first reporting owner, as filed."),
    TEXT("relationship", "t.relationship",
         "Relationship to the issuer: Director, Officer: <title>, 10% Owner, Other: <text>."),
    JSON("joint_owners", "t.joint_owners", "Names of further reporting owners of the same form; null if there are none.",
         .flags = DSC_NULLABLE | DSC_ARRAY));

static const dsc_shape_t footnote_shape = SHAPE("InsiderFootnote", "A footnote of Form 3, 4 or 5.",
    MEMBER(TEXT, "id", "Footnote number in the form, e.g. F1; null if it has none.", NULLABLE),
    MEMBER(TEXT, "field",
           "Field of the row that the footnote is attached to, or the form's element (natureOfOwnership) if no field shows it; null for the row or "
           "the form as a whole.", NULLABLE),
    MEMBER(TEXT, "text", "Text of the footnote; null if the form has no footnote with that number.", NULLABLE));

#define FOOTNOTES                                                                                                     \
    JSON("footnotes", "t.footnotes",                                                                                  \
         "Footnotes of the row, in the order of the form; null if there are none.",                                   \
         .flags = DSC_NULLABLE | DSC_ARRAY, .shape = &footnote_shape),                                                \
    TEXT("remarks", "t.remarks", "Remarks of the form, the same in all of its rows; null if there are none.",         \
         NULLABLE)

#define TRANSACTION_FIELDS                                                                                            \
    INTEGER("id", "t.id", "Record ID, the same in all versions of the record."),                                      \
    TEXT("symbol", "i.symbol", "Symbol (TICKER:MARKET) of the issuer's primary listing; null if it has none.", NULLABLE), \
    TEXT("ticker", "i.ticker", "Ticker of the issuer's primary listing; null if it has none.", NULLABLE),             \
    CIK("company_cik", "i.cik", "CIK of the issuer; null if it has none.", NULLABLE),                                 \
    OBJECT("insider", insider_shape, "The reporting owners of the transaction."),                                     \
    TEXT("transaction_type", "t.transaction_type", "Type of transaction, in words for the code: purchase, sale, grant, ..."), \
    TEXT("transaction_code", "t.transaction_code", "Form 4 transaction code, e.g. P or S; null if the form states none.", NULLABLE), \
    DECIMAL("shares", "t.shares", "Number of shares, or of units of the derivative security; null if not stated.", NULLABLE), \
    VALUE("price", "t.price", "USD_per_share",                                                                        \
          "Price of one share or unit in USD; null if the form has a footnote in its place.", NULLABLE),              \
    VALUE("value", "t.value", "USD", "Shares times price, or the total value that the form states, in USD; null if neither is known.", NULLABLE),             \
    DECIMAL("shares_owned_after", "t.shares_owned_after", "Number of shares owned after the transaction; null if not stated.", NULLABLE), \
    DATE("transaction_date", "t.transaction_date", "Date of the transaction; null if not stated.", NULLABLE),         \
    DATE("filing_date", "t.filing_date",                                                                              \
         "Filing date; the date of signature if the source states no filing date."),                                  \
    TEXT("form", "t.form", "Form type, as filed."),                                                                   \
    BOOLEAN("is_derivative", "t.is_derivative", "Whether the form lists it in the table of derivative securities."),  \
    TEXT("security_title", "t.security_title", "Title of the security, as filed; null if not stated.", NULLABLE),     \
    TEXT("acquired_disposed", "t.acquired_disposed", "A: acquired, D: disposed of; null if not stated.", NULLABLE),   \
    TEXT("ownership", "t.ownership", "Ownership: direct or indirect; null if not stated.", NULLABLE),                 \
    FOOTNOTES,                                                                                                        \
    PROVENANCE("insider", "Source of the record. quote has the footnotes that the form has in place of numbers.", .filer = "i.cik")

static const dsc_shape_t transaction_shape = SHAPE("InsiderTransaction", "A transaction that an insider reported on Form 4 or 5.",
    TRANSACTION_FIELDS);

static const dsc_source_t transaction_source =
    ROWS("insider_transaction t JOIN " DSC_ISSUER, "t.filing_date", "date");

const dsc_dataset_t dsc_dataset_insider = {
    DATASET("insider", "insider_transaction", "Insider transactions of Forms 4 and 5"),
    COLUMNS(
        REPORT_COLUMNS,
        COLUMN(TEXT, "transaction_code", "Form 4 transaction code", .choices = transaction_code_choices),
        REQUIRED(TEXT, "transaction_type", "type of transaction, in words for the code: purchase, sale, grant, ..."),
        COLUMN(TEXT, "acquired_disposed", "A: acquired, D: disposed of", .choices = acquired_disposed_choices),
        COLUMN(DECIMAL, "shares", "number of shares, or of units of the derivative security"),
        COLUMN(DECIMAL, "price", "price of one share or unit, in USD"),
        COLUMN(DECIMAL, "value", "shares times price, in USD"),
        COLUMN(DECIMAL, "shares_owned_after", "number of shares owned after the transaction"),
        COLUMN(DECIMAL, "value_owned_after",
               "value owned after the transaction, in USD, if the form states it instead of shares"),
        UNDERLYING_COLUMNS,
        COLUMN(BOOLEAN, "equity_swap", "whether an equity swap is involved"),
        COLUMN(BOOLEAN, "rule_10b5_1",
               "whether the form states that the transaction followed a Rule 10b5-1(c) plan; absent before 2023"),
        COLUMN(TEXT, "timeliness", "E: reported early, L: late"),
        COLUMN(DATE, "transaction_date", "date of the transaction"),
        COLUMN(DATE, "filing_date", "filing date", .flags = DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED)),
    .flags = DSC_OF_FILINGS | DSC_LAST_COUNTS,
    .of_filing = DSC_BY_ACCESSION,
    .date_column = "filing_date",
    .reconcile = "reconcile_insiders",
    DSC_ANNOUNCES(DSC_TOPIC_INSIDER),
    SHOWN(transaction_source, transaction_shape),
};

static const dsc_shape_t delivered_shape = SHAPE("DeliveredInsiderTransaction",
    "An insider transaction, as webhooks deliver it.",
    TRANSACTION_FIELDS,
    DSC_DELIVERED_URL(DSC_DELIVERED_SOURCE("insider")));

static const dsc_shape_t delivery_shape = SHAPE("InsiderTransactionDelivery",
    "Body of an " DSC_TOPIC_INSIDER " delivery.",
    DSC_DELIVERY_FIELDS(delivered_shape));

const dsc_topic_t dsc_topic_insider = {
    DSC_TOPIC_INSIDER, "A transaction of an insider was reported on Form 4 or 5.", &delivery_shape,
    DSC_DELIVERY_FROM ", insider_transaction t JOIN " DSC_ISSUER "{source:t}" DSC_DELIVERY_WHERE
    DSC_DELIVERED_ID(DSC_TOPIC_INSIDER)};

static const dsc_shape_t holding_shape = SHAPE(
    "InsiderHolding", "A holding that an insider reported on Form 3, 4 or 5.",
    INTEGER("id", "t.id", "Record ID, the same in all versions of the record."),
    TEXT("symbol", "i.symbol", "Symbol (TICKER:MARKET) of the issuer's primary listing; null if it has none.", NULLABLE),
    CIK("company_cik", "i.cik", "CIK of the issuer; null if it has none.", NULLABLE),
    OBJECT("insider", insider_shape, "The reporting owners of the holding."),
    TEXT("security_title", "t.security_title", "Title of the security, as filed; null if not stated.", NULLABLE),
    DECIMAL("shares_owned", "t.shares_owned", "Number of shares, or of units of the derivative security; null if not stated.", NULLABLE),
    TEXT("ownership", "t.ownership", "Ownership: direct or indirect; null if not stated.", NULLABLE),
    DATE("filing_date", "t.filing_date", "Filing date."),
    FOOTNOTES,
    PROVENANCE("insider_holding", "Source of the record. quote has the footnotes that the form has in place of numbers.", .filer = "i.cik"));

static const dsc_source_t holding_source = ROWS("insider_holding t JOIN " DSC_ISSUER, "t.filing_date", "date");

const dsc_dataset_t dsc_dataset_insider_holding = {
    DATASET("insider_holding", "insider_holding", "Insider holdings of Forms 3, 4 and 5"),
    COLUMNS(
        REPORT_COLUMNS,
        COLUMN(DECIMAL, "shares_owned", "number of shares, or of units of the derivative security"),
        COLUMN(DECIMAL, "value_owned", "value in USD, if the form states it instead of shares"),
        UNDERLYING_COLUMNS,
        COLUMN(DATE, "filing_date", "filing date", .flags = DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED)),
    .flags = DSC_OF_FILINGS | DSC_LAST_COUNTS,
    .of_filing = DSC_BY_ACCESSION,
    .date_column = "filing_date",
    .reconcile = "reconcile_insiders",
    SHOWN(holding_source, holding_shape),
};

/* `way`: how rows of several codes are read. A company's have no index that begins with the code. */
#define TRANSACTION_FILTERS(way)                                                                                      \
    QUERY(LITERAL, "transaction_types", "Only these Form 4 transaction codes, e.g. P and S; repeat the parameter for several.", \
          .flags = DSC_REPEATABLE | (way), .choices = transaction_code_choices, .predicate = "?",                     \
          .column = "t.transaction_code"),                                                                            \
    QUERY(NUMBER, "min_value", "Minimum value of a transaction in USD.", .flags = DSC_PLAN_EACH_TIME,                 \
          .predicate = "t.value >= ?"),                                                                               \
    QUERY(DATE, "start_date", "Earliest filing date, inclusive.", .predicate = "t.filing_date >= ?"),                 \
    QUERY(DATE, "end_date", "Latest filing date, inclusive.", .predicate = "t.filing_date <= ?"),                     \
    DSC_PARAMETER_CURSOR, DSC_PARAMETERS_ROWS("50", 500), DSC_PARAMETER_DIRECTION("filing_date"),                     \
    DSC_PARAMETER_AS_OF_BY("t.filing_date")

const dsc_endpoint_t dsc_endpoint_insider = {
    GET("list_insider", "/v1/insider"),
    ABOUT("Insider transactions", "Insider transactions of all companies."),
    LIST(transaction_source, transaction_shape),
    PARAMETERS(
        DSC_PARAMETER_SYMBOLS("issuers"),
        TRANSACTION_FILTERS(DSC_EACH)),
};

const dsc_endpoint_t dsc_endpoint_company_insider = {
    GET("list_company_insider", "/v1/companies/{symbol}/insider"),
    ABOUT("Insider transactions", "Insider transactions of one company."),
    LIST(transaction_source, transaction_shape),
    PARAMETERS(
        DSC_PARAMETER_COMPANY,
        TRANSACTION_FILTERS(DSC_PLAN_EACH_TIME)),
};
