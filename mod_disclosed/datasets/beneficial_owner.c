/* Beneficial owners of more than five percent of a class: Schedules 13D and 13G under Sections 13(d) and 13(g) of the
 * Exchange Act. */
#include "datasets/datasets.h"

CHOICES(form_choices, "SCHEDULE 13D", "SCHEDULE 13D/A", "SCHEDULE 13G", "SCHEDULE 13G/A");
CHOICES(group_choices, "member", "disclaimed");

static const dsc_shape_t person_shape = SHAPE("BeneficialOwnerPerson", "A reporting person of a Schedule 13D or 13G.",
    TEXT("name", "t.owner_name", "Name of the reporting person, as filed."),
    CIK("cik", "t.owner_cik", "CIK of the reporting person; null if the schedule states none.", NULLABLE),
    JSON("types", "t.owner_types",
         "Types of reporting person: IN individual, CO corporation, PN partnership, IA investment adviser, IV investment company, HC parent "
         "holding company or control person, BD broker-dealer, BK bank, IC insurance company, SA savings association, EP employee benefit plan, CP "
         "church plan, FI non-U.S. institution, OO other; null if none is stated.",
         .flags = DSC_NULLABLE | DSC_ARRAY),
    TEXT("citizenship", "t.citizenship", "Citizenship or place of organization, as EDGAR's code of a state or country; null if not stated.", NULLABLE),
    TEXT("group", "t.group_membership",
         "Group membership: member, or disclaimed; null if the schedule marks neither.", NULLABLE));

/* The latest statement of a person is the one that none has restated: now, or by the instant. */
#define IS_LATEST "{present:t.restated_at IS NULL}{past:(t.restated_at IS NULL OR t.restated_at > {value:as_of})}"

static const dsc_shape_t owner_shape = SHAPE(
    "BeneficialOwner", "Beneficial ownership of a class of securities by one reporting person, as stated on Schedule 13D or 13G.",
    INTEGER("id", "t.id", "Record ID, the same in all versions of the record."),
    TEXT("symbol", "i.symbol", "Symbol (TICKER:MARKET) of the issuer's primary listing; null if it has none.", NULLABLE),
    TEXT("ticker", "i.ticker", "Ticker of the issuer's primary listing; null if it has none.", NULLABLE),
    CIK("company_cik", "i.cik", "CIK of the issuer; null if it has none.", NULLABLE),
    OBJECT("owner", person_shape, "The reporting person."),
    TEXT("form", "t.form", "Form type, as filed."),
    INTEGER("amendment_number", "t.amendment_number", "Number of the amendment; null if the form is no amendment or states no number.", NULLABLE),
    DATE("event_date", "t.event_date", "Date of the event that requires the filing. The amounts are as of this date."),
    DATE("filing_date", "t.filing_date",
         "Filing date; the date of signature if the source states no filing date."),
    BOOLEAN("is_latest", IS_LATEST, "Whether this is the person's latest statement about the class."),
    TEXT("security_title", "t.security_title", "Title of the class of securities, as filed."),
    JSON("cusips", "t.cusips", "CUSIPs of the class; null if it has none.",
         .flags = DSC_NULLABLE | DSC_ARRAY),
    DECIMAL("sole_voting_power", "t.sole_voting_power", "Number of shares with sole voting power; null if not stated.", NULLABLE),
    DECIMAL("shared_voting_power", "t.shared_voting_power", "Number of shares with shared voting power; null if not stated.", NULLABLE),
    DECIMAL("sole_dispositive_power", "t.sole_dispositive_power", "Number of shares with sole dispositive power; null if not stated.", NULLABLE),
    DECIMAL("shared_dispositive_power", "t.shared_dispositive_power",
          "Number of shares with shared dispositive power; null if not stated.", NULLABLE),
    DECIMAL("aggregate_amount", "t.aggregate_amount", "Total number of shares beneficially owned; null if not stated.", NULLABLE),
    BOOLEAN("excludes_shares", "t.excludes_shares", "Whether aggregate_amount excludes certain shares; null if not stated.", NULLABLE),
    DECIMAL("percent_of_class", "t.percent_of_class", "aggregate_amount in percent of the class, as stated: 8.5 means 8.5%; null if not stated.", NULLABLE),
    JSON("rules", "t.rules", "Schedule 13G: the rules under which it is filed, 13d-1(b), (c) or (d); null if none is stated.",
         .flags = DSC_NULLABLE | DSC_ARRAY),
    JSON("fund_sources", "t.fund_sources",
         "Schedule 13D: sources of funds: WC working capital, PF personal funds, AF affiliate, BK bank, SC subject company, OO other; null if none "
         "is stated.", .flags = DSC_NULLABLE | DSC_ARRAY),
    TEXT("fund_description", "t.fund_description", "Schedule 13D, Item 3: source and amount of funds; null if not stated.", NULLABLE),
    TEXT("purpose", "t.purpose", "Schedule 13D, Item 4: purpose of the transaction; null if not stated.", NULLABLE),
    TEXT("comment", "t.comment", "Comment on the person's cover page; null if there is none.", NULLABLE),
    PROVENANCE("beneficial_owner", "Source of the record.", .filer = "i.cik"));

