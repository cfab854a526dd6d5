/* Beneficial owners of more than five percent of a class: Schedules 13D and 13G under Sections 13(d) and 13(g) of the
 * Exchange Act. */
#include "datasets/datasets.h"

CHOICES(form_choices, "SCHEDULE 13D", "SCHEDULE 13D/A", "SCHEDULE 13G", "SCHEDULE 13G/A");
CHOICES(group_choices, "member", "disclaimed");

static const dsc_shape_t person_shape = SHAPE("BeneficialOwnerPerson", "A reporting person.",
    TEXT("name", "t.owner_name", "Reporting person, as filed."),
    CIK("cik", "t.owner_cik", "CIK; null where the schedule gives none.", NULLABLE),
    JSON("types", "t.owner_types",
         "Types of reporting person: IN individual, CO corporation, PN partnership, IA investment adviser, IV "
         "investment company, HC parent holding company or control person, BD broker-dealer, BK bank, IC insurance "
         "company, SA savings association, EP employee benefit plan, CP church plan, FI non-U.S. institution, OO other.",
         .flags = DSC_NULLABLE | DSC_ARRAY),
    TEXT("citizenship", "t.citizenship", "Citizenship or place of organization: EDGAR's code of a state or country.", NULLABLE),
    TEXT("group", "t.group_membership",
         "member of a group, or disclaimed; null where the schedule has no mark.", NULLABLE));

/* The latest statement of a person is the one that none has restated: now, or by the instant. */
#define IS_LATEST "{present:t.restated_at IS NULL}{past:(t.restated_at IS NULL OR t.restated_at > {value:as_of})}"

static const dsc_shape_t owner_shape = SHAPE(
    "BeneficialOwner", "What a reporting person owned of a class, by a Schedule 13D or 13G.",
    INTEGER("id", "t.id", "Number of the record."),
    TEXT("symbol", "i.symbol", "Primary listing of the issuer, TICKER:MARKET; null when it has none.", NULLABLE),
    TEXT("ticker", "i.ticker", "Ticker of that listing.", NULLABLE),
    CIK("company_cik", "i.cik", "CIK of the issuer.", NULLABLE),
    OBJECT("owner", person_shape, "Who reports."),
    TEXT("form", "t.form", "Form type as filed."),
    INTEGER("amendment_number", "t.amendment_number", "Number of the amendment.", NULLABLE),
    DATE("event_date", "t.event_date", "Date of the event that requires the filing; the amounts are of that day."),
    DATE("filing_date", "t.filing_date",
         "Date of filing; where the source does not state it, the date of signature."),
    BOOLEAN("is_latest", IS_LATEST, "Whether it is the latest statement of this person about the class."),
    TEXT("security_title", "t.security_title", "Title of the class, as filed."),
    JSON("cusips", "t.cusips", "CUSIPs of the class; null where it has none.",
         .flags = DSC_NULLABLE | DSC_ARRAY),
    DECIMAL("sole_voting_power", "t.sole_voting_power", "Shares with sole voting power.", NULLABLE),
    DECIMAL("shared_voting_power", "t.shared_voting_power", "Shares with shared voting power.", NULLABLE),
    DECIMAL("sole_dispositive_power", "t.sole_dispositive_power", "Shares with sole dispositive power.", NULLABLE),
    DECIMAL("shared_dispositive_power", "t.shared_dispositive_power", "Shares with shared dispositive power.", NULLABLE),
    DECIMAL("aggregate_amount", "t.aggregate_amount", "Shares beneficially owned in all.", NULLABLE),
    BOOLEAN("excludes_shares", "t.excludes_shares", "Whether that leaves certain shares out.", NULLABLE),
    DECIMAL("percent_of_class", "t.percent_of_class", "Percent of the class, as stated: 8.5 is 8.5%.", NULLABLE),
    JSON("rules", "t.rules", "Schedule 13G: rules under which it is filed, 13d-1(b), (c) or (d).",
         .flags = DSC_NULLABLE | DSC_ARRAY),
    JSON("fund_sources", "t.fund_sources",
         "Schedule 13D: sources of funds: WC working capital, PF personal funds, AF affiliate, BK bank, SC subject "
         "company, OO other.", .flags = DSC_NULLABLE | DSC_ARRAY),
    TEXT("fund_description", "t.fund_description", "Schedule 13D: Item 3, source and amount of funds.", NULLABLE),
    TEXT("purpose", "t.purpose", "Schedule 13D: Item 4, purpose of the transaction.", NULLABLE),
    TEXT("comment", "t.comment", "Comment of the person's cover page.", NULLABLE),
    PROVENANCE("beneficial_owner", "Where it comes from.", .filer = "i.cik"));

