/* Short interest, as FINRA publishes it twice a month. */
#include "datasets/datasets.h"

static const dsc_column_t short_interest_columns[] = {
    {"symbol_code", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED | DSC_COLUMN_KEY, NULL,
     "symbol as FINRA writes it: capital letters and digits, BRKB"},
    {"spellings", DSC_COLUMN_TEXT, DSC_COLUMN_NOT_COMPARED, NULL,
     "listings that the symbol may mean, the likeliest first, with a space between them; absent: "
     "the listing with the letters and digits of symbol_code"},
    {"settlement_date", DSC_COLUMN_DATE, DSC_COLUMN_REQUIRED | DSC_COLUMN_KEY, NULL,
     "day on which the positions were held"},
    {"issue_name", DSC_COLUMN_TEXT, DSC_COLUMN_NOT_COMPARED, NULL, "name of the issue, as stated"},
    {"market_class", DSC_COLUMN_TEXT, DSC_COLUMN_NOT_COMPARED, NULL, "market, as stated"},
    {"current_short_position", DSC_COLUMN_DECIMAL, DSC_COLUMN_REQUIRED, NULL, "shares held short"},
    {"previous_short_position", DSC_COLUMN_DECIMAL, 0, NULL,
     "shares held short on the settlement date before"},
    {"avg_daily_share_volume", DSC_COLUMN_DECIMAL, 0, NULL, "average daily volume in the cycle"},
    {"stated_days_to_cover", DSC_COLUMN_DECIMAL, 0, NULL,
     "as stated; 999.99 is \"not meaningful\" and served as null"},
    {"stated_change_pct", DSC_COLUMN_DECIMAL, 0, NULL,
     "change in percent, as stated; served as null where the previous position is 0"},
    {"stock_split", DSC_COLUMN_BOOLEAN, 0, NULL, "whether a split fell into the cycle"},
    {"previous_revised", DSC_COLUMN_BOOLEAN, 0, NULL,
     "whether the previous position is a revised one: the row of the cycle before takes it"},
};

static const dsc_field_t short_interest_fields[] = {
    {"settlement_date", DSC_FIELD_DATE, 0, "t.settlement_date", NULL, NULL, NULL, NULL,
     "Day on which the positions were held."},
    {"current_short_position", DSC_FIELD_DECIMAL, 0, "t.current_short_position", NULL, NULL, NULL,
     NULL, "Shares held short."},
    {"previous_short_position", DSC_FIELD_DECIMAL, DSC_NULLABLE, "t.previous_short_position", NULL,
     NULL, NULL, NULL,
     "Shares held short on the settlement date before; of other shares where stock_split is true."},
    {"avg_daily_share_volume", DSC_FIELD_DECIMAL, DSC_NULLABLE, "t.avg_daily_share_volume", NULL,
     NULL, NULL, NULL, "Average daily volume in the cycle."},
    {"days_to_cover", DSC_FIELD_DECIMAL, DSC_NULLABLE, "t.days_to_cover", NULL, NULL, NULL, NULL,
     "As stated, 1.00 at least; computed where nothing is stated. Null where FINRA says 999.99: not "
     "meaningful, for want of volume."},
    {"change_pct", DSC_FIELD_DECIMAL, DSC_NULLABLE, "t.change_pct", NULL, NULL, NULL, NULL,
     "Change against the previous position in percent, as stated; null where that was 0."},
    {"stock_split", DSC_FIELD_BOOLEAN, 0, "t.stock_split", NULL, NULL, NULL, NULL,
     "Whether a split fell into the cycle."},
    {"provenance", DSC_FIELD_PROVENANCE, 0, "t", NULL, NULL, "short_interest", NULL,
     "Where it comes from."},
};

static const dsc_shape_t short_interest_shape = {
    "ShortInterest", "Shares of a security that are held short.", short_interest_fields,
    DSC_COUNT(short_interest_fields)};

static const dsc_source_t short_interest_source = {"short_interest t", NULL,
                                                   "t.settlement_date", "date", "t.id", 0};

static const dsc_follow_t short_interest_follows[] = {{"listing", "name_short_interest"},
                                                      {"company", "name_short_interest"},
                                                      {NULL, NULL}};

const dsc_dataset_t dsc_dataset_short_interest = {
    "short_interest", "short_interest", "Short interest by settlement date", short_interest_columns,
    DSC_COUNT(short_interest_columns), "settlement_date", "settle_short_interest",
    &short_interest_source, &short_interest_shape, "{symbol_code}/{settlement_date}", 0,
    short_interest_follows};

static const dsc_parameter_t short_interest_parameters[] = {
    /* A ticker that another company has now was this one's once. */
    DSC_SYMBOL_IN_PATH(DSC_RESOLVED | DSC_LISTING,
                       "{present:t.symbol = ? AND t.issuer_id = (SELECT h.issuer_id FROM listing h"
                       " WHERE h.record_key = ? AND h.superseded_at IS NULL)}"
                       "{past:t.issuer_id = issuer_of_listing(?, {value:as_of})"
                       " AND listing_of_spellings(t.issuer_id, t.spellings, t.symbol_code,"
                       " {value:as_of}) = ?}"),
    DSC_PARAMETER_CURSOR,
    DSC_PARAMETER_LIMIT("50", 500),
    DSC_PARAMETER_DIRECTION("settlement_date"),
    DSC_PARAMETER_AS_OF_BY("t.settlement_date"),
};

static const char *const reads[] = {"short_interest", "company", "listing", NULL};

const dsc_endpoint_t dsc_endpoint_short_interest = {
    "list_short_interest", "GET", "/v1/companies/{symbol}/short-interest", "Short interest",
    "Short interest in one listing of a company: share classes are told apart.", DSC_ANSWER_LIST, 0,
    short_interest_parameters, DSC_COUNT(short_interest_parameters), &short_interest_source,
    &short_interest_shape, reads, NULL, NULL, NULL};
