/* Short interest, as FINRA publishes it twice a month. */
#include "datasets/datasets.h"

#define SHORT_INTEREST_FIELDS                                                                                         \
    DATE("settlement_date", "t.settlement_date", "Day on which the positions were held."),                            \
    DECIMAL("current_short_position", "t.current_short_position", "Shares held short."),                              \
    DECIMAL("previous_short_position", "t.previous_short_position",                                                   \
            "Shares held short on the settlement date before; of other shares where stock_split is true.", NULLABLE), \
    DECIMAL("avg_daily_share_volume", "t.avg_daily_share_volume", "Average daily volume in the cycle.", NULLABLE),    \
    DECIMAL("days_to_cover", "t.days_to_cover",                                                                       \
            "As stated, 1.00 at least; computed where nothing is stated. Null where FINRA says 999.99: not "          \
            "meaningful, for want of volume.", NULLABLE),                                                             \
    DECIMAL("change_pct", "t.change_pct",                                                                             \
            "Change against the previous position in percent, as stated; null where that was 0.", NULLABLE),          \
    BOOLEAN("stock_split", "t.stock_split", "Whether a split fell into the cycle."),                                  \
    PROVENANCE("short_interest", "Where it comes from.")

static const dsc_shape_t short_interest_shape = SHAPE("ShortInterest", "Shares of a security that are held short.",
    SHORT_INTEREST_FIELDS);

static const dsc_source_t short_interest_source = ROWS("short_interest t", "t.settlement_date", "date");

const dsc_dataset_t dsc_dataset_short_interest = {
    DATASET("short_interest", "short_interest", "Short interest by settlement date"),
    COLUMNS(
        KEY(TEXT, "symbol_code", "symbol as FINRA writes it: capital letters and digits, BRKB"),
        COLUMN(TEXT, "spellings",
               "listings that the symbol may mean, the likeliest first, with a space between them; absent: "
               "the listing with the letters and digits of symbol_code", .flags = DSC_COLUMN_NOT_COMPARED),
        KEY(DATE, "settlement_date", "day on which the positions were held"),
        COLUMN(TEXT, "issue_name", "name of the issue, as stated", .flags = DSC_COLUMN_NOT_COMPARED),
        COLUMN(TEXT, "market_class", "market, as stated", .flags = DSC_COLUMN_NOT_COMPARED),
        REQUIRED(DECIMAL, "current_short_position", "shares held short"),
        COLUMN(DECIMAL, "previous_short_position", "shares held short on the settlement date before"),
        COLUMN(DECIMAL, "avg_daily_share_volume", "average daily volume in the cycle"),
        COLUMN(DECIMAL, "stated_days_to_cover", "as stated; 999.99 is \"not meaningful\" and served as null"),
        COLUMN(DECIMAL, "stated_change_pct",
               "change in percent, as stated; served as null where the previous position is 0"),
        COLUMN(BOOLEAN, "stock_split", "whether a split fell into the cycle"),
        COLUMN(BOOLEAN, "previous_revised",
               "whether the previous position is a revised one: the row of the cycle before takes it")),
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

static const dsc_shape_t delivered_shape = SHAPE("DeliveredShortInterest", "Short interest, as webhooks tell of it.",
    SHORT_INTEREST_FIELDS,
    TEXT("symbol", "t.symbol", "Listing of the security, TICKER:MARKET; null where nothing lists it.", NULLABLE),
    DSC_DELIVERED_URL(DSC_DELIVERED_SOURCE("short_interest")));

static const dsc_shape_t delivery_shape = SHAPE("ShortInterestDelivery", "Body of a " DSC_TOPIC_SHORT " delivery.",
    DSC_DELIVERY_FIELDS(delivered_shape));

const dsc_topic_t dsc_topic_short_interest = {
    DSC_TOPIC_SHORT, "Short interest in a security was published for another settlement date.", &delivery_shape,
    DSC_DELIVERY_FROM ", short_interest t{source:t}" DSC_DELIVERY_WHERE DSC_DELIVERED_ID(DSC_TOPIC_SHORT)};

const dsc_endpoint_t dsc_endpoint_short_interest = {
    GET("list_short_interest", "/v1/companies/{symbol}/short-interest"),
    ABOUT("Short interest", "Short interest in one listing of a company: share classes are told apart."),
    LIST(short_interest_source, short_interest_shape),
    PARAMETERS(
        /* A ticker that another company has now was this one's once. */
        DSC_SYMBOL_IN_PATH(DSC_RESOLVED | DSC_LISTING,
                           "{present:t.symbol = ? AND t.issuer_id = (SELECT h.issuer_id FROM listing h"
                           " WHERE h.record_key = ? AND h.superseded_at IS NULL)}"
                           "{past:t.issuer_id = issuer_of_listing(?, {value:as_of})"
                           " AND listing_of_spellings(t.issuer_id, t.spellings, t.symbol_code,"
                           " {value:as_of}) = ?}"),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("50", 500),
        DSC_PARAMETER_DIRECTION("settlement_date"),
        DSC_PARAMETER_AS_OF_BY("t.settlement_date")),
};
