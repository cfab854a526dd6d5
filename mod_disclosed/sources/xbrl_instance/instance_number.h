/* Numbers of XBRL instances and of inline XBRL, as decimal texts: no number goes through floating
 * point. */
#ifndef DSC_INSTANCE_NUMBER_H
#define DSC_INSTANCE_NUMBER_H

#include <apr_pools.h>

enum {
    DSC_MOST_WORK_SLOTS = 400 /* by which a point is moved */
};

/* A number as an instance writes it (XML Schema's decimal or double) in plain digits: "+.5" is 0.5,
 * 1E3 is 1000. NULL if it is none, or its exponent is beyond 999. */
const char *dsc_instance_plain(apr_pool_t *pool, const char *text);

/* The number times ten to the power of `places`, of at most DSC_MOST_WORK_SLOTS. */
const char *dsc_instance_moved(apr_pool_t *pool, const char *number, int places);

/* What an inline number is by its format, "ixt:num-dot-decimal" without the prefix (Inline XBRL
 * Transformation Registries 1 to 5, and the SEC's own numwordsen); NULL or "": it is written
 * plainly. NULL and *error if the format is not known, or the text is not of it. */
const char *dsc_instance_transformed(apr_pool_t *pool, const char *format, const char *text,
                                     const char **error);

#endif
