#include "module/config_access.h"

#include "engine/calendar.h"
#include "module/config.h"

#include <apr_date.h>
#include <apr_fnmatch.h>
#include <apr_lib.h>
#include <apr_strings.h>
#include <apr_uri.h>
#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

enum {
    SUNSET_DAYS = 90 /* breaking changes are announced that long ahead (contract, Versioning 3) */
};

#define SECOND UINT64_C(1000000000)

typedef struct {
    const char *name, *settings;
} plan_line_t;

/* A number for endpoints: a weight, or what they cost. */
typedef struct {
    const char *pattern;
    int number;
} number_line_t;

typedef struct {
    const char *pattern, *plan;
} gate_line_t;

typedef struct {
    const char *pattern;
    int on;
} switch_line_t;

/* What holds if DisclosedAddressLimit is not given. */
static const dsc_rate_t default_address = {SECOND / 20, 200};

/* ----------------------------------------------------------------------- lines */

void dsc_access_lines_init(apr_pool_t *pool, dsc_access_lines_t *lines)
{
    lines->plans = apr_array_make(pool, 4, sizeof(plan_line_t));
    lines->weights = apr_array_make(pool, 4, sizeof(number_line_t));
    lines->costs = apr_array_make(pool, 4, sizeof(number_line_t));
    lines->gates = apr_array_make(pool, 4, sizeof(gate_line_t));
    lines->deprecations = apr_array_make(pool, 4, sizeof(dsc_deprecation_t));
    lines->address.interval = UINT64_MAX;
}

void dsc_access_lines_merge(apr_pool_t *pool, const dsc_access_lines_t *base,
                            const dsc_access_lines_t *added, dsc_access_lines_t *merged)
{
    merged->plans = apr_array_append(pool, base->plans, added->plans);
    merged->weights = apr_array_append(pool, base->weights, added->weights);
    merged->costs = apr_array_append(pool, base->costs, added->costs);
    merged->gates = apr_array_append(pool, base->gates, added->gates);
    merged->deprecations = apr_array_append(pool, base->deprecations, added->deprecations);
    merged->address = added->address.interval == UINT64_MAX ? base->address : added->address;
}

static apr_array_header_t *make_plans(apr_pool_t *pool, const dsc_access_lines_t *lines)
{
    apr_array_header_t *plans = dsc_plans_create(pool);
    int i;
    for (i = 0; i < lines->plans->nelts; i++) {
        const plan_line_t *line = &APR_ARRAY_IDX(lines->plans, i, plan_line_t);
        (void)dsc_plan_set(pool, plans, line->name, line->settings); /* was checked when read */
    }
    return plans;
}

const char *dsc_access_check(apr_pool_t *pool, const dsc_access_lines_t *lines)
{
    apr_array_header_t *plans = make_plans(pool, lines);
    int i;
    for (i = 0; i < lines->gates->nelts; i++) {
        const gate_line_t *line = &APR_ARRAY_IDX(lines->gates, i, gate_line_t);
        if (!dsc_plan_find(plans, line->plan)) {
            return apr_psprintf(pool, "DisclosedRequirePlan %s: there is no plan \"%s\"",
                                line->pattern, line->plan);
        }
    }
    return NULL;
}

static int fits(const char *pattern, const char *name)
{
    return apr_fnmatch(pattern, name, 0) == APR_SUCCESS;
}

/* The number of the last line that fits; that of none is `otherwise`. */
static int number_of(const apr_array_header_t *lines, const char *name, int otherwise)
{
    int i;
    for (i = lines->nelts - 1; i >= 0; i--) {
        const number_line_t *line = &APR_ARRAY_IDX(lines, i, number_line_t);
        if (fits(line->pattern, name)) {
            return line->number;
        }
    }
    return otherwise;
}

static void apply(const dsc_access_lines_t *lines, const char *name, const char **gate,
                  const dsc_deprecation_t **deprecation)
{
    int i;
    for (i = 0; i < lines->gates->nelts; i++) {
        const gate_line_t *line = &APR_ARRAY_IDX(lines->gates, i, gate_line_t);
        *gate = fits(line->pattern, name) ? line->plan : *gate;
    }
    for (i = 0; i < lines->deprecations->nelts; i++) {
        const dsc_deprecation_t *line = &APR_ARRAY_IDX(lines->deprecations, i, dsc_deprecation_t);
        *deprecation = fits(line->pattern, name) ? line : *deprecation;
    }
}

