/* Corporate actions: splits, dividends, mergers and acquisitions, spin-offs. */
#include "datasets/datasets.h"

CHOICES(kind_choices, "split", "dividend", "m_and_a", "spinoff");
CHOICES(basis_choices, "declared", "adjusted");

/* The listing of the share, now or then. */
#define LISTED                                                                                    \
    "{present:t.symbol}{past:listing_of_spellings(t.issuer_id, t.spellings, t.symbol_code,"       \
    " {value:as_of})}"
#define CURRENCY "coalesce(t.currency, currency_of_market(" LISTED "))"
#define UNIT     "coalesce(" CURRENCY " || '_per_share', 'per_share')"

static const dsc_shape_t dividend_shape = SHAPE("Dividend", "A cash dividend.",
    DATE("ex_dividend_date", "t.ex_dividend_date", "First day of trading without the dividend.", NULLABLE),
    DATE("record_date", "t.record_date", "Day on which holders are counted.", NULLABLE),
    DATE("payment_date", "t.payment_date", "Day of payment.", NULLABLE),
    DATE("declaration_date", "t.declaration_date", "Day of the announcement.", NULLABLE),
    VALUE_BY("amount", "t.amount", UNIT, "Of one share."),
    VALUE_BY("annualized_amount", "coalesce(t.annualized_amount, t.amount * t.payments_a_year)", UNIT,
             "Of a year: as stated, else the amount times the payments a year that are stated.", NULLABLE),
    TEXT("currency", CURRENCY, "As stated; where the source leaves it out, USD for listings in the US, else null.",
         NULLABLE));

static const dsc_shape_t split_shape = SHAPE("Split", "A split, exact.",
    INTEGER("numerator", "t.split_to", "So many shares for `denominator` shares, without a common divisor."),
    INTEGER("denominator", "t.split_from", "Shares held before."));

#define ACTION_FIELDS                                                                                                 \
    INTEGER("id", "t.id", "Number of the record."),                                                                   \
    TEXT("symbol", "coalesce(" LISTED ", i.symbol)",                                                                  \
         "Listing of the share that the action is about, TICKER:MARKET; the primary one where that is " "not known.", \
         NULLABLE),                                                                                                   \
    TEXT("kind", "t.kind", "split, dividend, m_and_a or spinoff."),                                                   \
    DATE("action_date", "t.action_date", "Day on which it takes effect; of a dividend the ex-dividend date."),        \
    TEXT("description",                                                                                               \
         "coalesce(t.description, action_description(t.kind, t.amount, amount_basis_of(t.amount_basis, t.split_after)"\
         ", " CURRENCY ", t.split_to, t.split_from))",                                                                \
         "In words: 7-for-1 split. Of a dividend also that its source has adjusted the amount for later splits, or may have."),\
    TEXT("source_url", "t_source.url", "Address at the source.", NULLABLE),                                           \
    OBJECT("dividend", dividend_shape, "Of dividends alone.", .flags = DSC_OPTIONAL, .sql = "t.kind = 'dividend'"),   \
    OBJECT("split", split_shape, "Of splits alone.", .flags = DSC_OPTIONAL, .sql = "t.kind = 'split'"),               \
    PROVENANCE("corporate_action", "Where it comes from.")

static const dsc_shape_t action_shape = SHAPE("CorporateAction", "A corporate action.",
    ACTION_FIELDS);

static const dsc_source_t action_source = ROWS("corporate_action t JOIN " DSC_ISSUER, "t.action_date", "date");

