/* The damage proof over files of one format.
 *
 *     fuzz damage [-c COLUMNS] [-n CUTS] [-m OTHERS] [-t SECONDS] [-r SEED] [-b] [-w FOLDER] TARGET
 * FILE...
 *
 * Each file is loaded whole, then cut at CUTS places, and damaged OTHERS times in each other way.
 * Lines of fields with tabs between say what came of it: TALLY, for a kind of damage: cases,
 * refused, rows stored, cells compared, and how many rows were the same, MOVED, LESS and OTHER
 * (stored.h); the first of each kind of difference, with the values stored and those of the whole
 * file, whose damaged file goes to FOLDER; and REFUSED, a whole file that is none. -b: files are
 * read under their own names. What may differ, and why, is for t/proofs/damage to say.
 */
#include "fuzz/damage.h"

#include "fuzz/mutate.h"
#include "fuzz/no_server.h"
#include "fuzz/stored.h"
#include "fuzz/structure.h"

#include <apr_file_io.h>
#include <apr_getopt.h>
#include <apr_strings.h>
#include <apr_time.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum {
    DAMAGE_CUT,
    DAMAGE_DROP_PART,   /* an element, a member, a field */
    DAMAGE_DROP_COLUMN, /* of all rows of a delimited file; in others all elements of one name */
    DAMAGE_SWAP_ROWS,
    DAMAGE_SEPARATOR, /* a byte that ends a row or a field becomes another */
    DAMAGES
} dsc_damage_t;

static const char *const damage_names[] = {"cut", "part dropped", "column dropped", "rows swapped",
                                           "separator changed"};

typedef struct {
    long long cases, refused, stored, rows, cells, verdicts[4];
} dsc_tally_t;

typedef struct {
    const dsc_target_t *target;
    dsc_target_t named; /* the target with the file's own name */
    long long cuts, others, seconds, examples;
    uint64_t random;
    int by_name;
    const char *folder;
    dsc_tally_t tallies[DAMAGES];
    apr_hash_t *told; /* kinds of differences that an example was printed of: counts */
    apr_pool_t *pool;

    /* of the file at hand */
    const char *path, *data;
    size_t size;
    dsc_structure_t *structure;
    apr_array_header_t *separators; /* of int: places; NULL: not looked for */
    dsc_stored_t *whole;
    apr_time_t clock; /* at which each of its loads begins, on the second */
    apr_time_t until;
} dsc_proof_t;

/* ------------------------------------------------------------------------- damages */

static size_t without(const dsc_proof_t *proof, size_t from, size_t to, char *into)
{
    memcpy(into, proof->data, from);
    memcpy(into + from, proof->data + to, proof->size - to);
    return proof->size - (to - from);
}

static const dsc_part_t *part_at(const dsc_proof_t *proof, int index)
{
    return &APR_ARRAY_IDX(proof->structure->parts, index, dsc_part_t);
}

static int is_lines(const dsc_proof_t *proof)
{
    return proof->structure->kind == DSC_LAYOUT_DELIMITED ||
           proof->structure->kind == DSC_LAYOUT_TEXT;
}

/* A part at random; NULL where there is none. The head of a delimited file is not one. */
static const dsc_part_t *random_part(dsc_proof_t *proof, int *index)
{
    int count = proof->structure->parts->nelts,
        first = proof->structure->kind == DSC_LAYOUT_DELIMITED;

    if (count <= first) {
        return NULL;
    }
    *index = first + (int)dsc_random_below(&proof->random, (size_t)(count - first));
    return part_at(proof, *index);
}

/* A field of a delimited line goes with its delimiter; of a text its line; of markup and JSON the
 * part, in JSON with a comma. */
