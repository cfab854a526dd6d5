#include "access/verify.h"

#include "access/key.h"
#include "engine/digest.h"
#include "engine/outage.h"

#include <apr_encode.h>
#include <apr_fnmatch.h>
#include <apr_strings.h>
#include <apr_time.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define WATCHED_WITHIN      ((int64_t)apr_time_from_msec(1500))
#define TRUSTED_FOR_SECONDS 60 /* a key, by what the primary said last */

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
    return text && strlen(text) == 2 * size &&
           apr_decode_base16_binary(bytes, text, APR_ENCODE_STRING, APR_ENCODE_NONE, NULL) ==
               APR_SUCCESS;
}

/* A live row has the digest of its salt and key, and how long it may be trusted. */
static const char select_key[] =
    "SELECT encode(salt, 'hex'), encode(digest, 'hex'), kind, plan, account_id,"
    " (extract(epoch FROM least(expires_at - clock_timestamp(), interval '60 s')) * 1000000)::bigint,"
    " rate_interval, burst, day_quota, credits,"
    " array_to_string(scopes, ' '), array_to_string(addresses, ' ')"
    " FROM api_key WHERE key_id = %s::text AND revoked_at IS NULL"
    " AND (expires_at IS NULL OR expires_at > clock_timestamp())";

enum {
    SALT,
    DIGEST,
    KIND,
    PLAN,
    ACCOUNT,
    TRUSTED_FOR,
    RATE_INTERVAL,
    BURST,
    DAY_QUOTA,
    CREDITS,
    SCOPES,
    ADDRESSES
};

/* Whether that is the key. */
static int agrees(const dsc_verified_key_t *key, const char *text, int live)
{
    unsigned char digest[DSC_KEY_DIGEST_SIZE];
    dsc_key_digest(key->salt, text, DSC_KEY_LENGTH, digest);
    return dsc_key_same(key->digest, digest) && live == (int)key->live;
}

static uint64_t own_number(const dsc_result_t *row, int column)
{
    const char *text = dsc_result_text(row, column);
    return text ? strtoull(text, NULL, 10) : UINT64_MAX;
}

/* Copies a text; the table's checks hold it short enough. */
static int take_text(const dsc_result_t *row, int column, char *into, size_t size)
{
    const char *text = dsc_result_text(row, column);
    if (text) {
        apr_cpystrn(into, text, size);
    }
    return text != NULL;
}

/* Whether the row could be read. */
static int take_row(const dsc_result_t *row, apr_time_t now, dsc_verified_key_t *key)
{
    const char *trusted_for = dsc_result_text(row, TRUSTED_FOR);
    const char *plan = dsc_result_text(row, PLAN);
    apr_time_t longest = apr_time_from_sec(TRUSTED_FOR_SECONDS);
    int has_scopes, has_addresses;
    key->live = strcmp(dsc_result_text(row, KIND), "live") == 0;
    key->account_id = strtoull(dsc_result_text(row, ACCOUNT), NULL, 10);
    key->valid_until = (uint64_t)(now + (trusted_for ? strtoll(trusted_for, NULL, 10) : longest));
    memcpy(key->plan, plan, strnlen(plan, sizeof(key->plan) - 1));
    key->rate_interval = own_number(row, RATE_INTERVAL);
    key->burst = own_number(row, BURST);
    key->day_quota = own_number(row, DAY_QUOTA);
    key->credits = own_number(row, CREDITS);
    has_scopes = take_text(row, SCOPES, key->scopes, sizeof(key->scopes));
    has_addresses = take_text(row, ADDRESSES, key->addresses, sizeof(key->addresses));
    key->has_rules = has_scopes || has_addresses;
    return read_hex(dsc_result_text(row, SALT), key->salt, sizeof(key->salt)) &&
           read_hex(dsc_result_text(row, DIGEST), key->digest, sizeof(key->digest));
}

/* Reads what the database has of the key's id; `found`: whether it has a live one. */
static dsc_verify_t ask_database(apr_pool_t *pool, dsc_database_t *database, const char *text,
                                 apr_time_t now, apr_time_t deadline, dsc_verified_key_t *key,
                                 int *found)
{
    const char *key_id = apr_pstrmemdup(pool, key->key_id, sizeof(key->key_id));
    const dsc_statement_t statement = {select_key, 1, &key_id, 0, NULL, NULL};
    int live = (int)key->live;
    dsc_session_t *session;
    dsc_result_t *result;
    dsc_database_status_t status;
    dsc_verify_t verdict;

    *found = 0;
    if (dsc_session_acquire(database, pool, DSC_OF_THE_SERVER, deadline, &session) !=
        DSC_DATABASE_OK) {
        return DSC_VERIFY_UNAVAILABLE;
    }
    status = dsc_select(session, &statement, &result);
    verdict = status == DSC_DATABASE_UNAVAILABLE ? DSC_VERIFY_UNAVAILABLE : DSC_VERIFY_FAILED;
    if (status == DSC_DATABASE_OK) {
        *found = dsc_result_next(result) && take_row(result, now, key);
        /* An unknown id is hashed with a salt too, so that times reveal less about which ids
         * exist. */
        verdict = agrees(key, text, live) && *found ? DSC_VERIFY_GOOD : DSC_VERIFY_BAD;
    }
    dsc_session_release(session);
    return verdict;
}

/* Whether what the watcher wrote can be relied on: revocations reach the cache through it. */
static int is_watched(const dsc_shared_state_t *state, uint32_t database_slot, uint64_t now)
{
    return dsc_database_was_seen(&state->database_slots[database_slot], now, WATCHED_WITHIN);
}

