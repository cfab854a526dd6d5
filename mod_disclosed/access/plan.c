#include "access/plan.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define SECOND UINT64_C(1000000000)

enum {
    NAME_LENGTH = 31,
    MOST_BURST = 100000
};

static const dsc_plan_t defaults[] = {
    {"free", 0, {SECOND / 2, 10}, {100, 100}, 25, 25, 10, 0, 0},
    {"starter", 10, {SECOND / 10, 50}, {10000, DSC_NO_LIMIT}, 0, 10000, 100, 0, 0},
    {"builder", 20, {SECOND / 30, 150}, {100000, DSC_NO_LIMIT}, 0, 10000, 1000, 1, 1},
    {"enterprise", 30, {SECOND / 200, 1000}, {5000000, DSC_NO_LIMIT}, 0, 100000, 10000, 1, 1},
};

apr_array_header_t *dsc_plans_create(apr_pool_t *pool)
{
    apr_array_header_t *plans = apr_array_make(pool, 8, sizeof(dsc_plan_t));
    size_t i;
    for (i = 0; i < sizeof(defaults) / sizeof(defaults[0]); i++) {
        APR_ARRAY_PUSH(plans, dsc_plan_t) = defaults[i];
    }
    return plans;
}

static dsc_plan_t *find(const apr_array_header_t *plans, const char *name)
{
    int i;
    for (i = 0; i < plans->nelts; i++) {
        dsc_plan_t *plan = &APR_ARRAY_IDX(plans, i, dsc_plan_t);
        if (strcmp(plan->name, name) == 0) {
            return plan;
        }
    }
    return NULL;
}

const dsc_plan_t *dsc_plan_find(const apr_array_header_t *plans, const char *name)
{
    return find(plans, name);
}

int dsc_plan_has(const dsc_plan_t *plan, const char *feature)
{
    return feature == NULL || (strcmp(feature, "webhooks") == 0 && plan->webhooks) ||
           (strcmp(feature, DSC_FEATURE_ALL_FACTS) == 0 && plan->all_facts);
}

const dsc_plan_t *dsc_plan_least(const apr_array_header_t *plans, const char *feature)
{
    const dsc_plan_t *least = NULL;
    int i;
    for (i = 0; i < plans->nelts; i++) {
        const dsc_plan_t *plan = &APR_ARRAY_IDX(plans, i, dsc_plan_t);
        if (dsc_plan_has(plan, feature) && (!least || plan->rank < least->rank)) {
            least = plan;
        }
    }
    return least;
}

/* -------------------------------------------------------------------- settings */

static int read_number(const char *text, uint64_t most, uint64_t *number)
{
    char *end;
    if (!apr_isdigit(*text) || strlen(text) > 18) {
        return 0;
    }
    *number = strtoull(text, &end, 10);
    return *end == '\0' && *number <= most;
}

int dsc_rate_read(const char *text, uint64_t *interval)
{
    static const struct {
        char unit;
        uint64_t seconds;
    } units[] = {{'s', 1}, {'m', 60}, {'h', 3600}, {'d', 86400}};
    const char *slash = strchr(text, '/');
    char digits[12];
    uint64_t requests;
    size_t i;
    if (!slash || slash == text || (size_t)(slash - text) >= sizeof(digits) || !slash[1] ||
        slash[2]) {
        return 0;
    }
    memcpy(digits, text, (size_t)(slash - text));
    digits[slash - text] = '\0';
    for (i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (slash[1] == units[i].unit && read_number(digits, SECOND, &requests) && requests > 0) {
            *interval = units[i].seconds * SECOND / requests;
            return *interval > 0;
        }
    }
    return 0;
}

/* Each reads its setting's text into the plan; 0 when it is not one. */
static int read_rank(dsc_plan_t *plan, const char *text)
{
    uint64_t number;
    int good = read_number(text, 1000, &number);
    plan->rank = good ? (int)number : plan->rank;
    return good;
}

static int read_rate(dsc_plan_t *plan, const char *text)
{
    return dsc_rate_read(text, &plan->rate.interval);
}

static int read_burst(dsc_plan_t *plan, const char *text)
{
    return read_number(text, MOST_BURST, &plan->rate.burst) && plan->rate.burst > 0;
}

static int read_quota(const char *text, uint64_t *quota)
{
    if (strcmp(text, "unlimited") == 0) {
        *quota = DSC_NO_LIMIT;
        return 1;
    }
    return read_number(text, UINT64_C(1000000000000), quota);
}