static size_t drop_part(dsc_proof_t *proof, char *into)
{
    int index;
    const dsc_part_t *part = random_part(proof, &index);
    size_t from, to;

    if (part == NULL || part->end <= part->begin) {
        return 0;
    }
    from = part->begin;
    to = part->end;
    if (proof->structure->kind == DSC_LAYOUT_DELIMITED && dsc_random_below(&proof->random, 4) > 0) {
        size_t skip = dsc_random_below(&proof->random, 12), end = to;
        for (to = dsc_field_end(proof->data, from, end, proof->structure->delimiter);
             skip-- > 0 && to < end && proof->data[to] == proof->structure->delimiter;
             to = dsc_field_end(proof->data, from, end, proof->structure->delimiter)) {
            from = to + 1;
        }
        to += to < end && proof->data[to] == proof->structure->delimiter;
    } else if (proof->structure->kind == DSC_LAYOUT_JSON) {
        if (to < proof->size && proof->data[to] == ',') {
            to++;
        } else if (from > 0 && proof->data[from - 1] == ',') {
            from--;
        }
    }
    return without(proof, from, to, into);
}

/* The bytes of the field of that number in a line, with a delimiter; 0: there is none. */
static int find_field(const dsc_proof_t *proof, const dsc_part_t *line, size_t number, size_t *from,
                      size_t *to)
{
    char delimiter = proof->structure->delimiter;

    *from = line->begin;
    *to = dsc_field_end(proof->data, *from, line->end, delimiter);
    while (number-- > 0) {
        if (*to >= line->end || proof->data[*to] != delimiter) {
            return 0;
        }
        *from = *to + 1;
        *to = dsc_field_end(proof->data, *from, line->end, delimiter);
    }
    if (*to < line->end && proof->data[*to] == delimiter) {
        (*to)++;
    } else if (*from > line->begin) {
        (*from)--;
    }
    return 1;
}

static size_t drop_column(dsc_proof_t *proof, char *into)
{
    size_t number = dsc_random_below(&proof->random, 14), length = 0, from, to;
    int i;

    if (proof->structure->kind != DSC_LAYOUT_DELIMITED || proof->structure->parts->nelts < 2 ||
        !find_field(proof, part_at(proof, 0), number, &from, &to)) {
        return 0;
    }
    for (i = 0; i < proof->structure->parts->nelts; i++) {
        const dsc_part_t *line = part_at(proof, i);
        if (!find_field(proof, line, number, &from, &to)) {
            from = to = line->end;
        }
        memcpy(into + length, proof->data + line->begin, from - line->begin);
        length += from - line->begin;
        memcpy(into + length, proof->data + to, line->end - to);
        length += line->end - to;
    }
    return length;
}

/* Elements of one name, or members of one name, of which each row has one: all but the first member
 * go. */
static size_t drop_all_of_name(dsc_proof_t *proof, char *into)
{
    int index, i;
    const dsc_part_t *part = random_part(proof, &index);
    size_t length = 0, at = 0;

    if (part == NULL || proof->structure->kind != DSC_LAYOUT_MARKUP) {
        return 0;
    }
    for (i = 0; i < proof->structure->parts->nelts; i++) {
        const dsc_part_t *one = part_at(proof, i);
        if (one->begin >= at && one->end > one->begin && one->name_length == part->name_length &&
            memcmp(one->name, part->name, part->name_length) == 0) {
            memcpy(into + length, proof->data + at, one->begin - at);
            length += one->begin - at;
            at = one->end;
        }
    }
    memcpy(into + length, proof->data + at, proof->size - at);
    return length + proof->size - at;
}

/* Whether two parts are rows of the same kind, one after the other. */
static int are_rows(const dsc_proof_t *proof, const dsc_part_t *one, const dsc_part_t *two)
{
    if (one->parent != two->parent || one->end > two->begin || two->end <= two->begin) {
        return 0;
    }
    if (proof->structure->kind == DSC_LAYOUT_MARKUP) {
        return one->name_length == two->name_length &&
               memcmp(one->name, two->name, one->name_length) == 0;
    }
    if (proof->structure->kind == DSC_LAYOUT_JSON) {
        char a = proof->data[one->begin + strspn(proof->data + one->begin, " \r\n\t")];
        char b = proof->data[two->begin + strspn(proof->data + two->begin, " \r\n\t")];
        return a == b && (a == '{' || a == '[');
    }
    return 1;
}

