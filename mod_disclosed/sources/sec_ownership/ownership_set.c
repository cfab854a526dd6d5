#include "sources/sec_ownership/ownership_set.h"

#include "engine/buffer.h"
#include "engine/shape.h"
#include "formats/delimited.h"
#include "formats/import_location.h"
#include "loader/loader_value.h"
#include "sources/sec_ownership/ownership_footnote.h"
#include "sources/shared/ownership_xml.h"

#include <apr_hash.h>
#include <apr_strings.h>
#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum {
    TABLE_FORMS,
    TABLE_OWNERS = DSC_OWNERSHIP_TABLE_OWNERS,
    TABLE_FOOTNOTES = DSC_OWNERSHIP_TABLE_FOOTNOTES,
    TABLE_N = DSC_OWNERSHIP_TABLE_ROWS,
    TABLE_NH,
    TABLE_D,
    TABLE_DH
};

/* The kinds of rows, as bits. */
enum {
    OF_N = 1 << TABLE_N,
    OF_NH = 1 << TABLE_NH,
    OF_D = 1 << TABLE_D,
    OF_DH = 1 << TABLE_DH,
    OF_TRANSACTIONS = OF_N | OF_D,
    OF_HOLDINGS = OF_NH | OF_DH,
    OF_DERIVATIVES = OF_D | OF_DH,
    OF_ALL = OF_TRANSACTIONS | OF_HOLDINGS
};

#define NAMES(...)                                                                                 \
    (const char *const[])                                                                          \
    {                                                                                              \
        __VA_ARGS__, NULL                                                                          \
    }

/* ------------------------------------------------------------------- columns */

enum {
    FORM_FILED,
    FORM_PERIOD,
    FORM_ORIGINAL,
    FORM_NOT_SUBJECT,
    FORM_TYPE,
    FORM_ISSUER_CIK,
    FORM_ISSUER_NAME,
    FORM_SYMBOL,
    FORM_REMARKS,
    FORM_10B5_1,
    FORM_NO_SECURITIES
};

static const dsc_table_column_t form_columns[] = {
    [FORM_FILED] = {NAMES("filingdate"), 1},
    [FORM_PERIOD] = {NAMES("periodofreport"), 1},
    [FORM_ORIGINAL] = {NAMES("dateoforigsub"), 1},
    [FORM_NOT_SUBJECT] = {NAMES("notsubjectsec16"), 1},
    [FORM_TYPE] = {NAMES("documenttype"), 1},
    [FORM_ISSUER_CIK] = {NAMES("issuercik"), 1},
    [FORM_ISSUER_NAME] = {NAMES("issuername"), 1},
    [FORM_SYMBOL] = {NAMES("issuertradingsymbol"), 1},
    [FORM_REMARKS] = {NAMES("remarks"), 1},
    [FORM_10B5_1] = {NAMES("aff10b5one"), 0}, /* since 2023 */
    [FORM_NO_SECURITIES] = {NAMES("nosecuritiesowned"), 0},
};

enum {
    OWNER_CIK,
    OWNER_NAME,
    OWNER_RELATIONSHIP,
    OWNER_TITLE,
    OWNER_TEXT
};

static const dsc_table_column_t owner_columns[] = {
    [OWNER_CIK] = {NAMES("rptownercik"), 1},
    [OWNER_NAME] = {NAMES("rptownername"), 1},
    [OWNER_RELATIONSHIP] = {NAMES("rptownerrelationship"), 1},
    [OWNER_TITLE] = {NAMES("rptownertitle"), 1},
    [OWNER_TEXT] = {NAMES("rptownertxt"), 1},
};

enum {
    NOTE_ID,
    NOTE_TEXT
};

static const dsc_table_column_t note_columns[] = {
    [NOTE_ID] = {NAMES("footnoteid"), 1},
    [NOTE_TEXT] = {NAMES("footnotetxt"), 1},
};

/* The values of rows in the order of the form, which is that of their footnotes: V(element, type,
 * where it goes, names of its column, kinds of rows that have it, names of the column of its
 * footnotes, kinds that have those). */
