#include "fuzz/no_server.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    MOST_COLUMNS = 4000,
    MOST_VALUES = 10
};

/* A response: rows of text, NULL for SQL NULL. */
typedef struct {
    const char *const *values;
    int columns, rows;
} dsc_response_kind_t;

typedef struct {
    char *table, *name, *not_null, *absent, *indexed;
} dsc_column_line_t;

static int link_address;  /* that of a connection: all that callers see */
static PGresult *pending; /* what the statement that was sent last yields */
static dsc_sink_t *sink;
static void *sink_baton;
static char copying[64];     /* the table; "": no COPY is open */
static const char *tag = ""; /* of the last command */
static dsc_column_line_t lines[MOST_COLUMNS];
static int line_count;

static PGconn *make_link(void *baton, apr_time_t deadline, const char **reason)
{
    (void)baton, (void)deadline, (void)reason;
    return (PGconn *)&link_address;
}

static void end_link(void *baton, PGconn *conn)
{
    (void)baton, (void)conn;
}

dsc_connection_t *dsc_no_server(apr_pool_t *pool)
{
    dsc_connection_config_t config = {0};
    dsc_connection_t *connection;

    config.make = make_link;
    config.unmake = end_link;
    config.limit = apr_time_from_sec(3600);
    connection = dsc_connection_create(pool, &config);
    if (!dsc_connection_ready(connection)) {
        abort(); /* nothing is connected to */
    }
    return connection;
}

void dsc_no_server_sink(dsc_sink_t *function, void *baton)
{
    sink = function;
    sink_baton = baton;
}

/* ------------------------------------------------------------------- descriptions */

static int split(char *text, dsc_column_line_t *line)
{
    char **fields[] = {&line->table, &line->name, &line->not_null, &line->absent, &line->indexed};
    size_t i;

    for (i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
        if (text == NULL) {
            return 0;
        }
        *fields[i] = text;
        text = strpbrk(text, "\t\n");
        if (text != NULL) {
            *text++ = '\0';
        }
    }
    return 1;
}

int dsc_no_server_describe(const char *path)
{
    FILE *file = fopen(path, "r");
    char *text = NULL;
    size_t size = 0;
    int good = file != NULL;

    while (good && line_count < MOST_COLUMNS && getline(&text, &size, file) > 0) {
        good = split(text, &lines[line_count++]); /* the line is kept */
        text = NULL;
        size = 0;
    }
    free(text);
    if (file != NULL) {
        fclose(file);
    }
    return good && line_count > 0;
}

/* ------------------------------------------------------------------------ results */

static PGresult *make_result(const dsc_response_kind_t *response)
{
    static char name[] = "c";
    PGresAttDesc columns[MOST_VALUES];
    PGresult *result = PQmakeEmptyPGresult(NULL, PGRES_TUPLES_OK);
    int row, column;

    memset(columns, 0, sizeof(columns));
    for (column = 0; column < response->columns; column++) {
        columns[column].name = name;
    }
    if (result == NULL ||
        (response->columns > 0 && !PQsetResultAttrs(result, response->columns, columns))) {
        abort(); /* no memory */
    }
    for (row = 0; row < response->rows; row++) {
        for (column = 0; column < response->columns; column++) {
            const char *value = response->values[row * response->columns + column];
            PQsetvalue(result, row, column, (char *)(size_t)value,
                       value == NULL ? -1 : (int)strlen(value));
        }
    }
    return result;
}

static PGresult *one_row(int columns, const char *const *values)
{
    const dsc_response_kind_t response = {values, columns, 1};

    return make_result(&response);
}

static PGresult *one_value(const char *value)
{
    return one_row(1, &value);
}

/* ------------------------------------------------------------------------ responses */

static PGresult *providers(const char *const *parameters)
{
    static const char *const names[] = {"sec",           "finra",
                                        "senate_efd",    "house_clerk",
                                        "exchange_site", "exchange_hist",
                                        "issuer_page",   "vendor_feed_mini",
                                        "service_ir",    "service_transcript",
                                        "fictional"};
    const dsc_response_kind_t response = {names, 1, sizeof(names) / sizeof(names[0])};

    (void)parameters;
    return make_result(&response);
}

