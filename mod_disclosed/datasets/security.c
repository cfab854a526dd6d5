/* Securities: which CUSIP names which listing, and when.
 *
 * Records are facts that a source states: NDJSON, or a form that has a CUSIP and a ticker in one row.
 * The issuer is the company whose security it is (cik, or symbol). What is derived from ISINs and from
 * names is not loaded: sql/0003_institutions.sql derives it. */
#include "datasets/datasets.h"

static const dsc_column_t security_columns[] = {
    {"cusip", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED | DSC_COLUMN_KEY, NULL,
     "nine characters, upper case"},
    {"valid_from", DSC_COLUMN_DATE, DSC_COLUMN_REQUIRED | DSC_COLUMN_KEY, NULL,
     "first day on which the CUSIP named this security"},
    {"valid_to", DSC_COLUMN_DATE, 0, NULL, "last day; absent: still"},
    {"ticker", DSC_COLUMN_TEXT, 0, NULL, "ticker of its listing; absent: the company alone is known"},
    {"market", DSC_COLUMN_TEXT, 0, NULL, "market of its listing; absent: the first one of the ticker"},
    {"class_title", DSC_COLUMN_TEXT, 0, NULL, "title of the class: COM, CL B, ..."},
    {"isin", DSC_COLUMN_TEXT, 0, NULL, "ISIN"},
    {"figi", DSC_COLUMN_TEXT, 0, NULL, "FIGI"},
};

/* Derived links hang on listings and names of issuers, and on how information tables and holdings of
 * funds title a CUSIP. */
static const dsc_follow_t follows[] = {
    {"listing", "link_issuers"},
    {"institution_position", "securities_after_positions"},
    {"fund_holding", "securities_after_holdings"},
    {NULL, NULL},
};

const dsc_dataset_t dsc_dataset_security = {
    "security", "security", "CUSIPs and the listings that they name", security_columns,
    DSC_COUNT(security_columns), "valid_from", "settle_securities", NULL, NULL,
    "{cusip}/{valid_from}", 0, follows};
