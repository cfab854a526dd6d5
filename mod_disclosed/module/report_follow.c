#include "module/report_follow.h"

#include "engine/outage.h"
#include "module/watched.h"

#include <apr_strings.h>
#include <http_protocol.h>
#include <util_script.h>

const char *dsc_report_label(request_rec *r, const char *name)
{
    char *text = apr_pstrdup(r->pool, name), *p;
    for (p = text; *p; p++) {
        if (*p == '"' || *p == '\\' || *p == '\n') {
            *p = '_';
        }
    }
    return text;
}

/* ---------------------------------------------------------------------- figures */

static const char *count_text(request_rec *r, uint64_t figure)
{
    return apr_psprintf(r->pool, "%" APR_UINT64_T_FMT, (apr_uint64_t)figure);
}

static const char *time_text(request_rec *r, uint64_t figure)
{
    return apr_psprintf(r->pool, "%.3f", (double)figure / APR_USEC_PER_SEC);
}

double dsc_report_age(uint64_t at)
{
    apr_time_t passed = at ? apr_time_now() - (apr_time_t)at : 0;
    return passed > 0 ? (double)passed / APR_USEC_PER_SEC : 0;
}

/* What never was has no age. */
static const char *lag_text(request_rec *r, uint64_t figure)
{
    return figure == 0 ? "NaN" : apr_psprintf(r->pool, "%.3f", dsc_report_age(figure));
}

static const char *wait_text(request_rec *r, uint64_t figure)
{
    return apr_psprintf(r->pool, "%.3f", dsc_report_age(figure));
}

/* Each has a value for every row of its kind. */
static const struct {
    dsc_followed_kind_t kind;
    int figure;
    const char *name, *type, *help, *label; /* label: of the row's name; NULL: it has none */
    const char *(*text)(request_rec *r, uint64_t figure);
} figures[] = {
    {DSC_FOLLOWED_SOURCE, 0, "follow_lag_seconds", "gauge",
     "Since all that the source lists was read; NaN: never.", NULL, lag_text},
    {DSC_FOLLOWED_SOURCE, 1, "follow_unread_listings", "gauge",
     "Lists of the source that could not be read.", NULL, count_text},
    {DSC_FOLLOWED_DOCUMENT, 0, "follow_newest_timestamp_seconds", "gauge",
     "When the newest document that is stored was published; 0: not told.", "document", time_text},
    {DSC_FOLLOWED_DOCUMENT, 1, "follow_stored_timestamp_seconds", "gauge",
     "When a document was last stored; 0: never.", "document", time_text},
    {DSC_FOLLOWED_DOCUMENT, 2, "follow_documents_wanted", "gauge",
     "Documents that are known and not stored yet.", "document", count_text},
    {DSC_FOLLOWED_DOCUMENT, 3, "follow_backlog_age_seconds", "gauge",
     "Since the first of the documents that are wanted was seen; 0: none is.", "document",
     wait_text},
    {DSC_FOLLOWED_FAILURE, 0, "follow_failures_total", "counter",
     "Lists and documents that could not be read or stored, by the kind of error.", "kind",
     count_text},
};

static int is_followed(const dsc_shared_state_t *state, int database)
{
    const dsc_followed_t *followed = &state->database_slots[database].followed;
    int i;
    for (i = 0; i < DSC_FOLLOWED_ROWS; i++) {
        if (dsc_followed_is_shown(followed, &followed->rows[i])) {
            return 1;
        }
    }
    return 0;
}

/* How old the figures are: they stay as they are while the database is away. */
static double read_age(const dsc_followed_t *followed)
{
    return (double)((uint64_t)dsc_monotonic_now() - atomic_load(&followed->read_at)) /
           APR_USEC_PER_SEC;
}

/* ---------------------------------------------------------------------- metrics */

static void print_head(request_rec *r, const char *name, const char *type, const char *help)
{
    ap_rprintf(r, "# HELP disclosed_%s %s\n# TYPE disclosed_%s %s\n", name, help, name, type);
}

static void print_rows(request_rec *r, const dsc_followed_t *followed, int database, size_t place)
{
    int i;
    for (i = 0; i < DSC_FOLLOWED_ROWS; i++) {
        const dsc_followed_row_t *row = &followed->rows[i];
        const char *label;
        if (!dsc_followed_is_shown(followed, row) || row->kind != (uint32_t)figures[place].kind) {
            continue;
        }
        label = figures[place].label == NULL
                    ? ""
                    : apr_psprintf(r->pool, ",%s=\"%s\"", figures[place].label,
                                   dsc_report_label(r, row->name));
        ap_rprintf(r, "disclosed_%s{database=\"%d\",source=\"%s\"%s} %s\n", figures[place].name,
                   database, dsc_report_label(r, row->source), label,
                   figures[place].text(r, atomic_load(&row->figures[figures[place].figure])));
    }
}