static PGresult *columns_of(const char *const *parameters)
{
    const char *table = strchr(parameters[0], '.');
    PGresult *result = make_result(&(dsc_response_kind_t){NULL, 4, 0});
    int i, row = 0;

    for (i = 0; i < line_count; i++) {
        const dsc_column_line_t *line = &lines[i];
        char *values[] = {line->name, line->not_null, *line->absent == '\0' ? NULL : line->absent,
                          line->indexed};
        int column;

        if (table == NULL || strcmp(line->table, table + 1) != 0) {
            continue;
        }
        for (column = 0; column < 4; column++) {
            PQsetvalue(result, row, column, values[column],
                       values[column] == NULL ? -1 : (int)strlen(values[column]));
        }
        row++;
    }
    return result;
}

/* One symbol in three is listed, by a sum of its letters: issuer 1000 and so on. */
static void answer_symbol(PGresult *result, int row, const char *symbol, size_t length)
{
    char issuer[16], location[16];
    unsigned sum = 0;
    size_t i;

    for (i = 0; i < length; i++) {
        sum = sum * 31 + (unsigned char)symbol[i];
    }
    snprintf(location, sizeof(location), "%d", row);
    snprintf(issuer, sizeof(issuer), "%u", 1000 + sum % 100000);
    PQsetvalue(result, row, 0, location, (int)strlen(location));
    PQsetvalue(result, row, 1, issuer, sum % 3 == 0 ? (int)strlen(issuer) : -1);
    PQsetvalue(result, row, 2, issuer, sum % 3 == 0 ? (int)strlen(issuer) : -1);
    PQsetvalue(result, row, 3, NULL, -1);
}

static PGresult *symbol(const char *const *parameters)
{
    PGresult *result = make_result(&(dsc_response_kind_t){NULL, 4, 0});

    answer_symbol(result, 0, parameters[0], strlen(parameters[0]));
    return result;
}

/* The elements of an array literal as the loader writes them: each in quotes, backslashes
 * escape. */
static PGresult *symbols(const char *const *parameters)
{
    PGresult *result = make_result(&(dsc_response_kind_t){NULL, 4, 0});
    const char *at = parameters[0];
    char one_of_them[1000];
    size_t length;
    int row = 0;

    while ((at = strchr(at, '"')) != NULL) {
        for (length = 0, at++; *at != '"' && *at != '\0'; at++) {
            at += *at == '\\';
            if (length < sizeof(one_of_them)) {
                one_of_them[length++] = *at;
            }
        }
        answer_symbol(result, row++, one_of_them, length);
        at += *at == '"';
    }
    return result;
}

/* The end of a day, as good as the database's for this. */
static const char *end_of(const char *day, char text[64])
{
    snprintf(text, 64, "%.10sT23:59:59.999999Z", day == NULL ? "2026-01-01" : day);
    return text;
}

static PGresult *ownership_dates(const char *const *parameters)
{
    const char *day = parameters[2] != NULL   ? parameters[2]
                      : parameters[1] != NULL ? parameters[1]
                                              : parameters[3];
    char text[64], date[11];
    const char *values[4];

    snprintf(date, sizeof(date), "%.10s", day == NULL ? "2026-01-01" : day);
    values[0] = parameters[1] != NULL ? parameters[1] : end_of(day, text);
    values[1] = date;
    values[2] = values[3] = "f";
    return one_row(4, values);
}

/* No issuer is missing, and none lacks a name. */
static PGresult *issuers(const char *const *parameters)
{
    static const char *const values[] = {"f", "f"};

    (void)parameters;
    return one_row(2, values);
}

/* The dates of forms of a data set, by the array of their days of filing. None of them has a
 * document, and nothing of them is stored. */
