/* Lists of the earlier surface whose rows the public one has, too: bare arrays of the same items. */
#include "datasets/alpha/alpha.h"

const dsc_endpoint_t dsc_endpoint_earlier_filings = {
    EARLIER("list_filings", "/filings/{ticker}"),
    ABOUT("Filings", "Filings of a company, the latest filing date first."),
    ARRAY(dsc_source_filing, dsc_shape_filing),
    PARAMETERS(
        DSC_PARAMETER_TICKER,
        DSC_PARAMETERS_ROWS("50", 200),
        DSC_PARAMETER_OFFSET,
        DSC_PARAMETER_AS_OF_BY("t.filed_on")),
};

const dsc_endpoint_t dsc_endpoint_earlier_transcripts = {
    EARLIER("list_transcripts", "/transcripts/{ticker}"),
    ABOUT("Transcripts", "Transcripts of a company, current and superseded, the latest call first."),
    ARRAY(dsc_source_company_transcript, dsc_shape_transcript),
    PARAMETERS(
        DSC_PARAMETER_TICKER,
        DSC_PARAMETERS_ROWS("20", 100),
        DSC_PARAMETER_AS_OF_BY("t.call_date")),
};

const dsc_endpoint_t dsc_endpoint_earlier_documents = {
    EARLIER("list_documents", "/ir-documents/{ticker}"),
    ABOUT("Documents", "Investor-relations documents of a company, the latest first."),
    ARRAY(dsc_source_document, dsc_shape_document),
    PARAMETERS(
        DSC_PARAMETER_TICKER,
        DSC_PARAMETERS_ROWS("50", 200),
        DSC_PARAMETER_AS_OF_BY("t.published_at")),
};

const dsc_endpoint_t dsc_endpoint_earlier_companies = {
    EARLIER("list_companies", "/companies"),
    ABOUT("Companies", "The company universe, the latest known listing first."),
    ARRAY(dsc_source_listing, dsc_shape_company),
    PARAMETERS(
        DSC_PARAMETER_NAMED,
        DSC_PARAMETER_MARKETS,
        QUERY(BOOLEAN, "is_etf", "true: only exchange-traded funds; false: only other listings; absent: both.", .flags = DSC_PLAN_EACH_TIME,
              .predicate = "t.is_etf = ?"),
        QUERY(BOOLEAN, "is_fund", "true: only funds of any kind; false: only other listings; absent: both.", .flags = DSC_PLAN_EACH_TIME,
              .predicate = "t.is_fund = ?"),
        QUERY(BOOLEAN, "is_adr", "true: only depositary receipts; false: only other listings; absent: both.", .flags = DSC_PLAN_EACH_TIME,
              .predicate = "t.is_adr = ?"),
        DSC_PARAMETER_ACTIVE_ONLY,
        DSC_PARAMETERS_ROWS("50", 500),
        DSC_PARAMETER_OFFSET,
        DSC_PARAMETER_AS_OF),
};
