/* Corporate actions: splits, dividends, mergers and acquisitions, spin-offs. */
#include "datasets/datasets.h"

static const char *const kind_choices[] = {"split", "dividend", "m_and_a", "spinoff", NULL};
static const char *const basis_choices[] = {"declared", "adjusted", NULL};

static const dsc_column_t action_columns[] = {
    {"symbol_code", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, NULL,
     "symbol of the share, capital letters and digits alone: BRKB"},
    {"spellings", DSC_COLUMN_TEXT, DSC_COLUMN_NOT_COMPARED, NULL,
     "listings that the symbol may mean, the likeliest first, with a space between them; absent: "
     "the listing with the letters and digits of symbol_code"},
    {"stated_name", DSC_COLUMN_TEXT, DSC_COLUMN_NOT_COMPARED, NULL,
     "the company, as the source names it"},
    {"kind", DSC_COLUMN_TEXT, DSC_COLUMN_REQUIRED, kind_choices,
     "split (stock dividends too), dividend, m_and_a or spinoff"},
    {"action_date", DSC_COLUMN_DATE, DSC_COLUMN_REQUIRED, NULL,
     "day on which it takes effect: the ex-dividend date, the first day of trading in split shares"},
    {"description", DSC_COLUMN_TEXT, 0, NULL,
     "in words; may be left out for splits and dividends, which are described by their figures"},
    {"ex_dividend_date", DSC_COLUMN_DATE, 0, NULL, "dividends: first day of trading without it"},
    {"record_date", DSC_COLUMN_DATE, 0, NULL, "dividends: day on which holders are counted"},
    {"payment_date", DSC_COLUMN_DATE, 0, NULL, "dividends: day of payment"},
    {"declaration_date", DSC_COLUMN_DATE, 0, NULL, "dividends: day of the announcement"},
    {"amount", DSC_COLUMN_DECIMAL, 0, NULL, "dividends: of one share"},
    {"amount_basis", DSC_COLUMN_TEXT, 0, basis_choices,
     "declared, or adjusted for later splits; absent: the source does not show which"},
    {"adjusted_on", DSC_COLUMN_DATE, DSC_COLUMN_NOT_COMPARED, NULL,
     "adjusted amounts: the last split that they are adjusted for"},
    {"taken_at", DSC_COLUMN_DATETIME, DSC_COLUMN_NOT_COMPARED, NULL,
     "of files that do not say when they corrected themselves: when this one was taken; absent: "
     "known_at is the source's"},
    {"of_several", DSC_COLUMN_BOOLEAN, DSC_COLUMN_NOT_COMPARED, NULL,
     "dividends: whether the source has several of the share and day, each with a record_key of "
     "its own"},
    {"annualized_amount", DSC_COLUMN_DECIMAL, 0, NULL, "dividends: of a year, as stated"},
    {"payments_a_year", DSC_COLUMN_INTEGER, 0, NULL,
     "dividends: how often it is paid, where the source says so"},
    {"currency", DSC_COLUMN_TEXT, 0, NULL, "dividends: ISO 4217 code"},
    {"split_to", DSC_COLUMN_INTEGER, 0, NULL,
     "splits: so many shares for split_from shares, without a common divisor"},
    {"split_from", DSC_COLUMN_INTEGER, 0, NULL, "splits: shares held before"},
    {"stated_ratio", DSC_COLUMN_TEXT, DSC_COLUMN_NOT_COMPARED, NULL, "splits: ratio as written"},
};

/* The listing of the share, now or then. */
#define LISTED                                                                                    \
    "{present:t.symbol}{past:listing_of_spellings(t.issuer_id, t.spellings, t.symbol_code,"       \
    " {value:as_of})}"
#define CURRENCY "coalesce(t.currency, currency_of_market(" LISTED "))"
#define UNIT     "coalesce(" CURRENCY " || '_per_share', 'per_share')"

static const dsc_field_t dividend_fields[] = {
    {"ex_dividend_date", DSC_FIELD_DATE, DSC_NULLABLE, "t.ex_dividend_date", NULL, NULL, NULL, NULL,
     "First day of trading without the dividend."},
    {"record_date", DSC_FIELD_DATE, DSC_NULLABLE, "t.record_date", NULL, NULL, NULL, NULL,
     "Day on which holders are counted."},
    {"payment_date", DSC_FIELD_DATE, DSC_NULLABLE, "t.payment_date", NULL, NULL, NULL, NULL,
     "Day of payment."},
    {"declaration_date", DSC_FIELD_DATE, DSC_NULLABLE, "t.declaration_date", NULL, NULL, NULL, NULL,
     "Day of the announcement."},
    {"amount", DSC_FIELD_VALUE, 0, "t.amount", NULL, UNIT, NULL, NULL, "Of one share."},
    {"annualized_amount", DSC_FIELD_VALUE, DSC_NULLABLE,
     "coalesce(t.annualized_amount, t.amount * t.payments_a_year)", NULL, UNIT, NULL, NULL,
     "Of a year: as stated, else the amount times the payments a year that are stated."},
    {"currency", DSC_FIELD_TEXT, DSC_NULLABLE, CURRENCY, NULL, NULL, NULL, NULL,
     "As stated; where the source leaves it out, USD for listings in the US, else null."},
};