static PGresult *set_dates(const char *const *parameters)
{
    enum {
        IS_MOVED = 3,
        COLUMNS = 10
    };
    PGresult *result = make_result(&(dsc_response_kind_t){NULL, COLUMNS, 0});
    const char *at = parameters[1];

    for (int row = 0; (at = strpbrk(at, "0123456789")) != NULL; row++) {
        char date[11], text[64];
        const char *known;

        snprintf(date, sizeof(date), "%.10s", at);
        known = end_of(date, text);
        PQsetvalue(result, row, 0, (char *)(uintptr_t)known, (int)strlen(known));
        PQsetvalue(result, row, 1, date, (int)strlen(date));
        for (int column = 2; column < COLUMNS; column++) {
            PQsetvalue(result, row, column, (char *)(uintptr_t)(column <= IS_MOVED ? "f" : "0"), 1);
        }
        at += strlen(date);
    }
    return result;
}

/* Without a day of filing a report of holdings is known when it was due at the latest: a day that
 * no file names. */
static PGresult *fund_dates(const char *const *parameters)
{
    char text[64];
    const char *values[2];

    values[0] = parameters[1];
    values[1] = parameters[3] != NULL ? parameters[3] : end_of(parameters[4], text);
    return one_row(2, values);
}

/* The date of a report of a data set, by its day of filing. It has no document, and nothing of it
 * is stored. */
static PGresult *fund_set_date(const char *const *parameters)
{
    char text[64];
    const char *values[] = {end_of(parameters[2], text), "f", "f", "0"};

    return one_row(4, values);
}

/* What identify_congress_trades() says of rows of which nothing is stored, as far as it is needed
 * here: the words as they are, and a key of what the row says with a counter. */
static void identify_trade(PGresult *result, int row, const char *chamber, const json_t *trade,
                           const json_t *rows)
{
    static const char *const parts[] = {"report_id",   "transaction_date", "transaction_type",
                                        "owner",       "ticker",           "asset_name",
                                        "amount_range"};
    static const char *const names[] = {"party", "owner", "ticker", "asset_name", "asset_type"};
    char key[900] = "", number[16];
    size_t i, part, count = 1;

    snprintf(number, sizeof(number), "%d", row);
    PQsetvalue(result, row, 0, number, (int)strlen(number));
    for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char *text = (char *)(size_t)json_string_value(json_object_get(trade, names[i]));
        PQsetvalue(result, row, (int)i + 1, text, text == NULL ? -1 : (int)strlen(text));
    }
    for (i = 0; i < (size_t)row; i++) {
        const json_t *other = json_array_get(rows, i);
        for (part = 0;
             part < sizeof(parts) / sizeof(parts[0]) &&
             (json_object_get(trade, parts[part]) == json_object_get(other, parts[part]) ||
              json_equal(json_object_get(trade, parts[part]), json_object_get(other, parts[part])));
             part++) {
        }
        count += part == sizeof(parts) / sizeof(parts[0]);
    }
    snprintf(key, sizeof(key), "%s", chamber);
    for (part = 0; part < sizeof(parts) / sizeof(parts[0]); part++) {
        const char *text = json_string_value(json_object_get(trade, parts[part]));
        size_t length = strlen(key);
        snprintf(key + length, sizeof(key) - length, "/%.100s", text == NULL ? "-" : text);
    }
    snprintf(key + strlen(key), sizeof(key) - strlen(key), "/%u", (unsigned)count);
    for (part = 0; key[part] != '\0'; part++) { /* no half of a letter */
        key[part] = ((unsigned char)key[part] & 0x80) != 0 ? '_' : key[part];
    }
    PQsetvalue(result, row, 6, key, (int)strlen(key));
    PQsetvalue(result, row, 7, NULL, -1);
    PQsetvalue(result, row, 8, key, (int)strlen(key));
}

static PGresult *congress_trades(const char *const *parameters)
{
    PGresult *result = make_result(&(dsc_response_kind_t){NULL, 9, 0});
    json_t *rows = json_loads(parameters[1], 0, NULL);
    size_t i;

    if (rows == NULL) {
        abort(); /* the database would refuse it */
    }
    for (i = 0; i < json_array_size(rows); i++) {
        identify_trade(result, (int)i, parameters[0], json_array_get(rows, i), rows);
    }
    json_decref(rows);
    return result;
}

