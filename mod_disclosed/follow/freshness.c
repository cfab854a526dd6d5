#include "follow/freshness.h"

/* Seconds between two times: /v1/coverage need not be newer. */
#define EVERY "10 s"

void dsc_follow_refresh(dsc_follower_t *follow, const dsc_follow_source_t *source)
{
    const char *parameters[] = {source->name, follow->options->once ? "t" : "f"};

    (void)dsc_follow_command(
        follow,
        "SELECT disclosed.refresh_followed($1) WHERE $2 OR NOT EXISTS (SELECT FROM"
        " disclosed.followed_freshness f WHERE f.source = $1"
        " AND f.refreshed_at > clock_timestamp() - interval '" EVERY "')",
        2, parameters);
}
