/* What endpoints of the earlier surface share. Their names begin with "earlier_", so that one pattern fits them all. */
#ifndef DSC_ALPHA_H
#define DSC_ALPHA_H

#include "datasets/datasets.h"
#include "engine/surface.h"

/* An operation of the earlier surface: its name and its path without their prefixes. */
#define EARLIER(name_, path_) GET("earlier_" name_, DSC_EARLIER path_)

/* The company of a path: rows are its issuer's. */
#define DSC_PARAMETER_TICKER DSC_COMPANY_IN_PATH("ticker", DSC_RESOLVED, "t.issuer_id = ?")

/* The company of a path as one row, with its ticker of the instant. */
#define COMPANY_ROW "(SELECT {value:ticker}::bigint AS issuer_id) t JOIN " DSC_ISSUER

#endif