static const dsc_shape_t dividend_shape = {"Dividend", "A cash dividend.", dividend_fields,
                                           DSC_COUNT(dividend_fields)};

static const dsc_field_t split_fields[] = {
    {"numerator", DSC_FIELD_INTEGER, 0, "t.split_to", NULL, NULL, NULL, NULL,
     "So many shares for `denominator` shares, without a common divisor."},
    {"denominator", DSC_FIELD_INTEGER, 0, "t.split_from", NULL, NULL, NULL, NULL,
     "Shares held before."},
};

static const dsc_shape_t split_shape = {"Split", "A split, exact.", split_fields,
                                        DSC_COUNT(split_fields)};

static const dsc_field_t action_fields[] = {
    {"id", DSC_FIELD_INTEGER, 0, "t.id", NULL, NULL, NULL, NULL, "Number of the record."},
    {"symbol", DSC_FIELD_TEXT, DSC_NULLABLE, "coalesce(" LISTED ", i.symbol)", NULL, NULL, NULL, NULL,
     "Listing of the share that the action is about, TICKER:MARKET; the primary one where that is "
     "not known."},
    {"kind", DSC_FIELD_TEXT, 0, "t.kind", NULL, NULL, NULL, NULL,
     "split, dividend, m_and_a or spinoff."},
    {"action_date", DSC_FIELD_DATE, 0, "t.action_date", NULL, NULL, NULL, NULL,
     "Day on which it takes effect; of a dividend the ex-dividend date."},
    {"description", DSC_FIELD_TEXT, 0,
     "coalesce(t.description, action_description(t.kind, t.amount, t.amount_basis, " CURRENCY
     ", t.split_to, t.split_from))",
     NULL, NULL, NULL, NULL, "In words: 7-for-1 split."},
    {"source_url", DSC_FIELD_TEXT, DSC_NULLABLE, "t.source_url", NULL, NULL, NULL, NULL,
     "Address at the source."},
    {"dividend", DSC_FIELD_OBJECT, DSC_OPTIONAL, "t.kind = 'dividend'", NULL, NULL, NULL,
     &dividend_shape, "Of dividends alone."},
    {"split", DSC_FIELD_OBJECT, DSC_OPTIONAL, "t.kind = 'split'", NULL, NULL, NULL, &split_shape,
     "Of splits alone."},
    {"provenance", DSC_FIELD_PROVENANCE, 0, "t", NULL, NULL, "corporate_action", NULL,
     "Where it comes from."},
};

static const dsc_shape_t action_shape = {"CorporateAction", "A corporate action.", action_fields,
                                         DSC_COUNT(action_fields)};

static const dsc_source_t action_source = {
    "corporate_action t JOIN " DSC_ISSUER, NULL, "t.action_date", "date",
    "t.id", 0};

static const dsc_follow_t action_follows[] = {{"listing", "name_corporate_actions"},
                                              {"company", "name_corporate_actions"},
                                              {NULL, NULL}};

const dsc_dataset_t dsc_dataset_corporate_action = {
    "corporate_action", "corporate_action",
    "Corporate actions: splits, dividends, mergers and acquisitions, spin-offs", action_columns,
    DSC_COUNT(action_columns), "action_date", "settle_corporate_actions", &action_source,
    &action_shape, "{symbol_code}/{kind}/{action_date}", 0, action_follows};

static const dsc_parameter_t action_parameters[] = {
    /* Of the listing asked for, and of the company as a whole: a dividend of one class is not another's. */
    DSC_SYMBOL_IN_PATH(DSC_RESOLVED | DSC_LISTING,
                       "{present:t.issuer_id = (SELECT h.issuer_id FROM listing h"
                       " WHERE h.record_key = ? AND h.superseded_at IS NULL)}"
                       "{past:t.issuer_id = issuer_of_listing(?, {value:as_of})}"
                       " AND (t.kind IN ('m_and_a', 'spinoff') OR coalesce(" LISTED
                       " <> ALL ((SELECT listings_beside(?{past:, {value:as_of}}))::text[]), true))"),
    {"kind", DSC_IN_QUERY, DSC_LITERAL, 0, kind_choices, {0, 0, 0, 0}, NULL, "t.kind = ?", NULL,
     "Only actions of this kind."},
    DSC_PARAMETER_CURSOR,
    DSC_PARAMETER_LIMIT("50", 500),
    DSC_PARAMETER_DIRECTION("action_date"),
    DSC_PARAMETER_AS_OF,
};

static const char *const reads[] = {"corporate_action", "company", "listing", NULL};

const dsc_endpoint_t dsc_endpoint_corporate_actions = {
    "list_corporate_actions", "GET", "/v1/companies/{symbol}/corporate-actions",
    "Corporate actions", "Corporate actions of one listing of a company, and of the company as a whole: mergers and "
    "spin-offs. Other share classes have dividends and splits of their own; what was paid under a "
    "former ticker stands with the primary listing.", DSC_ANSWER_LIST,
    DSC_WITH_COMPANY, action_parameters, DSC_COUNT(action_parameters), &action_source,
    &action_shape, reads, NULL, NULL, NULL};
