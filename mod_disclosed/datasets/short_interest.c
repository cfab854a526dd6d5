/* Short interest, as FINRA publishes it twice a month. */
#include "datasets/datasets.h"

#define SHORT_INTEREST_FIELDS                                                                                         \
    DATE("settlement_date", "t.settlement_date", "Settlement date as of which the positions are reported."),          \
    DECIMAL("current_short_position", "t.current_short_position", "Number of shares held short."),                    \
    DECIMAL("previous_short_position", "t.previous_short_position",                                                   \
            "Number of shares held short on the previous settlement date, before the split if stock_split is true; null if not stated.", NULLABLE), \
    DECIMAL("avg_daily_share_volume", "t.avg_daily_share_volume",                                                     \
          "Average daily share volume in the reporting cycle; null if not stated.", NULLABLE),                        \
    DECIMAL("days_to_cover", "t.days_to_cover",                                                                       \
            "Days to cover, as stated, 1.00 at least; computed within the same bounds if not stated. Null if that is 999.99 or more, which FINRA states as not " \
            "meaningful, or there is no volume.", NULLABLE),                                                                         \
    DECIMAL("change_pct", "t.change_pct",                                                                             \
            "Change from the previous position in percent, as stated; null if the previous position was 0 or no change is stated.", NULLABLE), \
    BOOLEAN("stock_split", "t.stock_split", "Whether there was a split in the reporting cycle."),                     \
    PROVENANCE("short_interest", "Source of the record.")

static const dsc_shape_t short_interest_shape = SHAPE("ShortInterest", "Short interest in a security.",
    SHORT_INTEREST_FIELDS);

static const dsc_source_t short_interest_source = ROWS("short_interest t", "t.settlement_date", "date");

const dsc_dataset_t dsc_dataset_short_interest = {
    DATASET("short_interest", "short_interest", "Short interest by settlement date"),
    COLUMNS(
        KEY(TEXT, "symbol_code", "symbol as FINRA writes it: upper-case letters and digits, BRKB"),
        COLUMN(TEXT, "spellings",
               "listings that the symbol may mean, the likeliest first, separated by spaces; absent: the listing with the letters and digits of "
               "symbol_code", .flags = DSC_COLUMN_NOT_COMPARED),
        KEY(DATE, "settlement_date", "settlement date as of which the positions are reported"),
        COLUMN(TEXT, "issue_name", "name of the issue, as stated", .flags = DSC_COLUMN_NOT_COMPARED),
        COLUMN(TEXT, "market_class", "market, as stated", .flags = DSC_COLUMN_NOT_COMPARED),
        REQUIRED(DECIMAL, "current_short_position", "number of shares held short"),
        COLUMN(DECIMAL, "previous_short_position", "number of shares held short on the previous settlement date"),
        COLUMN(DECIMAL, "avg_daily_share_volume", "average daily share volume in the reporting cycle"),
        COLUMN(DECIMAL, "stated_days_to_cover", "days to cover, as stated; 999.99 means \"not meaningful\" and is served as null"),
        COLUMN(DECIMAL, "stated_change_pct",
               "change in percent, as stated; served as null if the previous position is 0"),
        COLUMN(BOOLEAN, "stock_split", "whether there was a split in the reporting cycle"),
        COLUMN(BOOLEAN, "previous_revised",
               "whether the previous position is a revised one, which then replaces that of the cycle before")),
    .key_form = "{symbol_code}/{settlement_date}",
    .flags = DSC_LAST_COUNTS,
    .date_column = "settlement_date",
    .expect = "expected_symbols('short_interest')",
    .expected = EXPECTED("symbol"),
    .reconcile = "reconcile_short_interest",
    .follows = FOLLOWS({"listing", "name_short_interest"}, {"company", "name_short_interest"}),
    DSC_ANNOUNCES(DSC_TOPIC_SHORT),
    SHOWN(short_interest_source, short_interest_shape),
};

static const dsc_shape_t delivered_shape = SHAPE("DeliveredShortInterest", "Short interest, as webhooks deliver it.",
    SHORT_INTEREST_FIELDS,
    TEXT("symbol", "t.symbol", "Symbol (TICKER:MARKET) of the security's listing; null if it is not listed.", NULLABLE),
    DSC_DELIVERED_URL(DSC_DELIVERED_SOURCE("short_interest")));

static const dsc_shape_t delivery_shape = SHAPE("ShortInterestDelivery", "Body of a " DSC_TOPIC_SHORT " delivery.",
    DSC_DELIVERY_FIELDS(delivered_shape));

const dsc_topic_t dsc_topic_short_interest = {
    DSC_TOPIC_SHORT, "Short interest in a security was published for another settlement date.", &delivery_shape,
    DSC_DELIVERY_FROM ", short_interest t{source:t}" DSC_DELIVERY_WHERE DSC_DELIVERED_ID(DSC_TOPIC_SHORT)};

const dsc_endpoint_t dsc_endpoint_short_interest = {
    GET("list_short_interest", "/v1/companies/{symbol}/short-interest"),
    ABOUT("Short interest", "Short interest in one listing of a company; other share classes are left out."),
    LIST(short_interest_source, short_interest_shape),
    PARAMETERS(
        /* A ticker that another company has now was this one's once. */
        DSC_SYMBOL_IN_PATH(DSC_RESOLVED | DSC_LISTING,
                           "t.issuer_id = {company} AND {present:t.symbol}"
                           "{past:listing_of_spellings(t.issuer_id, t.spellings, t.symbol_code, {value:as_of})} = ?"),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("50", 500),
        DSC_PARAMETER_DIRECTION("settlement_date"),
        DSC_PARAMETER_AS_OF_BY("t.settlement_date")),
};
