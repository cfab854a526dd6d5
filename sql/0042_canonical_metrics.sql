-- Canonical metrics: which concepts of the taxonomies fill which line of a statement, as data. A concept is named as its taxonomy
-- has it, 'us-gaap:Assets'. Nothing here depends on a company: a metric that a company does not report is missing, and is not
-- filled with a concept of another meaning.

SET LOCAL search_path = disclosed, public;

-- ----------------------------------------------------------------------------------- metrics

CREATE TABLE canonical_metric (
    metric_key       text PRIMARY KEY CHECK (metric_key ~ '^[a-z][a-z0-9]*(_[a-z0-9]+)*$' AND length(metric_key) <= 128),
    display          text NOT NULL CHECK (display <> ''),
    definition       text NOT NULL CHECK (definition <> ''),
    unit             text NOT NULL CHECK (unit IN ('currency', 'shares', 'currency_per_share', 'ratio', 'count')),
    basis            text NOT NULL CHECK (basis IN ('duration', 'instant')),
    category         text NOT NULL CHECK (category IN ('income_statement', 'balance_sheet', 'cash_flow', 'per_share', 'ratio')),
    higher_is_better boolean,
    decimal_places   smallint NOT NULL CHECK (decimal_places BETWEEN 0 AND 6),
    aliases          text[] NOT NULL DEFAULT '{}',
    status           text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'retired')),
    additive         boolean NOT NULL,
    CHECK (NOT additive OR (unit = 'currency' AND basis = 'duration'))
);
COMMENT ON TABLE canonical_metric IS 'the metrics that are the same for all companies';
COMMENT ON COLUMN canonical_metric.higher_is_better IS 'NULL: neither is';
COMMENT ON COLUMN canonical_metric.decimal_places IS 'how many a reader is shown; stored values keep all of theirs';
COMMENT ON COLUMN canonical_metric.aliases IS 'what people type, in lower case';
COMMENT ON COLUMN canonical_metric.additive IS 'a year is the sum of its quarters: a quarter may be derived by subtracting periods';

-- What a search looks through, words apart. A search that tolerates typing errors asks for `q <% canonical_text(metric_key,
-- display, aliases)`, which the index serves, and orders by word_similarity(q, ...); what is similar enough is the setting
-- pg_trgm.word_similarity_threshold (0.6 finds a missing letter, 0.4 two that changed places, as in "reveneu").
CREATE FUNCTION canonical_text(metric_key text, display text, aliases text[]) RETURNS text
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT lower(translate(metric_key, '_', ' ') || ' | ' || display || ' | ' || array_to_string(aliases, ' | '))
$$;
CREATE INDEX canonical_metric_search ON canonical_metric USING gin (canonical_text(metric_key, display, aliases) gin_trgm_ops);

CREATE TABLE canonical_concept (
    metric_key  text NOT NULL REFERENCES canonical_metric,
    rank        smallint NOT NULL CHECK (rank >= 1),
    concept     text NOT NULL CHECK (concept ~ '^[a-z-]+:[A-Z][A-Za-z0-9]*$'),
    sign        smallint NOT NULL DEFAULT 1 CHECK (sign IN (1, -1)),
    not_for     text[] NOT NULL DEFAULT '{}',
    PRIMARY KEY (metric_key, rank),
    UNIQUE (metric_key, concept)
);
CREATE INDEX canonical_concept_concept ON canonical_concept (concept);
COMMENT ON TABLE canonical_concept IS
    'the concepts that fill a metric; of those that a company reports for a period, in its basis, the one of the lowest rank is taken';
COMMENT ON COLUMN canonical_concept.rank IS
    'first the line itself, then its older names, then near substitutes; US GAAP before IFRS, which no report mixes';
COMMENT ON COLUMN canonical_concept.sign IS '-1: the concept counts the other way round';
COMMENT ON COLUMN canonical_concept.not_for IS
    'templates of industries where the concept is only a part of the line: their companies do not have it by this concept';

-- The terms of a formula are metrics of the same company, period, currency and report. All of them have to be there: a line that is
-- not reported is not zero. A formula fills what no concept does.
CREATE TABLE canonical_formula (
    metric_key  text NOT NULL REFERENCES canonical_metric,
    kind        text NOT NULL CHECK (kind IN ('sum', 'ratio')),
    place       smallint NOT NULL CHECK (place >= 1),
    term        text NOT NULL REFERENCES canonical_metric,
    weight      numeric NOT NULL DEFAULT 1 CHECK (weight <> 0),
    PRIMARY KEY (metric_key, place),
    UNIQUE (metric_key, term),
    CHECK (term <> metric_key),
    CHECK (kind = 'sum' OR (place <= 2 AND weight = 1))
);
CREATE INDEX canonical_formula_term ON canonical_formula (term);
COMMENT ON TABLE canonical_formula IS 'metrics that are computed of other metrics where no concept has them';
COMMENT ON COLUMN canonical_formula.place IS 'of a ratio: 1 the numerator, 2 the denominator, without a value where that is zero';

-- In which order metrics are computed: those of depth 1 of reported ones, the others after all of their terms. A formula that
-- needs itself is one that `has_cycle`; there is none.
CREATE VIEW canonical_depth AS
WITH RECURSIVE chain AS (
    SELECT metric_key, term, 1 AS depth FROM canonical_formula
    UNION ALL
    SELECT c.metric_key, f.term, c.depth + 1 FROM chain c JOIN canonical_formula f ON f.metric_key = c.term
) CYCLE term SET is_cycle USING terms
SELECT metric_key, max(depth) AS depth, bool_or(is_cycle OR term = metric_key) AS has_cycle FROM chain GROUP BY metric_key;

-- --------------------------------------------------------------------------------- templates

CREATE TABLE statement_template (
    slug        text PRIMARY KEY CHECK (slug ~ '^[a-z][a-z_]*$'),
    name        text NOT NULL CHECK (name <> ''),
    description text NOT NULL CHECK (description <> ''),
    place       smallint NOT NULL UNIQUE CHECK (place >= 1)
);
COMMENT ON TABLE statement_template IS 'statements and what industries add to them, in the order in which they are shown';

CREATE TABLE template_metric (
    template_slug text NOT NULL REFERENCES statement_template,
    place         smallint NOT NULL CHECK (place >= 1),
    metric_key    text NOT NULL REFERENCES canonical_metric,
    PRIMARY KEY (template_slug, place),
    UNIQUE (template_slug, metric_key)
);
CREATE INDEX template_metric_metric ON template_metric (metric_key);
COMMENT ON TABLE template_metric IS 'the lines of a template';

-- The SIC code of a company is issuer_profile.sic.
CREATE TABLE industry_template (
    sic_from      integer PRIMARY KEY CHECK (sic_from BETWEEN 100 AND 9999),
    sic_to        integer NOT NULL CHECK (sic_to BETWEEN sic_from AND 9999),
    template_slug text NOT NULL REFERENCES statement_template,
    EXCLUDE USING gist (int4range(sic_from, sic_to, '[]') WITH &&)
);
COMMENT ON TABLE industry_template IS 'the template that companies of an industry have besides those of all; codes that stand nowhere add none';

-- -------------------------------------------------------------------------------- the metrics

