/* Whom the symbols of records name. */
#include "loader/loader_internal.h"

#include "loader/loader_value.h"
#include "loader/symbol_spelling.h"

#include <apr_strings.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SYMBOLS = 50000, /* that are remembered */
    SYMBOL_LENGTH = 900,  /* with "symbol/" it must fit into party_key */
    MISMATCHES_LISTED = 5
};

/* Of several spellings the first that is listed; without its market a symbol means the issuer's
 * first listing of that ticker in force. */
static const char present_sql[] =
    "SELECT 0, f.issuer_id, f.identity, NULL FROM (SELECT $1::text AS symbol) s"
    " LEFT JOIN LATERAL (SELECT i.issuer_id,"
    "  coalesce(i.cik::text, i.party_key, i.issuer_id::text) AS identity"
    "  FROM unnest(string_to_array(upper(s.symbol), ' ')) WITH ORDINALITY AS w(spelling, place)"
    "  JOIN disclosed.listing l ON l.ticker = split_part(w.spelling, ':', 1)"
    "  JOIN disclosed.issuer i USING (issuer_id)"
    "  WHERE l.superseded_at IS NULL"
    "  AND (position(':' IN w.spelling) = 0 OR l.market = split_part(w.spelling, ':', 2))"
    "  ORDER BY w.place, l.status <> 'active', l.listing_rank,"
    "  disclosed.issuer_order(l.issuer_id), l.symbol LIMIT 1) f ON true";

/* Those of records with a day, and perhaps a name; else who is listed by another name. What
 * listing_on() says, written out: planned once for all rows, not begun anew for each. */
static const char dated_sql[] =
    "SELECT s.place - 1, f.issuer_id, coalesce(i.cik::text, i.party_key, i.issuer_id::text),"
    " CASE WHEN f.issuer_id IS NULL THEN (SELECT n.name"
    "  FROM disclosed.listings_meant(s.spellings, NULL, s.day) o"
    "  JOIN disclosed.issuer n ON n.issuer_id = o.issuer_id"
    "  ORDER BY o.days, disclosed.issuer_order(o.issuer_id), o.symbol LIMIT 1) END"
    " FROM unnest($1::text[], $2::text[], $3::date[]) WITH ORDINALITY"
    "  AS s(spellings, stated, day, place)"
    " LEFT JOIN LATERAL (SELECT m.issuer_id, m.symbol"
    "  FROM disclosed.listings_meant(s.spellings, s.stated, s.day) m"
    "  ORDER BY m.days, disclosed.issuer_order(m.issuer_id), m.symbol LIMIT 1) f ON true"
    " LEFT JOIN disclosed.issuer i ON i.issuer_id = f.issuer_id";

int dsc_is_symbol(const char *symbol)
{
    return strlen(symbol) <= SYMBOL_LENGTH && dsc_text_is_utf8(symbol);
}

/* What the record is found by. */
static const char *key_of(apr_pool_t *pool, const dsc_load_record_t *record)
{
    return record->symbol_on == NULL
               ? record->symbol
               : apr_pstrcat(pool, record->symbol, "\n", record->symbol_on, "\n",
                             record->issuer_name == NULL ? "" : record->issuer_name, NULL);
}

/* What stands for the symbol in src_id, however it is spelled: "symbol/BRKB:US". */
static const char *identity_of_symbol(apr_pool_t *pool, const char *spellings)
{
    size_t length = strcspn(spellings, " ");
    char *first = apr_pstrmemdup(pool, spellings, length);
    const char *code = dsc_symbol_code(pool, first), *market = strchr(first, ':');

    return apr_pstrcat(pool, "symbol/", code == NULL ? "" : code, market == NULL ? ":" : market,
                       NULL);
}

/* Keeps what a symbol means for the rest of the file: an issuer, or but the party that stands for
 * what nothing lists. */
static void keep(dsc_loader_t *loader, const dsc_load_record_t *record, const PGresult *result,
                 int row)
{
    apr_pool_t *pool = loader->symbol_pool;
    dsc_issuer_t *issuer = apr_pcalloc(pool, sizeof(*issuer));

    if (PQgetisnull(result, row, 1)) {
        issuer->party = apr_pstrcat(pool, "symbol/", record->symbol, NULL);
        issuer->identity = issuer->party;
        issuer->listed_name =
            PQgetisnull(result, row, 3) ? NULL : apr_pstrdup(pool, PQgetvalue(result, row, 3));
    } else {
        issuer->issuer_id = apr_pstrdup(pool, PQgetvalue(result, row, 1));
        issuer->identity = apr_pstrdup(pool, PQgetvalue(result, row, 2));
    }
    issuer->source_identity =
        record->symbol_on != NULL ? identity_of_symbol(pool, record->symbol) : issuer->identity;
    apr_hash_set(loader->symbols, apr_pstrdup(pool, key_of(pool, record)), APR_HASH_KEY_STRING,
                 issuer);
}

