/* A record on its way into staging: its errors, and whom it is about. */
#include "engine/interrupt.h"
#include "loader/loader_internal.h"

#include "engine/calendar.h"
#include "loader/loader_value.h"

#include <apr_lib.h>
#include <apr_strings.h>

enum {
    INDEXED_LENGTH = 1000,
    /* Days: a report on Form N-PORT becomes public 60 days after the end of its quarter. What were
     * known later than all else can be would stand as the newest for good. */
    FARTHEST_KNOWN = 100
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

static const char *text_or_null_error(const char *name, const char *text, apr_pool_t *pool)
{
    return text == NULL || dsc_text_is_utf8(text)
               ? NULL
               : apr_pstrcat(pool, name, ": not valid UTF-8", NULL);
}

static const char *provenance_error(const dsc_loader_t *loader, const dsc_stage_t *stage,
                                    const dsc_load_provenance_t *from, const char **value)
{
    const char *error;

    *value = from->provider;
    if (from->provider == NULL ||
        apr_hash_get(loader->providers, from->provider, APR_HASH_KEY_STRING) == NULL) {
        return "source_provider: not a known provider; disclosedctl provider add declares one";
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
        dsc_value_error(DSC_COLUMN_DATETIME, from->extracted_at) != NULL) {
        return "extracted_at: not a date and time with a zone (YYYY-MM-DDTHH:MM:SSZ)";
    }
    *value = NULL;
    error = text_or_null_error("source_url", from->url, loader->file_pool);
    return error != NULL ? error : text_or_null_error("quote", from->quote, loader->file_pool);
}

static const char *identity_error(const dsc_load_record_t *record, const char **value)
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
    if (dsc_value_error(record->known_at != NULL ? DSC_COLUMN_DATETIME : DSC_COLUMN_DATE, *value)) {
        return record->known_at != NULL
                   ? "known_at: not a date and time with a zone (YYYY-MM-DDTHH:MM:SSZ)"
                   : "known_at: not a date (YYYY-MM-DD)";
    }
    if (!dsc_date_is_between(*value, "0001-01-01", FARTHEST_KNOWN)) {
        return "known_at: lies in the future";
    }
    *value = record->issuer_name;
    return record->issuer_name != NULL && !dsc_text_is_utf8(record->issuer_name)
               ? "issuer_name: not valid UTF-8"
               : NULL;
}

static const char *column_error(dsc_loader_t *loader, const dsc_stage_t *stage, int index,
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
    return dsc_column_error(loader->file_pool, column, text);
}

/* The first thing that is wrong with the record, or NULL; *value is the value that is. */
static const char *record_error(dsc_loader_t *loader, const dsc_stage_t *stage,
                                const dsc_load_record_t *record, const char **value)
{
    const char *error;
    int i;

    if ((error = identity_error(record, value)) != NULL ||
        (error = provenance_error(loader, stage, &record->provenance, value)) != NULL) {
        return error;
    }
    for (i = 0; i < stage->dataset->column_count; i++) {
        *value = record->values[i];
        if ((error = column_error(loader, stage, i, record->values[i])) != NULL) {
            return error;
        }
    }
    *value = record->cik;
    return record->cik != NULL && !is_cik(record->cik) ? "cik: not a CIK" : NULL;
}

/* Of two files that state versions of one record the later meets what the earlier one has left. */
static apr_status_t meet(dsc_loader_t *loader, dsc_stage_t *stage, const dsc_load_record_t *record,
                         const dsc_issuer_t *issuer)
{
    dsc_buffer_t *word = loader->source_text;

    word->length = 0;
    dsc_buffer_printf(word, "%s\n%s\n%s", stage->dataset->name,
                      stage->global_key ? "" : issuer->identity, record->record_key);
    return stage->dataset->flags & DSC_OF_STATEMENTS
               ? dsc_round_follow(loader, stage, dsc_buffer_text(word))
               : dsc_round_meet(loader, dsc_buffer_text(word));
}

static apr_status_t append(dsc_loader_t *loader, dsc_stage_t *stage,
                           const dsc_load_record_t *record, const dsc_issuer_t *issuer)
{
    dsc_loaded_file_t *file = loader->at;
    apr_status_t rv = file->is_alone ? APR_SUCCESS : meet(loader, stage, record, issuer);

    file->count.read++;
    if (rv == APR_SUCCESS) {
        rv = dsc_stage_append(loader, stage, record, issuer);
    }
    if (rv == APR_SUCCESS && !file->is_alone &&
        (file->rows >= LARGE_LOAD ||
         stage->blocks[stage->level_of[file->number]]->length >= DSC_BLOCK_SIZE)) {
        rv = dsc_round_alone(loader);
    }
    return rv;
}

