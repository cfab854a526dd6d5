/* Which tables there are: a line for each file of them.
 *
 * D(name)  a dataset, dsc_dataset_<name>; their order is that of their places in shared memory, and of reconciling
 * E(name)  an endpoint, dsc_endpoint_<name>; their order is that of the OpenAPI document
 * W(name)  what writes the dataset's rows of a demo company, dsc_demo_write_<name>() */
#ifndef DSC_REGISTRY_H
#define DSC_REGISTRY_H

/* clang-format off */
#define DSC_TABLES(D, E, W) \
    D(company) D(listing) E(companies) E(company) W(company) \
    D(executive) E(executives) W(executives) \
    D(filing) D(exhibit) D(filing_text) E(filings) E(filing) E(exhibits) W(filings) \
    D(xbrl_report) E(filing_facts) W(xbrl_reports) \
    D(xbrl_linkbase) E(filing_calculations) E(filing_statements) E(filing_statement) \
    D(fundamental) E(fundamentals) E(metrics) E(metric) E(metric_values) \
    D(kpi_observation) D(kpi_metric) E(kpis) E(kpi_series) E(kpi_observations) E(segments) W(kpis) \
    D(insider) D(insider_holding) E(insider) E(company_insider) W(insiders) \
    D(security) \
    D(institution_report) D(institution_position) D(institution_holder) D(institution_flow) \
        E(institution_holders) E(institution_flow) E(institution_positions) \
    D(document) E(documents) E(document) E(document_pages) W(documents) \
    D(transcript) E(transcripts) E(transcript) W(transcripts) \
    D(event_notice) D(event) E(events) E(calendar) E(event) W(event_notices) \
    D(short_interest) E(short_interest) W(short_interest) \
    D(corporate_action) E(corporate_actions) W(corporate_actions) \
    D(fund) D(fund_holding) D(fund_class) D(fund_exposure) E(fund_exposure) W(funds) \
    D(congress_trade) D(congress_report) D(politician) E(congress) E(politician) E(company_congress) W(congress) \
    D(beneficial_owner) E(beneficial_owners) W(beneficial_owners) \
    E(coverage) E(company_coverage) \
    E(source) \
    E(search) \
    E(ask) \
    E(openapi) E(typescript) E(llms) \
    E(webhooks) E(create_webhook) E(delete_webhook) E(test_webhook) E(webhook_topics) \
    E(webhook) E(change_webhook) E(rotate_webhook) E(webhook_deliveries) E(replay_delivery) E(recover_webhook) E(changes) \
    E(earlier_filings) E(earlier_transcripts) E(earlier_documents) \
    E(earlier_companies) E(earlier_allowlist) E(earlier_openapi) \
    E(earlier_concepts) E(earlier_series) E(earlier_kpi) E(earlier_canonical) E(earlier_calculation) E(earlier_peers) E(earlier_coverage) \
    E(earlier_kpi_index) E(earlier_company_kpis) E(earlier_extracted_facts)

/* What coverage counts: C(name, dataset, table, description); N(name, description): nothing yet; S(row): a row of its own,
 * in coverage.c. */
#define DSC_COVERAGE(C, N, S) \
    S(FILINGS) \
    C("transcripts", transcript, "transcript", "Transcripts.") \
    C("kpi_metrics", kpi_metric, "kpi_metric", "KPI metrics of companies.")                                           \
    C("kpi_observations", kpi_observation, "kpi_observation", "Observations of metrics, as sources report them.") \
    C("ir_documents", document, "document", "Investor-relations documents.") \
    S(DOCUMENT_CHUNKS) \
    C("exhibits", exhibit, "filing_exhibit", "Earnings-release exhibits.") \
    C("insider_transactions", insider, "insider_transaction", "Insider transactions.") \
    C("insider_holdings", insider_holding, "insider_holding", "Insider holdings.") \
    C("institution_reports", institution_report, "institution_report", "Form 13F reports.") \
    C("institution_positions", institution_position, "institution_position", "Rows of Form 13F information tables.") \
    S(UNMAPPED_POSITIONS) \
    S(INSTITUTION_HOLDERS) \
    S(INSTITUTION_FLOWS) \
    C("events", event, "event", "Corporate events.") \
    C("short_interest", short_interest, "short_interest", "Short positions, by security and settlement date.") \
    C("corporate_actions", corporate_action, "corporate_action", "Splits, dividends and other corporate actions.") \
    C("executives", executive, "executive", "Executives and contacts of companies.")                                  \
    C("listings", listing, "listing", "Listings.") \
    C("xbrl_reports", xbrl_report, "xbrl_report", "Filings with facts in XBRL.")                                      \
    C("xbrl_linkbases", xbrl_linkbase, "xbrl_linkbase", "Filings with calculations or statements.") \
    C("fundamentals", fundamental, "fundamental", "Canonical metrics of companies, by period.") \
    C("congress_trades", congress_trade, "congress_trade", "Trades of members of Congress.") \
    C("beneficial_owners", beneficial_owner, "beneficial_owner", "Statements on Schedules 13D and 13G.")

/* What it counts of a company: C(name, dataset, table, SQL of a row's day, description); S as above. */
#define DSC_COMPANY_COVERAGE(C, S) \
    C("filings", filing, "filing", "x.filed_on", "Filings.") \
    C("transcripts", transcript, "transcript", "x.call_date", "Transcripts.") \
    C("kpi_observations", kpi_observation, "kpi_observation", "x.end_date", "Observations of metrics, as sources report them.") \
    C("xbrl_reports", xbrl_report, "xbrl_report", "x.filed_on", "Filings with facts in XBRL.")                        \
    C("xbrl_linkbases", xbrl_linkbase, "xbrl_linkbase", "x.filed_on", "Filings with calculations or statements.") \
    C("fundamentals", fundamental, "fundamental", "x.end_date", "Canonical metrics, by period.") \
    C("ir_documents", document, "document", "x.published_at", "Investor-relations documents.") \
    C("exhibits", exhibit, "filing_exhibit", "x.known_at AT TIME ZONE 'America/New_York'", "Earnings-release exhibits.") \
    C("insider_transactions", insider, "insider_transaction", "x.filing_date", "Insider transactions.") \
    C("events", event, "event", "x.event_at", "Corporate events.") \
    C("short_interest", short_interest, "short_interest", "x.settlement_date", "Short positions, of all its share classes.") \
    C("corporate_actions", corporate_action, "corporate_action", "x.action_date", \
      "Splits, dividends and other corporate actions.") \
    S(CONGRESS_TRADES) \
    C("beneficial_owners", beneficial_owner, "beneficial_owner", "x.filing_date", "Statements on Schedules 13D and 13G.")
/* clang-format on */

#define DSC_NO_TABLE(name)

#endif