#define ROW_VALUES(V)                                                                              \
    V("securityTitle", TEXT, AT(security_title), NAMES("securitytitle"), OF_ALL,                   \
      NAMES("securitytitlefn"), OF_ALL)                                                            \
    V("conversionOrExercisePrice", NUMBER, AT(conversion_price), NAMES("convexerciseprice"),       \
      OF_DERIVATIVES, NAMES("convexercisepricefn"), OF_DERIVATIVES)                                \
    V("transactionDate", DATE, AT(transaction_date), NAMES("transdate"), OF_TRANSACTIONS,          \
      NAMES("transdatefn"), OF_TRANSACTIONS)                                                       \
    V("deemedExecutionDate", TEXT, NOWHERE, NAMES("deemedexecutiondate"), OF_TRANSACTIONS,         \
      NAMES("deemedexecutiondatefn"), OF_TRANSACTIONS)                                             \
    V("transactionCoding", TEXT, AT(transaction_code), NAMES("transcode"), OF_TRANSACTIONS,        \
      NAMES("equityswaptranscdfn", "equityswapinvolvedfn", "transformtypefn"), OF_ALL)             \
    V("equitySwapInvolved", BOOLEAN, AT(equity_swap), NAMES("equityswapinvolved"),                 \
      OF_TRANSACTIONS, NAMES(""), 0)                                                               \
    V("transactionTimeliness", TEXT, AT(timeliness), NAMES("transtimeliness"), OF_TRANSACTIONS,    \
      NAMES("transtimelinessfn"), OF_TRANSACTIONS)                                                 \
    V("transactionShares", NUMBER, AT(shares), NAMES("transshares"), OF_TRANSACTIONS,              \
      NAMES("transsharesfn"), OF_TRANSACTIONS)                                                     \
    V("transactionTotalValue", NUMBER, AT(total_value), NAMES("transtotalvalue"), OF_D,            \
      NAMES("transtotalvaluefn"), OF_D)                                                            \
    V("transactionPricePerShare", NUMBER, AT(price), NAMES("transpricepershare"), OF_TRANSACTIONS, \
      NAMES("transpricepersharefn"), OF_TRANSACTIONS)                                              \
    V("transactionAcquiredDisposedCode", TEXT, AT(acquired_disposed),                              \
      NAMES("transacquireddispcd"), OF_TRANSACTIONS, NAMES("transacquireddispcdfn"),               \
      OF_TRANSACTIONS)                                                                             \
    V("exerciseDate", DATE, AT(exercise_date), NAMES("excercisedate", "exercisedate"),             \
      OF_DERIVATIVES, NAMES("excercisedatefn", "exercisedatefn"), OF_DERIVATIVES)                  \
    V("expirationDate", DATE, AT(expiration_date), NAMES("expirationdate"), OF_DERIVATIVES,        \
      NAMES("expirationdatefn"), OF_DERIVATIVES)                                                   \
    V("underlyingSecurityTitle", TEXT, AT(underlying_title), NAMES("undlyngsectitle"),             \
      OF_DERIVATIVES, NAMES("undlyngsectitlefn"), OF_DERIVATIVES)                                  \
    V("underlyingSecurityShares", NUMBER, AT(underlying_shares), NAMES("undlyngsecshares"),        \
      OF_DERIVATIVES, NAMES("undlyngsecsharesfn"), OF_DERIVATIVES)                                 \
    V("underlyingSecurityValue", TEXT, NOWHERE, NAMES("undlyngsecvalue"), OF_DERIVATIVES,          \
      NAMES("undlyngsecvaluefn"), OF_DERIVATIVES)                                                  \
    V("sharesOwnedFollowingTransaction", NUMBER, AT(shares_owned), NAMES("shrsowndfolwngtrans"),   \
      OF_ALL, NAMES("shrsowndfolwngtransfn"), OF_ALL)                                              \
    V("valueOwnedFollowingTransaction", NUMBER, AT(value_owned), NAMES("valuowndfolwngtrans"),     \
      OF_ALL, NAMES("valuowndfolwngtransfn"), OF_ALL)                                              \
    V("directOrIndirectOwnership", TEXT, AT(ownership), NAMES("directindirectownership"), OF_ALL,  \
      NAMES("directindirectownershipfn"), OF_ALL)                                                  \
    V("natureOfOwnership", TEXT, AT(ownership_nature), NAMES("natureofownership"), OF_ALL,         \
      NAMES("natureofownershipfn"), OF_ALL)

#define AT(member) offsetof(dsc_ownership_row_t, member)
#define NOWHERE    ((size_t)-1)

