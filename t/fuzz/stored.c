#include "fuzz/stored.h"

#include "engine/dataset.h"

#include <apr_strings.h>
#include <jansson.h>
#include <string.h>

/* The fields that every staged row begins with (loader_stage.c), its source (loader_source.c) taken
 * apart. */
enum {
    ROW_ORDER,
    ISSUER_ID,
    CIK,
    PARTY,
    ISSUER_NAME,
    PLACE,
    RECORD_KEY,
    KEY_DIGEST,
    KNOWN_AT,
    SRC_DIGEST,
    PROVIDER,
    URL,
    ACCESSION,
    QUOTE,
    COMMON_FIELDS
};

static const char *const common_names[] = {"row_order",   "issuer_id",  "cik",        "party",
                                           "issuer_name", "place",      "record_key", "key_digest",
                                           "known_at",    "src_digest", "provider",   "url",
                                           "accession",   "quote"};

/* What follows from where a row stands is not compared. */
static int is_compared(int field)
{
    return field != ROW_ORDER && field != PLACE;
}

static const dsc_dataset_t *dataset_of(const dsc_row_text_t *row)
{
    return dsc_dataset_find(row->table + strlen("stage_"));
}

static const char *field_name(const dsc_row_text_t *row, int field)
{
    return field < COMMON_FIELDS ? common_names[field]
                                 : dataset_of(row)->columns[field - COMMON_FIELDS].name;
}

/* A row's number in its file or report is part of its key, where it has one. */
static int is_key(const dsc_row_text_t *row, int field)
{
    static const char *const numbers[] = {"row_number", "row_index", "place", "position"};
    const char *name = field_name(row, field);
    size_t i;

    for (i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        if (strcmp(name, numbers[i]) == 0) {
            return 1;
        }
    }
    return field == RECORD_KEY || field == KEY_DIGEST || field == SRC_DIGEST;
}

dsc_stored_t *dsc_stored_create(apr_pool_t *pool)
{
    dsc_stored_t *stored = apr_pcalloc(pool, sizeof(*stored));

    stored->pool = pool;
    stored->by_digest = apr_hash_make(pool);
    stored->sources = apr_hash_make(pool);
    stored->rows = apr_array_make(pool, 256, sizeof(dsc_row_text_t *));
    return stored;
}

typedef struct {
    const char *provider, *url;
    int by_filing;
} dsc_source_text_t;

/* Of which bytes the file is, and when it was read, is not compared. */
static void take_source(dsc_stored_t *stored, const char *row, size_t length)
{
    dsc_source_text_t *source = apr_palloc(stored->pool, sizeof(*source));
    char *rest, *text = apr_pstrmemdup(stored->pool, row, length);
    const char *number = apr_strtok(text, "\t", &rest);

    (void)apr_strtok(NULL, "\t", &rest); /* which file of its transaction it is of */
    source->provider = apr_strtok(NULL, "\t", &rest);
    source->by_filing = *apr_strtok(NULL, "\t", &rest) == 't';
    source->url = apr_strtok(NULL, "\t", &rest);
    apr_hash_set(stored->sources, number, APR_HASH_KEY_STRING, source);
}

/* As disclosed.filing_address() puts it together. */
static char *filing_address(apr_pool_t *pool, const dsc_row_text_t *row, const char *head)
{
    const dsc_dataset_t *dataset = dataset_of(row);
    const char *accession = row->fields[ACCESSION], *document = "\\N";
    int i;

    for (i = 0; i < dataset->column_count; i++) {
        if (dataset->document != NULL && strcmp(dataset->columns[i].name, dataset->document) == 0) {
            document = row->fields[COMMON_FIELDS + i];
        }
    }
    return apr_psprintf(pool, "%s%s/%.10s%.2s%.6s/%s%s", head, row->fields[CIK], accession,
                        accession + 11, accession + 14,
                        strcmp(document, "\\N") == 0 ? accession : document,
                        strcmp(document, "\\N") == 0 ? "-index.htm" : "");
}