static PGresult *yes(const char *const *parameters)
{
    (void)parameters;
    return one_value("t");
}

static PGresult *no(const char *const *parameters)
{
    (void)parameters;
    return one_value("f");
}

static PGresult *one(const char *const *parameters)
{
    (void)parameters;
    return one_value("1");
}

/* Numbers that no source has yet. */
static PGresult *source_numbers(const char *const *parameters)
{
    static unsigned long last;
    char text[24];
    PGresult *result = make_result(&(dsc_response_kind_t){NULL, 1, 0});
    int row;

    (void)parameters;
    for (row = 0; row < 64; row++) {
        PQsetvalue(result, row, 0, text, snprintf(text, sizeof(text), "%lu", ++last % 1000000000));
    }
    return result;
}

static PGresult *zero(const char *const *parameters)
{
    (void)parameters;
    return one_value("0");
}

static PGresult *nothing(const char *const *parameters)
{
    (void)parameters;
    return one_value(NULL);
}

static PGresult *now(const char *const *parameters)
{
    (void)parameters;
    return one_value("2026-01-01T00:00:00.000000Z");
}

/* What a statement holds, and how it is answered; the first that fits. Any other yields no row. */
static const struct {
    const char *text;
    PGresult *(*response)(const char *const *parameters);
} responses[] = {
    {"FROM disclosed.source_provider", providers},
    {"FROM pg_attribute a LEFT JOIN pg_attrdef", columns_of},
    {"RETURNING import_run_id", one},
    {"(SELECT $1::text AS symbol) s", symbol},
    {"disclosed.listings_meant(s.spellings, s.stated, s.day) m", symbols},
    {"SELECT coalesce(bool_or(", issuers},
    {"SELECT NOT EXISTS (SELECT 1 FROM pg_temp.stage_", yes},
    {"SELECT count(*) FROM more", zero},
    {"cardinality(x.concepts) > $2", no},
    {"SELECT nextval('disclosed.source_id')", source_numbers},
    {"disclosed.accession_of_report(", nothing},
    {"disclosed.dates_of_reports($1::text[], NULL", set_dates},
    {"disclosed.stored_report(", ownership_dates},
    {"disclosed.dates_of_schedule(", ownership_dates},
    {"disclosed.date_of_fund_report($1, $2, NULL", fund_set_date},
    {"disclosed.date_of_fund_report(", fund_dates},
    {"disclosed.identify_congress_trades(", congress_trades},
    {"clock_timestamp()) AT TIME ZONE 'UTC'", now},
};

static PGresult *response(const char *sql, const char *const *parameters)
{
    size_t i;

    tag = strcmp(sql, "COMMIT") == 0 ? "COMMIT" : "";
    for (i = 0; i < sizeof(responses) / sizeof(responses[0]); i++) {
        if (strstr(sql, responses[i].text) != NULL) {
            return responses[i].response(parameters);
        }
    }
    return make_result(&(dsc_response_kind_t){NULL, 0, 0});
}

/* ---------------------------------------------------------------- libpq's functions */

static int yield_later(PGresult *result)
{
    PQclear(pending);
    pending = result;
    return 1;
}

int PQsendQueryParams(PGconn *conn, const char *command, int nParams, const Oid *paramTypes,
                      const char *const *paramValues, const int *paramLengths,
                      const int *paramFormats, int resultFormat)
{
    (void)conn, (void)nParams, (void)paramTypes, (void)paramLengths, (void)paramFormats,
        (void)resultFormat;
    return yield_later(response(command, paramValues));
}

/* A statement's name stands for its text: what a prepared one is called with is its text again. */
typedef struct {
    char name[32];
    char *sql;
} dsc_prepared_t;

static dsc_prepared_t prepared[4096];
static int prepared_count;

int PQsendPrepare(PGconn *conn, const char *stmtName, const char *query, int nParams,
                  const Oid *paramTypes)
{
    dsc_prepared_t *one_more =
        &prepared[prepared_count++ % (int)(sizeof(prepared) / sizeof(prepared[0]))];

    (void)conn, (void)nParams, (void)paramTypes;
    snprintf(one_more->name, sizeof(one_more->name), "%s", stmtName);
    free(one_more->sql);
    one_more->sql = strdup(query);
    return yield_later(PQmakeEmptyPGresult(NULL, PGRES_COMMAND_OK));
}