static size_t swap_rows(dsc_proof_t *proof, char *into)
{
    int tries, one_index = -1, two_index = -1;

    for (tries = 0; tries < 200; tries++) {
        const dsc_part_t *one = random_part(proof, &one_index),
                         *two = random_part(proof, &two_index);
        size_t at;

        if (one == NULL || one_index == two_index || !are_rows(proof, one, two)) {
            continue;
        }
        memcpy(into, proof->data, at = one->begin);
        memcpy(into + at, proof->data + two->begin, two->end - two->begin);
        at += two->end - two->begin;
        memcpy(into + at, proof->data + one->end, two->begin - one->end);
        at += two->begin - one->end;
        memcpy(into + at, proof->data + one->begin, one->end - one->begin);
        at += one->end - one->begin;
        memcpy(into + at, proof->data + two->end, proof->size - two->end);
        return proof->size;
    }
    return 0;
}

/* The bytes that separate: in tags, and outside quotes where the layout has them. */
static void find_separators(const dsc_proof_t *proof, apr_array_header_t *places)
{
    static const char *const separators[] = {"<>/=", ",:[]{}", "", "\n"};
    char lines[3] = {'\n', proof->structure->delimiter, '\0'};
    dsc_layout_kind_t kind = proof->structure->kind;
    const char *ours = kind == DSC_LAYOUT_DELIMITED ? lines : separators[kind];
    int quoted = 0, tag = 0, at;

    for (at = 0; at < (int)proof->size; at++) {
        char c = proof->data[at];
        tag = c == '<' ? 1 : c == '>' ? 2 : tag == 2 ? 0 : tag;
        if (c == '"' && (kind == DSC_LAYOUT_JSON || lines[1] == ',')) {
            quoted = !quoted;
        } else if (c == '\\' && quoted && kind == DSC_LAYOUT_JSON) {
            at++;
        } else if (!quoted && c != '\0' && strchr(ours, c) != NULL &&
                   (kind != DSC_LAYOUT_MARKUP || tag > 0)) {
            APR_ARRAY_PUSH(places, int) = at;
        }
    }
}

static size_t change_separator(dsc_proof_t *proof, char *into)
{
    static const char others[] = " x\t;0";

    if (proof->separators == NULL) {
        proof->separators = apr_array_make(proof->whole->pool, 256, sizeof(int));
        find_separators(proof, proof->separators);
    }
    if (proof->separators->nelts == 0) {
        return 0;
    }
    memcpy(into, proof->data, proof->size);
    into[APR_ARRAY_IDX(proof->separators,
                       dsc_random_below(&proof->random, (size_t)proof->separators->nelts), int)] =
        others[dsc_random_below(&proof->random, sizeof(others) - 1)];
    return proof->size;
}

/* Writes a damaged copy; 0: this file cannot be damaged like that. */
static size_t make_damage(dsc_proof_t *proof, dsc_damage_t damage, char *into)
{
    switch (damage) {
    case DAMAGE_CUT:
        return without(proof, dsc_random_below(&proof->random, proof->size), proof->size, into);
    case DAMAGE_DROP_PART:
        return drop_part(proof, into);
    case DAMAGE_DROP_COLUMN:
        return is_lines(proof) ? drop_column(proof, into) : drop_all_of_name(proof, into);
    case DAMAGE_SWAP_ROWS:
        return swap_rows(proof, into);
    default:
        return change_separator(proof, into);
    }
}

/* ----------------------------------------------------------------------- comparing */

/* A file that does not say when it was made is of the second of its load: all loads are in one. */
static dsc_fuzz_load_t load_bytes(const dsc_proof_t *proof, apr_pool_t *pool, const char *data,
                                  size_t size)
{
    dsc_fuzz_load_t load;

    dsc_no_server_clock(proof->clock);
    load = dsc_fuzz_load(pool, &proof->named, data, size);
    dsc_no_server_clock(0);
    return load;
}

static void take_whole(void *baton, const char *table, const char *row, size_t length)
{
    dsc_stored_t *whole = baton;
    dsc_row_text_t *text = dsc_row_text(whole, table, row, length);

    if (text != NULL) {
        dsc_stored_add(whole, text);
    }
}