/* Puts what its source says in the place of its number. */
static void place_source(dsc_stored_t *stored, dsc_row_text_t *row)
{
    const dsc_source_text_t *source =
        apr_hash_get(stored->sources, row->fields[PROVIDER], APR_HASH_KEY_STRING);

    if (source == NULL) {
        abort(); /* the row came before its source */
    }
    memmove(row->fields + URL + 1, row->fields + URL,
            sizeof(*row->fields) * (size_t)(row->count - URL));
    row->count++;
    row->fields[PROVIDER] = apr_pstrdup(stored->pool, source->provider);
    row->fields[URL] = source->by_filing ? filing_address(stored->pool, row, source->url)
                                         : apr_pstrdup(stored->pool, source->url);
}

dsc_row_text_t *dsc_row_text(dsc_stored_t *stored, const char *table, const char *row,
                             size_t length)
{
    apr_pool_t *pool = stored->pool;
    dsc_row_text_t *made;
    char *text, *tab;
    int count = 1;
    size_t i;

    if (strcmp(table, "staged_source") == 0) {
        take_source(stored, row, length);
        return NULL;
    }
    if (strncmp(table, "stage_", 6) != 0) {
        return NULL;
    }
    for (i = 0; i < length; i++) {
        count += row[i] == '\t';
    }
    made = apr_pcalloc(pool, sizeof(*made));
    made->table = apr_pstrdup(pool, table);
    made->fields = apr_palloc(pool, sizeof(*made->fields) * (size_t)(count + 1));
    text = apr_pstrmemdup(pool, row, length);
    for (; made->count < count; text = tab + 1) {
        made->fields[made->count++] = text;
        tab = strchr(text, '\t');
        if (tab == NULL) {
            break;
        }
        *tab = '\0';
    }
    place_source(stored, made);
    return made;
}

static const char *digest_key(apr_pool_t *pool, const dsc_row_text_t *row)
{
    return apr_pstrcat(pool, row->table, "\t", row->fields[SRC_DIGEST], NULL);
}

void dsc_stored_add(dsc_stored_t *stored, dsc_row_text_t *row)
{
    const char *key = digest_key(stored->pool, row);
    apr_array_header_t *same = apr_hash_get(stored->by_digest, key, APR_HASH_KEY_STRING);

    if (same == NULL) {
        same = apr_array_make(stored->pool, 1, sizeof(dsc_row_text_t *));
        apr_hash_set(stored->by_digest, key, APR_HASH_KEY_STRING, same);
    }
    APR_ARRAY_PUSH(same, dsc_row_text_t *) = row;
    APR_ARRAY_PUSH(stored->rows, dsc_row_text_t *) = row;
}

/* ------------------------------------------------------------------- saying less */

static int is_part(const json_t *part, const json_t *whole)
{
    const char *name;
    json_t *value;
    size_t i, j;

    if (json_is_null(part) || json_equal(part, whole)) {
        return 1;
    }
    if (json_is_object(part) && json_is_object(whole)) {
        json_object_foreach((json_t *)(size_t)part, name, value)
        {
            if (!is_part(value, json_object_get(whole, name))) {
                return 0;
            }
        }
        return 1;
    }
    if (!json_is_array(part) || !json_is_array(whole)) {
        return 0;
    }
    for (i = 0; i < json_array_size(part); i++) {
        for (j = 0; j < json_array_size(whole) &&
                    !is_part(json_array_get(part, i), json_array_get(whole, j));
             j++) {
        }
        if (j == json_array_size(whole)) {
            return 0;
        }
    }
    return 1;
}

/* A value that is missing, or a list or object of which parts are. Array literals are read as JSON:
 * their elements are in quotes alike. */
static int says_less(apr_pool_t *pool, const char *stored, const char *whole)
{
    int is_array = stored[0] == '{' && stored[1] == '"' && strchr(stored, ':') == NULL;
    json_t *part, *all;
    int less;

    if (strcmp(stored, "\\N") == 0) {
        return 1;
    }
    if (*stored != *whole || (*stored != '{' && *stored != '[')) {
        return 0;
    }
    if (is_array) {
        stored =
            apr_pstrcat(pool, "[", apr_pstrmemdup(pool, stored + 1, strlen(stored) - 2), "]", NULL);
        whole =
            apr_pstrcat(pool, "[", apr_pstrmemdup(pool, whole + 1, strlen(whole) - 2), "]", NULL);
    }
    part = json_loads(stored, 0, NULL);
    all = json_loads(whole, 0, NULL);
    less = part != NULL && all != NULL && is_part(part, all);
    json_decref(part);
    json_decref(all);
    return less;
}

