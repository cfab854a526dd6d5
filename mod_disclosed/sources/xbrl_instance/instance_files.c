#include "sources/xbrl_instance/instance_files.h"

#include "engine/shape.h"
#include "formats/import_location.h"

#include <apr_lib.h>
#include <string.h>

enum {
    DATE_DIGITS = 8
};

static const char *const kinds[] = {"cal", "def", "lab", "pre", "ref", "xsd"};

/* The length of the name without the suffix of compression. */
static size_t length_of(const char *name)
{
    return strlen(name) - dsc_import_compression(name);
}

static int ends_with(const char *name, const char *end)
{
    size_t length = length_of(name), of_end = strlen(end);

    return length > of_end && strncasecmp(name + length - of_end, end, of_end) == 0;
}

/* The length of the beginning up to the date in the name: of "aapl-20250329" in
 * "aapl-20250329_htm.xml". 0: there is no date. */
static size_t stem_of(const char *name)
{
    for (const char *dash = strchr(name, '-'); dash; dash = strchr(dash + 1, '-')) {
        size_t digits = 0;

        while (apr_isdigit(dash[1 + digits])) {
            digits++;
        }
        if (digits == DATE_DIGITS && dash > name) {
            return (size_t)(dash - name) + 1 + DATE_DIGITS;
        }
    }
    return 0;
}

/* Whether it is the linkbase of that kind, or a schema. */
static int is_of_kind(const char *name, const char *kind)
{
    size_t length = length_of(name);

    if (strcmp(kind, "xsd") == 0) {
        return ends_with(name, ".xsd") || ends_with(name, ".xsd.xml");
    }
    return ends_with(name, ".xml") && length > strlen("_cal.xml") &&
           name[length - strlen("_cal.xml")] == '_' &&
           strncasecmp(name + length - strlen("cal.xml"), kind, strlen(kind)) == 0;
}

int dsc_is_linkbase_name(const char *name)
{
    for (int i = 0; i < DSC_COUNT(kinds); i++) {
        if (is_of_kind(name, kinds[i])) {
            return 1;
        }
    }
    return 0;
}

int dsc_is_page_name(const char *name)
{
    return ends_with(name, ".htm") || ends_with(name, ".html") || ends_with(name, ".xhtml");
}

int dsc_may_be_instance(const char *name)
{
    return dsc_is_instance_name(name) || dsc_is_page_name(name) ||
           (ends_with(name, ".xml") && !dsc_is_linkbase_name(name));
}

int dsc_is_instance_name(const char *name)
{
    size_t stem = stem_of(name);

    if (dsc_is_linkbase_name(name)) {
        return 0;
    }
    return ends_with(name, "_htm.xml") || (stem > 0 && dsc_is_page_name(name)) ||
           (stem > 0 && ends_with(name, ".xml") && stem + strlen(".xml") == length_of(name));
}

/* Whether two names begin with the same up to the date. */
static int is_same_stem(const char *one, const char *two)
{
    size_t stem = stem_of(one);

    return stem > 0 && stem == stem_of(two) && strncasecmp(one, two, stem) == 0;
}

int dsc_is_same_instance(const char *one, const char *two)
{
    return is_same_stem(one, two) ||
           (length_of(one) == length_of(two) && strncasecmp(one, two, length_of(one)) == 0);
}

/* An exhibit's instance has no date in its name. Of the two forms of one the plain one comes first;
 * the inline document says the same. */
int dsc_instance_precedes(const char *one, const char *two)
{
    size_t one_stem = stem_of(one), two_stem = stem_of(two);
    size_t length = one_stem > two_stem ? one_stem : two_stem;
    int order = (one_stem == 0) - (two_stem == 0);

    if (order == 0 && one_stem > 0) {
        order = strncasecmp(one, two, length);
    }
    if (order == 0) {
        order = dsc_is_page_name(one) - dsc_is_page_name(two);
    }
    return order != 0 ? order < 0 : strcasecmp(one, two) < 0;
}

static const char *better(const char *one, const char *two)
{
    return !one || dsc_instance_precedes(two, one) ? two : one;
}

/* Whether the linkbase or schema of that name is one of those that an instance without a date in
 * its name is read with. */
static int is_taken_by(const apr_array_header_t *companions, const char *instance, const char *name)
{
    for (int i = 0; i < DSC_COUNT(kinds) && stem_of(instance) == 0; i++) {
        const char *taken =
            is_of_kind(name, kinds[i]) ? dsc_linkbase_for(companions, instance, kinds[i]) : NULL;

        if (taken && strcmp(taken, name) == 0) {
            return 1;
        }
    }
    return 0;
}

const char *dsc_instance_for(const apr_array_header_t *companions, const char *name)
{
    const char *same = NULL, *only = NULL, *taking = NULL;

    for (int i = 0; i < companions->nelts; i++) {
        const char *other = APR_ARRAY_IDX(companions, i, const char *);

        if (dsc_is_instance_name(other)) {
            same = is_same_stem(name, other) ? better(same, other) : same;
            only = better(only, other);
            taking = is_taken_by(companions, other, name) ? better(taking, other) : taking;
        }
    }
    return same ? same : stem_of(name) > 0 ? taking : only;
}

/* Those of a folder whose names have a date are read by themselves. */
int dsc_instance_is_companion(const char *instance, const char *name, int is_submission)
{
    return dsc_is_instance_name(name) && !dsc_is_same_instance(name, instance) &&
           (is_submission || stem_of(name) == 0);
}

const char *dsc_instance_after(const apr_array_header_t *companions, const char *instance,
                               int is_submission)
{
    const char *next = NULL;

    for (int i = 0; i < companions->nelts; i++) {
        const char *name = APR_ARRAY_IDX(companions, i, const char *);

        if (dsc_instance_is_companion(instance, name, is_submission) &&
            dsc_instance_precedes(instance, name)) {
            next = better(next, name);
        }
    }
    return next;
}

const char *dsc_linkbase_for(const apr_array_header_t *companions, const char *instance,
                             const char *kind)
{
    const char *only = NULL;
    int count = 0;

    for (int i = 0; i < companions->nelts; i++) {
        const char *name = APR_ARRAY_IDX(companions, i, const char *);

        if (is_of_kind(name, kind)) {
            if (is_same_stem(instance, name)) {
                return name;
            }
            only = name;
            count++;
        }
    }
    return count == 1 && stem_of(instance) == 0 ? only : NULL;
}