int PQsendQueryPrepared(PGconn *conn, const char *stmtName, int nParams,
                        const char *const *paramValues, const int *paramLengths,
                        const int *paramFormats, int resultFormat)
{
    int most = (int)(sizeof(prepared) / sizeof(prepared[0]));
    int i;

    (void)conn, (void)nParams, (void)paramLengths, (void)paramFormats, (void)resultFormat;
    for (i = prepared_count - 1; i >= 0 && i >= prepared_count - most;
         i--) { /* the newest of that name */
        if (strcmp(prepared[i % most].name, stmtName) == 0) {
            return yield_later(response(prepared[i % most].sql, paramValues));
        }
    }
    abort(); /* it was never prepared */
}

int PQsendQuery(PGconn *conn, const char *query)
{
    (void)conn;
    if (strncmp(query, "COPY ", 5) == 0) {
        const char *name = strchr(query, '.') + 1;
        snprintf(copying, sizeof(copying), "%.*s", (int)strcspn(name, " ("), name);
        return yield_later(PQmakeEmptyPGresult(NULL, PGRES_COPY_IN));
    }
    tag = "";
    return yield_later(
        PQmakeEmptyPGresult(NULL, PGRES_COMMAND_OK)); /* nothing is asked like this */
}

int PQputCopyData(PGconn *conn, const char *buffer, int nbytes)
{
    const char *data = buffer, *end = buffer + nbytes;

    (void)conn;
    if (*copying == '\0' || (nbytes > 0 && end[-1] != '\n')) {
        abort(); /* no COPY, or half a row */
    }
    while (data < end) {
        const char *stop = memchr(data, '\n', (size_t)(end - data));
        if (sink != NULL) {
            sink(sink_baton, copying, data, (size_t)(stop - data));
        }
        data = stop + 1;
    }
    return 1;
}

int PQputCopyEnd(PGconn *conn, const char *error)
{
    (void)conn, (void)error;
    *copying = '\0';
    return yield_later(PQmakeEmptyPGresult(NULL, PGRES_COMMAND_OK));
}

PGresult *PQgetResult(PGconn *conn)
{
    PGresult *result = pending;

    (void)conn;
    pending = NULL;
    return result;
}

/* All is there at once. */
int PQflush(PGconn *conn)
{
    (void)conn;
    return 0;
}

int PQisBusy(PGconn *conn)
{
    (void)conn;
    return 0;
}

int PQsetnonblocking(PGconn *conn, int arg)
{
    (void)conn, (void)arg;
    return 0;
}

PGVerbosity PQsetErrorVerbosity(PGconn *conn, PGVerbosity verbosity)
{
    (void)conn;
    return verbosity;
}

PQnoticeReceiver PQsetNoticeReceiver(PGconn *conn, PQnoticeReceiver proc, void *arg)
{
    (void)conn, (void)arg;
    return proc;
}

char *PQcmdStatus(PGresult *result)
{
    (void)result;
    return (char *)(size_t)tag;
}

char *PQcmdTuples(PGresult *result)
{
    static char none[] = "0";

    (void)result;
    return none;
}

ConnStatusType PQstatus(const PGconn *conn)
{
    (void)conn;
    return CONNECTION_OK;
}

char *PQerrorMessage(const PGconn *conn)
{
    static char none[] = "";

    (void)conn;
    return none;
}

char *PQescapeLiteral(PGconn *conn, const char *str, size_t len)
{
    (void)conn;
    return strndup(str, len);
}

/* ------------------------------------------------------------------------ the clock */

static apr_time_t clock_offset;

/* In place of the library's. */
apr_time_t apr_time_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return apr_time_from_sec(now.tv_sec) + now.tv_nsec / 1000 + clock_offset;
}

void dsc_no_server_clock(apr_time_t begin)
{
    clock_offset = 0;
    clock_offset = begin ? begin - apr_time_now() : 0;
}