dsc_verify_t dsc_verify_cached(dsc_shared_state_t *state, uint32_t database_slot,
                               const char *authorization, dsc_verified_key_t *key,
                               dsc_standing_t *standing)
{
    const char *text = bearer(authorization);
    uint64_t now = (uint64_t)dsc_monotonic_now();
    dsc_key_cached_t cached;
    dsc_key_t parsed;
    int is_same, is_trusted;

    *standing = DSC_STANDING_NONE;
    if (!text || !dsc_key_parse(text, strlen(text), &parsed)) {
        return DSC_VERIFY_BAD;
    }
    cached = dsc_key_cache_find(state, parsed.key_id, database_slot, now, key);
    is_same = cached != DSC_KEY_ABSENT && agrees(key, text, parsed.live);
    is_trusted = cached == DSC_KEY_PRESENT && is_watched(state, database_slot, now);
    if (is_trusted) {
        return is_same ? DSC_VERIFY_GOOD : DSC_VERIFY_BAD;
    }
    if (is_same) {
        *standing = DSC_STANDING_PROVEN;
    } else if (cached == DSC_KEY_ABSENT &&
               dsc_key_list_has(&state->database_slots[database_slot].key_list,
                                dsc_key_list_seed(state), parsed.key_id)) {
        *standing = DSC_STANDING_LISTED;
    }
    return dsc_key_is_unknown(state, parsed.key_id, database_slot, now) ? DSC_VERIFY_BAD
                                                                        : DSC_VERIFY_UNKNOWN;
}

/* What is kept of a key before the database says more. */
static void begin_key(dsc_verified_key_t *key, const dsc_shared_state_t *state,
                      uint32_t database_slot, const char *text)
{
    dsc_key_t parsed = {0};

    (void)dsc_key_parse(text, strlen(text), &parsed);
    memset(key, 0, sizeof(*key));
    memcpy(key->key_id, parsed.key_id, sizeof(key->key_id));
    key->live = (uint16_t)parsed.live;
    key->database_slot = database_slot;
    /* Read before the row: a revocation in between makes the entry old at once. */
    key->generation = atomic_load(&state->database_slots[database_slot].key_generation);
}

dsc_verify_t dsc_verify_ask(apr_pool_t *pool, dsc_database_t *database, dsc_shared_state_t *state,
                            uint32_t database_slot, const char *authorization, apr_time_t deadline,
                            dsc_verified_key_t *key)
{
    const char *text = bearer(authorization);
    apr_time_t now = dsc_monotonic_now();
    dsc_verify_t verdict;
    int found;

    begin_key(key, state, database_slot, text);
    verdict = ask_database(pool, database, text, now, deadline, key, &found);
    if (verdict == DSC_VERIFY_GOOD || verdict == DSC_VERIFY_BAD) {
        int is_good = verdict == DSC_VERIFY_GOOD;
        atomic_fetch_add(is_good ? &state->counters.lookups.good : &state->counters.lookups.bad, 1);
        if (found) { /* a wrong one, too: by what the row says, no other has to be looked up */
            dsc_key_cache_keep(state, key, (uint64_t)now);
        } else {
            dsc_key_keep_unknown(state, key->key_id, database_slot, (uint64_t)now);
        }
    }
    return verdict;
}

dsc_verify_t dsc_verify_ask_replica(apr_pool_t *pool, dsc_database_t *replica,
                                    dsc_shared_state_t *state, uint32_t database_slot,
                                    const char *authorization, apr_time_t deadline,
                                    dsc_verified_key_t *key)
{
    const char *text = bearer(authorization);
    apr_time_t now = dsc_monotonic_now();
    dsc_verify_t verdict;
    int found;

    if (!dsc_database_was_seen(&state->database_slots[database_slot], (uint64_t)now,
                               apr_time_from_sec(TRUSTED_FOR_SECONDS))) {
        return DSC_VERIFY_UNAVAILABLE;
    }
    begin_key(key, state, database_slot, text);
    verdict = ask_database(pool, replica, text, now, deadline, key, &found);
    if (verdict == DSC_VERIFY_GOOD) {
        atomic_fetch_add(&state->counters.lookups.good, 1);
        return verdict;
    }
    return verdict == DSC_VERIFY_BAD ? DSC_VERIFY_UNCERTAIN : DSC_VERIFY_UNAVAILABLE;
}

/* ----------------------------------------------------------------------- rules */

int dsc_key_allows_address(apr_pool_t *pool, const dsc_verified_key_t *key, apr_sockaddr_t *address)
{
    char *state = NULL, *network;
    for (network = apr_strtok(apr_pstrdup(pool, key->addresses), " ", &state); network;
         network = apr_strtok(NULL, " ", &state)) {
        char *bits = strchr(network, '/');
        apr_ipsubnet_t *subnet;
        if (bits) {
            *bits++ = '\0';
        }
        if (apr_ipsubnet_create(&subnet, network, bits, pool) == APR_SUCCESS &&
            apr_ipsubnet_test(subnet, address)) {
            return 1;
        }
    }
    return key->addresses[0] == '\0';
}

int dsc_key_allows_endpoint(apr_pool_t *pool, const dsc_verified_key_t *key, const char *endpoint)
{
    char *state = NULL, *pattern;
    for (pattern = apr_strtok(apr_pstrdup(pool, key->scopes), " ", &state); pattern;
         pattern = apr_strtok(NULL, " ", &state)) {
        if (apr_fnmatch(pattern, endpoint, 0) == APR_SUCCESS) {
            return 1;
        }
    }
    return key->scopes[0] == '\0';
}
