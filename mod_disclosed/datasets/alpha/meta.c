/* What the earlier surface says of itself. */
#include "datasets/alpha/alpha.h"

static const dsc_shape_t allowlist_shape = SHAPE("Allowlist", "The providers that data may come from.",
    DSC_FIELD_ALLOWLIST);

static const dsc_source_t allowlist_source = ROW("(SELECT 1) t", .unversioned = 1);

const dsc_endpoint_t dsc_endpoint_earlier_allowlist = {
    EARLIER("get_allowlist", "/_meta/allowlist"),
    ABOUT("Coverage", "The providers that data may come from."),
    ITEM(allowlist_source, allowlist_shape),
    PARAMETERS(
        DSC_PARAMETER_AS_OF),
    .not_found = "%s",
};