static int read_day(dsc_plan_t *plan, const char *text)
{
    return read_quota(text, &plan->days[DSC_DAY_ALL]);
}

static int read_earlier(dsc_plan_t *plan, const char *text)
{
    return read_quota(text, &plan->days[DSC_DAY_EARLIER]);
}

static int read_page(dsc_plan_t *plan, const char *text)
{
    uint64_t number = 0;
    int good = strcmp(text, "unlimited") == 0 || (read_number(text, 500, &number) && number > 0);
    plan->page_cap = good ? (int)number : plan->page_cap;
    return good;
}

static int read_export(dsc_plan_t *plan, const char *text)
{
    uint64_t number;
    int good = read_number(text, DSC_MOST_EXPORT_ROWS, &number) && number > 0;
    plan->export_cap = good ? (int)number : plan->export_cap;
    return good;
}

static int read_credits(dsc_plan_t *plan, const char *text)
{
    return read_number(text, UINT64_C(1000000000), &plan->credits);
}

static int read_switch(const char *text, int *on)
{
    *on = strcmp(text, "on") == 0;
    return *on || strcmp(text, "off") == 0;
}

static int read_webhooks(dsc_plan_t *plan, const char *text)
{
    return read_switch(text, &plan->webhooks);
}

static int read_facts(dsc_plan_t *plan, const char *text)
{
    plan->all_facts = strcmp(text, "all") == 0;
    return plan->all_facts || strcmp(text, "default") == 0;
}

static const struct {
    const char *name;
    int (*read)(dsc_plan_t *plan, const char *text);
    const char *allowed;
} settings_table[] = {
    {"rank", read_rank, "a number from 0 to 1000"},
    {"rate", read_rate, "requests in a second, minute, hour or day, e.g. 5/s, 300/m"},
    {"burst", read_burst, "a number of requests from 1 to 100000"},
    {"day", read_day, "a number of requests in a UTC day, or unlimited"},
    {"earlier", read_earlier,
     "a number of requests to the earlier surface in a UTC day, or unlimited"},
    {"page", read_page, "a number of rows from 1 to 500, or unlimited"},
    {"export", read_export, "a number of rows from 1 to 100000"},
    {"credits", read_credits, "a number of ask credits in a month"},
    {"webhooks", read_webhooks, "on or off"},
    {"facts", read_facts, "default or all"},
};

static const char *setting_names(apr_pool_t *pool)
{
    const char *names = settings_table[0].name;
    size_t i;
    for (i = 1; i < sizeof(settings_table) / sizeof(settings_table[0]); i++) {
        names = apr_pstrcat(pool, names, ", ", settings_table[i].name, NULL);
    }
    return names;
}

static const char *set_one(apr_pool_t *pool, dsc_plan_t *plan, char *word)
{
    char *value = strchr(word, '=');
    size_t i;
    if (!value) {
        return apr_psprintf(pool, "\"%s\" is not of the form name=value", word);
    }
    *value++ = '\0';
    for (i = 0; i < sizeof(settings_table) / sizeof(settings_table[0]); i++) {
        if (strcmp(settings_table[i].name, word) == 0) {
            return settings_table[i].read(plan, value)
                       ? NULL
                       : apr_psprintf(pool, "%s: \"%s\" is not %s", word, value,
                                      settings_table[i].allowed);
        }
    }
    return apr_psprintf(pool, "\"%s\" is no setting of a plan: there are %s", word,
                        setting_names(pool));
}

int dsc_plan_is_name(const char *name)
{
    size_t length = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_-");
    return apr_islower(*name) && name[length] == '\0' && length <= NAME_LENGTH;
}

const char *dsc_plan_set(apr_pool_t *pool, apr_array_header_t *plans, const char *name,
                         const char *settings)
{
    dsc_plan_t *known = find(plans, name);
    dsc_plan_t plan = known ? *known : defaults[0];
    const char *error = NULL;
    char *state = NULL, *word;
    if (!dsc_plan_is_name(name)) {
        return apr_psprintf(pool,
                            "\"%s\" is no name of a plan: a lower-case letter and up to 30 "
                            "lower-case letters, digits, _ and -",
                            name);
    }
    plan.name = apr_pstrdup(pool, name);
    for (word = apr_strtok(apr_pstrdup(pool, settings), " \t", &state); word && !error;
         word = apr_strtok(NULL, " \t", &state)) {
        error = set_one(pool, &plan, word);
    }
    if (!error && !known) {
        APR_ARRAY_PUSH(plans, dsc_plan_t) = plan;
    } else if (!error) {
        *known = plan;
    }
    return error;
}
