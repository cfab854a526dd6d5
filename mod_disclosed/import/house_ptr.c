/* Importer house-ptr: periodic transaction reports of the House as public JSON files have them, and the
 * Clerk's yearly index, which says when each report was filed. */
#include "import/congress_report.h"
#include "import/congress_value.h"
#include "import/house_index.h"
#include "import/importers.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>
#include <strings.h>

static const size_t largest_file = (size_t)256 << 20;

static const char *const person_names[] = {"representative", "name", NULL};
static const char *const district_names[] = {"district", "state_district", "state", NULL};

/* 2023FD.xml, 2023FD.txt */
static int is_index_name(const char *name)
{
    return strspn(name, "0123456789") == 4 &&
           (strcasecmp(name + 4, "FD.xml") == 0 || strcasecmp(name + 4, "FD.txt") == 0);
}

int dsc_accept_house_ptr(const char *name)
{
    size_t length = strlen(name);

    return is_index_name(name) ||
           (length > 5 && strcasecmp(name + length - 5, ".json") == 0 &&
            strstr(name, "transaction") != NULL && strncasecmp(name, "senate", 6) != 0);
}

static apr_status_t take_transaction(dsc_loader_t *loader, dsc_congress_file_t *file,
                                     const json_t *transaction, size_t number)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    const char *person = dsc_congress_member(pool, transaction, person_names, NULL);
    dsc_politician_name_t *name = apr_palloc(pool, sizeof(*name));
    dsc_congress_row_t row = {0};

    dsc_congress_fill(pool, transaction, &row);
    row.place = apr_psprintf(pool, "[%lu]", (unsigned long)number);
    row.name = person != NULL && dsc_politician_name(pool, person, name) ? name : NULL;
    row.state_district = dsc_congress_member(pool, transaction, district_names, NULL);
    row.is_paper = row.asset_name != NULL && strstr(row.asset_name, "scanned PDF") != NULL;
    return dsc_congress_take(file, &row);
}

static const char *root_fault(const json_t *root)
{
    const json_t *first = json_array_get(root, 0);

    if (!json_is_array(root) || (json_array_size(root) > 0 && !json_is_object(first))) {
        return "it is not an array of objects";
    }
    return json_object_get(first, "senator") != NULL || json_object_get(first, "office") != NULL
               ? "it has reports of the Senate: use senate-ptr"
               : NULL;
}

static apr_status_t load_transactions(dsc_loader_t *loader, const char *text, size_t length,
                                      const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    dsc_congress_file_t *file = dsc_congress_begin(loader, 1);
    json_t *root = dsc_congress_parse(pool, text, length, reason);
    apr_status_t rv = APR_SUCCESS;
    size_t i;

    if (root == NULL || (*reason = root_fault(root)) != NULL) {
        return APR_EGENERAL;
    }
    for (i = 0; rv == APR_SUCCESS && i < json_array_size(root); i++) {
        rv = take_transaction(loader, file, json_array_get(root, i), i);
    }
    return rv == APR_SUCCESS ? dsc_congress_finish(file) : rv;
}

apr_status_t dsc_load_house_ptr(dsc_loader_t *loader, dsc_import_file_t *file, const char **reason)
{
    apr_pool_t *pool = dsc_loader_file_pool(loader);
    size_t length, blank;
    char *text = dsc_import_read_all(file, pool, largest_file, &length, reason);

    if (text == NULL) {
        return APR_EGENERAL;
    }
    blank = strncmp(text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
    text += blank;
    length -= blank;
    switch (text[strspn(text, " \t\r\n")]) {
    case '[':
    case '{':
        return load_transactions(loader, text, length, reason);
    case '<':
        return dsc_house_index_xml(loader, text, length, reason);
    default:
        return dsc_house_index_text(loader, text, length, reason);
    }
}
