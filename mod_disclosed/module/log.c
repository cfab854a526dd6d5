#include "module/log.h"

#include <http_main.h>

APLOG_USE_MODULE(disclosed);

static int level_of(int number)
{
#define LEVEL_CASE(name_, number_, level_, text_)                                                  \
    case DSC_MESSAGE_##name_:                                                                      \
        return dsc_level_##name_;
    switch (number) {
        DSC_MESSAGES(LEVEL_CASE)
    default:
        return APLOG_ERR;
    }
#undef LEVEL_CASE
}

void dsc_log(void *baton, int number, const char *text)
{
    ap_log_error(APLOG_MARK, level_of(number), 0, baton ? (server_rec *)baton : ap_server_conf,
                 "DSC%04d: %s", number, text);
}