static const dsc_source_t owner_source = ROWS("beneficial_owner t JOIN " DSC_ISSUER, "t.filing_date", "date");

const dsc_dataset_t dsc_dataset_beneficial_owner = {
    DATASET("beneficial_owner", "beneficial_owner", "Beneficial owners by Schedules 13D and 13G"),
    COLUMNS(
        REQUIRED(TEXT, "form", "form type as filed", .choices = form_choices),
        COLUMN(INTEGER, "amendment_number", "amendments: their number"),
        COLUMN(TEXT, "previous_accession", "amendments: accession number of the schedule that is amended"),
        REQUIRED(DATE, "event_date", "date of the event that requires the filing; the amounts are of that day"),
        REQUIRED(TEXT, "issuer_title", "issuer, as filed"),
        REQUIRED(TEXT, "security_title", "title of the class, as filed"),
        COLUMN(TEXTS, "cusips", "CUSIPs of the class; absent where it has none"),
        COLUMN(INTEGER, "owner_cik", "CIK of the reporting person"),
        REQUIRED(TEXT, "owner_name", "reporting person, as filed"),
        COLUMN(TEXTS, "owner_types", "types of the reporting person: IN, CO, IA, ..."),
        COLUMN(TEXT, "citizenship", "citizenship or place of organization, EDGAR's code of a state or country"),
        COLUMN(TEXT, "group_membership", "whether the person is a member of a group, or disclaims to be", .choices = group_choices),
        COLUMN(DECIMAL, "sole_voting_power", "shares with sole voting power"),
        COLUMN(DECIMAL, "shared_voting_power", "shares with shared voting power"),
        COLUMN(DECIMAL, "sole_dispositive_power", "shares with sole dispositive power"),
        COLUMN(DECIMAL, "shared_dispositive_power", "shares with shared dispositive power"),
        COLUMN(DECIMAL, "aggregate_amount", "shares beneficially owned in all"),
        COLUMN(BOOLEAN, "excludes_shares", "whether that leaves certain shares out"),
        COLUMN(DECIMAL, "percent_of_class", "percent of the class that it is"),
        COLUMN(TEXTS, "rules", "Schedule 13G: rules under which it is filed: 13d-1(b), 13d-1(c), 13d-1(d)"),
        COLUMN(TEXTS, "fund_sources", "Schedule 13D: sources of funds: WC, PF, AF, BK, SC, OO"),
        COLUMN(TEXT, "fund_description", "Schedule 13D: Item 3, source and amount of funds"),
        COLUMN(TEXT, "purpose", "Schedule 13D: Item 4, purpose of the transaction"),
        COLUMN(TEXT, "comment", "comment of the person's cover page"),
        COLUMN(DATE, "filing_date", "date of filing", .flags = DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED)),
    .flags = DSC_OF_FILINGS | DSC_LAST_COUNTS,
    .of_filing = DSC_BY_ACCESSION,
    .date_column = "filing_date",
    .reconcile = "reconcile_beneficial_owners",
    .follows = FOLLOWS({"filing", "redate_schedules"}),
    SHOWN(owner_source, owner_shape),
};

const dsc_endpoint_t dsc_endpoint_beneficial_owners = {
    GET("list_beneficial_owners", "/v1/companies/{symbol}/beneficial-owners"),
    ABOUT("Beneficial owners",
          "Owners of more than five percent of a company's shares, by Schedules 13D and 13G: what each reporting "
          "person owned at each date of event."),
    LIST(owner_source, owner_shape),
    PARAMETERS(
        DSC_PARAMETER_COMPANY,
        QUERY(LITERAL, "forms", "Form types to keep, exactly as filed; repeat the parameter for several.",
              .flags = DSC_REPEATABLE | DSC_PLAN_EACH_TIME, .choices = form_choices, .predicate = "?", .column = "t.form"),
        QUERY(BOOLEAN, "latest_only", "Only the latest statement of each person about a class.", .default_text = "false",
              .predicate = IS_LATEST),
        QUERY(DATE, "start_date", "First filing date.", .predicate = "t.filing_date >= ?"),
        QUERY(DATE, "end_date", "Last filing date.", .predicate = "t.filing_date <= ?"),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("50", 500),
        DSC_PARAMETER_DIRECTION("filing_date"),
        DSC_PARAMETER_AS_OF_BY("t.filing_date")),
};