static const dsc_source_t owner_source = ROWS("beneficial_owner t JOIN " DSC_ISSUER, "t.filing_date", "date");

const dsc_dataset_t dsc_dataset_beneficial_owner = {
    DATASET("beneficial_owner", "beneficial_owner", "Beneficial owners, from Schedules 13D and 13G"),
    COLUMNS(
        REQUIRED(TEXT, "form", "form type, as filed", .choices = form_choices),
        COLUMN(INTEGER, "amendment_number", "amendments only: number of the amendment"),
        COLUMN(TEXT, "previous_accession", "amendments only: accession number of the amended schedule"),
        REQUIRED(DATE, "event_date", "date of the event that requires the filing; the amounts are as of this date"),
        REQUIRED(TEXT, "issuer_title", "name of the issuer, as filed"),
        REQUIRED(TEXT, "security_title", "title of the class of securities, as filed"),
        COLUMN(TEXTS, "cusips", "CUSIPs of the class; absent if it has none"),
        COLUMN(INTEGER, "owner_cik", "CIK of the reporting person"),
        REQUIRED(TEXT, "owner_name", "name of the reporting person, as filed"),
        COLUMN(TEXTS, "owner_types", "types of the reporting person: IN, CO, IA, ..."),
        COLUMN(TEXT, "citizenship", "citizenship or place of organization, EDGAR's code of a state or country"),
        COLUMN(TEXT, "group_membership", "whether the person is a member of a group, or disclaims to be", .choices = group_choices),
        COLUMN(DECIMAL, "sole_voting_power", "number of shares with sole voting power"),
        COLUMN(DECIMAL, "shared_voting_power", "number of shares with shared voting power"),
        COLUMN(DECIMAL, "sole_dispositive_power", "number of shares with sole dispositive power"),
        COLUMN(DECIMAL, "shared_dispositive_power", "number of shares with shared dispositive power"),
        COLUMN(DECIMAL, "aggregate_amount", "total number of shares beneficially owned"),
        COLUMN(BOOLEAN, "excludes_shares", "whether aggregate_amount excludes certain shares"),
        COLUMN(DECIMAL, "percent_of_class", "aggregate_amount in percent of the class"),
        COLUMN(TEXTS, "rules", "Schedule 13G: rules under which it is filed: 13d-1(b), 13d-1(c), 13d-1(d)"),
        COLUMN(TEXTS, "fund_sources", "Schedule 13D: sources of funds: WC, PF, AF, BK, SC, OO"),
        COLUMN(TEXT, "fund_description", "Schedule 13D, Item 3: source and amount of funds"),
        COLUMN(TEXT, "purpose", "Schedule 13D, Item 4: purpose of the transaction"),
        COLUMN(TEXT, "comment", "comment on the person's cover page"),
        COLUMN(DATE, "filing_date", "filing date", .flags = DSC_COLUMN_REQUIRED | DSC_COLUMN_NOT_COMPARED)),
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
          "Owners of more than five percent of a class of a company's shares, from Schedules 13D and 13G: the holdings of each reporting person at "
          "each event date."),
    LIST(owner_source, owner_shape),
    PARAMETERS(
        DSC_PARAMETER_COMPANY,
        QUERY(LITERAL, "forms", "Only these form types, exactly as filed; repeat the parameter for several.",
              .flags = DSC_REPEATABLE | DSC_PLAN_EACH_TIME, .choices = form_choices, .predicate = "?", .column = "t.form"),
        QUERY(BOOLEAN, "latest_only", "Only the latest statement of each person about a class.", .default_text = "false",
              .predicate = IS_LATEST),
        QUERY(DATE, "start_date", "Earliest filing date, inclusive.", .predicate = "t.filing_date >= ?"),
        QUERY(DATE, "end_date", "Latest filing date, inclusive.", .predicate = "t.filing_date <= ?"),
        DSC_PARAMETER_CURSOR,
        DSC_PARAMETERS_ROWS("50", 500),
        DSC_PARAMETER_DIRECTION("filing_date"),
        DSC_PARAMETER_AS_OF_BY("t.filing_date")),
};
