#include "describe/tag.h"

#include "engine/shape.h"

#include <string.h>

static const struct {
    const char *name, *description;
} tags[] = {
    {"Companies", "Listed companies, their executives and contacts."},
    {"Filings",
     "Filings with the SEC: their texts, exhibits, XBRL facts, statements and calculations."},
    {"Fundamentals", "Canonical metrics of companies, reported and derived, and their dictionary."},
    {"KPIs", "Metrics over time: companies' own, canonical ones, and those of segments."},
    {"Insider transactions", "Transactions of insiders, from Forms 4 and 5."},
    {"Institutions", "Holdings of institutional investment managers, from Form 13F."},
    {"Documents", "Investor-relations documents and their pages."},
    {"Transcripts", "Transcripts of earnings calls and other events."},
    {"Events", "Corporate events, past and upcoming."},
    {"Short interest", "Short positions, by FINRA settlement date."},
    {"Corporate actions", "Dividends, splits and other corporate actions."},
    {"Funds", "Funds that hold a company, from Form N-PORT."},
    {"Congressional trades", "Trades that members of Congress reported."},
    {"Beneficial owners", "Owners of more than five percent, from Schedules 13D and 13G."},
    {"Coverage", "The amount of data, and its providers."},
    {"Provenance", "Where a data point comes from."},
    {"Search", "Full-text search over filings, exhibits, transcripts and documents."},
    {"Ask", "Questions that are answered with cited statements."},
    {"Description", "Descriptions of this API for machines."},
    {"Webhooks", "Subscriptions to new records, and their deliveries."},
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
