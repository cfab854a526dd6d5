#include "describe/tag.h"

#include "engine/shape.h"

#include <string.h>

static const struct {
    const char *name, *description;
} tags[] = {
    {"Companies", "Listed companies and the people who speak for them."},
    {"Filings",
     "Filings with the SEC: their texts, exhibits, XBRL numbers, statements and calculations."},
    {"Fundamentals", "Canonical metrics of companies, reported and derived, and their dictionary."},
    {"KPIs", "Metrics over time: companies' own, canonical ones, and those of segments."},
    {"Insider transactions", "Transactions of insiders, by Forms 4 and 5."},
    {"Institutions", "Holdings of institutional managers, by Form 13F."},
    {"Documents", "Investor-relations documents and their pages."},
    {"Transcripts", "Transcripts of earnings calls and other events."},
    {"Events", "Corporate events, past and to come."},
    {"Short interest", "Short positions, by FINRA's settlement dates."},
    {"Corporate actions", "Dividends, splits and other corporate actions."},
    {"Funds", "Funds that hold a company, by Form N-PORT."},
    {"Congressional trades", "Trades that members of Congress reported."},
    {"Beneficial owners", "Owners of more than five percent, by Schedules 13D and 13G."},
    {"Coverage", "How much data there is, and from whom it may come."},
    {"Provenance", "Where a data point comes from."},
    {"Search", "Passages of texts that have the words."},
    {"Ask", "Questions, with cited statements in reply."},
    {"Description", "Descriptions of this API for machines."},
    {"Webhooks", "Deliveries of what is new to endpoints of yours."},
};

const char *dsc_tag_description(const char *name)
{
    int i;
    for (i = 0; i < DSC_COUNT(tags); i++) {
        if (strcmp(tags[i].name, name) == 0) {
            return tags[i].description;
        }
    }
    return NULL;
}