static apr_status_t add_by_party(dsc_loader_t *loader, dsc_stage_t *stage,
                                 const dsc_load_record_t *record, const char *party)
{
    dsc_issuer_t issuer = {NULL, NULL, party, party, party, NULL};

    if (*party == '\0' || strlen(party) > INDEXED_LENGTH || !dsc_text_is_utf8(party)) {
        return dsc_loader_reject(loader, record->location,
                                 "party: empty, longer than 1000 bytes or not valid UTF-8", party);
    }
    return append(loader, stage, record, &issuer);
}

static apr_status_t add_by_symbol(dsc_loader_t *loader, dsc_stage_t *stage,
                                  const dsc_load_record_t *record)
{
    const dsc_issuer_t *issuer;
    apr_status_t rv;

    if (!dsc_is_symbol(record->symbol)) {
        return dsc_loader_reject(loader, record->location,
                                 "symbol: longer than 900 bytes or not valid UTF-8",
                                 record->symbol);
    }
    if ((rv = dsc_issuer_of_symbol(loader, record, &issuer)) != APR_SUCCESS) {
        return rv;
    }
    if (issuer == NULL) {
        return dsc_loader_reject(loader, record->location, "symbol: of no day", record->symbol);
    }
    if (issuer->party == NULL || record->unlisted_issuer) {
        dsc_note_name_mismatch(loader, record, issuer);
        return append(loader, stage, record, issuer);
    }
    return dsc_loader_reject(loader, record->location, "symbol: nothing is listed under it",
                             record->symbol);
}

static apr_status_t add_by_cik(dsc_loader_t *loader, dsc_stage_t *stage,
                               const dsc_load_record_t *record)
{
    const char *cik = record->cik + strspn(record->cik, "0");
    dsc_issuer_t issuer = {NULL, cik, NULL, cik, cik, NULL};

    return append(loader, stage, record, &issuer);
}

/* A symbol beside the CIK must not be another company's: one of them would be wrong. */
static apr_status_t add_by_both(dsc_loader_t *loader, dsc_stage_t *stage,
                                const dsc_load_record_t *record)
{
    const dsc_issuer_t *issuer = NULL;
    apr_status_t rv;

    if (dsc_is_symbol(record->symbol) &&
        (rv = dsc_issuer_of_symbol(loader, record, &issuer)) != APR_SUCCESS) {
        return rv;
    }
    if (issuer != NULL && issuer->party == NULL &&
        strcmp(issuer->identity, record->cik + strspn(record->cik, "0")) != 0) {
        return dsc_loader_reject(loader, record->location,
                                 "symbol: another company's than the CIK's", record->symbol);
    }
    return add_by_cik(loader, stage, record);
}

apr_status_t dsc_loader_add(dsc_loader_t *loader, const dsc_dataset_t *dataset,
                            const dsc_load_record_t *record)
{
    const char *error, *value = NULL;
    dsc_stage_t *stage = loader->stages[dsc_dataset_index(dataset->name)];
    apr_status_t rv;

    if (dsc_interrupt_is_due()) {
        return dsc_loader_failed(loader, dsc_interrupt_text());
    }
    if ((stage == NULL || !stage->ready) &&
        (rv = dsc_stage_open(loader, dataset, &stage)) != APR_SUCCESS) {
        return rv;
    }
    if ((error = record_error(loader, stage, record, &value)) != NULL) {
        return dsc_loader_reject(loader, record->location, error, value);
    }
    if (record->cik != NULL) {
        return record->symbol == NULL ? add_by_cik(loader, stage, record)
                                      : add_by_both(loader, stage, record);
    }
    if (record->symbol != NULL) {
        return add_by_symbol(loader, stage, record);
    }
    return record->party != NULL
               ? add_by_party(loader, stage, record, record->party)
               : dsc_loader_reject(loader, record->location,
                                   "cik: neither a CIK, nor a symbol, nor a party", NULL);
}

long long dsc_loader_staged(const dsc_loader_t *loader)
{
    return loader->at->rows;
}

void dsc_loader_may_be_empty(dsc_loader_t *loader)
{
    loader->at->may_be_empty = 1;
}

long long dsc_loader_rejected(const dsc_loader_t *loader)
{
    return loader->at->count.rejected;
}
