/* What a number is derived from, by src_id. Those of reports and of lines of the balance sheet are stored with it. The others are of numbers of the same
 * company and unit, whose src_ids follow from what they are: a look at each of them would take half of a page's time. */
#include "datasets/fundamental.h"
#include "engine/digest.h"
#include "engine/result.h"
#include "engine/shape_walk.h"
#include "engine/value.h"

#include <string.h>

enum {
    INPUTS,
    RULE,
    METRICS,
    BALANCES,
    EARLIER_QUARTERS,
    START,
    END,
    KIND,
    UNIT,
    ISSUER
};

static void write_inputs(dsc_buffer_t *body, const dsc_result_t *result, int column);

const dsc_writer_t dsc_number_inputs = {
    .types = DSC_WIRE_BIT(DSC_WIRE_UUIDS),
    .columns = {
        [RULE - 1] = {"t.rule", DSC_WIRE_BIT(DSC_WIRE_TEXT)},
        [METRICS - 1] = {"CASE t.rule WHEN 'formula' THEN m.term_keys WHEN 'four_quarters' THEN ARRAY[m.metric_key] END", DSC_WIRE_BIT(DSC_WIRE_TEXTS)},
        [BALANCES - 1] = {"CASE t.rule WHEN 'formula' THEN m.term_balances END", DSC_WIRE_BIT(DSC_WIRE_TEXTS)},
        [EARLIER_QUARTERS - 1] = {"t.earlier_quarters", DSC_WIRE_BIT(DSC_WIRE_INTEGER)},
        [START - 1] = {"t.start_date", DSC_WIRE_BIT(DSC_WIRE_DATE)},
        [END - 1] = {"t.end_date", DSC_WIRE_BIT(DSC_WIRE_DATE)},
        [KIND - 1] = {"t.period_kind", DSC_WIRE_BIT(DSC_WIRE_TEXT)},
        [UNIT - 1] = {"t.unit", DSC_WIRE_BIT(DSC_WIRE_TEXT)},
        [ISSUER - 1] = {"coalesce(i.cik, i.issuer_id)", DSC_WIRE_BIT(DSC_WIRE_INTEGER)},
    },
    .write = write_inputs,
};

/* Appends the src_id of the issuer's number whose key is of these: want_numbers() in SQL makes the digests of the rows in the same way. The key stands in
 * the body until it is digested. */
static void append_number(dsc_buffer_t *body, const dsc_result_t *result, int column, dsc_slice_t metric, long long day, dsc_slice_t kind)
{
    static const dsc_slice_t dataset = {"fundamental", sizeof("fundamental") - 1};
    const unsigned char end[4] = {(unsigned char)((unsigned long long)day >> 24), (unsigned char)((unsigned long long)day >> 16),
                                  (unsigned char)((unsigned long long)day >> 8), (unsigned char)day};
    unsigned char digest[DSC_SHA256_SIZE];
    size_t start = body->length;

    dsc_buffer_append_text(body, "fundamental\nsec\n");
    dsc_wire_text(body, DSC_WIRE_INTEGER, dsc_result_value(result, column + ISSUER));
    dsc_buffer_append_char(body, '\n');
    dsc_buffer_append(body, metric.data, metric.length);
    dsc_buffer_append_char(body, '/');
    dsc_wire_text(body, DSC_WIRE_DATE, (dsc_slice_t){(const char *)end, sizeof(end)});
    dsc_buffer_append_char(body, '/');
    dsc_buffer_append(body, kind.data, kind.length);
    dsc_buffer_append_char(body, '/');
    dsc_wire_text(body, DSC_WIRE_TEXT, dsc_result_value(result, column + UNIT));
    dsc_sha256(body->data + start, body->length - start, digest);
    body->length = start;
    dsc_buffer_append_char(body, ',');
    dsc_row_src_id(body, dataset, (dsc_slice_t){(const char *)digest, 16});
}

/* Terms of a formula: of the number's own period, or the balance before it or at its end. */
static void append_terms(dsc_buffer_t *body, const dsc_result_t *result, int column)
{
    static const dsc_slice_t instant = {"instant", sizeof("instant") - 1};
    dsc_wire_array_t metrics = dsc_wire_array(dsc_result_value(result, column + METRICS));
    dsc_wire_array_t balances = dsc_wire_array(dsc_result_value(result, column + BALANCES));
    long long end = dsc_wire_integer(dsc_result_value(result, column + END));
    dsc_slice_t metric, balance = {0};

    while (dsc_wire_next(&metrics, &metric)) {
        int is_balance = dsc_wire_next(&balances, &balance) && balance.data;
        int is_opening = is_balance && dsc_slice_is(balance, "opening");

        append_number(body, result, column, metric, is_opening ? dsc_wire_integer(dsc_result_value(result, column + START)) - 1 : end,
                      is_balance ? instant : dsc_result_value(result, column + KIND));
    }
}

/* Four quarters, the latest first: quarter_ends() in SQL says the same of how the others are told by their days. */
static void append_quarters(dsc_buffer_t *body, const dsc_result_t *result, int column)
{
    static const dsc_slice_t quarter = {"quarter", sizeof("quarter") - 1};
    dsc_wire_array_t metrics = dsc_wire_array(dsc_result_value(result, column + METRICS));
    long long end = dsc_wire_integer(dsc_result_value(result, column + END));
    long long earlier = dsc_wire_integer(dsc_result_value(result, column + EARLIER_QUARTERS));
    const long long days[] = {end, end - (earlier >> 18), end - (earlier >> 9 & 511), end - (earlier & 511)};
    dsc_slice_t metric;
    int i;

    if (!dsc_wire_next(&metrics, &metric)) {
        return;
    }
    for (i = 0; i < DSC_COUNT(days); i++) {
        append_number(body, result, column, metric, days[i], quarter);
    }
}

static void append_stored(dsc_buffer_t *body, const dsc_result_t *result, int column, dsc_slice_t rule)
{
    dsc_slice_t dataset = {"fundamental", sizeof("fundamental") - 1}, digest;
    dsc_wire_array_t rest = dsc_wire_array(dsc_result_value(result, column + INPUTS));

    if (dsc_slice_is(rule, "difference")) {
        dataset = (dsc_slice_t){"xbrl_report", sizeof("xbrl_report") - 1};
    }
    while (dsc_wire_next(&rest, &digest)) {
        dsc_buffer_append_char(body, ',');
        dsc_row_src_id(body, dataset, digest);
    }
}

static void write_inputs(dsc_buffer_t *body, const dsc_result_t *result, int column)
{
    dsc_slice_t rule = dsc_result_value(result, column + RULE);
    size_t start = body->length;

    if (dsc_slice_is(rule, "formula")) {
        append_terms(body, result, column);
    } else if (dsc_slice_is(rule, "four_quarters")) {
        append_quarters(body, result, column);
    } else {
        append_stored(body, result, column, rule);
    }
    if (body->length == start) {
        dsc_buffer_append(body, "null", 4);
        return;
    }
    body->data[start] = '['; /* in place of the first comma */
    dsc_buffer_append_char(body, ']');
}
