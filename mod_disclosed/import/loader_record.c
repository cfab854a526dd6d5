/* A record on its way into staging: its faults, and the issuer whom its symbol names. */
#include "import/interrupt.h"
#include "import/loader_internal.h"

#include "import/loader_value.h"

#include <apr_lib.h>
#include <apr_strings.h>

enum {
    INDEXED_LENGTH = 1000,
    MOST_SYMBOLS = 50000, /* that are remembered */
    SYMBOL_LENGTH = 900   /* a party's key may be made of it */
};

static int is_cik(const char *text)
{
    size_t length = strspn(text, "0123456789");

    return length > 0 && length <= 10 && text[length] == '\0' && strspn(text, "0") < length;
}

/* NNNNNNNNNN-NN-NNNNNN: the form of EDGAR's accession numbers. */
static int is_accession(const char *text)
{
    static const char form[] = "0000000000-00-000000";
    size_t i;

    for (i = 0; form[i] != '\0'; i++) {
        if (form[i] == '0' ? !apr_isdigit(text[i]) : text[i] != form[i]) {
            return 0;
        }
    }
    return text[i] == '\0';
}

static int is_content_hash(const char *text)
{
    return strncmp(text, "sha256:", 7) == 0 && strlen(text) == 7 + 64 &&
           strspn(text + 7, "0123456789abcdef") == 64;
}

static const char *text_or_null_fault(const char *name, const char *text, apr_pool_t *pool)
{
    return text == NULL || dsc_text_is_utf8(text)
               ? NULL
               : apr_pstrcat(pool, name, ": not valid UTF-8", NULL);
}

static const char *provenance_fault(const dsc_loader_t *loader, const dsc_stage_t *stage,
                                    const dsc_load_provenance_t *from, const char **value)
{
    const char *fault;

    *value = from->provider;
    if (from->provider == NULL ||
        apr_hash_get(loader->providers, from->provider, APR_HASH_KEY_STRING) == NULL) {
        return "source_provider: not a known provider";
    }
    *value = from->accession;
    if (from->accession == NULL ? stage->accession_required : !is_accession(from->accession)) {
        return from->accession == NULL ? "accession: is required"
                                       : "accession: not an accession number";
    }
    *value = from->content_hash;
    if (from->content_hash != NULL && !is_content_hash(from->content_hash)) {
        return "content_hash: not sha256: and 64 hexadecimal digits";
    }
    *value = from->extracted_at;
    if (from->extracted_at != NULL &&
        dsc_value_fault(DSC_COLUMN_DATETIME, from->extracted_at) != NULL) {
        return "extracted_at: not a date and time with a zone (YYYY-MM-DDTHH:MM:SSZ)";
    }
    *value = NULL;
    fault = text_or_null_fault("source_url", from->url, loader->file_pool);
    return fault != NULL ? fault : text_or_null_fault("quote", from->quote, loader->file_pool);
}

static const char *identity_fault(const dsc_load_record_t *record, const char **value)
{
    *value = record->record_key;
    if (record->record_key == NULL || *record->record_key == '\0') {
        return "record_key: is required";
    }
    if (strlen(record->record_key) > INDEXED_LENGTH || !dsc_text_is_utf8(record->record_key)) {
        return "record_key: longer than 1000 bytes or not valid UTF-8";
    }
    *value = record->known_at != NULL ? record->known_at : record->known_on;
    if (*value == NULL) {
        return "known_at: neither a time nor a date is known";
    }
    if (dsc_value_fault(record->known_at != NULL ? DSC_COLUMN_DATETIME : DSC_COLUMN_DATE, *value)) {
        return record->known_at != NULL
                   ? "known_at: not a date and time with a zone (YYYY-MM-DDTHH:MM:SSZ)"
                   : "known_at: not a date (YYYY-MM-DD)";
    }
    *value = record->issuer_name;
    return record->issuer_name != NULL && !dsc_text_is_utf8(record->issuer_name)
               ? "issuer_name: not valid UTF-8"
               : NULL;
}