dsc_access_t *dsc_access_make(apr_pool_t *pool, const dsc_access_lines_t *lines,
                              const dsc_registry_t *registry)
{
    apr_size_t count = (apr_size_t)registry->count;
    int *weights = apr_palloc(pool, count * sizeof(*weights));
    int *costs = apr_palloc(pool, count * sizeof(*costs));
    const char **gates = apr_pcalloc(pool, count * sizeof(*gates));
    const dsc_deprecation_t **deprecations = apr_pcalloc(pool, count * sizeof(*deprecations));
    dsc_access_t *access = apr_pcalloc(pool, sizeof(*access));
    int i;
    for (i = 0; i < registry->count; i++) {
        const char *name = registry->operations[i].endpoint->name;
        weights[i] = number_of(lines->weights, name, 1);
        costs[i] = number_of(lines->costs, name, registry->operations[i].endpoint->credit_cost);
        apply(lines, name, &gates[i], &deprecations[i]);
    }
    access->plans = make_plans(pool, lines);
    access->address = lines->address.interval == UINT64_MAX ? default_address : lines->address;
    access->weights = weights;
    access->costs = costs;
    access->gates = gates;
    access->deprecations = deprecations;
    return access;
}

/* ------------------------------------------------------------------ directives */

static dsc_access_lines_t *lines_of(cmd_parms *cmd)
{
    return &dsc_server_config(cmd->server)->access_lines;
}

/* NULL when the pattern fits an endpoint, else the error. */
static const char *pattern_error(cmd_parms *cmd, const char *pattern)
{
    return dsc_endpoint_fits(pattern) ? NULL
                                      : apr_psprintf(cmd->pool, "%s: no endpoint is called \"%s\"",
                                                     cmd->cmd->name, pattern);
}

const char *dsc_set_plan(cmd_parms *cmd, void *directory, const char *arguments)
{
    dsc_access_lines_t *lines = lines_of(cmd);
    const char *name = ap_getword_conf(cmd->pool, &arguments);
    const char *error;
    plan_line_t *line;
    (void)directory;
    if (!*name || !*arguments) {
        return "DisclosedPlan: takes the name of a plan and settings, e.g. "
               "DisclosedPlan starter rate=10/s burst=50 day=10000";
    }
    error = dsc_plan_set(cmd->pool, make_plans(cmd->pool, lines), name, arguments);
    if (error) {
        return apr_psprintf(cmd->pool, "DisclosedPlan %s: %s", name, error);
    }
    line = apr_array_push(lines->plans);
    line->name = name;
    line->settings = apr_pstrdup(cmd->pool, arguments);
    return NULL;
}

static int read_number(const char *text, int least, int most, int *number)
{
    char *end;
    long value = strtol(text, &end, 10);
    *number = (int)value;
    return apr_isdigit(*text) && !*end && value >= least && value <= most;
}

const char *dsc_set_address_limit(cmd_parms *cmd, void *directory, const char *rate,
                                  const char *burst)
{
    dsc_access_lines_t *lines = lines_of(cmd);
    int count;
    (void)directory;
    if (!dsc_rate_read(rate, &lines->address.interval)) {
        return apr_psprintf(cmd->pool,
                            "DisclosedAddressLimit: \"%s\" is not a rate, e.g. 20/s or 300/m",
                            rate);
    }
    if (!read_number(burst, 1, 100000, &count)) {
        return apr_psprintf(cmd->pool,
                            "DisclosedAddressLimit: \"%s\" is not a number of requests from 1 to "
                            "100000",
                            burst);
    }
    lines->address.burst = (uint64_t)count;
    return NULL;
}

/* A directive that gives endpoints a number: where its lines go and what is allowed. */
typedef struct {
    const char *name;
    size_t lines;
    int least, most;
    const char *unit;
} number_directive_t;

static const number_directive_t number_directives[] = {
    {"DisclosedWeight", APR_OFFSETOF(dsc_access_lines_t, weights), 1, 1000, "requests"},
    {"DisclosedCredits", APR_OFFSETOF(dsc_access_lines_t, costs), 0, 1000000, "credits"},
};

/* The row of the directive; there is one for each that has this setter. */
static const number_directive_t *find_row(const char *name)
{
    const number_directive_t *row = number_directives;
    while (strcmp(row->name, name) != 0) {
        row++;
    }
    return row;
}

