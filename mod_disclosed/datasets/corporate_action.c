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
    DATE("ex_dividend_date", "t.ex_dividend_date", "Ex-dividend date: first day of trading without the dividend; null if not stated.", NULLABLE),
    DATE("record_date", "t.record_date", "Record date: holders of record on this day receive the dividend; null if not stated.", NULLABLE),
    DATE("payment_date", "t.payment_date", "Payment date; null if not stated.", NULLABLE),
    DATE("declaration_date", "t.declaration_date", "Declaration date; null if not stated.", NULLABLE),
    VALUE_BY("amount", "t.amount", UNIT, "Amount for one share."),
    VALUE_BY("annualized_amount", "coalesce(t.annualized_amount, t.amount * t.payments_a_year)", UNIT,
             "Amount for one share and year: as stated, or else the amount times the stated number of payments a year; null if neither is stated.", NULLABLE),
    TEXT("currency", CURRENCY, "Currency, as stated; if the source states none, USD for US listings, otherwise null.",
         NULLABLE));

static const dsc_shape_t split_shape = SHAPE("Split", "A split, as an exact ratio.",
    INTEGER("numerator", "t.split_to", "Number of shares after the split for every `denominator` shares before it, in lowest terms."),
    INTEGER("denominator", "t.split_from", "Number of shares before the split."));

#define ACTION_FIELDS                                                                                                 \
    INTEGER("id", "t.id", "Record ID, the same in all versions of the record."),                                      \
    TEXT("symbol", "coalesce(" LISTED ", i.symbol)",                                                                  \
         "Symbol (TICKER:MARKET) of the share's listing, or of the issuer's primary listing if that is unknown; null if there is none.", \
         NULLABLE),                                                                                                   \
    TEXT("kind", "t.kind", "Kind of action: split, dividend, m_and_a (merger or acquisition) or spinoff."),           \
    DATE("action_date", "t.action_date", "Effective date; for a dividend, the ex-dividend date."),                    \
    TEXT("description",                                                                                               \
         "coalesce(t.description, action_description(t.kind, t.amount, amount_basis_of(t.amount_basis, t.split_after)"\
         ", " CURRENCY ", t.split_to, t.split_from))",                                                                \
         "Description, e.g. 7-for-1 split. For a dividend, it also says if the source has adjusted the amount for later splits, or may have done " \
         "so."),                                                                                                      \
    TEXT("source_url", "t_source.url", "URL at the source; null if there is none.", NULLABLE),                        \
    OBJECT("dividend", dividend_shape, "Details of the dividend; only if kind is dividend.", .flags = DSC_OPTIONAL, .sql = "t.kind = 'dividend'"), \
    OBJECT("split", split_shape, "Ratio of the split; only if kind is split.", .flags = DSC_OPTIONAL, .sql = "t.kind = 'split'"), \
    PROVENANCE("corporate_action", "Source of the record.")

static const dsc_shape_t action_shape = SHAPE("CorporateAction", "A corporate action.",
    ACTION_FIELDS);

static const dsc_source_t action_source = ROWS("corporate_action t JOIN " DSC_ISSUER, "t.action_date", "date");

const dsc_dataset_t dsc_dataset_corporate_action = {
    DATASET("corporate_action", "corporate_action",
            "Corporate actions: splits, dividends, mergers and acquisitions, spin-offs"),
    COLUMNS(
        REQUIRED(TEXT, "symbol_code", "symbol of the share, upper-case letters and digits only: BRKB"),
        COLUMN(TEXT, "spellings",
               "listings that the symbol may mean, the likeliest first, separated by spaces; absent: the listing with the letters and digits of "
               "symbol_code", .flags = DSC_COLUMN_NOT_COMPARED),
        COLUMN(TEXT, "stated_name", "name of the company, as stated by the source", .flags = DSC_COLUMN_NOT_COMPARED),
        REQUIRED(TEXT, "kind", "split (stock dividends too), dividend, m_and_a or spinoff", .choices = kind_choices),
        REQUIRED(DATE, "action_date",
                 "effective date: the ex-dividend date, or the first day of trading in split shares"),
        COLUMN(TEXT, "description",
               "description; may be left out for splits and dividends, which are described by their figures"),
        COLUMN(DATE, "ex_dividend_date", "dividends: first day of trading without the dividend"),
        COLUMN(DATE, "record_date", "dividends: record date"),
        COLUMN(DATE, "payment_date", "dividends: payment date"),
        COLUMN(DATE, "declaration_date", "dividends: declaration date"),
        COLUMN(DECIMAL, "amount", "dividends: amount for one share"),
        COLUMN(TEXT, "amount_basis",
               "dividends: whether the amount is as declared, or adjusted for later splits; absent: the source does not show which",
               .choices = basis_choices),
        COLUMN(DATE, "adjusted_on", "adjusted amounts: day of the last split that they are adjusted for",
               .flags = DSC_COLUMN_NOT_COMPARED),
        COLUMN(DATETIME, "taken_at",
               "files that do not state when they were corrected: time at which this one was downloaded; absent: the source states known_at",
               .flags = DSC_COLUMN_NOT_COMPARED),
        COLUMN(BOOLEAN, "of_several",
               "dividends: whether the source has several for the share and day, each with a record_key of its own",
               .flags = DSC_COLUMN_NOT_COMPARED),
        COLUMN(DECIMAL, "annualized_amount", "dividends: amount for one share and year, as stated"),
        COLUMN(INTEGER, "payments_a_year", "dividends: payments a year, if the source states it"),
        COLUMN(TEXT, "currency", "dividends: ISO 4217 code"),
        COLUMN(INTEGER, "split_to", "splits: number of shares after the split for every split_from shares before it, in lowest terms"),
        COLUMN(INTEGER, "split_from", "splits: number of shares before the split"),
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

static const dsc_shape_t delivered_shape = SHAPE("DeliveredCorporateAction", "A corporate action, as webhooks deliver it.",
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
          "Corporate actions of one listing of a company, and those of the company as a whole: mergers and spin-offs. Dividends and splits of "
          "other share classes are left out. Dividends that were paid under a former ticker belong to the primary listing."),
    LIST(action_source, action_shape),
    PARAMETERS(
        /* Of the listing asked for, and of the company as a whole: a dividend of one class is not another's. */
        DSC_SYMBOL_IN_PATH(DSC_RESOLVED | DSC_LISTING,
                           "t.issuer_id = {company} AND (t.kind IN ('m_and_a', 'spinoff') OR coalesce(" LISTED
                           " <> ALL ((SELECT listings_beside(?{past:, {value:as_of}}))::text[]), true))"),
        QUERY(LITERAL, "kind", "Only actions of this kind.", .choices = kind_choices, .predicate = "t.kind = ?"),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("50", 500),
        DSC_PARAMETER_DIRECTION("action_date"),
        DSC_PARAMETER_AS_OF),
    .flags = DSC_WITH_COMPANY,
};