static void take_damaged(void *baton, const char *table, const char *row, size_t length)
{
    dsc_stored_t *damaged = baton;
    dsc_row_text_t *text = dsc_row_text(damaged, table, row, length);

    if (text != NULL) {
        APR_ARRAY_PUSH(damaged->rows, dsc_row_text_t *) = text;
    }
}

static void write_example(const dsc_proof_t *proof, const char *data, size_t size, apr_pool_t *pool)
{
    FILE *file = fopen(apr_psprintf(pool, "%s/damage-%s-%d", proof->folder, proof->target->name,
                                    (int)proof->examples),
                       "w");

    if (file != NULL) {
        fwrite(data, 1, size, file);
        fclose(file);
    }
}

/* Tells the first of each kind of difference: fields with tabs between. */
static void tell_difference(dsc_proof_t *proof, apr_pool_t *pool, dsc_damage_t damage,
                            dsc_row_verdict_t verdict, const dsc_difference_t *difference,
                            const char *data, size_t size)
{
    static const char *const words[] = {"same", "MOVED", "LESS", "OTHER"};
    const char *key = apr_pstrcat(pool, damage_names[damage], "\t", words[verdict], "\t",
                                  difference->dataset, "\t", difference->columns, NULL);

    if (apr_hash_get(proof->told, key, APR_HASH_KEY_STRING) != NULL) {
        return;
    }
    apr_hash_set(proof->told, apr_pstrdup(proof->pool, key), APR_HASH_KEY_STRING, "");
    proof->examples++;
    printf("%s\t%s\t%lld\t%s\t%s\t%s\t%s\t%s\n", words[verdict], damage_names[damage],
           proof->examples, proof->path, difference->dataset, difference->columns, difference->key,
           difference->text);
    if (proof->folder != NULL) {
        write_example(proof, data, size, pool);
    }
}

static void try_damage(dsc_proof_t *proof, dsc_damage_t damage, char *into)
{
    size_t size = make_damage(proof, damage, into);
    dsc_tally_t *tally = &proof->tallies[damage];
    dsc_stored_t *damaged;
    dsc_fuzz_load_t load;
    apr_pool_t *pool;
    int i;

    if (size == 0 || (size == proof->size && memcmp(into, proof->data, size) == 0)) {
        return;
    }
    apr_pool_create(&pool, NULL);
    damaged = dsc_stored_create(pool);
    dsc_no_server_sink(take_damaged, damaged);
    load = load_bytes(proof, pool, into, size);
    tally->cases++;
    tally->refused += load.committed == 0;
    tally->stored += load.committed > 0;
    for (i = 0; load.committed > 0 && i < damaged->rows->nelts; i++) {
        dsc_row_text_t *row = APR_ARRAY_IDX(damaged->rows, i, dsc_row_text_t *);
        dsc_difference_t difference;
        dsc_row_verdict_t verdict = dsc_stored_compare(proof->whole, pool, row, &difference);

        tally->rows++;
        tally->cells += row->count;
        tally->verdicts[verdict]++;
        if (verdict != DSC_ROW_SAME) {
            tell_difference(proof, pool, damage, verdict, &difference, into, size);
        }
    }
    apr_pool_destroy(pool);
}

/* ---------------------------------------------------------------------------- files */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

/* 0: the whole file is refused, so there is nothing to compare with. */
static int load_whole(dsc_proof_t *proof, apr_pool_t *pool)
{
    dsc_fuzz_load_t load;

    proof->named = *proof->target;
    if (proof->by_name && proof->target->file != NULL) {
        proof->named.file = base_name(proof->path);
    }
    proof->whole = dsc_stored_create(pool);
    dsc_no_server_sink(take_whole, proof->whole);
    load = load_bytes(proof, pool, proof->data, proof->size);
    if (load.committed == 0) {
        printf("REFUSED\t%s\t%s\n", proof->path, load.reason == NULL ? "-" : load.reason);
    }
    return load.committed > 0 && proof->whole->rows->nelts > 0;
}