static const char *column_fault(dsc_loader_t *loader, const dsc_stage_t *stage, int index,
                                const char *text)
{
    const dsc_column_t *column = &stage->dataset->columns[index];
    const dsc_stage_column_t *stored = &stage->columns[index];

    if (text == NULL && stored->required) {
        return apr_pstrcat(loader->file_pool, column->name, ": is required", NULL);
    }
    if (text != NULL && strlen(text) > DSC_LARGEST_VALUE) {
        return apr_pstrcat(loader->file_pool, column->name, ": longer than 8 MB", NULL);
    }
    if (text != NULL && stored->indexed && strlen(text) > INDEXED_LENGTH) {
        return apr_pstrcat(loader->file_pool, column->name, ": longer than 1000 bytes", NULL);
    }
    return dsc_column_fault(loader->file_pool, column, text);
}

/* The first thing that is wrong with the record, or NULL; *value is the value that is. */
static const char *record_fault(dsc_loader_t *loader, const dsc_stage_t *stage,
                                const dsc_load_record_t *record, const char **value)
{
    const char *fault;
    int i;

    if ((fault = identity_fault(record, value)) != NULL ||
        (fault = provenance_fault(loader, stage, &record->provenance, value)) != NULL) {
        return fault;
    }
    for (i = 0; i < stage->dataset->column_count; i++) {
        *value = record->values[i];
        if ((fault = column_fault(loader, stage, i, record->values[i])) != NULL) {
            return fault;
        }
    }
    *value = record->cik;
    return record->cik != NULL && !is_cik(record->cik) ? "cik: not a CIK" : NULL;
}

/* Of several spellings the first that is listed; without its market a symbol means the issuer's
 * first listing of that ticker in force. */
static const char symbols_sql[] =
    "SELECT s.symbol, f.issuer_id, f.identity FROM unnest($1::text[]) AS s(symbol)"
    " LEFT JOIN LATERAL (SELECT i.issuer_id,"
    "  coalesce(i.cik::text, i.party_key, i.issuer_id::text) AS identity"
    "  FROM unnest(string_to_array(upper(s.symbol), ' ')) WITH ORDINALITY AS w(spelling, place)"
    "  JOIN disclosed.listing l ON l.ticker = split_part(w.spelling, ':', 1)"
    "  JOIN disclosed.issuer i USING (issuer_id)"
    "  WHERE l.superseded_at IS NULL"
    "  AND (position(':' IN w.spelling) = 0 OR l.market = split_part(w.spelling, ':', 2))"
    "  ORDER BY w.place, l.status <> 'active', l.listing_rank, l.id LIMIT 1) f ON true";

/* Keeps what a symbol means for the rest of the file: an issuer, or but the party that stands for
 * what nothing lists. */
static void keep_symbol(dsc_loader_t *loader, const PGresult *result, int row)
{
    dsc_issuer_t *issuer = apr_pcalloc(loader->symbol_pool, sizeof(*issuer));
    const char *symbol = apr_pstrdup(loader->symbol_pool, PQgetvalue(result, row, 0));

    if (PQgetisnull(result, row, 1)) {
        issuer->party = apr_pstrcat(loader->symbol_pool, "symbol/", symbol, NULL);
        issuer->identity = issuer->party;
    } else {
        issuer->issuer_id = apr_pstrdup(loader->symbol_pool, PQgetvalue(result, row, 1));
        issuer->identity = apr_pstrdup(loader->symbol_pool, PQgetvalue(result, row, 2));
    }
    apr_hash_set(loader->symbols, symbol, APR_HASH_KEY_STRING, issuer);
}

static int is_symbol(const char *symbol)
{
    return strlen(symbol) <= SYMBOL_LENGTH && dsc_text_is_utf8(symbol);
}

apr_status_t dsc_loader_find_symbols(dsc_loader_t *loader, apr_pool_t *pool, int count,
                                     const char *const *symbols)
{
    const char **unknown = apr_palloc(pool, sizeof(*unknown) * ((size_t)count + 1));
    const char *literal;
    PGresult *result;
    apr_status_t rv;
    int unknown_count = 0;

    if (apr_hash_count(loader->symbols) > MOST_SYMBOLS) { /* they can be found again */
        apr_pool_clear(loader->symbol_pool);
        loader->symbols = apr_hash_make(loader->symbol_pool);
    }
    for (int i = 0; i < count; i++) {
        if (is_symbol(symbols[i]) &&
            apr_hash_get(loader->symbols, symbols[i], APR_HASH_KEY_STRING) == NULL) {
            unknown[unknown_count++] = symbols[i];
        }
    }
    if (unknown_count == 0) {
        return APR_SUCCESS;
    }
    literal = dsc_texts_literal(pool, unknown_count, unknown);
    rv = dsc_loader_query(loader, symbols_sql, 1, &literal, &result);
    if (rv != APR_SUCCESS) {
        return rv;
    }
    for (int row = 0; row < PQntuples(result); row++) {
        keep_symbol(loader, result, row);
    }
    PQclear(result);
    return APR_SUCCESS;
}