static void forget_many(dsc_loader_t *loader)
{
    if (apr_hash_count(loader->symbols) > MOST_SYMBOLS) { /* they can be found again */
        apr_pool_clear(loader->symbol_pool);
        loader->symbols = apr_hash_make(loader->symbol_pool);
    }
}

/* A text that the database takes: what is none makes its record a reject later. */
static const char *sound(const char *text)
{
    return text != NULL && dsc_text_is_utf8(text) ? text : NULL;
}

apr_status_t dsc_loader_find_symbols(dsc_loader_t *loader, apr_pool_t *pool, int count,
                                     const dsc_load_record_t *records)
{
    size_t room = (size_t)count + 1;
    const char **symbols = apr_palloc(pool, sizeof(*symbols) * room);
    const char **names = apr_palloc(pool, sizeof(*names) * room);
    const char **days = apr_palloc(pool, sizeof(*days) * room);
    const dsc_load_record_t **unknown = apr_palloc(pool, sizeof(const dsc_load_record_t *) * room);
    PGresult *result;
    apr_status_t rv;
    int many = 0;

    forget_many(loader);
    for (int i = 0; i < count; i++) {
        const dsc_load_record_t *record = &records[i];

        if (record->symbol != NULL && record->symbol_on != NULL && dsc_is_symbol(record->symbol) &&
            dsc_value_error(DSC_COLUMN_DATE, record->symbol_on) == NULL &&
            apr_hash_get(loader->symbols, key_of(pool, record), APR_HASH_KEY_STRING) == NULL) {
            symbols[many] = record->symbol;
            names[many] = sound(record->issuer_name) == NULL ? "" : record->issuer_name;
            days[many] = record->symbol_on;
            unknown[many++] = record;
        }
    }
    if (many == 0) {
        return APR_SUCCESS;
    }
    if ((rv = dsc_lock_listings_shared(loader)) != APR_SUCCESS) {
        return rv;
    }
    rv = dsc_loader_query(loader, dated_sql, 3,
                          (const char *const[]){dsc_texts_literal(pool, many, symbols),
                                                dsc_texts_literal(pool, many, names),
                                                dsc_texts_literal(pool, many, days)},
                          &result);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (int row = 0; row < PQntuples(result); row++) {
        keep(loader, unknown[atoi(PQgetvalue(result, row, 0))], result, row);
    }
    PQclear(result);
    return APR_SUCCESS;
}

static apr_status_t find_present(dsc_loader_t *loader, const dsc_load_record_t *record)
{
    PGresult *result;
    apr_status_t rv;

    loader->present_symbol.sql = present_sql;
    rv = dsc_loader_run(loader, &loader->present_symbol, 0, 1, &record->symbol, &result);
    if (rv == APR_SUCCESS) {
        forget_many(loader);
        keep(loader, record, result, 0);
        PQclear(result);
    }
    return rv;
}

apr_status_t dsc_issuer_of_symbol(dsc_loader_t *loader, const dsc_load_record_t *record,
                                  const dsc_issuer_t **issuer)
{
    apr_status_t rv = APR_SUCCESS;
    apr_pool_t *pool;
    const char *key;

    apr_pool_create(&pool, loader->file_pool);
    key = key_of(pool, record);
    *issuer = apr_hash_get(loader->symbols, key, APR_HASH_KEY_STRING);
    if (*issuer == NULL) {
        rv = record->symbol_on == NULL ? find_present(loader, record)
                                       : dsc_loader_find_symbols(loader, pool, 1, record);
        *issuer =
            rv == APR_SUCCESS ? apr_hash_get(loader->symbols, key, APR_HASH_KEY_STRING) : NULL;
    }
    apr_pool_destroy(pool);
    return rv;
}

void dsc_note_name_mismatch(dsc_loader_t *loader, const dsc_load_record_t *record,
                            const dsc_issuer_t *issuer)
{
    const char *listed;

    if (issuer->listed_name == NULL) {
        return;
    }
    if (++loader->at->name_mismatches <= MISMATCHES_LISTED) {
        listed = loader->at->mismatches_listed;
        loader->at->mismatches_listed =
            apr_psprintf(loader->batch_pool, "%s%s%.*s %s (now or then %s)",
                         listed == NULL ? "" : listed, listed == NULL ? "" : ", ",
                         (int)strcspn(record->symbol, ": "), record->symbol, record->issuer_name,
                         issuer->listed_name);
    }
}

void dsc_report_name_mismatches(dsc_loader_t *loader)
{
    const dsc_loaded_file_t *file = loader->at;

    if (file->name_mismatches > 0) {
        dsc_loader_note(loader,
                        apr_psprintf(loader->file_pool,
                                     "%" APR_INT64_T_FMT
                                     " rows name another company than is listed "
                                     "under their ticker, and are kept without one: %s%s",
                                     (apr_int64_t)file->name_mismatches, file->mismatches_listed,
                                     file->name_mismatches > MISMATCHES_LISTED ? ", ..." : ""));
    }
}