/* --------------------------------------------------------------------- comparing */

/* How many fields differ; *other: of those, how many say something else instead of less. */
static int differences(apr_pool_t *pool, const dsc_row_text_t *row, const dsc_row_text_t *whole,
                       int with_keys, int *other)
{
    int i, count = 0;

    *other = 0;
    for (i = 0; i < row->count && i < whole->count; i++) {
        if (is_compared(i) && (with_keys || !is_key(row, i)) &&
            strcmp(row->fields[i], whole->fields[i]) != 0) {
            count++;
            *other += !says_less(pool, row->fields[i], whole->fields[i]);
        }
    }
    return count;
}

static void tell(apr_pool_t *pool, const dsc_row_text_t *row, const dsc_row_text_t *whole,
                 dsc_row_verdict_t verdict, dsc_difference_t *difference)
{
    int i;

    difference->dataset = row->table + strlen("stage_");
    difference->key = row->fields[RECORD_KEY];
    difference->columns = difference->text = "";
    for (i = 0; whole != NULL && verdict != DSC_ROW_MOVED && i < row->count; i++) {
        int less;
        if (!is_compared(i) || i == KEY_DIGEST || i == SRC_DIGEST ||
            strcmp(row->fields[i], whole->fields[i]) == 0) {
            continue;
        }
        less = says_less(pool, row->fields[i], whole->fields[i]);
        if (less == (verdict == DSC_ROW_LESS)) {
            difference->columns =
                apr_pstrcat(pool, difference->columns, *difference->columns == '\0' ? "" : " ",
                            field_name(row, i), NULL);
        }
        difference->text = apr_psprintf(pool, "%s%s%s: %.150s <- %.150s", difference->text,
                                        *difference->text == '\0' ? "" : "; ", field_name(row, i),
                                        row->fields[i], whole->fields[i]);
    }
}

/* The field that says whom a row is about, which no two records share whatever else they do; -1:
 * none. */
static int person_field(const dsc_row_text_t *row)
{
    int i;

    for (i = COMMON_FIELDS; i < row->count; i++) {
        if (strcmp(field_name(row, i), "person_cik") == 0) {
            return i;
        }
    }
    return -1;
}

/* The row of the whole file that differs least. */
static const dsc_row_text_t *nearest(apr_pool_t *pool, const apr_array_header_t *rows,
                                     const dsc_row_text_t *row, int with_keys, int *fewest,
                                     int *other)
{
    const dsc_row_text_t *best = NULL;
    int i, person = person_field(row);

    *fewest = 1 << 30;
    for (i = 0; rows != NULL && i < rows->nelts; i++) {
        const dsc_row_text_t *one = APR_ARRAY_IDX(rows, i, dsc_row_text_t *);
        int more, count;
        if (strcmp(one->table, row->table) != 0 ||
            (person >= 0 && strcmp(one->fields[person], row->fields[person]) != 0)) {
            continue;
        }
        count = differences(pool, row, one, with_keys, &more);
        if (count < *fewest) {
            *fewest = count;
            *other = more;
            best = one;
        }
    }
    return best;
}

dsc_row_verdict_t dsc_stored_compare(const dsc_stored_t *whole, apr_pool_t *pool,
                                     const dsc_row_text_t *row, dsc_difference_t *difference)
{
    const apr_array_header_t *same =
        apr_hash_get(whole->by_digest, digest_key(pool, row), APR_HASH_KEY_STRING);
    dsc_row_verdict_t verdict;
    const dsc_row_text_t *near;
    int fewest, other = 0;

    near = nearest(pool, same, row, 1, &fewest, &other);
    if (near != NULL && fewest == 0) {
        return DSC_ROW_SAME;
    }
    verdict = near != NULL && other == 0 ? DSC_ROW_LESS : DSC_ROW_OTHER;
    if (verdict == DSC_ROW_OTHER) {
        int others_fewest, others = 0;
        const dsc_row_text_t *under_another_key =
            nearest(pool, whole->rows, row, 0, &others_fewest, &others);
        if (under_another_key != NULL && others == 0) {
            near = under_another_key;
            verdict = others_fewest == 0 ? DSC_ROW_MOVED : DSC_ROW_LESS;
        } else if (near == NULL || others < other) {
            near = under_another_key;
        }
    }
    tell(pool, row, near, verdict, difference);
    return verdict;
}