static apr_status_t append(dsc_loader_t *loader, dsc_stage_t *stage,
                           const dsc_load_record_t *record, const dsc_issuer_t *issuer)
{
    loader->count.read++;
    return dsc_stage_append(loader, stage, record, issuer);
}

static apr_status_t add_by_party(dsc_loader_t *loader, dsc_stage_t *stage,
                                 const dsc_load_record_t *record, const char *party)
{
    dsc_issuer_t issuer = {NULL, NULL, party, party};

    if (*party == '\0' || strlen(party) > INDEXED_LENGTH || !dsc_text_is_utf8(party)) {
        return dsc_loader_reject(loader, record->place,
                                 "party: empty, longer than 1000 bytes or not valid UTF-8", party);
    }
    return append(loader, stage, record, &issuer);
}

static apr_status_t add_by_symbol(dsc_loader_t *loader, dsc_stage_t *stage,
                                  const dsc_load_record_t *record)
{
    const dsc_issuer_t *issuer;
    apr_pool_t *pool;
    apr_status_t rv;

    if (!is_symbol(record->symbol)) {
        return dsc_loader_reject(loader, record->place,
                                 "symbol: longer than 900 bytes or not valid UTF-8",
                                 record->symbol);
    }
    issuer = apr_hash_get(loader->symbols, record->symbol, APR_HASH_KEY_STRING);
    if (issuer == NULL) {
        apr_pool_create(&pool, loader->file_pool);
        rv = dsc_loader_find_symbols(loader, pool, 1, &record->symbol);
        apr_pool_destroy(pool);
        if (rv != APR_SUCCESS) {
            return rv;
        }
        issuer = apr_hash_get(loader->symbols, record->symbol, APR_HASH_KEY_STRING);
    }
    if (issuer->party == NULL || record->unlisted_party) {
        return append(loader, stage, record, issuer);
    }
    return dsc_loader_reject(loader, record->place, "symbol: nothing is listed under it",
                             record->symbol);
}

static apr_status_t add_by_cik(dsc_loader_t *loader, dsc_stage_t *stage,
                               const dsc_load_record_t *record)
{
    const char *cik = record->cik + strspn(record->cik, "0");
    dsc_issuer_t issuer = {NULL, cik, NULL, cik};

    return append(loader, stage, record, &issuer);
}

apr_status_t dsc_loader_add(dsc_loader_t *loader, const dsc_dataset_t *dataset,
                            const dsc_load_record_t *record)
{
    const char *fault, *value = NULL;
    dsc_stage_t *stage = loader->stages[dsc_dataset_index(dataset->name)];
    apr_status_t rv;

    if (dsc_interrupt_is_due()) {
        return dsc_loader_failed(loader, dsc_interrupt_text());
    }
    if ((stage == NULL || !stage->ready) &&
        (rv = dsc_stage_open(loader, dataset, &stage)) != APR_SUCCESS) {
        return rv;
    }
    if ((fault = record_fault(loader, stage, record, &value)) != NULL) {
        return dsc_loader_reject(loader, record->place, fault, value);
    }
    if (record->cik != NULL) {
        return add_by_cik(loader, stage, record);
    }
    if (record->symbol != NULL) {
        return add_by_symbol(loader, stage, record);
    }
    return record->party != NULL
               ? add_by_party(loader, stage, record, record->party)
               : dsc_loader_reject(loader, record->place,
                                   "cik: neither a CIK, nor a symbol, nor a party", NULL);
}

long long dsc_loader_rejected(const dsc_loader_t *loader)
{
    return loader->count.rejected;
}
