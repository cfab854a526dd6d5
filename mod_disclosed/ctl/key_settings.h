/* Settings of a key in addition to its plan: limits, scopes, networks. */
#ifndef DSC_KEY_SETTINGS_H
#define DSC_KEY_SETTINGS_H

#include <apr_getopt.h>
#include <apr_pools.h>

enum {
    DSC_KEY_RATE, /* in the order of dsc_key_setting_columns */
    DSC_KEY_BURST,
    DSC_KEY_DAY,
    DSC_KEY_CREDITS,
    DSC_KEY_SCOPES,
    DSC_KEY_ADDRESSES,
    DSC_KEY_SETTINGS
};

/* Texts to bind to the columns; NULL: not given; empty: back to what the plan says. */
typedef struct {
    const char *texts[DSC_KEY_SETTINGS];
} dsc_key_settings_t;

/* Column of api_key and its type for each setting. */
extern const struct dsc_key_setting_column_t {
    const char *name, *type;
} dsc_key_setting_columns[DSC_KEY_SETTINGS];

/* Takes a setting's text as the command line has it: "5/s", "100", "list_*,get_company",
 * "10.0.0.0/8"; "plan" (limits) or "any" (rules) for what the plan says. NULL, or what is wrong. */
const char *dsc_key_setting_take(apr_pool_t *pool, dsc_key_settings_t *settings, int setting,
                                 const char *text);

#endif