const char *dsc_set_endpoint_number(cmd_parms *cmd, void *directory, const char *pattern,
                                    const char *number)
{
    const number_directive_t *row = find_row(cmd->cmd->name);
    const char *error = pattern_error(cmd, pattern);
    number_line_t *line;
    int value;
    (void)directory;
    if (error) {
        return error;
    }
    if (!read_number(number, row->least, row->most, &value)) {
        return apr_psprintf(cmd->pool, "%s: \"%s\" is not a number of %s from %d to %d", row->name,
                            number, row->unit, row->least, row->most);
    }
    line = apr_array_push(*(apr_array_header_t **)((char *)lines_of(cmd) + row->lines));
    line->pattern = pattern;
    line->number = value;
    return NULL;
}

const char *dsc_set_gate(cmd_parms *cmd, void *directory, const char *pattern, const char *plan)
{
    const char *error = pattern_error(cmd, pattern);
    gate_line_t *line;
    (void)directory;
    if (error) {
        return error;
    }
    line = apr_array_push(lines_of(cmd)->gates);
    line->pattern = pattern;
    line->plan = plan;
    return NULL;
}

/* Digits where YYYY-MM-DD has them: sscanf() takes signs and blanks for some. */
static int has_digits_of_day(const char *text)
{
    static const char form[] = "dddd-dd-dd";
    size_t i;
    for (i = 0; i < sizeof(form) - 1; i++) {
        if (form[i] == 'd' ? !apr_isdigit(text[i]) : text[i] != form[i]) {
            return 0;
        }
    }
    return !text[i];
}

/* YYYY-MM-DD to its first instant, UTC. */
static int read_day(const char *text, apr_time_t *at)
{
    int year, month, of_month;
    if (!has_digits_of_day(text) || sscanf(text, "%4d-%2d-%2d", &year, &month, &of_month) != 3 ||
        year < 1 || month < 1 || month > 12 || of_month < 1 ||
        of_month > dsc_month_length(year, month)) {
        return 0;
    }
    *at = apr_time_from_sec((apr_time_t)dsc_day(year, month, of_month) * 86400);
    return 1;
}

/* Whether a URL has a port that can be; one that is empty or none is the scheme's. */
static int has_port(const apr_uri_t *uri)
{
    long port = uri->port_str && *uri->port_str ? strtol(uri->port_str, NULL, 10) : 1;
    return port >= 1 && port <= 65535;
}

/* Whether a URL has a host that can be: what is in brackets is an IPv6 address. */
static int has_host(const apr_uri_t *uri)
{
    static const char characters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._";
    struct in6_addr address;
    if (!uri->hostname || !*uri->hostname) {
        return 0;
    }
    return strchr(uri->hostinfo, '[') ? inet_pton(AF_INET6, uri->hostname, &address) == 1
                                      : !uri->hostname[strspn(uri->hostname, characters)];
}

/* Whether all bytes may be in a URL as they are (RFC 3986): ASCII, and a % before two digits
 * alone. */
static int is_escaped(const char *url)
{
    for (; *url; url++) {
        unsigned char byte = (unsigned char)*url;
        if (byte <= ' ' || byte >= 0x7F || strchr("\"<>\\^`{|}", byte) ||
            (byte == '%' && !(apr_isxdigit(url[1]) && apr_isxdigit(url[2])))) {
            return 0;
        }
    }
    return 1;
}

const char *dsc_url_error(apr_pool_t *pool, const char *text)
{
    apr_uri_t uri;

    if ((strncmp(text, "http://", 7) != 0 && strncmp(text, "https://", 8) != 0) ||
        apr_uri_parse(pool, text, &uri) != APR_SUCCESS || !has_host(&uri) || !has_port(&uri) ||
        !is_escaped(text)) {
        return apr_psprintf(pool, "\"%s\" is not an absolute http:// or https:// URL", text);
    }
    return NULL;
}

