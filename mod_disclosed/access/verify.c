#include "access/verify.h"

#include "access/key.h"
#include "engine/digest.h"

#include <apr_strings.h>
#include <apr_time.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WATCHED_WITHIN ((int64_t)apr_time_from_msec(1500))

enum {
    FREE_PAGE_CAP = 25
};

int dsc_plan_page_cap(const char *plan, int live)
{
    return !live || strcmp(plan, "free") == 0 ? FREE_PAGE_CAP : 0;
}

/* The key in "Bearer <key>"; NULL when the header is something else. */
static const char *bearer(const char *authorization)
{
    if (!authorization || strncasecmp(authorization, "Bearer ", 7) != 0) {
        return NULL;
    }
    authorization += 7;
    return authorization + strspn(authorization, " ");
}

/* Reads `size` bytes of hex; 0 when the text is not that. */
static int read_hex(const char *text, unsigned char *bytes, size_t size)
{
    size_t i;
    if (!text || strlen(text) != 2 * size) {
        return 0;
    }
    for (i = 0; i < size; i++) {
        char pair[3] = {text[2 * i], text[2 * i + 1], '\0'};
        char *end;
        bytes[i] = (unsigned char)strtoul(pair, &end, 16);
        if (*end) {
            return 0;
        }
    }
    return 1;
}

/* A live row has the digest of its salt and key, and how long it may be trusted. */
static const char select_key[] =
    "SELECT encode(salt, 'hex'), encode(digest, 'hex'), kind, plan, account_id,"
    " (extract(epoch FROM least(expires_at - clock_timestamp(), interval '60 s')) * 1000000)::bigint"
    " FROM api_key WHERE key_id = %s::text AND revoked_at IS NULL"
    " AND (expires_at IS NULL OR expires_at > clock_timestamp())";

enum {
    SALT,
    DIGEST,
    KIND,
    PLAN,
    ACCOUNT,
    TRUSTED_FOR
};

/* Whether the row is that of the key. An unknown id is hashed with a salt too, so that the time an
 * answer takes does not tell which ids exist. */
static int row_agrees(const dsc_result_t *row, const char *text, int live)
{
    unsigned char salt[DSC_KEY_SALT_SIZE] = {0};
    unsigned char stored[DSC_KEY_DIGEST_SIZE] = {0};
    unsigned char digest[DSC_KEY_DIGEST_SIZE];
    int known = row && read_hex(dsc_result_text(row, SALT), salt, sizeof(salt)) &&
                read_hex(dsc_result_text(row, DIGEST), stored, sizeof(stored));
    dsc_key_digest(salt, text, DSC_KEY_LENGTH, digest);
    return dsc_key_same(stored, digest) && known &&
           live == (strcmp(dsc_result_text(row, KIND), "live") == 0);
}

static void take_row(const dsc_result_t *row, apr_time_t now, dsc_verified_key_t *key)
{
    const char *trusted_for = dsc_result_text(row, TRUSTED_FOR);
    const char *plan = dsc_result_text(row, PLAN);
    apr_time_t longest = apr_time_from_sec(60);
    key->account_id = strtoull(dsc_result_text(row, ACCOUNT), NULL, 10);
    key->valid_until = (uint64_t)(now + (trusted_for ? strtoll(trusted_for, NULL, 10) : longest));
    memcpy(key->plan, plan, strnlen(plan, sizeof(key->plan) - 1));
}

static dsc_verify_t ask_database(apr_pool_t *pool, dsc_database_t *database, const char *text,
                                 apr_time_t now, dsc_verified_key_t *key)
{
    const char *key_id = apr_pstrmemdup(pool, key->key_id, sizeof(key->key_id));
    dsc_session_t *session;
    dsc_result_t *result;
    dsc_database_status_t status;
    dsc_verify_t verdict;
    int found;

    if (dsc_session_acquire(database, pool, &session) != DSC_DATABASE_OK) {
        return DSC_VERIFY_UNAVAILABLE;
    }
    status = dsc_select(session, select_key, 0, 1, &key_id, &result);
    verdict = status == DSC_DATABASE_UNAVAILABLE ? DSC_VERIFY_UNAVAILABLE : DSC_VERIFY_FAILED;
    if (status == DSC_DATABASE_OK) {
        found = dsc_result_next(result);
        verdict = row_agrees(found ? result : NULL, text, (int)key->live) ? DSC_VERIFY_GOOD
                                                                          : DSC_VERIFY_BAD;
        if (verdict == DSC_VERIFY_GOOD) {
            take_row(result, now, key);
        }
    }
    dsc_session_release(session);
    return verdict;
}

/* Whether what the watcher wrote can be relied on: revocations reach the cache through it. */
static int is_watched(dsc_shared_state_t *state, uint32_t area, uint64_t now)
{
    return (int64_t)(now - atomic_load(&state->areas[area].seen_at)) < WATCHED_WITHIN;
}

dsc_verify_t dsc_verify(apr_pool_t *pool, dsc_database_t *database, dsc_shared_state_t *state,
                        uint32_t area, const char *authorization, dsc_verified_key_t *key)
{
    const char *text = bearer(authorization);
    apr_time_t now = apr_time_now();
    unsigned char fingerprint[DSC_SHA256_SIZE];
    dsc_verify_t verdict;
    dsc_key_t parsed;

    if (!text || !dsc_key_parse(text, strlen(text), &parsed)) {
        return DSC_VERIFY_BAD;
    }
    dsc_sha256(text, DSC_KEY_LENGTH, fingerprint);
    if (is_watched(state, area, (uint64_t)now) &&
        dsc_key_cache_find(state, fingerprint, area, (uint64_t)now, key)) {
        return DSC_VERIFY_GOOD;
    }
    memset(key, 0, sizeof(*key));
    memcpy(key->fingerprint, fingerprint, sizeof(key->fingerprint));
    memcpy(key->key_id, parsed.key_id, sizeof(key->key_id));
    key->live = (uint32_t)parsed.live;
    key->area = area;
    /* Read before the row: a revocation in between makes the entry old at once. */
    key->generation = atomic_load(&state->areas[area].key_generation);
    verdict = ask_database(pool, database, text, now, key);
    if (verdict == DSC_VERIFY_GOOD) {
        dsc_key_cache_keep(state, key, (uint64_t)now);
    }
    return verdict;
}
