#include "engine/media.h"

#include <apr_lib.h>
#include <apr_strings.h>
#include <string.h>

const dsc_media_row_t dsc_media[DSC_MEDIA_COUNT] = {
    [DSC_MEDIA_JSON] = {"application/json", "application/problem+json", "application/json"},
    [DSC_MEDIA_CSV] = {"text/csv", NULL, "text/csv; charset=utf-8; header=present"},
    [DSC_MEDIA_NDJSON] = {"application/x-ndjson", "application/ndjson", "application/x-ndjson"},
};

/* A media range of the header. */
typedef struct {
    const char *text;
    size_t length;
    int quality; /* in thousandths */
} range_t;

/* "0.8" in thousandths; what is no quality counts as 1. */
static int read_quality(const char *text)
{
    int thousandths = 0, scale = 100;
    if (*text != '0') {
        return 1000;
    }
    for (text += text[1] == '.' ? 2 : 1; apr_isdigit(*text) && scale > 0; text++) {
        thousandths += (*text - '0') * scale;
        scale /= 10;
    }
    return thousandths;
}

/* The quality among a range's parameters. */
static int quality_of(const char *at, const char *end)
{
    for (; at < end; at++) {
        if (*at != ';') {
            continue;
        }
        do {
            at++;
        } while (at < end && apr_isspace(*at));
        if (end - at > 2 && apr_tolower(*at) == 'q' && at[1] == '=') {
            return read_quality(at + 2);
        }
        at--;
    }
    return 1000;
}

/* Reads the range at `*at`, which moves behind its comma; 0 at the end. */
static int next_range(const char **at, range_t *range)
{
    const char *end;
    *at += strspn(*at, ", \t");
    if (!**at) {
        return 0;
    }
    end = *at + strcspn(*at, ",");
    range->text = *at;
    range->length = strcspn(*at, ";, \t");
    range->quality = quality_of(*at + range->length, end);
    *at = end;
    return 1;
}

static int is_text(const range_t *range, const char *text)
{
    return text && strlen(text) == range->length && !strncasecmp(range->text, text, range->length);
}

/* How closely the range names the format: 3 by its name, 2 as all of its kind, 1 as any; 0: it does
 * not. */
static int closeness(const range_t *range, const dsc_media_row_t *format)
{
    size_t kind = strcspn(format->media_type, "/") + 1;
    if (is_text(range, format->media_type) || is_text(range, format->other)) {
        return 3;
    }
    if (range->length == kind + 1 && range->text[kind] == '*' &&
        !strncasecmp(range->text, format->media_type, kind)) {
        return 2;
    }
    return is_text(range, "*/*");
}

dsc_media_t dsc_media_choose(const char *accept, int count)
{
    struct {
        int closeness, quality, place;
    } found[DSC_MEDIA_COUNT] = {{0}};
    int best = DSC_MEDIA_COUNT, place = 0, i;
    range_t range;
    if (!accept || !accept[strspn(accept, ", \t")]) {
        return DSC_MEDIA_JSON;
    }
    for (; next_range(&accept, &range); place++) {
        for (i = 0; i < count; i++) {
            int close = closeness(&range, &dsc_media[i]);
            if (close > found[i].closeness) {
                found[i].closeness = close;
                found[i].quality = range.quality;
                found[i].place = place;
            }
        }
    }
    for (i = 0; i < count; i++) {
        if (found[i].quality > 0 &&
            (best == DSC_MEDIA_COUNT || found[i].quality > found[best].quality ||
             (found[i].quality == found[best].quality && found[i].place < found[best].place))) {
            best = i;
        }
    }
    return (dsc_media_t)best;
}
