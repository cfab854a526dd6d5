/* The messages of engine/message.h in httpd's error log. */
#ifndef DSC_LOG_H
#define DSC_LOG_H

#include "engine/message.h"

#include <httpd.h>

#include <http_log.h>

#define DSC_MESSAGE_LEVEL(name_, number_, level_, text_) dsc_level_##name_ = APLOG_##level_,
#define DSC_MESSAGE_FORMAT(name_, number_, level_, text_)                                          \
    static const char dsc_format_##name_[] __attribute__((unused)) = "DSC" #number_ ": " text_;
enum {
    DSC_MESSAGES(DSC_MESSAGE_LEVEL)
};
DSC_MESSAGES(DSC_MESSAGE_FORMAT)

/* What ap_log_error() and ap_log_rerror() take before the values of the format. */
#define DSC_MESSAGE(name_, status_, server_or_request_)                                            \
    APLOG_MARK, dsc_level_##name_, status_, server_or_request_, dsc_format_##name_

/* A dsc_log_t; the baton is the server. NULL: the main one. */
void dsc_log(void *baton, int number, const char *text);

#endif