void dsc_report_follow_metrics(request_rec *r, const dsc_shared_state_t *state)
{
    int followed[DSC_DATABASE_SLOTS], count = 0, i;
    size_t place;
    for (i = 0; i < dsc_watched_count(); i++) {
        int slot = dsc_watched_at(i)->database_slot;
        if (is_followed(state, slot)) {
            followed[count++] = slot;
        }
    }
    if (count == 0) {
        return;
    }
    for (place = 0; place < sizeof(figures) / sizeof(figures[0]); place++) {
        print_head(r, figures[place].name, figures[place].type, figures[place].help);
        for (i = 0; i < count; i++) {
            print_rows(r, &state->database_slots[followed[i]].followed, followed[i], place);
        }
    }
    print_head(r, "follow_read_age_seconds", "gauge",
               "Since these figures were read from the database.");
    for (i = 0; i < count; i++) {
        ap_rprintf(r, "disclosed_follow_read_age_seconds{database=\"%d\"} %.3f\n", followed[i],
                   read_age(&state->database_slots[followed[i]].followed));
    }
    print_head(r, "follow_figures_left_out", "gauge",
               "Sources, kinds of documents and of errors for which there was no room here.");
    for (i = 0; i < count; i++) {
        ap_rprintf(r, "disclosed_follow_figures_left_out{database=\"%d\"} %" APR_UINT64_T_FMT "\n",
                   followed[i],
                   (apr_uint64_t)atomic_load(
                       &state->database_slots[followed[i]].followed.left_out));
    }
}

/* ------------------------------------------------------------------- mod_status */

static const char *date_text(request_rec *r, uint64_t at)
{
    char text[APR_RFC822_DATE_LEN];
    if (at == 0) {
        return "never";
    }
    apr_rfc822_date(text, (apr_time_t)at);
    return apr_pstrdup(r->pool, text);
}

/* The state of the row, in words. */
static const char *words_of(request_rec *r, const dsc_followed_row_t *row)
{
    uint64_t figure[DSC_FOLLOWED_FIGURES];
    int i;
    for (i = 0; i < DSC_FOLLOWED_FIGURES; i++) {
        figure[i] = atomic_load(&row->figures[i]);
    }
    if (row->kind == DSC_FOLLOWED_SOURCE) {
        return apr_psprintf(r->pool, "read %s seconds ago, %s lists unread", lag_text(r, figure[0]),
                            count_text(r, figure[1]));
    }
    if (row->kind == DSC_FOLLOWED_DOCUMENT) {
        return apr_psprintf(r->pool, "%s wanted for %s seconds, newest %s, last stored %s",
                            count_text(r, figure[2]), wait_text(r, figure[3]),
                            date_text(r, figure[0]), date_text(r, figure[1]));
    }
    return apr_psprintf(r->pool, "%s failures", count_text(r, figure[0]));
}

static void print_line(request_rec *r, const dsc_followed_row_t *row, int database, int is_short)
{
    const char *between = row->name[0] ? (is_short ? "." : ", ") : "";
    const char *words = words_of(r, row);
    if (is_short) {
        ap_rprintf(r, "DisclosedFollow%d.%s%s%s: %s\n", database, row->source, between, row->name,
                   words);
    } else {
        ap_rprintf(r, "<dt>database %d follows %s%s%s: %s</dt>\n", database,
                   ap_escape_html(r->pool, row->source), between,
                   ap_escape_html(r->pool, row->name), words);
    }
}

void dsc_report_follow_status(request_rec *r, const dsc_shared_state_t *state, int is_short)
{
    int i, j;
    for (i = 0; i < dsc_watched_count(); i++) {
        int slot = dsc_watched_at(i)->database_slot;
        const dsc_followed_t *followed = &state->database_slots[slot].followed;
        for (j = 0; j < DSC_FOLLOWED_ROWS; j++) {
            if (dsc_followed_is_shown(followed, &followed->rows[j])) {
                print_line(r, &followed->rows[j], slot, is_short);
            }
        }
    }
}