#define ROW_VALUE(element, type, place, names, kinds, note_names, note_kinds)                      \
    {element, DSC_OWNED_##type, place},

static const struct {
    const char *element;
    dsc_owned_type_t type;
    size_t place;
} row_values[] = {ROW_VALUES(ROW_VALUE)};

/* The key comes first, then each value and its footnotes. */
#define KEY_COLUMN                                                                                 \
    {                                                                                              \
        NAMES("nonderivtranssk", "nonderivholdingsk", "derivtranssk", "derivholdingsk"), 1         \
    }
#define VALUE_COLUMN(i) (1 + 2 * (i))
#define NOTES_COLUMN(i) (2 + 2 * (i))

#define N_COLUMNS(element, type, place, names, kinds, note_names, note_kinds)                      \
    {names, ((kinds)&OF_N) != 0}, {note_names, ((note_kinds)&OF_N) != 0},
#define NH_COLUMNS(element, type, place, names, kinds, note_names, note_kinds)                     \
    {names, ((kinds)&OF_NH) != 0}, {note_names, ((note_kinds)&OF_NH) != 0},
#define D_COLUMNS(element, type, place, names, kinds, note_names, note_kinds)                      \
    {names, ((kinds)&OF_D) != 0}, {note_names, ((note_kinds)&OF_D) != 0},
#define DH_COLUMNS(element, type, place, names, kinds, note_names, note_kinds)                     \
    {names, ((kinds)&OF_DH) != 0}, {note_names, ((note_kinds)&OF_DH) != 0},

static const dsc_table_column_t n_columns[] = {KEY_COLUMN, ROW_VALUES(N_COLUMNS)};
static const dsc_table_column_t nh_columns[] = {KEY_COLUMN, ROW_VALUES(NH_COLUMNS)};
static const dsc_table_column_t d_columns[] = {KEY_COLUMN, ROW_VALUES(D_COLUMNS)};
static const dsc_table_column_t dh_columns[] = {KEY_COLUMN, ROW_VALUES(DH_COLUMNS)};

const dsc_report_table_t dsc_ownership_tables[DSC_OWNERSHIP_TABLES] = {
    [TABLE_FORMS] = {"SUBMISSION", form_columns, DSC_COUNT(form_columns), .day = "filingdate"},
    [TABLE_OWNERS] = {"REPORTINGOWNER", owner_columns, DSC_COUNT(owner_columns), .needs_rows = 1},
    [TABLE_FOOTNOTES] = {"FOOTNOTES", note_columns, DSC_COUNT(note_columns)},
    [TABLE_N] = {"NONDERIV_TRANS", n_columns, DSC_COUNT(n_columns)},
    [TABLE_NH] = {"NONDERIV_HOLDING", nh_columns, DSC_COUNT(nh_columns)},
    [TABLE_D] = {"DERIV_TRANS", d_columns, DSC_COUNT(d_columns)},
    [TABLE_DH] = {"DERIV_HOLDING", dh_columns, DSC_COUNT(dh_columns)},
};

int dsc_ownership_set_has(const char *name)
{
    for (int i = 0; i < DSC_OWNERSHIP_TABLES; i++) {
        if (dsc_is_table_file(name, dsc_ownership_tables[i].name)) {
            return 1;
        }
    }
    return dsc_is_table_file(name, "OWNER_SIGNATURE");
}

int dsc_ownership_set_leads(const char *name)
{
    return dsc_is_table_file(name, dsc_ownership_tables[TABLE_FORMS].name);
}

/* ------------------------------------------------------------------- footnotes */

typedef struct {
    const char *id, *text;
    int is_referred_to, position;
} note_t;

typedef struct {
    apr_pool_t *pool;
    apr_array_header_t *texts; /* note_t, by their ids */
    apr_hash_t *by_id;         /* note_t */
    const char *twice;         /* an id that two texts have; NULL: none */
    size_t stored;
    int textless;
    const char *lacking, *lacking_at; /* as dsc_ownership_form_t */
} notes_t;

static int compare_notes(const void *one, const void *two)
{
    const note_t *a = one, *b = two;
    int order = dsc_footnote_compare(a->id, b->id);

    return order ? order : a->position - b->position;
}

static void sort_notes(apr_array_header_t *notes)
{
    if (notes->nelts > 1) {
        qsort(notes->elts, (size_t)notes->nelts, sizeof(note_t), compare_notes);
    }
}

/* The footnotes that a field such as "F1, F10" names, in their order. */
static apr_array_header_t *references(apr_pool_t *pool, const char *field)
{
    apr_array_header_t *found = apr_array_make(pool, 2, sizeof(note_t));
    const char *at = field ? field : "";

    while (*(at += strspn(at, ", ;"))) {
        size_t length = strcspn(at, ", ;");

        APR_ARRAY_PUSH(found, note_t) =
            (note_t){.id = apr_pstrmemdup(pool, at, length), .position = found->nelts};
        at += length;
    }
    sort_notes(found);
    return found;
}

static note_t *text_of(const notes_t *notes, const char *id)
{
    return apr_hash_get(notes->by_id, id, APR_HASH_KEY_STRING);
}

/* Notes what the rows refer to. */
static void note_references(notes_t *notes, const dsc_table_line_t *line)
{
    for (int i = 0; i < DSC_COUNT(row_values); i++) {
        apr_array_header_t *found = references(notes->pool, line->fields[NOTES_COLUMN(i)]);

        for (int k = 0; k < found->nelts; k++) {
            const char *id = APR_ARRAY_IDX(found, k, note_t).id;
            note_t *text = text_of(notes, id);

            if (text) {
                text->is_referred_to = 1;
            } else if (!notes->lacking) {
                notes->lacking = id;
                notes->lacking_at = line->location;
            }
            notes->textless += !text || !text->text;
        }
    }
}

/* What is wrong with a line of a footnote, or NULL: rows that name it would be without it. */
static const char *note_error(apr_pool_t *pool, const dsc_table_line_t *line)
{
    for (int i = 0; i < DSC_COUNT(note_columns); i++) {
        if (line->fields[i] && !dsc_text_is_utf8(line->fields[i])) {
            return apr_pstrcat(pool, line->location, ": not valid UTF-8", NULL);
        }
    }
    return NULL;
}

static const char *read_notes(notes_t *notes, const apr_array_header_t *lines)
{
    const char *error = NULL;

    for (int i = 0; i < lines->nelts; i++) {
        const dsc_table_line_t *line = &APR_ARRAY_IDX(lines, i, dsc_table_line_t);

        if (line->table == TABLE_FOOTNOTES) {
            const char *text = line->fields[NOTE_TEXT];

            error = error ? error : note_error(notes->pool, line);
            APR_ARRAY_PUSH(notes->texts, note_t) =
                (note_t){.id = line->fields[NOTE_ID],
                         .text = text ? dsc_owned_squeeze(apr_pstrdup(notes->pool, text)) : NULL,
                         .position = notes->texts->nelts};
        }
    }
    sort_notes(notes->texts);
    for (int i = notes->texts->nelts - 1; i >= 0; i--) {
        note_t *text = &APR_ARRAY_IDX(notes->texts, i, note_t);

        if (text->id) {
            notes->twice = text_of(notes, text->id) ? text->id : notes->twice;
            apr_hash_set(notes->by_id, text->id, APR_HASH_KEY_STRING, text);
        }
    }
    for (int i = 0; i < lines->nelts; i++) {
        const dsc_table_line_t *line = &APR_ARRAY_IDX(lines, i, dsc_table_line_t);

        if (line->table >= TABLE_N) {
            note_references(notes, line);
        }
    }
    return error ? error : notes->twice ? dsc_footnote_twice(notes->pool, notes->twice) : NULL;
}

/* All footnotes of a row; those that no row refers to are each one's. */
static const char *row_footnotes(notes_t *notes, const dsc_table_line_t *line, int is_holding)
{
    json_t *list = json_array();

    for (int i = 0; i < DSC_COUNT(row_values); i++) {
        apr_array_header_t *found = references(notes->pool, line->fields[NOTES_COLUMN(i)]);
        const char *field = dsc_footnote_field(row_values[i].element, is_holding);

        for (int k = 0; k < found->nelts; k++) {
            const char *id = APR_ARRAY_IDX(found, k, note_t).id;
            const note_t *text = text_of(notes, id);

            dsc_footnote_add(&notes->stored, list, id, field, text ? text->text : NULL);
        }
    }
    for (int i = 0; i < notes->texts->nelts; i++) {
        const note_t *text = &APR_ARRAY_IDX(notes->texts, i, note_t);

        if (!text->is_referred_to) {
            dsc_footnote_add(&notes->stored, list, text->id, NULL, text->text);
        }
    }
    return dsc_footnote_list(notes->pool, list);
}

/* The footnotes that replace numbers and dates, each once. */
static const char *row_quote(const notes_t *notes, const dsc_table_line_t *line)
{
    dsc_buffer_t *quote = dsc_buffer_create(notes->pool, 256);
    apr_hash_t *quoted = apr_hash_make(notes->pool);

    for (int i = 0; i < DSC_COUNT(row_values); i++) {
        int stands_in =
            (row_values[i].type == DSC_OWNED_NUMBER || row_values[i].type == DSC_OWNED_DATE) &&
            !line->fields[VALUE_COLUMN(i)];
        apr_array_header_t *found =
            references(notes->pool, stands_in ? line->fields[NOTES_COLUMN(i)] : NULL);

        for (int k = 0; k < found->nelts; k++) {
            const note_t *text = text_of(notes, APR_ARRAY_IDX(found, k, note_t).id);

            if (text && text->text && !apr_hash_get(quoted, &text->text, sizeof text->text)) {
                apr_hash_set(quoted, &text->text, sizeof text->text, text);
                dsc_buffer_append_text(quote, quote->length > 0 ? "\n" : "");
                dsc_buffer_append_text(quote, text->text);
            }
        }
    }
    return quote->length > 0 ? apr_pstrdup(notes->pool, dsc_buffer_text(quote)) : NULL;
}

/* ------------------------------------------------------------------- rows */

typedef enum {
    NEEDS_VALUE,
    NEEDS_VALUE_OR_NOTE
} need_t;

/* What the SEC's schema asks of a row, as of the document's. */
static const struct {
    const char *element;
    int kinds;
    need_t need;
} required[] = {
    {"securityTitle", OF_ALL, NEEDS_VALUE},
    {"conversionOrExercisePrice", OF_DERIVATIVES, NEEDS_VALUE_OR_NOTE},
    {"transactionDate", OF_TRANSACTIONS, NEEDS_VALUE},
    {"transactionCoding", OF_TRANSACTIONS, NEEDS_VALUE},
    {"transactionPricePerShare", OF_TRANSACTIONS, NEEDS_VALUE_OR_NOTE},
    {"transactionAcquiredDisposedCode", OF_TRANSACTIONS, NEEDS_VALUE},
    {"exerciseDate", OF_DERIVATIVES, NEEDS_VALUE_OR_NOTE},
    {"expirationDate", OF_DERIVATIVES, NEEDS_VALUE_OR_NOTE},
    {"underlyingSecurityTitle", OF_DERIVATIVES, NEEDS_VALUE},
    {"directOrIndirectOwnership", OF_ALL, NEEDS_VALUE},
};

static const char *const amounts[] = {"transactionShares", "transactionTotalValue",
                                      "underlyingSecurityShares", "underlyingSecurityValue"};

/* The tables do not state the schema. The last forms of schemas before X0203, which required less,
 * were filed in 2008. */
static int is_early(const char *filed_on)
{
    return strcmp(filed_on, "2009") < 0;
}

static const char *const *value_of(const dsc_table_line_t *line, const char *element)
{
    int i = 0;

    while (strcmp(row_values[i].element, element) != 0) {
        i++;
    }
    return &line->fields[VALUE_COLUMN(i)]; /* its footnotes stand behind it */
}

static const char *schema_error(apr_pool_t *pool, const dsc_table_line_t *line)
{
    int count = line->table == TABLE_D ? DSC_COUNT(amounts) : 2, i;

    for (i = 0; i < DSC_COUNT(required); i++) {
        const char *const *value = value_of(line, required[i].element);

        if (((1 << line->table) & required[i].kinds) && !value[0] &&
            (required[i].need == NEEDS_VALUE || !value[1])) {
            return apr_pstrcat(pool, required[i].element,
                               required[i].need == NEEDS_VALUE
                                   ? " has no value"
                                   : " has neither a value nor a footnote",
                               NULL);
        }
    }
    for (i = 0; i < count && !*value_of(line, amounts[i]); i++) {
    }
    return i == count && ((1 << line->table) & OF_TRANSACTIONS) ? "transactionShares has no value"
                                                                : NULL;
}

static void read_row(notes_t *notes, const dsc_table_line_t *line, int number, int early,
                     const char *hash, dsc_ownership_row_t *row)
{
    row->is_derivative = line->table == TABLE_D || line->table == TABLE_DH;
    row->is_holding = line->table == TABLE_NH || line->table == TABLE_DH;
    row->number = number;
    row->location = line->location;
    row->content_hash = hash;
    for (int i = 0; i < DSC_COUNT(row_values); i++) {
        const char *field = line->fields[VALUE_COLUMN(i)], *error = NULL;
        const char *value =
            dsc_table_value(notes->pool, row_values[i].element, field, row_values[i].type, &error);

        if (row_values[i].place != NOWHERE) {
            *(const char **)(void *)((char *)row + row_values[i].place) = value;
        }
        if (error && !row->error) {
            row->error = error;
            row->sample = field;
        }
    }
    if (!row->error && !early) {
        row->error = schema_error(notes->pool, line);
    }
    row->quote = row_quote(notes, line);
    row->footnotes = row_footnotes(notes, line, row->is_holding);
}

/* A row's key, by which the rows of a table in a form stand; -1: it is no number. */
static long long key_of(const dsc_table_line_t *line)
{
    char *end;
    long long key = line->fields[0] ? strtoll(line->fields[0], &end, 10) : -1;

    return key >= 0 && isdigit((unsigned char)*line->fields[0]) && !*end ? key : -1;
}

static int compare_keys(const void *one, const void *two)
{
    long long a = key_of(*(const dsc_table_line_t *const *)one);
    long long b = key_of(*(const dsc_table_line_t *const *)two);

    return (a > b) - (a < b);
}

/* The lines (const dsc_table_line_t *) of a table as they are in the form. NULL and *reason if
 * their keys do not follow each other: a row is lost, and those behind it would take the places of
 * others. */
static apr_array_header_t *in_order(apr_pool_t *pool, const apr_array_header_t *lines, int table,
                                    const char **reason)
{
    apr_array_header_t *rows = apr_array_make(pool, 8, sizeof(const dsc_table_line_t *));

    for (int i = 0; i < lines->nelts; i++) {
        const dsc_table_line_t *line = &APR_ARRAY_IDX(lines, i, dsc_table_line_t);

        if (line->table == table) {
            APR_ARRAY_PUSH(rows, const dsc_table_line_t *) = line;
        }
    }
    if (rows->nelts > 1) {
        qsort(rows->elts, (size_t)rows->nelts, sizeof(const dsc_table_line_t *), compare_keys);
    }
    for (int i = 0; i < rows->nelts; i++) {
        const dsc_table_line_t *line = APR_ARRAY_IDX(rows, i, const dsc_table_line_t *);
        long long first = key_of(APR_ARRAY_IDX(rows, 0, const dsc_table_line_t *));

        if (first < 0 || key_of(line) != first + i) {
            *reason = apr_psprintf(pool, "%s: the keys of the form's rows do not follow each other",
                                   line->location);
            return NULL;
        }
    }
    return rows;
}

static int read_rows(notes_t *notes, const apr_array_header_t *lines, int early,
                     const char *const *hashes, apr_array_header_t *rows, const char **reason)
{
    for (int table = TABLE_N; table <= TABLE_DH; table++) {
        apr_array_header_t *found = in_order(notes->pool, lines, table, reason);

        if (!found) {
            return 0;
        }
        for (int i = 0; i < found->nelts; i++) {
            read_row(notes, APR_ARRAY_IDX(found, i, const dsc_table_line_t *), i + 1, early,
                     hashes[table], apr_array_push(rows));
        }
    }
    if (notes->stored > DSC_FOOTNOTES_LIMIT) {
        *reason = "the rows' footnotes come to more than 64 MB";
        return 0;
    }
    return 1;
}

/* ------------------------------------------------------------------- owners */

/* What is wrong with the list of what an owner is to the issuer, or NULL:
 * "Director,Officer,TenPercentOwner". */
static const char *read_relationship(apr_pool_t *pool, const char *field,
                                     dsc_reporting_owner_t *owner)
{
    const char *at = field ? field : "";

    while (*(at += strspn(at, ",; "))) {
        size_t length = strcspn(at, ",;");
        const char *name = dsc_delimited_name(pool, apr_pstrmemdup(pool, at, length));

        at += length;
        if (strcmp(name, "director") == 0) {
            owner->is_director = 1;
        } else if (strcmp(name, "officer") == 0) {
            owner->is_officer = 1;
        } else if (strcmp(name, "tenpercentowner") == 0) {
            owner->is_ten_percent_owner = 1;
        } else if (strcmp(name, "other") == 0) {
            owner->is_other = 1;
        } else {
            return apr_psprintf(pool, "RPTOWNER_RELATIONSHIP \"%.80s\" is not known", field);
        }
    }
    return NULL;
}

static void read_owner(apr_pool_t *pool, const dsc_table_line_t *line, int early, const char *hash,
                       dsc_reporting_owner_t *owner)
{
    const char *const *fields = line->fields;

    owner->location = line->location;
    owner->content_hash = hash;
    owner->cik =
        dsc_table_value(pool, "RPTOWNERCIK", fields[OWNER_CIK], DSC_OWNED_CIK, &owner->error);
    owner->name = dsc_table_value(pool, "", fields[OWNER_NAME], DSC_OWNED_TEXT, &owner->error);
    owner->officer_title =
        dsc_table_value(pool, "", fields[OWNER_TITLE], DSC_OWNED_TEXT, &owner->error);
    owner->other_text =
        dsc_table_value(pool, "", fields[OWNER_TEXT], DSC_OWNED_TEXT, &owner->error);
    owner->relationship_error = read_relationship(pool, fields[OWNER_RELATIONSHIP], owner);
    if (!owner->relationship_error && !early && !fields[OWNER_RELATIONSHIP]) {
        owner->relationship_error = "RPTOWNER_RELATIONSHIP is missing";
    }
    if (!owner->error && (!owner->cik || !owner->name)) {
        owner->error = owner->cik ? "RPTOWNERNAME is missing" : "RPTOWNERCIK is missing";
    }
}

/* Whether one before the last has its CIK, which is the key of an owner's line. */
static int is_twice(const apr_array_header_t *owners)
{
    const dsc_reporting_owner_t *all = (const void *)owners->elts, *last = &all[owners->nelts - 1];

    for (const dsc_reporting_owner_t *one = all; one < last; one++) {
        if (strcmp(one->cik, last->cik) == 0) {
            return 1;
        }
    }
    return 0;
}

/* An owner who is lost would make another one the insider: what is wrong with one refuses the
 * form. */
static const char *read_owners(apr_pool_t *pool, const apr_array_header_t *lines, int early,
                               const char *hash, apr_array_header_t *owners)
{
    for (int i = 0; i < lines->nelts; i++) {
        const dsc_table_line_t *line = &APR_ARRAY_IDX(lines, i, dsc_table_line_t);

        if (line->table == TABLE_OWNERS) {
            dsc_reporting_owner_t *owner = apr_array_push(owners);
            const char *error;

            read_owner(pool, line, early, hash, owner);
            error = owner->error ? owner->error : owner->relationship_error;
            if (!error && is_twice(owners)) {
                error = "RPTOWNERCIK is there twice in the form";
            }
            if (error) {
                return apr_pstrcat(pool, line->location, ": ", error, NULL);
            }
        }
    }
    return owners->nelts > 0 ? NULL : "REPORTINGOWNER.tsv does not have the form";
}

/* ------------------------------------------------------------------- the form */

/* What is wrong with the form's own line, or NULL. */
static const char *read_line(apr_pool_t *pool, const dsc_table_line_t *line,
                             dsc_ownership_form_t *form, const char **no_securities)
{
    dsc_ownership_document_t *document = &form->document;
    const char *error = NULL, *no_longer_subject;
    const struct {
        const char *name;
        int column;
        dsc_owned_type_t type;
        const char **into;
    } fields[] = {
        {"FILING_DATE", FORM_FILED, DSC_OWNED_DATE, &form->filed_on},
        {"PERIOD_OF_REPORT", FORM_PERIOD, DSC_OWNED_DATE, &document->period_of_report},
        {"DATE_OF_ORIG_SUB", FORM_ORIGINAL, DSC_OWNED_DATE, &document->original_filing_date},
        {"NOT_SUBJECT_SEC16", FORM_NOT_SUBJECT, DSC_OWNED_BOOLEAN, &no_longer_subject},
        {"DOCUMENT_TYPE", FORM_TYPE, DSC_OWNED_TEXT, &document->form},
        {"ISSUERCIK", FORM_ISSUER_CIK, DSC_OWNED_CIK, &document->issuer_cik},
        {"ISSUERNAME", FORM_ISSUER_NAME, DSC_OWNED_TEXT, &document->issuer_name},
        {"ISSUERTRADINGSYMBOL", FORM_SYMBOL, DSC_OWNED_TEXT, &document->issuer_symbol},
        {"REMARKS", FORM_REMARKS, DSC_OWNED_TEXT, &document->remarks},
        {"AFF10B5ONE", FORM_10B5_1, DSC_OWNED_BOOLEAN, &document->rule_10b5_1},
        {"NO_SECURITIES_OWNED", FORM_NO_SECURITIES, DSC_OWNED_BOOLEAN, no_securities},
    };

    form->location = line->location;
    for (int i = 0; i < DSC_COUNT(fields) && !error; i++) {
        *fields[i].into = dsc_table_value(pool, fields[i].name, line->fields[fields[i].column],
                                          fields[i].type, &error);
    }
    if (error) {
        return error;
    }
    document->no_longer_subject = no_longer_subject && *no_longer_subject == 't';
    if (!dsc_ownership_is_form(document->form)) {
        return apr_psprintf(pool, "DOCUMENT_TYPE \"%.80s\" is none of 3, 4, 5, 3/A, 4/A, 5/A",
                            document->form ? document->form : "");
    }
    return !form->filed_on          ? "FILING_DATE is missing"
           : !document->issuer_cik  ? "ISSUERCIK is missing"
           : !document->issuer_name ? "ISSUERNAME is missing"
                                    : NULL;
}

static void count_lines(const apr_array_header_t *lines, dsc_ownership_form_t *form)
{
    for (int i = 0; i < lines->nelts; i++) {
        const dsc_table_line_t *line = &APR_ARRAY_IDX(lines, i, dsc_table_line_t);

        form->lines[line->table] += line->table != TABLE_FOOTNOTES || line->fields[NOTE_TEXT];
    }
}

/* A form has a row, or says that there is nothing to report: without one its rows are lost. */
static const char *rows_error(const dsc_ownership_form_t *form, int early,
                              const char *no_securities)
{
    return form->document.rows->nelts > 0 || early || (no_securities && *no_securities == 't')
               ? NULL
               : "no table has a row of it, and NO_SECURITIES_OWNED is not 1: a table is cut";
}

dsc_ownership_form_t *dsc_ownership_form_read(apr_pool_t *pool, const apr_array_header_t *lines,
                                              const char *const *hashes, const char **reason)
{
    dsc_ownership_form_t *form = apr_pcalloc(pool, sizeof *form);
    notes_t notes = {.pool = pool,
                     .texts = apr_array_make(pool, 8, sizeof(note_t)),
                     .by_id = apr_hash_make(pool)};
    const char *no_securities = NULL;
    int early;

    form->document.owners = apr_array_make(pool, 2, sizeof(dsc_reporting_owner_t));
    form->document.rows = apr_array_make(pool, 8, sizeof(dsc_ownership_row_t));
    *reason = read_line(pool, &APR_ARRAY_IDX(lines, 0, dsc_table_line_t), form, &no_securities);
    if (*reason) {
        return NULL;
    }
    early = is_early(form->filed_on);
    *reason = read_owners(pool, lines, early, hashes[TABLE_OWNERS], form->document.owners);
    if (*reason) {
        return NULL;
    }
    *reason = read_notes(&notes, lines);
    if (*reason) {
        return NULL;
    }
    if (!read_rows(&notes, lines, early, hashes, form->document.rows, reason) ||
        !dsc_ownership_bounds(&form->document, reason)) {
        return NULL;
    }
    *reason = rows_error(form, early, no_securities);
    if (*reason) {
        return NULL;
    }
    count_lines(lines, form);
    form->textless = notes.textless;
    form->lacking = notes.lacking;
    form->lacking_at = notes.lacking_at;
    for (int i = 0; i < notes.texts->nelts; i++) {
        form->unreferenced += !APR_ARRAY_IDX(notes.texts, i, note_t).is_referred_to;
    }
    return form;
}