-- Metrics of one category, unit and basis, in rows of (key, name, whether higher is better, aliases, definition).
CREATE FUNCTION pg_temp.add_metrics(category text, unit text, basis text, metrics text[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO disclosed.canonical_metric (metric_key, display, definition, unit, basis, category, higher_is_better, decimal_places,
                                            aliases, additive)
    SELECT m[1], m[2], m[5], unit, basis, category, CASE m[3] WHEN 'yes' THEN true WHEN 'no' THEN false END,
           CASE unit WHEN 'ratio' THEN 4 WHEN 'currency_per_share' THEN 2 ELSE 0 END, string_to_array(m[4], ', '),
           unit = 'currency' AND basis = 'duration'
    FROM generate_series(1, array_length(metrics, 1)) AS i
    CROSS JOIN LATERAL (SELECT metrics[i:i] AS row) r
    CROSS JOIN LATERAL (SELECT ARRAY(SELECT unnest(r.row)) AS m) v
$$;

SELECT pg_temp.add_metrics('income_statement', 'currency', 'duration', ARRAY[
    ['revenue', 'Revenue', 'yes', 'sales, turnover, net sales, total revenue, top line, revenues',
     'What the company earned by selling goods and services, after returns and discounts and before any cost.'],
    ['cost_of_revenue', 'Cost of revenue', 'no', 'cost of sales, cogs, cost of products and services',
     'What the goods and services that were sold cost to make or buy.'],
    ['cost_of_goods_sold', 'Cost of goods sold', 'no', 'product cost',
     'What the goods that were sold cost; services are not in it where a company reports them apart.'],
    ['gross_profit', 'Gross profit', 'yes', 'gross income, gross earnings', 'Revenue less cost of revenue.'],
    ['research_and_development', 'Research and development', '', 'r&d, research expense, research and development expense',
     'Expense of research and of developing products.'],
    ['selling_general_and_administrative', 'Selling, general and administrative expense', 'no', 'sg&a, sga, overhead',
     'Expense of selling and of running the company.'],
    ['selling_and_marketing', 'Selling and marketing expense', '', 'sales and marketing, s&m', 'Expense of selling and of marketing.'],
    ['general_and_administrative', 'General and administrative expense', 'no', 'g&a, administrative expenses',
     'Expense of running the company that belongs to no product.'],
    ['operating_expenses', 'Operating expenses', 'no', 'opex, total operating expenses',
     'Expenses of the operations that are not in cost of revenue.'],
    ['costs_and_expenses', 'Total costs and expenses', 'no', 'total costs, total expenses',
     'All costs and expenses of the operations, cost of revenue included.'],
    ['restructuring_charges', 'Restructuring charges', 'no', 'restructuring costs, reorganization expense',
     'Expense of closing, moving or shrinking parts of the business.'],
    ['goodwill_impairment', 'Goodwill impairment', 'no', 'impairment of goodwill, goodwill write-down',
     'Goodwill written off in the period because it has lost value.'],
    ['asset_impairment_charges', 'Asset impairment charges', 'no', 'impairment charges, write-downs',
     'Assets written down in the period because they have lost value.'],
    ['operating_income', 'Operating income', 'yes', 'operating profit, ebit, operating earnings, income from operations',
     'Profit of the operations before interest, taxes and what is not of the operations.'],
    ['interest_expense', 'Interest expense', 'no', 'interest cost, interest charges', 'Interest on what the company owes.'],
    ['interest_income', 'Interest income', 'yes', 'interest earned, interest revenue', 'Interest on what the company has lent or invested.'],
    ['finance_costs', 'Finance costs', 'no', 'financing costs, borrowing costs', 'All costs of financing, as IFRS statements show them.'],
    ['finance_income', 'Finance income', 'yes', 'financial income', 'All income from financing and investing, as IFRS statements show it.'],
    ['nonoperating_income', 'Nonoperating income, net', 'yes', 'non-operating income, total other income',
     'All income less expense that is not of the operations, interest included.'],
    ['other_nonoperating_income', 'Other nonoperating income, net', 'yes', 'other income and expense, other income net',
     'Income less expense that is not of the operations and is shown in no line of its own.'],
    ['equity_method_income', 'Income from equity method investments', 'yes', 'income from associates, share of profit of associates',
     'The company''s share of the profit of companies that it influences without controlling them.'],
    ['foreign_exchange_gain', 'Foreign exchange gain', 'yes', 'currency gain, foreign currency gain or loss',
     'Gain, or loss if negative, from changes of exchange rates, in profit or loss.'],
    ['income_before_tax', 'Income before tax', 'yes', 'pretax income, profit before tax, ebt, earnings before tax',
     'Profit of continuing operations before income taxes.'],
    ['income_tax_expense', 'Income tax expense', '', 'taxes, tax expense, provision for income taxes',
     'Income taxes on the profit of continuing operations, current and deferred; negative for a benefit.'],
    ['deferred_income_tax_expense', 'Deferred income tax expense', '', 'deferred taxes',
     'The part of income tax expense that falls due in other periods.'],
    ['income_from_continuing_operations', 'Income from continuing operations', 'yes', 'profit from continuing operations',
     'Profit after taxes without operations that were given up, noncontrolling interests included.'],
    ['income_from_discontinued_operations', 'Income from discontinued operations', '', 'discontinued operations',
     'Profit after taxes of operations that were sold or given up.'],
    ['profit_including_noncontrolling_interests', 'Net income including noncontrolling interests', 'yes',
     'consolidated net income, net profit of the group',
     'Profit after all expenses and taxes, before it is shared with noncontrolling owners of subsidiaries.'],
    ['income_of_noncontrolling_interests', 'Net income of noncontrolling interests', '',
     'minority interest in income, minority share of profit',
     'The part of the profit that belongs to other owners of subsidiaries.'],
    ['net_income', 'Net income', 'yes', 'net earnings, profit, bottom line, net profit, earnings',
     'Profit after all expenses and taxes that belongs to the owners of the company.'],
    ['preferred_stock_dividends', 'Preferred stock dividends', '', 'preference dividends',
     'What preferred stock takes from net income before common stock.'],
    ['net_income_available_to_common', 'Net income available to common stockholders', 'yes',
     'earnings available to common, net income to common',
     'Net income less what preferred stock takes: the numerator of basic earnings per share.'],
    ['other_comprehensive_income', 'Other comprehensive income', 'yes', 'oci',
     'Gains and losses after tax that are in equity and not in profit, noncontrolling interests included.'],
    ['comprehensive_income', 'Comprehensive income', 'yes', 'total comprehensive income',
     'Net income and other comprehensive income, noncontrolling interests included.'],
    ['ebitda', 'EBITDA', 'yes', 'earnings before interest taxes depreciation and amortization',
     'Operating income before depreciation and amortization; computed, without the adjustments that companies make.']]);

SELECT pg_temp.add_metrics('balance_sheet', 'currency', 'instant', ARRAY[
    ['cash_and_cash_equivalents', 'Cash and cash equivalents', 'yes', 'cash, cash and equivalents',
     'Cash, deposits on demand and investments that are as good as cash.'],
    ['restricted_cash', 'Restricted cash', '', 'cash held in escrow', 'Cash that may be used for a certain purpose only.'],
    ['cash_including_restricted', 'Cash, cash equivalents and restricted cash', 'yes', 'cash and restricted cash',
     'All cash that the statement of cash flows reconciles, restricted cash included.'],
    ['short_term_investments', 'Short-term investments', '', 'marketable securities, current investments',
     'Investments that are to be cash within a year, other than cash equivalents.'],
    ['cash_and_short_term_investments', 'Cash and short-term investments', 'yes', 'liquid funds, cash and marketable securities',
     'Cash and cash equivalents and short-term investments.'],
    ['accounts_receivable', 'Accounts receivable', '', 'receivables, trade receivables, debtors',
     'What customers owe and are to pay within a year, less what is not expected to be paid.'],
    ['receivables_net', 'Receivables, net', '', 'trade and other receivables',
     'What customers and others owe and are to pay within a year, where a company shows it as one.'],
    ['inventory', 'Inventory', '', 'inventories, stock in trade', 'Goods held for sale, in production or to be used in it.'],
    ['prepaid_expenses_current', 'Prepaid expenses, current', '', 'prepaid expenses, prepayments',
     'Expenses of the next twelve months that are paid already.'],
    ['prepaid_and_other_assets_current', 'Prepaid expenses and other current assets', '', 'prepaids and other',
     'Prepaid expenses and current assets without a line of their own, where a company shows them as one.'],
    ['other_assets_current', 'Other current assets', '', 'other short-term assets', 'Current assets that are shown in no line of their own.'],
    ['current_assets', 'Current assets', '', 'total current assets, short-term assets',
     'Cash and all that is to be cash or used up within a year or the operating cycle.'],
    ['property_plant_and_equipment', 'Property, plant and equipment, net', '', 'pp&e, ppe, fixed assets, tangible assets',
     'Land, buildings, machines and other equipment, less accumulated depreciation.'],
    ['accumulated_depreciation', 'Accumulated depreciation', '', 'accumulated depreciation and amortization',
     'Depreciation of property, plant and equipment up to now.'],
    ['operating_lease_assets', 'Operating lease right-of-use assets', '', 'operating lease rou assets',
     'The right to use what is leased under operating leases, as US GAAP has it.'],
    ['right_of_use_assets', 'Right-of-use assets', '', 'rou assets, lease assets',
     'The right to use what is leased under any lease, as IFRS has it.'],
    ['goodwill', 'Goodwill', '', 'goodwill net', 'What was paid for businesses beyond the value of what they own, less impairment.'],
    ['intangible_assets', 'Intangible assets other than goodwill', '', 'intangibles, intangible assets net',
     'Patents, brands, software and other rights, less amortization.'],
    ['goodwill_and_intangible_assets', 'Goodwill and intangible assets', '', 'intangibles including goodwill',
     'Goodwill and all other intangible assets.'],
    ['long_term_investments', 'Long-term investments', '', 'noncurrent investments', 'Investments that are not to be cash within a year.'],
    ['marketable_securities_noncurrent', 'Marketable securities, noncurrent', '', 'long-term marketable securities',
     'Marketable securities that are not to be cash within a year.'],
    ['equity_method_investments', 'Equity method investments', '', 'investments in associates',
     'Shares of companies that the company influences without controlling them.'],
    ['deferred_tax_assets', 'Deferred tax assets', '', 'dta, deferred income tax assets',
     'Taxes that later periods save, as the balance sheet shows them; where it has a current part, without that.'],
    ['other_assets_noncurrent', 'Other noncurrent assets', '', 'other long-term assets',
     'Noncurrent assets that are shown in no line of their own.'],
    ['noncurrent_assets', 'Noncurrent assets', '', 'total noncurrent assets', 'All assets that are not current.'],
    ['assets', 'Total assets', '', 'balance sheet total', 'All that the company owns and is owed.'],
    ['accounts_payable', 'Accounts payable', '', 'payables, trade payables, creditors',
     'What the company owes its suppliers and is to pay within a year.'],
    ['trade_and_other_payables', 'Trade and other payables', '', 'trade and other current payables',
     'What is owed to suppliers and others within a year, where a company shows it as one.'],
    ['accrued_liabilities', 'Accrued liabilities', '', 'accrued expenses, accruals',
     'Expenses that were incurred, are not yet paid and fall due within a year.'],
    ['deferred_revenue_current', 'Deferred revenue, current', '', 'unearned revenue current, current contract liabilities',
     'What customers have paid for goods and services of the next twelve months.'],
    ['deferred_revenue_noncurrent', 'Deferred revenue, noncurrent', '', 'unearned revenue noncurrent, noncurrent contract liabilities',
     'What customers have paid for goods and services of later years.'],
    ['deferred_revenue', 'Deferred revenue', '', 'unearned revenue, contract liabilities',
     'All that customers have paid for goods and services that they are still to receive.'],
    ['short_term_borrowings', 'Short-term borrowings', '', 'short-term debt, current borrowings', 'Debt that was taken up for a year or less.'],
    ['commercial_paper', 'Commercial paper', '', 'commercial paper outstanding', 'Unsecured notes that were issued for less than a year.'],
    ['long_term_debt_current', 'Long-term debt, current portion', '', 'current portion of long-term debt, current maturities',
     'The part of long-term debt that falls due within a year.'],
    ['debt_current', 'Current debt', '', 'total current debt, debt due within a year', 'All debt that falls due within a year.'],
    ['income_taxes_payable', 'Income taxes payable', '', 'accrued income taxes, current tax liabilities',
     'Income taxes that are owed within a year.'],
    ['operating_lease_liabilities', 'Operating lease liabilities', '', 'operating lease liability',
     'All that is owed under operating leases, as US GAAP has it.'],
    ['finance_lease_liabilities', 'Finance lease liabilities', '', 'capital lease obligations', 'All that is owed under finance leases.'],
    ['lease_liabilities', 'Lease liabilities', '', 'lease obligations', 'All that is owed under any lease, as IFRS has it.'],
    ['other_liabilities_current', 'Other current liabilities', '', 'other short-term liabilities',
     'Current liabilities that are shown in no line of their own.'],
    ['current_liabilities', 'Current liabilities', '', 'total current liabilities, short-term liabilities',
     'All that is owed within a year or the operating cycle.'],
    ['long_term_debt_noncurrent', 'Long-term debt, noncurrent', '', 'noncurrent debt, noncurrent borrowings',
     'The part of long-term debt that falls due after a year.'],
    ['long_term_debt_and_leases_noncurrent', 'Long-term debt and leases, noncurrent', '', 'long-term debt and capital leases',
     'Long-term debt and finance leases that fall due after a year, where a company shows them as one.'],
    ['long_term_debt', 'Long-term debt', '', 'long-term borrowings',
     'Debt that was taken up for more than a year, with the part that falls due within one.'],
    ['total_debt', 'Total debt', 'no', 'debt, borrowings, gross debt', 'All debt that bears interest, leases apart.'],
    ['net_debt', 'Net debt', 'no', 'debt less cash, net borrowings', 'Total debt less cash and cash equivalents.'],
    ['deferred_tax_liabilities', 'Deferred tax liabilities', '', 'dtl, deferred income tax liabilities',
     'Taxes that later periods pay, as the balance sheet shows them; where it has a current part, without that.'],
    ['pension_liabilities', 'Pension and postretirement liabilities, noncurrent', '', 'pension obligations, retirement benefit liabilities',
     'What pension and other benefit plans lack, as far as it is not due within a year.'],
    ['asset_retirement_obligations', 'Asset retirement obligations, noncurrent', '', 'decommissioning liabilities',
     'What taking assets out of service will cost, as far as it is not due within a year.'],
    ['other_liabilities_noncurrent', 'Other noncurrent liabilities', '', 'other long-term liabilities',
     'Noncurrent liabilities that are shown in no line of their own.'],
    ['noncurrent_liabilities', 'Noncurrent liabilities', '', 'long-term liabilities, total noncurrent liabilities',
     'All liabilities that are not current.'],
    ['liabilities', 'Total liabilities', '', '', 'All that the company owes.'],
    ['temporary_equity', 'Temporary equity', '', 'mezzanine equity',
     'Stock that its holders may give back, which stands between liabilities and equity.'],
    ['preferred_stock', 'Preferred stock', '', 'preference shares, preferred shares',
     'Preferred stock in equity, at the value of the balance sheet.'],
    ['common_stock', 'Common stock', '', 'share capital, issued capital, ordinary shares', 'Common stock at par or stated value.'],
    ['common_stock_and_paid_in_capital', 'Common stock and additional paid-in capital', '', 'contributed capital',
     'Common stock and what was paid beyond its par value, where a company shows them as one.'],
    ['additional_paid_in_capital', 'Additional paid-in capital', '', 'apic, share premium, capital surplus',
     'What was paid for stock beyond its par value.'],
    ['retained_earnings', 'Retained earnings', 'yes', 'accumulated deficit, accumulated earnings',
     'Profits of all years less dividends; negative for an accumulated deficit.'],
    ['accumulated_other_comprehensive_income', 'Accumulated other comprehensive income', '', 'aoci',
     'Other comprehensive income of all years that is still in equity.'],
    ['treasury_stock', 'Treasury stock', '', 'treasury stock value, own shares',
     'What the company paid for its own stock that it holds; a positive number that lowers equity.'],
    ['stockholders_equity', 'Stockholders'' equity', 'yes', 'shareholders equity, equity attributable to owners, net worth',
     'Assets less liabilities, as far as they belong to the owners of the company.'],
    ['noncontrolling_interests', 'Noncontrolling interests', '', 'minority interest, non-controlling interests',
     'The part of equity that belongs to other owners of subsidiaries.'],
    ['total_equity', 'Total equity', 'yes', 'equity, equity including noncontrolling interests',
     'Assets less liabilities, noncontrolling interests included.'],
    ['liabilities_and_equity', 'Total liabilities and equity', '', 'total liabilities and stockholders equity',
     'Liabilities and equity, which equal total assets.'],
    ['working_capital', 'Working capital', 'yes', 'net current assets', 'Current assets less current liabilities.']]);

SELECT pg_temp.add_metrics('cash_flow', 'currency', 'duration', ARRAY[
    ['operating_cash_flow', 'Operating cash flow', 'yes', 'cash from operations, cash flow from operating activities, cfo',
     'Cash that the operations brought in, less what they used.'],
    ['depreciation_and_amortization', 'Depreciation and amortization', '', 'd&a, depreciation depletion and amortization',
     'What long-lived assets lost in value by use and age, as it is added back to operating cash flow; with accretion where both are one line.'],
    ['depreciation', 'Depreciation', '', 'depreciation expense', 'What tangible assets lost in value by use and age.'],
    ['amortization_of_intangible_assets', 'Amortization of intangible assets', '', 'amortization, amortization expense',
     'What intangible assets lost in value by use and age.'],
    ['share_based_compensation', 'Share-based compensation', '', 'stock-based compensation, sbc, stock compensation',
     'Pay in stock and options, as it is added back to operating cash flow.'],
    ['increase_in_accounts_receivable', 'Increase in accounts receivable', '', 'change in receivables',
     'Cash that accounts receivable took up; negative where they fell.'],
    ['increase_in_inventory', 'Increase in inventory', '', 'change in inventory', 'Cash that inventory took up; negative where it fell.'],
    ['increase_in_accounts_payable', 'Increase in accounts payable', '', 'change in payables',
     'Cash that later payment to suppliers left; negative where accounts payable fell.'],
    ['investing_cash_flow', 'Investing cash flow', '', 'cash flow from investing activities, cfi',
     'Cash from selling investments, property and businesses, less what buying them took.'],
    ['capital_expenditure', 'Capital expenditure', '', 'capex, capital expenditures, purchases of property and equipment',
     'Cash paid for property, plant and equipment; a positive number.'],
    ['purchases_of_intangible_assets', 'Purchases of intangible assets', '', 'intangible asset purchases',
     'Cash paid for intangible assets; a positive number.'],
    ['proceeds_from_sale_of_property', 'Proceeds from sale of property', '', 'proceeds from disposal of property',
     'Cash from selling property, plant and equipment.'],
    ['acquisitions', 'Acquisitions, net of cash acquired', '', 'business acquisitions, acquisition spending',
     'Cash paid for businesses, less the cash that they had; a positive number.'],
    ['divestitures', 'Divestitures, net of cash', '', 'business divestitures', 'Cash from selling businesses, less the cash that they had.'],
    ['purchases_of_investments', 'Purchases of investments', '', 'investments purchased',
     'Cash paid for investments of all kinds; a positive number.'],
    ['sales_of_investments', 'Sales and maturities of investments', '', 'investments sold', 'Cash from investments that were sold or paid back.'],
    ['financing_cash_flow', 'Financing cash flow', '', 'cash flow from financing activities, cff',
     'Cash from owners and lenders, less what was paid to them.'],
    ['dividends_paid', 'Dividends paid', '', 'cash dividends, dividend payments',
     'Cash paid as dividends on all classes of stock; a positive number.'],
    ['common_dividends_paid', 'Common stock dividends paid', '', 'common dividends', 'Cash paid as dividends on common stock; a positive number.'],
    ['share_repurchases', 'Share repurchases', '', 'buybacks, stock repurchases, repurchases of common stock',
     'Cash paid for the company''s own stock; a positive number.'],
    ['stock_issued', 'Proceeds from issuing common stock', '', 'stock issuance, share issuance', 'Cash from issuing common stock.'],
    ['share_withholding_taxes', 'Taxes paid for withheld shares', '', 'net share settlement taxes',
     'Taxes paid for employees whose shares were withheld in return; a positive number.'],
    ['debt_issued', 'Proceeds from debt', '', 'debt issuance, proceeds from borrowings', 'Cash from debt of all kinds.'],
    ['debt_repaid', 'Repayments of debt', '', 'debt repayment, repayments of borrowings',
     'Cash paid back on debt of all kinds; a positive number.'],
    ['long_term_debt_issued', 'Proceeds from long-term debt', '', 'long-term debt issuance', 'Cash from long-term debt.'],
    ['long_term_debt_repaid', 'Repayments of long-term debt', '', 'long-term debt repayment',
     'Cash paid back on long-term debt; a positive number.'],
    ['lease_payments', 'Lease principal payments', '', 'payments of lease liabilities',
     'Cash paid back on lease liabilities of any kind, as IFRS has it; a positive number.'],
    ['exchange_rate_effect_on_cash', 'Effect of exchange rates on cash', '', 'currency effect on cash',
     'What changes of exchange rates added to cash or took from it.'],
    ['net_change_in_cash', 'Net change in cash', '', 'increase in cash, change in cash',
     'Cash at the end of the period less cash at its beginning.'],
    ['income_taxes_paid', 'Income taxes paid', '', 'cash taxes, taxes paid', 'Cash paid as income taxes, less refunds.'],
    ['interest_paid', 'Interest paid', '', 'cash interest', 'Cash paid as interest.'],
    ['free_cash_flow', 'Free cash flow', 'yes', 'fcf, free cashflow', 'Operating cash flow less capital expenditure.']]);

SELECT pg_temp.add_metrics('per_share', 'currency_per_share', 'duration', ARRAY[
    ['eps_basic', 'Earnings per share, basic', 'yes', 'eps, basic eps, basic earnings per share',
     'Net income available to common stockholders for each common share outstanding on average.'],
    ['eps_diluted', 'Earnings per share, diluted', 'yes', 'diluted eps, diluted earnings per share',
     'Earnings per share as if all options and convertible securities that lower it were shares.'],
    ['dividends_per_share', 'Dividends declared per share', 'yes', 'dps, dividend per share',
     'Dividends declared in the period for each common share.']]);

SELECT pg_temp.add_metrics('per_share', 'shares', 'duration', ARRAY[
    ['weighted_average_shares_basic', 'Weighted average shares, basic', '', 'basic shares, average shares outstanding',
     'Common shares outstanding, averaged over the period.'],
    ['weighted_average_shares_diluted', 'Weighted average shares, diluted', '', 'diluted shares, fully diluted shares',
     'Common shares outstanding, averaged over the period, with those that options and convertible securities would add.']]);

SELECT pg_temp.add_metrics('per_share', 'shares', 'instant', ARRAY[
    ['shares_outstanding', 'Shares outstanding', '', 'share count, common shares outstanding',
     'Common shares in the hands of owners, on the day that the report''s cover names or at the end of the period.'],
    ['shares_issued', 'Shares issued', '', 'common shares issued', 'Common shares issued, those that the company has bought back included.'],
    ['treasury_shares', 'Treasury shares', '', 'treasury share count', 'Common shares that the company has bought back and holds.']]);

SELECT pg_temp.add_metrics('ratio', 'ratio', 'duration', ARRAY[
    ['gross_margin', 'Gross margin', 'yes', 'gross profit margin', 'Gross profit as a share of revenue.'],
    ['operating_margin', 'Operating margin', 'yes', 'operating profit margin, ebit margin', 'Operating income as a share of revenue.'],
    ['net_margin', 'Net margin', 'yes', 'profit margin, net profit margin', 'Net income as a share of revenue.'],
    ['ebitda_margin', 'EBITDA margin', 'yes', 'ebitda profit margin', 'EBITDA as a share of revenue.'],
    ['free_cash_flow_margin', 'Free cash flow margin', 'yes', 'fcf margin', 'Free cash flow as a share of revenue.'],
    ['effective_tax_rate', 'Effective tax rate', '', 'tax rate', 'Income tax expense as a share of income before tax.'],
    ['interest_coverage', 'Interest coverage', 'yes', 'times interest earned', 'How many times operating income covers interest expense.'],
    ['payout_ratio', 'Dividend payout ratio', '', 'dividend payout', 'Dividends declared per share as a share of diluted earnings per share.']]);

SELECT pg_temp.add_metrics('ratio', 'ratio', 'instant', ARRAY[
    ['current_ratio', 'Current ratio', 'yes', 'liquidity ratio', 'Current assets as a multiple of current liabilities.'],
    ['cash_ratio', 'Cash ratio', 'yes', 'cash to current liabilities', 'Cash and short-term investments as a multiple of current liabilities.'],
    ['debt_to_equity', 'Debt to equity', 'no', 'd/e, leverage', 'Total debt as a multiple of stockholders'' equity.']]);

SELECT pg_temp.add_metrics('income_statement', 'currency', 'duration', ARRAY[
    ['net_interest_income', 'Net interest income', 'yes', 'nii, net interest revenue',
     'Interest and dividends that a bank earns less the interest that it pays.'],
    ['interest_and_dividend_income', 'Interest and dividend income', 'yes', 'total interest income',
     'All interest and dividends that a bank earns on loans, securities and deposits.'],
    ['provision_for_credit_losses', 'Provision for credit losses', 'no', 'loan loss provision, provision for loan losses',
     'Expense for loans that are not expected to be paid back.'],
    ['net_interest_income_after_provision', 'Net interest income after provision', 'yes', 'nii after provision',
     'Net interest income less the provision for credit losses.'],
    ['noninterest_income', 'Noninterest income', 'yes', 'non-interest income, fee income',
     'Fees, commissions, trading gains and what else a bank earns besides interest.'],
    ['noninterest_expense', 'Noninterest expense', 'no', 'non-interest expense',
     'Pay, premises and all other expenses of a bank besides interest, credit losses and income taxes.'],
    ['premiums_earned', 'Premiums earned', 'yes', 'earned premiums, net premiums earned',
     'Insurance premiums for cover that was given in the period, less what reinsurers receive.'],
    ['premiums_written', 'Premiums written', 'yes', 'net premiums written, written premiums',
     'Insurance premiums of contracts that began in the period, less what reinsurers receive.'],
    ['net_investment_income', 'Net investment income', 'yes', 'investment income net of expenses',
     'Interest, dividends and rents from investments, less the expenses of investing.'],
    ['realized_investment_gains', 'Realized investment gains', 'yes', 'realized gains',
     'Gains less losses on investments, as they are in profit or loss.'],
    ['policyholder_benefits_and_claims', 'Policyholder benefits and claims', 'no', 'claims incurred, losses incurred, benefits and claims',
     'What an insurer owes policyholders for the period, less what reinsurers pay.'],
    ['benefits_losses_and_expenses', 'Benefits, losses and expenses', 'no', 'total benefits and expenses',
     'All benefits, claims and expenses of an insurer.'],
    ['insurance_revenue', 'Insurance revenue', 'yes', 'revenue from insurance contracts', 'Revenue from insurance contracts, as IFRS 17 has it.'],
    ['insurance_service_result', 'Insurance service result', 'yes', 'insurance result',
     'Insurance revenue less insurance service expenses, reinsurance included, as IFRS 17 has it.'],
    ['rental_income', 'Rental income', 'yes', 'lease income, rent revenue',
     'Rents from property and equipment that the company owns and leases out.'],
    ['property_operating_costs', 'Property operating costs', 'no', 'rental property expense', 'Direct costs of property that is leased out.'],
    ['real_estate_sale_gain', 'Gain on sale of real estate', '', 'gain on sale of properties',
     'Gain, or loss if negative, on real estate that was sold.'],
    ['electric_revenue', 'Electric revenue', 'yes', 'electricity revenue, electric utility revenue', 'Revenue of supplying electricity.'],
    ['gas_revenue', 'Gas revenue', 'yes', 'natural gas revenue, gas utility revenue', 'Revenue of supplying gas.'],
    ['regulated_revenue', 'Regulated revenue', 'yes', 'regulated operating revenue', 'All revenue of operations whose prices are regulated.'],
    ['fuel_costs', 'Fuel costs', 'no', 'fuel expense', 'Fuel that was used, as in generating electricity.'],
    ['purchased_power', 'Purchased power', 'no', 'cost of purchased power', 'Electricity that was bought to be sold.'],
    ['operations_and_maintenance', 'Operations and maintenance expense', 'no', 'o&m, operation and maintenance',
     'Expense of operating and maintaining a utility''s plant.'],
    ['taxes_other_than_income', 'Taxes other than income taxes', 'no', 'other taxes',
     'Taxes on property, payroll and revenue that are expenses of the operations.'],
    ['investment_income_gross', 'Total investment income', 'yes', 'gross investment income',
     'Interest, dividends and fees that an investment company earns, before expenses.'],
    ['unrealized_investment_gains', 'Unrealized investment gains', 'yes', 'unrealized gains, change in unrealized appreciation',
     'Change of the value of investments that are still held, as it is in profit or loss.']]);

SELECT pg_temp.add_metrics('balance_sheet', 'currency', 'instant', ARRAY[
    ['cash_and_due_from_banks', 'Cash and due from banks', '', 'due from banks', 'Cash and what a bank has at other banks without interest.'],
    ['available_for_sale_securities', 'Available-for-sale securities', '', 'afs securities',
     'Debt securities that may be sold before they mature, at fair value.'],
    ['held_to_maturity_securities', 'Held-to-maturity securities', '', 'htm securities',
     'Debt securities that are to be kept until they mature, at amortized cost.'],
    ['loans_gross', 'Loans before allowance', '', 'gross loans, total loans',
     'Loans and leases to customers, before the allowance for credit losses.'],
    ['allowance_for_credit_losses', 'Allowance for credit losses', '', 'loan loss allowance, allowance for loan losses',
     'The part of loans and leases that is not expected to be paid back; a positive number.'],
    ['loans_net', 'Loans, net', '', 'net loans, loans and leases', 'Loans and leases to customers, less the allowance for credit losses.'],
    ['deposits', 'Deposits', '', 'customer deposits, total deposits', 'What a bank owes its depositors.'],
    ['noninterest_bearing_deposits', 'Noninterest-bearing deposits', '', 'non-interest bearing deposits',
     'Deposits on which a bank pays no interest.'],
    ['investments', 'Total investments', '', 'invested assets', 'All investments of an insurer.'],
    ['reinsurance_recoverables', 'Reinsurance recoverables', '', 'due from reinsurers', 'What reinsurers owe an insurer.'],
    ['deferred_policy_acquisition_costs', 'Deferred policy acquisition costs', '', 'dac',
     'Costs of acquiring insurance contracts that fall to later periods.'],
    ['unearned_premiums', 'Unearned premiums', '', 'premium reserve', 'Premiums for cover that is still to be given.'],
    ['claims_liability', 'Liability for claims', '', 'loss reserves, claims reserves, unpaid claims',
     'What an insurer expects to pay for what has happened up to now, before reinsurance.'],
    ['future_policy_benefits', 'Liability for future policy benefits', '', 'policy reserves',
     'What an insurer expects to pay under life and health contracts.'],
    ['real_estate_at_cost', 'Real estate at cost', '', 'gross real estate', 'Investment property before accumulated depreciation.'],
    ['real_estate_accumulated_depreciation', 'Accumulated depreciation of real estate', '', 'real estate depreciation accumulated',
     'Depreciation of investment property up to now.'],
    ['real_estate_net', 'Real estate, net', '', 'investment property, net real estate',
     'Investment property, less accumulated depreciation, or at fair value where IFRS lets it be.'],
    ['utility_plant_net', 'Utility plant, net', '', 'net utility plant', 'Plant of a utility, less accumulated depreciation.'],
    ['construction_in_progress', 'Construction in progress', '', 'construction work in progress, cwip', 'Plant that is being built.'],
    ['regulatory_assets_current', 'Regulatory assets, current', '', 'current regulatory assets',
     'Costs that regulators let a utility charge its customers within a year.'],
    ['regulatory_assets_noncurrent', 'Regulatory assets, noncurrent', '', 'regulatory assets',
     'Costs that regulators let a utility charge its customers after a year.'],
    ['regulatory_liabilities_current', 'Regulatory liabilities, current', '', 'current regulatory liabilities',
     'What regulators have a utility give back to its customers within a year.'],
    ['regulatory_liabilities_noncurrent', 'Regulatory liabilities, noncurrent', '', 'regulatory liabilities',
     'What regulators have a utility give back to its customers after a year.'],
    ['decommissioning_fund', 'Decommissioning fund', '', 'nuclear decommissioning trust',
     'Investments that are set aside for taking nuclear plants out of service.'],
    ['net_assets', 'Net assets', 'yes', 'fund net assets, nav total', 'Assets of an investment company less its liabilities.'],
    ['investments_at_fair_value', 'Investments at fair value', '', 'portfolio at fair value',
     'Investments that an investment company holds, at fair value.']]);

SELECT pg_temp.add_metrics('per_share', 'currency_per_share', 'instant', ARRAY[
    ['net_asset_value_per_share', 'Net asset value per share', 'yes', 'nav, nav per share',
     'Net assets of an investment company for each share outstanding.']]);

SELECT pg_temp.add_metrics('ratio', 'ratio', 'instant', ARRAY[
    ['common_equity_tier_one_ratio', 'Common equity tier 1 ratio', 'yes', 'cet1, cet1 ratio',
     'Common equity tier 1 capital as a share of risk-weighted assets.'],
    ['tier_one_ratio', 'Tier 1 capital ratio', 'yes', 'tier 1 ratio, tier one capital ratio',
     'Tier 1 capital as a share of risk-weighted assets.'],
    ['total_capital_ratio', 'Total capital ratio', 'yes', 'risk-based capital ratio',
     'Tier 1 and tier 2 capital as a share of risk-weighted assets.'],
    ['tier_one_leverage_ratio', 'Tier 1 leverage ratio', 'yes', 'leverage ratio', 'Tier 1 capital as a share of average assets.'],
    ['loan_to_deposit_ratio', 'Loan to deposit ratio', '', 'loans to deposits, ldr', 'Loans, net, as a share of deposits.']]);

SELECT pg_temp.add_metrics('ratio', 'ratio', 'duration', ARRAY[
    ['benefit_ratio', 'Benefit ratio', 'no', 'loss ratio, claims ratio', 'Policyholder benefits and claims as a share of premiums earned.']]);

-- ------------------------------------------------------------------------------- the concepts

-- In rank order. A concept without a prefix is one of us-gaap, "ifrs:" stands for ifrs-full, "-" before it for the opposite sign,
-- "*" behind it for one that is only a part of the line at banks, insurers, utilities, and those that live on rents or investments.
-- Left out on purpose, as filers use them for something else where they report both: SalesRevenueGoodsNet, RealEstateRevenueNet
-- and, in IFRS, RevenueFromContractsWithCustomers (parts of revenue), CostOfGoodsSold (of its cost), InterestExpenseDebt (of interest
-- expense), FiniteLivedIntangibleAssetsNet (of intangible assets), CommercialPaper (of short-term borrowings),
-- LongTermDebtAndCapitalLeaseObligations (with leases), NetCashProvidedByUsedInOperatingActivitiesContinuingOperations,
-- IncomeLossFromContinuingOperations (the owners' part), PaymentsOfDividendsCommonStock (of dividends paid), IncomeTaxesPaid (before
-- refunds), DeferredIncomeTaxesAndTaxCredits, RestructuringCosts, NoncurrentAssets (long-lived assets by country).
INSERT INTO canonical_concept (metric_key, rank, concept, sign, not_for)
SELECT metric_key, c.rank,
       CASE WHEN bare.name LIKE 'ifrs:%' THEN replace(bare.name, 'ifrs:', 'ifrs-full:') WHEN bare.name LIKE '%:%' THEN bare.name
            ELSE 'us-gaap:' || bare.name END,
       CASE WHEN c.name LIKE '-%' THEN -1 ELSE 1 END,
       CASE WHEN c.name LIKE '%*' THEN ARRAY['bank', 'insurer', 'reit', 'utility', 'fund'] ELSE '{}' END
FROM (VALUES
    ('revenue',
     'Revenues RevenuesNetOfInterestExpense RegulatedAndUnregulatedOperatingRevenue HealthCareOrganizationRevenue '
     'RevenueFromContractWithCustomerExcludingAssessedTax* RevenueFromContractWithCustomerIncludingAssessedTax* SalesRevenueNet* ifrs:Revenue'),
    ('cost_of_revenue', 'CostOfRevenue CostOfGoodsAndServicesSold ifrs:CostOfSales'),
    ('cost_of_goods_sold', 'CostOfGoodsSold'),
    ('gross_profit', 'GrossProfit ifrs:GrossProfit'),
    ('research_and_development',
     'ResearchAndDevelopmentExpense ResearchAndDevelopmentExpenseExcludingAcquiredInProcessCost ifrs:ResearchAndDevelopmentExpense'),
    ('selling_general_and_administrative', 'SellingGeneralAndAdministrativeExpense ifrs:SellingGeneralAndAdministrativeExpense'),
    ('selling_and_marketing', 'SellingAndMarketingExpense ifrs:SalesAndMarketingExpense'),
    ('general_and_administrative', 'GeneralAndAdministrativeExpense ifrs:GeneralAndAdministrativeExpense ifrs:AdministrativeExpense'),
    ('operating_expenses', 'OperatingExpenses ifrs:OperatingExpenseExcludingCostOfSales'),
    ('costs_and_expenses', 'CostsAndExpenses'),
    ('restructuring_charges', 'RestructuringCharges ifrs:ExpenseOfRestructuringActivities'),
    ('goodwill_impairment', 'GoodwillImpairmentLoss ifrs:ImpairmentLossRecognisedInProfitOrLossGoodwill'),
    ('asset_impairment_charges', 'AssetImpairmentCharges ifrs:ImpairmentLossRecognisedInProfitOrLoss'),
    ('operating_income', 'OperatingIncomeLoss ifrs:ProfitLossFromOperatingActivities'),
    ('interest_expense', 'InterestExpense InterestExpenseNonoperating InterestExpenseOperating ifrs:InterestExpense'),
    ('interest_income', 'InvestmentIncomeInterest ifrs:RevenueFromInterest'),
    ('finance_costs', 'ifrs:FinanceCosts'),
    ('finance_income', 'ifrs:FinanceIncome'),
    ('nonoperating_income', 'NonoperatingIncomeExpense'),
    ('other_nonoperating_income', 'OtherNonoperatingIncomeExpense'),
    ('equity_method_income',
     'IncomeLossFromEquityMethodInvestments ifrs:ShareOfProfitLossOfAssociatesAndJointVenturesAccountedForUsingEquityMethod '
     'ifrs:ShareOfProfitLossOfAssociatesAccountedForUsingEquityMethod'),
    ('foreign_exchange_gain',
     'ForeignCurrencyTransactionGainLossBeforeTax ifrs:GainsLossesOnExchangeDifferencesOnTranslationRecognisedInProfitOrLoss'),
    ('income_before_tax',
     'IncomeLossFromContinuingOperationsBeforeIncomeTaxesExtraordinaryItemsNoncontrollingInterest '
     'IncomeLossFromContinuingOperationsBeforeIncomeTaxesMinorityInterestAndIncomeLossFromEquityMethodInvestments ifrs:ProfitLossBeforeTax'),
    ('income_tax_expense', 'IncomeTaxExpenseBenefit ifrs:IncomeTaxExpenseContinuingOperations'),
    ('deferred_income_tax_expense', 'DeferredIncomeTaxExpenseBenefit ifrs:DeferredTaxExpenseIncome'),
    ('income_from_continuing_operations',
     'IncomeLossFromContinuingOperationsIncludingPortionAttributableToNoncontrollingInterest ifrs:ProfitLossFromContinuingOperations'),
    ('income_from_discontinued_operations', 'IncomeLossFromDiscontinuedOperationsNetOfTax ifrs:ProfitLossFromDiscontinuedOperations'),
    ('profit_including_noncontrolling_interests', 'ProfitLoss ifrs:ProfitLoss'),
    ('income_of_noncontrolling_interests',
     'NetIncomeLossAttributableToNoncontrollingInterest MinorityInterestInNetIncomeLossOfConsolidatedEntities '
     'ifrs:ProfitLossAttributableToNoncontrollingInterests'),
    ('net_income', 'NetIncomeLoss ifrs:ProfitLossAttributableToOwnersOfParent'),
    ('preferred_stock_dividends',
     'PreferredStockDividendsIncomeStatementImpact PreferredStockDividends PreferredStockDividendsAndOtherAdjustments'),
    ('net_income_available_to_common',
     'NetIncomeLossAvailableToCommonStockholdersBasic ifrs:ProfitLossAttributableToOrdinaryEquityHoldersOfParentEntity'),
    ('other_comprehensive_income',
     'OtherComprehensiveIncomeLossNetOfTax OtherComprehensiveIncomeLossNetOfTaxPeriodIncreaseDecrease ifrs:OtherComprehensiveIncome'),
    ('comprehensive_income', 'ComprehensiveIncomeNetOfTaxIncludingPortionAttributableToNoncontrollingInterest ifrs:ComprehensiveIncome'),
    ('cash_and_cash_equivalents', 'CashAndCashEquivalentsAtCarryingValue ifrs:CashAndCashEquivalents'),
    ('restricted_cash', 'RestrictedCash RestrictedCashAndCashEquivalents ifrs:RestrictedCashAndCashEquivalents'),
    ('cash_including_restricted',
     'CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents '
     'CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalentsIncludingDisposalGroupAndDiscontinuedOperations'),
    ('short_term_investments', 'ShortTermInvestments MarketableSecuritiesCurrent'),
    ('cash_and_short_term_investments', 'CashCashEquivalentsAndShortTermInvestments'),
    ('accounts_receivable', 'AccountsReceivableNetCurrent ifrs:CurrentTradeReceivables'),
    ('inventory', 'InventoryNet InventoryNetOfAllowancesCustomerAdvancesAndProgressBillings ifrs:Inventories'),
    ('prepaid_expenses_current', 'PrepaidExpenseCurrent ifrs:CurrentPrepaidExpenses'),
    ('other_assets_current', 'OtherAssetsCurrent ifrs:OtherCurrentAssets'),
    ('current_assets', 'AssetsCurrent ifrs:CurrentAssets'),
    ('property_plant_and_equipment',
     'PropertyPlantAndEquipmentNet PropertyPlantAndEquipmentAndFinanceLeaseRightOfUseAssetAfterAccumulatedDepreciationAndAmortization '
     'ifrs:PropertyPlantAndEquipment'),
    ('accumulated_depreciation',
     'AccumulatedDepreciationDepletionAndAmortizationPropertyPlantAndEquipment '
     'PropertyPlantAndEquipmentAndFinanceLeaseRightOfUseAssetAccumulatedDepreciationAndAmortization'),
    ('operating_lease_assets', 'OperatingLeaseRightOfUseAsset'),
    ('right_of_use_assets', 'ifrs:RightofuseAssets'),
    ('goodwill', 'Goodwill ifrs:Goodwill'),
    ('intangible_assets', 'IntangibleAssetsNetExcludingGoodwill ifrs:IntangibleAssetsOtherThanGoodwill'),
    ('goodwill_and_intangible_assets', 'IntangibleAssetsNetIncludingGoodwill ifrs:IntangibleAssetsAndGoodwill'),
    ('long_term_investments', 'LongTermInvestments'),
    ('equity_method_investments', 'EquityMethodInvestments ifrs:InvestmentAccountedForUsingEquityMethod'),
    ('deferred_tax_assets', 'DeferredTaxAssetsNetNoncurrent DeferredIncomeTaxAssetsNet ifrs:DeferredTaxAssets'),
    ('other_assets_noncurrent', 'OtherAssetsNoncurrent ifrs:OtherNoncurrentAssets'),
    ('noncurrent_assets', 'AssetsNoncurrent ifrs:NoncurrentAssets'),
    ('assets', 'Assets ifrs:Assets'),
    ('accounts_payable', 'AccountsPayableCurrent ifrs:TradeAndOtherCurrentPayablesToTradeSuppliers'),
    ('accrued_liabilities', 'AccruedLiabilitiesCurrent ifrs:AccrualsClassifiedAsCurrent'),
    ('deferred_revenue_current', 'ContractWithCustomerLiabilityCurrent DeferredRevenueCurrent ifrs:CurrentContractLiabilities'),
    ('deferred_revenue_noncurrent', 'ContractWithCustomerLiabilityNoncurrent DeferredRevenueNoncurrent ifrs:NoncurrentContractLiabilities'),
    ('deferred_revenue', 'ContractWithCustomerLiability DeferredRevenue ifrs:ContractLiabilities'),
    ('short_term_borrowings', 'ShortTermBorrowings ifrs:ShorttermBorrowings'),
    ('commercial_paper', 'CommercialPaper'),
    ('long_term_debt_current', 'LongTermDebtCurrent ifrs:CurrentPortionOfLongtermBorrowings'),
    ('debt_current', 'DebtCurrent ifrs:CurrentBorrowingsAndCurrentPortionOfNoncurrentBorrowings'),
    ('income_taxes_payable', 'AccruedIncomeTaxesCurrent ifrs:CurrentTaxLiabilitiesCurrent ifrs:CurrentTaxLiabilities'),
    ('operating_lease_liabilities', 'OperatingLeaseLiability'),
    ('finance_lease_liabilities', 'FinanceLeaseLiability CapitalLeaseObligations'),
    ('lease_liabilities', 'ifrs:LeaseLiabilities'),
    ('other_liabilities_current', 'OtherLiabilitiesCurrent ifrs:OtherCurrentLiabilities'),
    ('current_liabilities', 'LiabilitiesCurrent ifrs:CurrentLiabilities'),
    ('long_term_debt_noncurrent', 'LongTermDebtNoncurrent ifrs:LongtermBorrowings'),
    ('long_term_debt', 'LongTermDebt'),
    ('total_debt', 'DebtLongtermAndShorttermCombinedAmount ifrs:Borrowings'),
    ('deferred_tax_liabilities', 'DeferredTaxLiabilitiesNoncurrent DeferredIncomeTaxLiabilitiesNet ifrs:DeferredTaxLiabilities'),
    ('pension_liabilities',
     'PensionAndOtherPostretirementDefinedBenefitPlansLiabilitiesNoncurrent ifrs:NoncurrentRecognisedLiabilitiesDefinedBenefitPlan'),
    ('asset_retirement_obligations', 'AssetRetirementObligationsNoncurrent'),
    ('other_liabilities_noncurrent', 'OtherLiabilitiesNoncurrent ifrs:OtherNoncurrentLiabilities'),
    ('noncurrent_liabilities', 'LiabilitiesNoncurrent ifrs:NoncurrentLiabilities'),
    ('liabilities', 'Liabilities ifrs:Liabilities'),
    ('temporary_equity',
     'TemporaryEquityCarryingAmountIncludingPortionAttributableToNoncontrollingInterests TemporaryEquityCarryingAmount '
     'TemporaryEquityCarryingAmountAttributableToParent'),
    ('preferred_stock', 'PreferredStockValue PreferredStockValueOutstanding'),
    ('common_stock', 'CommonStockValue CommonStockValueOutstanding ifrs:IssuedCapital'),
    ('common_stock_and_paid_in_capital', 'CommonStocksIncludingAdditionalPaidInCapital CommonStockIncludingAdditionalPaidInCapital'),
    ('additional_paid_in_capital', 'AdditionalPaidInCapital AdditionalPaidInCapitalCommonStock ifrs:AdditionalPaidinCapital ifrs:SharePremium'),
    ('retained_earnings', 'RetainedEarningsAccumulatedDeficit ifrs:RetainedEarnings'),
    ('accumulated_other_comprehensive_income', 'AccumulatedOtherComprehensiveIncomeLossNetOfTax ifrs:AccumulatedOtherComprehensiveIncome'),
    ('treasury_stock', 'TreasuryStockValue TreasuryStockCommonValue ifrs:TreasuryShares'),
    ('stockholders_equity', 'StockholdersEquity PartnersCapital MembersEquity ifrs:EquityAttributableToOwnersOfParent'),
    ('noncontrolling_interests', 'MinorityInterest ifrs:NoncontrollingInterests'),
    ('total_equity',
     'StockholdersEquityIncludingPortionAttributableToNoncontrollingInterest '
     'PartnersCapitalIncludingPortionAttributableToNoncontrollingInterest ifrs:Equity'),
    ('liabilities_and_equity', 'LiabilitiesAndStockholdersEquity ifrs:EquityAndLiabilities'),
    ('operating_cash_flow', 'NetCashProvidedByUsedInOperatingActivities ifrs:CashFlowsFromUsedInOperatingActivities'),
    ('depreciation_and_amortization',
     'DepreciationAmortizationAndAccretionNet DepreciationDepletionAndAmortization DepreciationAndAmortization '
     'ifrs:AdjustmentsForDepreciationAndAmortisationExpense ifrs:DepreciationAndAmortisationExpense'),
    ('depreciation', 'Depreciation ifrs:DepreciationExpense'),
    ('amortization_of_intangible_assets',
     'AmortizationOfIntangibleAssets ifrs:AmortisationExpense ifrs:AmortisationIntangibleAssetsOtherThanGoodwill'),
    ('share_based_compensation', 'ShareBasedCompensation ifrs:AdjustmentsForSharebasedPayments'),
    ('increase_in_accounts_receivable',
     'IncreaseDecreaseInAccountsReceivable IncreaseDecreaseInReceivables -ifrs:AdjustmentsForDecreaseIncreaseInTradeAccountReceivable'),
    ('increase_in_inventory', 'IncreaseDecreaseInInventories -ifrs:AdjustmentsForDecreaseIncreaseInInventories'),
    ('increase_in_accounts_payable',
     'IncreaseDecreaseInAccountsPayable IncreaseDecreaseInAccountsPayableTrade ifrs:AdjustmentsForIncreaseDecreaseInTradeAccountPayable'),
    ('investing_cash_flow', 'NetCashProvidedByUsedInInvestingActivities ifrs:CashFlowsFromUsedInInvestingActivities'),
    ('capital_expenditure',
     'PaymentsToAcquirePropertyPlantAndEquipment PaymentsToAcquireProductiveAssets '
     'ifrs:PurchaseOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities'),
    ('purchases_of_intangible_assets', 'PaymentsToAcquireIntangibleAssets ifrs:PurchaseOfIntangibleAssetsClassifiedAsInvestingActivities'),
    ('proceeds_from_sale_of_property',
     'ProceedsFromSaleOfPropertyPlantAndEquipment ProceedsFromSaleOfProductiveAssets '
     'ifrs:ProceedsFromSalesOfPropertyPlantAndEquipmentClassifiedAsInvestingActivities'),
    ('acquisitions',
     'PaymentsToAcquireBusinessesNetOfCashAcquired '
     'ifrs:CashFlowsUsedInObtainingControlOfSubsidiariesOrOtherBusinessesClassifiedAsInvestingActivities'),
    ('divestitures',
     'ProceedsFromDivestitureOfBusinessesNetOfCashDivested ProceedsFromDivestitureOfBusinesses '
     'ifrs:CashFlowsFromLosingControlOfSubsidiariesOrOtherBusinessesClassifiedAsInvestingActivities'),
    ('purchases_of_investments', 'PaymentsToAcquireInvestments'),
    ('sales_of_investments', 'ProceedsFromSaleMaturityAndCollectionsOfInvestments'),
    ('financing_cash_flow', 'NetCashProvidedByUsedInFinancingActivities ifrs:CashFlowsFromUsedInFinancingActivities'),
    ('dividends_paid',
     'PaymentsOfDividends ifrs:DividendsPaidClassifiedAsFinancingActivities '
     'ifrs:DividendsPaidToEquityHoldersOfParentClassifiedAsFinancingActivities'),
    ('common_dividends_paid', 'PaymentsOfDividendsCommonStock'),
    ('share_repurchases', 'PaymentsForRepurchaseOfCommonStock PaymentsForRepurchaseOfEquity ifrs:PaymentsToAcquireOrRedeemEntitysShares'),
    ('stock_issued', 'ProceedsFromIssuanceOfCommonStock ifrs:ProceedsFromIssuingShares'),
    ('share_withholding_taxes', 'PaymentsRelatedToTaxWithholdingForShareBasedCompensation'),
    ('debt_issued', 'ProceedsFromIssuanceOfDebt ifrs:ProceedsFromBorrowingsClassifiedAsFinancingActivities'),
    ('debt_repaid', 'RepaymentsOfDebt ifrs:RepaymentsOfBorrowingsClassifiedAsFinancingActivities'),
    ('long_term_debt_issued', 'ProceedsFromIssuanceOfLongTermDebt ifrs:ProceedsFromNoncurrentBorrowings'),
    ('long_term_debt_repaid', 'RepaymentsOfLongTermDebt ifrs:RepaymentsOfNoncurrentBorrowings'),
    ('lease_payments', 'ifrs:PaymentsOfLeaseLiabilitiesClassifiedAsFinancingActivities'),
    ('exchange_rate_effect_on_cash',
     'EffectOfExchangeRateOnCashCashEquivalentsRestrictedCashAndRestrictedCashEquivalents '
     'EffectOfExchangeRateOnCashCashEquivalentsRestrictedCashAndRestrictedCashEquivalentsIncludingDisposalGroupAndDiscontinuedOperations '
     'EffectOfExchangeRateOnCashAndCashEquivalents ifrs:EffectOfExchangeRateChangesOnCashAndCashEquivalents'),
    ('net_change_in_cash',
     'CashCashEquivalentsRestrictedCashAndRestrictedCashEquivalentsPeriodIncreaseDecreaseIncludingExchangeRateEffect '
     'CashAndCashEquivalentsPeriodIncreaseDecrease ifrs:IncreaseDecreaseInCashAndCashEquivalents'),
    ('income_taxes_paid',
     'IncomeTaxesPaidNet ifrs:IncomeTaxesPaidRefundClassifiedAsOperatingActivities ifrs:IncomeTaxesPaidClassifiedAsOperatingActivities'),
    ('interest_paid',
     'InterestPaidNet InterestPaid ifrs:InterestPaidClassifiedAsOperatingActivities ifrs:InterestPaidClassifiedAsFinancingActivities'),
    ('eps_basic', 'EarningsPerShareBasic EarningsPerShareBasicAndDiluted ifrs:BasicEarningsLossPerShare ifrs:BasicAndDilutedEarningsLossPerShare'),
    ('eps_diluted',
     'EarningsPerShareDiluted EarningsPerShareBasicAndDiluted ifrs:DilutedEarningsLossPerShare ifrs:BasicAndDilutedEarningsLossPerShare'),
    ('dividends_per_share', 'CommonStockDividendsPerShareDeclared ifrs:DividendsRecognisedAsDistributionsToOwnersPerShare'),
    ('weighted_average_shares_basic',
     'WeightedAverageNumberOfSharesOutstandingBasic WeightedAverageNumberOfShareOutstandingBasicAndDiluted ifrs:WeightedAverageShares'),
    ('weighted_average_shares_diluted',
     'WeightedAverageNumberOfDilutedSharesOutstanding WeightedAverageNumberOfShareOutstandingBasicAndDiluted '
     'ifrs:AdjustedWeightedAverageShares'),
    ('shares_outstanding', 'dei:EntityCommonStockSharesOutstanding CommonStockSharesOutstanding ifrs:NumberOfSharesOutstanding'),
    ('shares_issued', 'CommonStockSharesIssued ifrs:NumberOfSharesIssued ifrs:NumberOfSharesIssuedAndFullyPaid'),
    ('treasury_shares', 'TreasuryStockShares TreasuryStockCommonShares'),
    ('effective_tax_rate', 'EffectiveIncomeTaxRateContinuingOperations ifrs:AverageEffectiveTaxRate'),
    ('net_interest_income', 'InterestIncomeExpenseNet ifrs:InterestRevenueExpense'),
    ('interest_and_dividend_income', 'InterestAndDividendIncomeOperating'),
    ('provision_for_credit_losses',
     'ProvisionForLoanLeaseAndOtherLosses ProvisionForLoanAndLeaseLosses ProvisionForLoanLossesExpensed '
     'FinancingReceivableExcludingAccruedInterestCreditLossExpenseReversal '
     'ifrs:ImpairmentLossImpairmentGainAndReversalOfImpairmentLossDeterminedInAccordanceWithIFRS9'),
    ('net_interest_income_after_provision', 'InterestIncomeExpenseAfterProvisionForLoanLoss'),
    ('noninterest_income', 'NoninterestIncome'),
    ('noninterest_expense', 'NoninterestExpense'),
    ('premiums_earned', 'PremiumsEarnedNet'),
    ('premiums_written', 'PremiumsWrittenNet'),
    ('net_investment_income', 'NetInvestmentIncome InvestmentIncomeOperatingAfterExpenseAndTax'),
    ('realized_investment_gains', 'RealizedInvestmentGainsLosses'),
    ('policyholder_benefits_and_claims', 'PolicyholderBenefitsAndClaimsIncurredNet'),
    ('benefits_losses_and_expenses', 'BenefitsLossesAndExpenses'),
    ('insurance_revenue', 'ifrs:InsuranceRevenue'),
    ('insurance_service_result', 'ifrs:InsuranceServiceResult'),
    ('rental_income', 'OperatingLeaseLeaseIncome OperatingLeasesIncomeStatementLeaseRevenue ifrs:RentalIncome'),
    ('property_operating_costs', 'DirectCostsOfLeasedAndRentedPropertyOrEquipment'),
    ('real_estate_sale_gain', 'GainLossOnSaleOfProperties GainsLossesOnSalesOfInvestmentRealEstate'),
    ('electric_revenue', 'RegulatedOperatingRevenueElectricNonNuclear ElectricUtilityRevenue ElectricDomesticRegulatedRevenue'),
    ('gas_revenue', 'RegulatedOperatingRevenueGas GasDomesticRegulatedRevenue'),
    ('regulated_revenue', 'RegulatedOperatingRevenue'),
    ('fuel_costs', 'FuelCosts'),
    ('purchased_power', 'CostOfPurchasedPower UtilitiesOperatingExpensePurchasedPower'),
    ('operations_and_maintenance', 'UtilitiesOperatingExpenseMaintenanceAndOperations'),
    ('taxes_other_than_income', 'TaxesExcludingIncomeAndExciseTaxes'),
    ('investment_income_gross', 'GrossInvestmentIncomeOperating'),
    ('unrealized_investment_gains', 'UnrealizedGainLossOnInvestments'),
    ('cash_and_due_from_banks', 'CashAndDueFromBanks'),
    ('available_for_sale_securities', 'AvailableForSaleSecuritiesDebtSecurities'),
    ('held_to_maturity_securities', 'DebtSecuritiesHeldToMaturityAmortizedCostAfterAllowanceForCreditLoss HeldToMaturitySecurities'),
    ('loans_gross', 'FinancingReceivableExcludingAccruedInterestBeforeAllowanceForCreditLoss LoansAndLeasesReceivableNetOfDeferredIncome'),
    ('allowance_for_credit_losses',
     'FinancingReceivableAllowanceForCreditLossExcludingAccruedInterest LoansAndLeasesReceivableAllowance '
     'FinancingReceivableAllowanceForCreditLosses'),
    ('loans_net',
     'FinancingReceivableExcludingAccruedInterestAfterAllowanceForCreditLoss LoansAndLeasesReceivableNetReportedAmount '
     'ifrs:LoansAndAdvancesToCustomers'),
    ('deposits', 'Deposits ifrs:DepositsFromCustomers'),
    ('noninterest_bearing_deposits', 'NoninterestBearingDepositLiabilities'),
    ('investments', 'Investments'),
    ('reinsurance_recoverables', 'ReinsuranceRecoverables'),
    ('deferred_policy_acquisition_costs', 'DeferredPolicyAcquisitionCosts'),
    ('unearned_premiums', 'UnearnedPremiums'),
    ('claims_liability', 'LiabilityForClaimsAndClaimsAdjustmentExpense LiabilityForClaimsAndClaimsAdjustmentExpensePropertyCasualtyLiability'),
    ('future_policy_benefits', 'LiabilityForFuturePolicyBenefits'),
    ('real_estate_at_cost', 'RealEstateInvestmentPropertyAtCost'),
    ('real_estate_accumulated_depreciation', 'RealEstateInvestmentPropertyAccumulatedDepreciation'),
    ('real_estate_net', 'RealEstateInvestmentPropertyNet ifrs:InvestmentProperty'),
    ('utility_plant_net', 'PublicUtilitiesPropertyPlantAndEquipmentNet'),
    ('construction_in_progress',
     'ConstructionInProgressGross PublicUtilitiesPropertyPlantAndEquipmentConstructionWorkInProgress ifrs:ConstructionInProgress'),
    ('regulatory_assets_current', 'RegulatoryAssetsCurrent'),
    ('regulatory_assets_noncurrent', 'RegulatoryAssetsNoncurrent'),
    ('regulatory_liabilities_current', 'RegulatoryLiabilityCurrent'),
    ('regulatory_liabilities_noncurrent', 'RegulatoryLiabilityNoncurrent'),
    ('decommissioning_fund', 'DecommissioningFundInvestments'),
    ('net_assets', 'AssetsNet'),
    ('investments_at_fair_value', 'InvestmentOwnedAtFairValue'),
    ('net_asset_value_per_share', 'NetAssetValuePerShare'),
    ('common_equity_tier_one_ratio', 'CommonEquityTierOneCapitalRatio CommonEquityTierOneCapitalToRiskWeightedAssets'),
    ('tier_one_ratio', 'TierOneRiskBasedCapitalToRiskWeightedAssets'),
    ('total_capital_ratio', 'CapitalToRiskWeightedAssets'),
    ('tier_one_leverage_ratio', 'TierOneLeverageCapitalToAverageAssets'),
    ('long_term_debt_and_leases_noncurrent', 'LongTermDebtAndCapitalLeaseObligations'),
    ('marketable_securities_noncurrent', 'MarketableSecuritiesNoncurrent'),
    ('receivables_net', 'ReceivablesNetCurrent ifrs:TradeAndOtherCurrentReceivables'),
    ('trade_and_other_payables', 'ifrs:TradeAndOtherCurrentPayables'),
    ('prepaid_and_other_assets_current', 'PrepaidExpenseAndOtherAssetsCurrent')
) AS mapped(metric_key, concepts)
CROSS JOIN LATERAL string_to_table(concepts, ' ') WITH ORDINALITY AS c(name, rank)
CROSS JOIN LATERAL (SELECT btrim(c.name, '-*') AS name) bare;

-- ------------------------------------------------------------------------------- the formulas

-- Liabilities are not assets less equity: what is redeemable stands between the two, under many names.
INSERT INTO canonical_formula (metric_key, kind, place, term, weight) VALUES
    ('gross_profit', 'sum', 1, 'revenue', 1), ('gross_profit', 'sum', 2, 'cost_of_revenue', -1),
    ('selling_general_and_administrative', 'sum', 1, 'selling_and_marketing', 1),
    ('selling_general_and_administrative', 'sum', 2, 'general_and_administrative', 1),
    ('net_income', 'sum', 1, 'profit_including_noncontrolling_interests', 1), ('net_income', 'sum', 2, 'income_of_noncontrolling_interests', -1),
    ('net_income_available_to_common', 'sum', 1, 'net_income', 1), ('net_income_available_to_common', 'sum', 2, 'preferred_stock_dividends', -1),
    ('ebitda', 'sum', 1, 'operating_income', 1), ('ebitda', 'sum', 2, 'depreciation_and_amortization', 1),
    ('cash_and_short_term_investments', 'sum', 1, 'cash_and_cash_equivalents', 1),
    ('cash_and_short_term_investments', 'sum', 2, 'short_term_investments', 1),
    ('goodwill_and_intangible_assets', 'sum', 1, 'goodwill', 1), ('goodwill_and_intangible_assets', 'sum', 2, 'intangible_assets', 1),
    ('noncurrent_assets', 'sum', 1, 'assets', 1), ('noncurrent_assets', 'sum', 2, 'current_assets', -1),
    ('deferred_revenue', 'sum', 1, 'deferred_revenue_current', 1), ('deferred_revenue', 'sum', 2, 'deferred_revenue_noncurrent', 1),
    ('debt_current', 'sum', 1, 'short_term_borrowings', 1), ('debt_current', 'sum', 2, 'long_term_debt_current', 1),
    ('long_term_debt', 'sum', 1, 'long_term_debt_current', 1), ('long_term_debt', 'sum', 2, 'long_term_debt_noncurrent', 1),
    ('total_debt', 'sum', 1, 'debt_current', 1), ('total_debt', 'sum', 2, 'long_term_debt_noncurrent', 1),
    ('net_debt', 'sum', 1, 'total_debt', 1), ('net_debt', 'sum', 2, 'cash_and_cash_equivalents', -1),
    ('liabilities', 'sum', 1, 'current_liabilities', 1), ('liabilities', 'sum', 2, 'noncurrent_liabilities', 1),
    ('total_equity', 'sum', 1, 'stockholders_equity', 1), ('total_equity', 'sum', 2, 'noncontrolling_interests', 1),
    ('working_capital', 'sum', 1, 'current_assets', 1), ('working_capital', 'sum', 2, 'current_liabilities', -1),
    ('depreciation_and_amortization', 'sum', 1, 'depreciation', 1),
    ('depreciation_and_amortization', 'sum', 2, 'amortization_of_intangible_assets', 1),
    ('free_cash_flow', 'sum', 1, 'operating_cash_flow', 1), ('free_cash_flow', 'sum', 2, 'capital_expenditure', -1),
    ('gross_margin', 'ratio', 1, 'gross_profit', 1), ('gross_margin', 'ratio', 2, 'revenue', 1),
    ('operating_margin', 'ratio', 1, 'operating_income', 1), ('operating_margin', 'ratio', 2, 'revenue', 1),
    ('net_margin', 'ratio', 1, 'net_income', 1), ('net_margin', 'ratio', 2, 'revenue', 1),
    ('ebitda_margin', 'ratio', 1, 'ebitda', 1), ('ebitda_margin', 'ratio', 2, 'revenue', 1),
    ('free_cash_flow_margin', 'ratio', 1, 'free_cash_flow', 1), ('free_cash_flow_margin', 'ratio', 2, 'revenue', 1),
    ('effective_tax_rate', 'ratio', 1, 'income_tax_expense', 1), ('effective_tax_rate', 'ratio', 2, 'income_before_tax', 1),
    ('interest_coverage', 'ratio', 1, 'operating_income', 1), ('interest_coverage', 'ratio', 2, 'interest_expense', 1),
    ('payout_ratio', 'ratio', 1, 'dividends_per_share', 1), ('payout_ratio', 'ratio', 2, 'eps_diluted', 1),
    ('current_ratio', 'ratio', 1, 'current_assets', 1), ('current_ratio', 'ratio', 2, 'current_liabilities', 1),
    ('cash_ratio', 'ratio', 1, 'cash_and_short_term_investments', 1), ('cash_ratio', 'ratio', 2, 'current_liabilities', 1),
    ('debt_to_equity', 'ratio', 1, 'total_debt', 1), ('debt_to_equity', 'ratio', 2, 'stockholders_equity', 1),
    ('net_interest_income', 'sum', 1, 'interest_and_dividend_income', 1), ('net_interest_income', 'sum', 2, 'interest_expense', -1),
    ('net_interest_income_after_provision', 'sum', 1, 'net_interest_income', 1),
    ('net_interest_income_after_provision', 'sum', 2, 'provision_for_credit_losses', -1),
    ('loans_net', 'sum', 1, 'loans_gross', 1), ('loans_net', 'sum', 2, 'allowance_for_credit_losses', -1),
    ('real_estate_net', 'sum', 1, 'real_estate_at_cost', 1), ('real_estate_net', 'sum', 2, 'real_estate_accumulated_depreciation', -1),
    ('loan_to_deposit_ratio', 'ratio', 1, 'loans_net', 1), ('loan_to_deposit_ratio', 'ratio', 2, 'deposits', 1),
    ('benefit_ratio', 'ratio', 1, 'policyholder_benefits_and_claims', 1), ('benefit_ratio', 'ratio', 2, 'premiums_earned', 1);

-- ------------------------------------------------------------------------------ the templates

INSERT INTO statement_template (slug, name, description, place) VALUES
    ('income_statement', 'Income statement', 'Revenue, expenses and profit of a period.', 1),
    ('balance_sheet', 'Balance sheet', 'Assets, liabilities and equity on a day.', 2),
    ('cash_flow', 'Cash flow statement', 'Where cash of a period came from and what it went to.', 3),
    ('per_share', 'Per share', 'Earnings and dividends per share, and numbers of shares.', 4),
    ('ratios', 'Ratios', 'Margins and other ratios of the statements'' lines.', 5),
    ('bank', 'Bank', 'What banks and savings institutions report besides: interest, deposits, loans and capital ratios.', 6),
    ('insurer', 'Insurer', 'What insurers report besides: premiums, claims, investments and insurance liabilities.', 7),
    ('reit', 'Real estate investment trust', 'What real estate investment trusts report besides: rents and property.', 8),
    ('utility', 'Utility', 'What electric, gas and water utilities report besides: regulated revenue, fuel, plant and regulatory balances.', 9),
    ('fund', 'Investment company', 'What funds and business development companies report besides: investments, net assets and income from them.', 10);

INSERT INTO template_metric (template_slug, place, metric_key)
SELECT slug, m.place, m.metric_key
FROM (VALUES
    ('income_statement',
     'revenue cost_of_revenue cost_of_goods_sold gross_profit research_and_development selling_general_and_administrative selling_and_marketing '
     'general_and_administrative operating_expenses costs_and_expenses restructuring_charges goodwill_impairment asset_impairment_charges '
     'operating_income interest_expense interest_income finance_costs finance_income nonoperating_income other_nonoperating_income '
     'equity_method_income foreign_exchange_gain income_before_tax income_tax_expense deferred_income_tax_expense '
     'income_from_continuing_operations income_from_discontinued_operations profit_including_noncontrolling_interests '
     'income_of_noncontrolling_interests net_income preferred_stock_dividends net_income_available_to_common other_comprehensive_income '
     'comprehensive_income ebitda'),
    ('balance_sheet',
     'cash_and_cash_equivalents restricted_cash cash_including_restricted short_term_investments cash_and_short_term_investments '
     'accounts_receivable receivables_net inventory prepaid_expenses_current prepaid_and_other_assets_current other_assets_current '
     'current_assets property_plant_and_equipment accumulated_depreciation operating_lease_assets right_of_use_assets goodwill intangible_assets '
     'goodwill_and_intangible_assets long_term_investments marketable_securities_noncurrent equity_method_investments deferred_tax_assets '
     'other_assets_noncurrent noncurrent_assets assets accounts_payable trade_and_other_payables accrued_liabilities deferred_revenue_current '
     'deferred_revenue_noncurrent deferred_revenue short_term_borrowings commercial_paper long_term_debt_current debt_current '
     'income_taxes_payable operating_lease_liabilities finance_lease_liabilities lease_liabilities other_liabilities_current current_liabilities '
     'long_term_debt_noncurrent long_term_debt_and_leases_noncurrent long_term_debt total_debt net_debt deferred_tax_liabilities '
     'pension_liabilities asset_retirement_obligations other_liabilities_noncurrent noncurrent_liabilities liabilities temporary_equity '
     'preferred_stock common_stock common_stock_and_paid_in_capital additional_paid_in_capital retained_earnings '
     'accumulated_other_comprehensive_income treasury_stock stockholders_equity noncontrolling_interests total_equity liabilities_and_equity '
     'working_capital'),
    ('cash_flow',
     'operating_cash_flow depreciation_and_amortization depreciation amortization_of_intangible_assets share_based_compensation '
     'increase_in_accounts_receivable increase_in_inventory increase_in_accounts_payable investing_cash_flow capital_expenditure '
     'purchases_of_intangible_assets proceeds_from_sale_of_property acquisitions divestitures purchases_of_investments sales_of_investments '
     'financing_cash_flow dividends_paid common_dividends_paid share_repurchases stock_issued share_withholding_taxes debt_issued debt_repaid '
     'long_term_debt_issued long_term_debt_repaid lease_payments exchange_rate_effect_on_cash net_change_in_cash income_taxes_paid interest_paid '
     'free_cash_flow'),
    ('per_share',
     'eps_basic eps_diluted dividends_per_share weighted_average_shares_basic weighted_average_shares_diluted shares_outstanding shares_issued '
     'treasury_shares'),
    ('ratios',
     'gross_margin operating_margin net_margin ebitda_margin free_cash_flow_margin effective_tax_rate interest_coverage payout_ratio '
     'current_ratio cash_ratio debt_to_equity'),
    ('bank',
     'net_interest_income interest_and_dividend_income interest_expense provision_for_credit_losses net_interest_income_after_provision '
     'noninterest_income noninterest_expense cash_and_due_from_banks available_for_sale_securities held_to_maturity_securities loans_gross '
     'allowance_for_credit_losses loans_net deposits noninterest_bearing_deposits common_equity_tier_one_ratio tier_one_ratio '
     'total_capital_ratio tier_one_leverage_ratio loan_to_deposit_ratio'),
    ('insurer',
     'premiums_earned premiums_written net_investment_income realized_investment_gains policyholder_benefits_and_claims '
     'benefits_losses_and_expenses insurance_revenue insurance_service_result investments reinsurance_recoverables '
     'deferred_policy_acquisition_costs unearned_premiums claims_liability future_policy_benefits benefit_ratio'),
    ('reit',
     'rental_income property_operating_costs real_estate_sale_gain real_estate_at_cost real_estate_accumulated_depreciation real_estate_net'),
    ('utility',
     'electric_revenue gas_revenue regulated_revenue fuel_costs purchased_power operations_and_maintenance taxes_other_than_income '
     'utility_plant_net construction_in_progress regulatory_assets_current regulatory_assets_noncurrent regulatory_liabilities_current '
     'regulatory_liabilities_noncurrent decommissioning_fund asset_retirement_obligations'),
    ('fund',
     'investment_income_gross net_investment_income realized_investment_gains unrealized_investment_gains investments_at_fair_value net_assets '
     'net_asset_value_per_share')) AS lines(slug, metrics)
CROSS JOIN LATERAL string_to_table(metrics, ' ') WITH ORDINALITY AS m(metric_key, place);

INSERT INTO industry_template (sic_from, sic_to, template_slug) VALUES
    (4900, 4941, 'utility'), (4961, 4961, 'utility'), (4991, 4991, 'utility'), -- 495x: refuse and sewerage, whose prices nobody sets
    (6020, 6036, 'bank'), (6311, 6399, 'insurer'), (6722, 6722, 'fund'), (6726, 6726, 'fund'), (6798, 6798, 'reit');

-- ---------------------------------------------------------------------------------- rights

GRANT SELECT ON canonical_metric, canonical_concept, canonical_formula, canonical_depth, statement_template, template_metric,
    industry_template TO disclosed_api, disclosed_loader;