const dsc_dataset_t dsc_dataset_corporate_action = {
    DATASET("corporate_action", "corporate_action",
            "Corporate actions: splits, dividends, mergers and acquisitions, spin-offs"),
    COLUMNS(
        REQUIRED(TEXT, "symbol_code", "symbol of the share, capital letters and digits alone: BRKB"),
        COLUMN(TEXT, "spellings",
               "listings that the symbol may mean, the likeliest first, with a space between them; absent: "
               "the listing with the letters and digits of symbol_code", .flags = DSC_COLUMN_NOT_COMPARED),
        COLUMN(TEXT, "stated_name", "the company, as the source names it", .flags = DSC_COLUMN_NOT_COMPARED),
        REQUIRED(TEXT, "kind", "split (stock dividends too), dividend, m_and_a or spinoff", .choices = kind_choices),
        REQUIRED(DATE, "action_date",
                 "day on which it takes effect: the ex-dividend date, the first day of trading in split shares"),
        COLUMN(TEXT, "description",
               "in words; may be left out for splits and dividends, which are described by their figures"),
        COLUMN(DATE, "ex_dividend_date", "dividends: first day of trading without it"),
        COLUMN(DATE, "record_date", "dividends: day on which holders are counted"),
        COLUMN(DATE, "payment_date", "dividends: day of payment"),
        COLUMN(DATE, "declaration_date", "dividends: day of the announcement"),
        COLUMN(DECIMAL, "amount", "dividends: of one share"),
        COLUMN(TEXT, "amount_basis", "declared, or adjusted for later splits; absent: the source does not show which",
               .choices = basis_choices),
        COLUMN(DATE, "adjusted_on", "adjusted amounts: the last split that they are adjusted for",
               .flags = DSC_COLUMN_NOT_COMPARED),
        COLUMN(DATETIME, "taken_at",
               "of files that do not say when they corrected themselves: when this one was taken; absent: "
               "known_at is the source's", .flags = DSC_COLUMN_NOT_COMPARED),
        COLUMN(BOOLEAN, "of_several",
               "dividends: whether the source has several of the share and day, each with a record_key of " "its own",
               .flags = DSC_COLUMN_NOT_COMPARED),
        COLUMN(DECIMAL, "annualized_amount", "dividends: of a year, as stated"),
        COLUMN(INTEGER, "payments_a_year", "dividends: how often it is paid, where the source says so"),
        COLUMN(TEXT, "currency", "dividends: ISO 4217 code"),
        COLUMN(INTEGER, "split_to", "splits: so many shares for split_from shares, without a common divisor"),
        COLUMN(INTEGER, "split_from", "splits: shares held before"),
        COLUMN(TEXT, "stated_ratio", "splits: ratio as written", .flags = DSC_COLUMN_NOT_COMPARED)),
    .key_form = "{symbol_code}/{kind}/{action_date}",
    .flags = DSC_LAST_COUNTS,
    .keeps = "dividends_told",
    .ordered = "s.taken_at IS NOT NULL",
    .date_column = "action_date",
    .expect = "expected_symbols('corporate_action')",
    .expected = EXPECTED("symbol"),
    .reconcile = "reconcile_corporate_actions",
    .follows = FOLLOWS({"listing", "name_corporate_actions"}, {"company", "name_corporate_actions"}),
    DSC_ANNOUNCES(DSC_TOPIC_ACTION),
    SHOWN(action_source, action_shape),
};

static const dsc_shape_t delivered_shape = SHAPE("DeliveredCorporateAction", "A corporate action, as webhooks tell of it.",
    ACTION_FIELDS,
    DSC_DELIVERED_URL(DSC_DELIVERED_SOURCE("corporate_action")));

static const dsc_shape_t delivery_shape = SHAPE("CorporateActionDelivery", "Body of a " DSC_TOPIC_ACTION " delivery.",
    DSC_DELIVERY_FIELDS(delivered_shape));

const dsc_topic_t dsc_topic_corporate_action = {
    DSC_TOPIC_ACTION, "A split, dividend, merger or spin-off became known.", &delivery_shape,
    DSC_DELIVERY_FROM ", corporate_action t JOIN " DSC_ISSUER "{source:t}" DSC_DELIVERY_WHERE
    DSC_DELIVERED_ID(DSC_TOPIC_ACTION)};

const dsc_endpoint_t dsc_endpoint_corporate_actions = {
    GET("list_corporate_actions", "/v1/companies/{symbol}/corporate-actions"),
    ABOUT("Corporate actions",
          "Corporate actions of one listing of a company, and of the company as a whole: mergers and "
          "spin-offs. Other share classes have dividends and splits of their own; what was paid under a "
          "former ticker stands with the primary listing."),
    LIST(action_source, action_shape),
    PARAMETERS(
        /* Of the listing asked for, and of the company as a whole: a dividend of one class is not another's. */
        DSC_SYMBOL_IN_PATH(DSC_RESOLVED | DSC_LISTING,
                           "{present:t.issuer_id = (SELECT h.issuer_id FROM listing h"
                           " WHERE h.record_key = ? AND h.superseded_at IS NULL)}"
                           "{past:t.issuer_id = issuer_of_listing(?, {value:as_of})}"
                           " AND (t.kind IN ('m_and_a', 'spinoff') OR coalesce(" LISTED
                           " <> ALL ((SELECT listings_beside(?{past:, {value:as_of}}))::text[]), true))"),
        QUERY(LITERAL, "kind", "Only actions of this kind.", .choices = kind_choices, .predicate = "t.kind = ?"),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("50", 500),
        DSC_PARAMETER_DIRECTION("action_date"),
        DSC_PARAMETER_AS_OF),
    .flags = DSC_WITH_COMPANY,
};