const char *dsc_set_deprecation(cmd_parms *cmd, void *directory, int count, char *const words[])
{
    dsc_deprecation_t *line;
    apr_time_t deprecated, sunset;
    char *date = apr_palloc(cmd->pool, APR_RFC822_DATE_LEN);
    const char *error;
    (void)directory;
    if (count < 3 || count > 4) {
        return "DisclosedDeprecation: takes an endpoint or pattern, the day of the deprecation, the "
               "day of the sunset (both YYYY-MM-DD) and, if there is one, a URL that explains it";
    }
    if ((error = pattern_error(cmd, words[0]))) {
        return error;
    }
    if (!read_day(words[1], &deprecated) || !read_day(words[2], &sunset)) {
        return apr_psprintf(cmd->pool,
                            "DisclosedDeprecation: \"%s\" and \"%s\" are not both days "
                            "(YYYY-MM-DD)",
                            words[1], words[2]);
    }
    if (sunset - deprecated < apr_time_from_sec(SUNSET_DAYS * 86400)) {
        return apr_psprintf(cmd->pool,
                            "DisclosedDeprecation: the sunset, %s, is less than %d days "
                            "after the deprecation, %s",
                            words[2], SUNSET_DAYS, words[1]);
    }
    if (count == 4 && (error = dsc_url_error(cmd->pool, words[3]))) {
        return apr_pstrcat(cmd->pool, "DisclosedDeprecation: ", error, NULL);
    }
    apr_rfc822_date(date, sunset);
    line = apr_array_push(lines_of(cmd)->deprecations);
    line->pattern = words[0];
    line->deprecation = apr_psprintf(cmd->pool, "@%" APR_TIME_T_FMT, apr_time_sec(deprecated));
    line->sunset = date;
    line->link = count == 4 ? apr_pstrcat(cmd->pool, "<", words[3],
                                          ">; rel=\"deprecation\"; type=\"text/html\"", NULL)
                            : NULL;
    return NULL;
}

/* -------------------------------------------------------------------- switches */

void *dsc_directory_config_create(apr_pool_t *pool, char *path)
{
    dsc_directory_config_t *config = apr_palloc(pool, sizeof(*config));
    (void)path;
    config->switches = apr_array_make(pool, 0, sizeof(switch_line_t));
    return config;
}

void *dsc_directory_config_merge(apr_pool_t *pool, void *base_config, void *added_config)
{
    const dsc_directory_config_t *base = base_config, *added = added_config;
    dsc_directory_config_t *merged = apr_palloc(pool, sizeof(*merged));
    merged->switches = apr_array_append(pool, base->switches, added->switches);
    return merged;
}

int dsc_directory_enabled(const dsc_directory_config_t *config, const dsc_operation_t *operation)
{
    int i;
    for (i = config->switches->nelts - 1; i >= 0; i--) {
        const switch_line_t *line = &APR_ARRAY_IDX(config->switches, i, switch_line_t);
        if (fits(line->pattern, operation->endpoint->name)) {
            return line->on;
        }
    }
    return 1;
}

/* Whether a section around the line is called so, or so with "Match" behind it. */
static int stands_in(const cmd_parms *cmd, const char *section)
{
    const ap_directive_t *around;
    for (around = cmd->directive->parent; around; around = around->parent) {
        if (strncasecmp(around->directive, section, strlen(section)) == 0) {
            return 1;
        }
    }
    return 0;
}

/* NULL if lines apply. httpd looks at the <If> of a directory when it has walked to a file in it,
 * which it never does for the API. */
static const char *context_error(cmd_parms *cmd)
{
    const char *error = ap_check_cmd_context(cmd, NOT_IN_LIMIT | NOT_IN_PROXY | NOT_IN_HTACCESS);
    if (!error && stands_in(cmd, "<Files")) {
        return "DisclosedEndpoint: the API has no files, so it would never apply here; use "
               "<Directory> or <Location>";
    }
    if (!error && stands_in(cmd, "<Directory") && ap_check_cmd_context(cmd, NOT_IN_FILES)) {
        return "DisclosedEndpoint: it would never apply in an <If> within a <Directory>; put the "
               "<If> into the server or a <Location>";
    }
    return error;
}

const char *dsc_set_endpoint(cmd_parms *cmd, void *directory, const char *pattern,
                             const char *state)
{
    dsc_directory_config_t *config = directory;
    const char *error = pattern_error(cmd, pattern);
    int on = strcasecmp(state, "on") == 0;
    switch_line_t *line;
    if (error || (error = context_error(cmd))) {
        return error;
    }
    if (!on && strcasecmp(state, "off") != 0) {
        return apr_psprintf(cmd->pool, "DisclosedEndpoint: \"%s\" is neither On nor Off", state);
    }
    line = apr_array_push(config->switches);
    line->pattern = pattern;
    line->on = on;
    return NULL;
}
