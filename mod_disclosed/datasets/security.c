/* Securities: which CUSIP names which listing, and when.
 *
 * Records are facts that a source states: NDJSON, or a form that has a CUSIP and a ticker in one row.
 * The issuer is the company whose security it is (cik, or symbol). What is derived from ISINs and from
 * names is not loaded: sql/0013_securities.sql derives it. */
#include "datasets/datasets.h"

/* Derived links depend on listings and names of issuers, and on the titles that information tables
 * and holdings of funds give a CUSIP. */
const dsc_dataset_t dsc_dataset_security = {
    DATASET("security", "security", "CUSIPs and the listings that they identify"),
    .keeps = "security_link security_title",
    COLUMNS(
        KEY(TEXT, "cusip", "nine characters, upper case"),
        KEY(DATE, "valid_from", "first day on which the CUSIP identified this security"),
        COLUMN(DATE, "valid_to", "last day on which it did; absent if it still does"),
        COLUMN(TEXT, "ticker", "ticker of the security's listing; absent if only the company is known"),
        COLUMN(TEXT, "market", "market of the security's listing; absent: the first market of the ticker"),
        COLUMN(TEXT, "class_title", "title of the class: COM, CL B, ..."),
        COLUMN(TEXT, "isin", "ISIN"),
        COLUMN(TEXT, "figi", "FIGI")),
    .key_form = "{cusip}/{valid_from}",
    .flags = DSC_LAST_COUNTS,
    .date_column = "valid_from",
    .reconcile = "reconcile_securities",
    .follows = FOLLOWS({"listing", "link_issuers"}, {"institution_position", "securities_after_positions"},
                       {"fund_holding", "securities_after_holdings"}),
};