static char *read_file(apr_pool_t *pool, const char *path, size_t *size)
{
    apr_file_t *file;
    apr_finfo_t info;
    char *data;

    if (apr_file_open(&file, path, APR_FOPEN_READ, APR_FPROT_OS_DEFAULT, pool) != APR_SUCCESS ||
        apr_file_info_get(&info, APR_FINFO_SIZE, file) != APR_SUCCESS) {
        return NULL;
    }
    *size = (size_t)info.size;
    data = apr_palloc(pool, *size + 1);
    data[*size] = '\0';
    return apr_file_read_full(file, data, *size, NULL) == APR_SUCCESS ? data : NULL;
}

static void prove_file(dsc_proof_t *proof, const char *path)
{
    apr_pool_t *pool;
    char *into;
    int damage;

    apr_pool_create(&pool, NULL);
    proof->path = path;
    proof->clock = apr_time_from_sec(apr_time_sec(apr_time_now()));
    proof->separators = NULL;
    proof->data = read_file(pool, path, &proof->size);
    if (proof->data != NULL && proof->size > 0 && load_whole(proof, pool)) {
        into = malloc(proof->size + 64);
        proof->structure = dsc_structure(pool, proof->data, proof->size);
        proof->until = dsc_processor_time() + apr_time_from_sec(proof->seconds);
        for (damage = 0; into != NULL && damage < DAMAGES; damage++) {
            long long wanted = damage == DAMAGE_CUT ? proof->cuts : proof->others, i;
            for (i = 0; i < wanted && dsc_processor_time() < proof->until; i++) {
                try_damage(proof, (dsc_damage_t)damage, into);
            }
        }
        free(into);
    }
    apr_pool_destroy(pool);
}

static void tell_tallies(const dsc_proof_t *proof)
{
    int i;

    for (i = 0; i < DAMAGES; i++) {
        const dsc_tally_t *tally = &proof->tallies[i];
        printf("TALLY\t%s\t%lld\t%lld\t%lld\t%lld\t%lld\t%lld\t%lld\t%lld\n", damage_names[i],
               tally->cases, tally->refused, tally->rows, tally->cells,
               tally->verdicts[DSC_ROW_SAME], tally->verdicts[DSC_ROW_MOVED],
               tally->verdicts[DSC_ROW_LESS], tally->verdicts[DSC_ROW_OTHER]);
    }
}

static int take_option(dsc_proof_t *proof, char option, const char *value)
{
    switch (option) {
    case 'c':
        return dsc_no_server_describe(value);
    case 'n':
        proof->cuts = atoll(value);
        break;
    case 'm':
        proof->others = atoll(value);
        break;
    case 't':
        proof->seconds = atoll(value);
        break;
    case 'r':
        proof->random = (uint64_t)atoll(value);
        break;
    case 'b':
        proof->by_name = 1;
        break;
    default:
        proof->folder = value;
        break;
    }
    return 1;
}

int dsc_damage_main(int argc, const char *const *argv)
{
    dsc_proof_t proof = {.cuts = 200, .others = 50, .seconds = 3600, .random = 1};
    apr_getopt_t *options;
    const char *value;
    char option;
    int good = 1, i;

    proof.pool = dsc_fuzz_pool;
    proof.told = apr_hash_make(proof.pool);
    apr_getopt_init(&options, proof.pool, argc, argv);
    while (good && apr_getopt(options, "c:n:m:t:r:bw:", &option, &value) == APR_SUCCESS) {
        good = take_option(&proof, option, value);
    }
    if (!good || options->ind + 1 >= argc ||
        (proof.target = dsc_target_find(argv[options->ind])) == NULL ||
        proof.target->importer == NULL) {
        fputs("usage: fuzz damage [OPTIONS] TARGET FILE..., see t/fuzz/damage.c\n", stderr);
        return 2;
    }
    for (i = options->ind + 1; i < argc; i++) {
        prove_file(&proof, argv[i]);
    }
    tell_tallies(&proof);
    return 0;
}
