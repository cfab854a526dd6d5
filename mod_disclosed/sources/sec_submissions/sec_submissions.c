/* Importer sec-submissions: CIK##########.json of EDGAR's data.sec.gov/submissions, their pages of
 * older filings (CIK##########-submissions-###.json) and the members of submissions.zip. */
#include "sources/sec_submissions/sec_submissions.h"
#include "sources/sec_submissions/submissions_row.h"
#include "sources/shared/filing_record.h"

#include "formats/json_document.h"
#include "sources/importers.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

enum {
    CIK_DIGITS = 10
};

/* The digits after CIK in a file's name, whatever folder or archive it is in; NULL without. */
static const char *cik_of_name(const char *name)
{
    const char *base = name;
    const char *at;
    int i;

    for (at = name; *at; at++) {
        if (*at == '/' || *at == ':') {
            base = at + 1;
        }
    }
    if (strncmp(base, "CIK", 3) != 0) {
        return NULL;
    }
    for (i = 0; i < CIK_DIGITS; i++) {
        if (!apr_isdigit(base[3 + i])) {
            return NULL;
        }
    }
    return base + 3;
}

int dsc_accept_sec_submissions(const char *name)
{
    size_t length = strlen(name);

    return cik_of_name(name) && length > 5 && !strcmp(name + length - 5, ".json");
}

/* Ten digits from the text's digits; NULL if it is no CIK. */
static const char *padded_cik(apr_pool_t *pool, const char *text)
{
    size_t length = text ? strspn(text, "0123456789") : 0;

    if (length == 0 || length > CIK_DIGITS || text[length] || strspn(text, "0") == length) {
        return NULL;
    }
    return apr_pstrcat(pool, &"0000000000"[length], text, NULL);
}

/* Whether the file's name, if it has a CIK, has the one that the file states. */
static int is_of_name(const dsc_submissions_t *file, const char *name, const char **reason)
{
    const char *digits = cik_of_name(name);

    *reason =
        apr_psprintf(file->pool, "\"cik\" is %s, which contradicts the file's name", file->cik);
    return !digits || !strncmp(digits, file->cik, CIK_DIGITS);
}

/* Finds out which of the two structures it is; 0 and *reason if it is neither. */
static int recognise(dsc_submissions_t *file, const json_t *root, const char *name,
                     const char **reason)
{
    const json_t *recent = json_object_get(json_object_get(root, "filings"), "recent");

    if (json_is_object(recent)) {
        file->issuer = root;
        file->filings = recent;
        file->location = "filings.recent.";
        file->cik =
            padded_cik(file->pool, dsc_submissions_text(file->pool, json_object_get(root, "cik")));
        file->name = dsc_submissions_text(file->pool, json_object_get(root, "name"));
        *reason =
            file->name ? "\"cik\" is not a number of up to ten digits" : "there is no \"name\"";
        return file->cik && file->name && is_of_name(file, name, reason);
    }
    if (json_is_array(json_object_get(root, "accessionNumber"))) {
        const char *digits = cik_of_name(name);

        file->filings = root;
        file->location = "";
        file->cik =
            digits ? padded_cik(file->pool, apr_pstrndup(file->pool, digits, CIK_DIGITS)) : NULL;
        *reason = "a page of older filings, which names its filer in the file name alone "
                  "(CIK##########-submissions-###.json), and this name does not";
        return file->cik != NULL;
    }
    *reason =
        "not a submissions file: it has neither \"filings\": {\"recent\": {...}} nor an array "
        "\"accessionNumber\"";
    return 0;
}

/* Reports which clock was found, in the message of the run. */
static apr_status_t note_clock(const dsc_submissions_t *file)
{
    const char *parameters[] = {NULL, dsc_loader_run_of_file};

    if (json_array_size(json_object_get(file->filings, "accessionNumber")) == 0) {
        return APR_SUCCESS;
    }
    parameters[0] = apr_psprintf(
        file->pool,
        "acceptance times are on a %s clock%s: %ld filings speak for UTC, %ld for Eastern",
        dsc_clock_name(file->clock),
        dsc_loader_options(file->loader)->clock ? ", as the command line says" : "",
        file->evidence.utc, file->evidence.eastern);
    return dsc_loader_after_merge(
        file->loader, "UPDATE disclosed.import_run SET message = $1 WHERE import_run_id = $2",
        DSC_COUNT(parameters), parameters);
}

apr_status_t dsc_load_sec_submissions(dsc_loader_t *loader, dsc_import_file_t *import_file,
                                      const char **reason)
{
    dsc_submissions_t file;
    json_t *root;
    apr_status_t status;

    memset(&file, 0, sizeof(file));
    file.loader = loader;
    file.pool = dsc_loader_file_pool(loader);
    root = dsc_json_read(import_file, file.pool, reason);
    if (!root || !recognise(&file, root, import_file->name, reason) ||
        !dsc_submissions_survey(&file, reason)) {
        return APR_EGENERAL;
    }
    status = file.issuer ? dsc_submissions_add_issuer(&file) : APR_SUCCESS;
    if (status == APR_SUCCESS) {
        status = dsc_submissions_add_filings(&file);
    }
    if (status == APR_SUCCESS && dsc_submissions_row_count(file.filings) > 0) {
        status = dsc_date_filings(loader, 0);
    }
    return status == APR_SUCCESS ? note_clock(&file) : status;
}
