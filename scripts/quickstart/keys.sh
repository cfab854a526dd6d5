# shellcheck shell=bash disable=SC2034,SC2154,SC2164  # shared variables; set -e is on
# API keys, and var/quickstart.env.

# What var/quickstart.env holds besides the address and the DSN: name, whether it is made anew at each
# start, plan, kind, and what the key has of its own. Each belongs to an account of its own, since
# the day's quota is the account's.
keys=(
    'DISCLOSED_KEY kept enterprise live'
    'DISCLOSED_KEY_BUILDER kept builder live'
    'DISCLOSED_KEY_STARTER kept starter live'
    'DISCLOSED_KEY_FREE kept free live'
    'DISCLOSED_KEY_TEST kept enterprise test'
    'DISCLOSED_KEY_BURST fresh builder live --rate 5/s --burst 10 --day 60'
    'DISCLOSED_KEY_FEW_CREDITS fresh builder live --credits 3'
)

# create_key NAME PLAN KIND OPTION...: prints the secret, which disclosedctl shows this once
create_key() {
    local name=$1 plan=$2 kind=$3 answer
    shift 3
    answer=$(DISCLOSED_DATABASE=$dsn "$ctl" key create --plan "$plan" --kind "$kind" \
        --owner "quickstart $name $(date -u +%Y%m%dT%H%M%S.%NZ)" "$@" --json)
    sed -n 's/.*"key" *: *"\([^"]*\)".*/\1/p' <<<"$answer"
}

# revoke_key SECRET: the key of an earlier start; its id is part of the secret
revoke_key() {
    if [ -n "$1" ]; then DISCLOSED_DATABASE=$dsn "$ctl" key revoke "${1:8:8}" >/dev/null || true; fi
}

# Keys of an earlier run stay while the server still takes them, but for those that are used up.
write_keys() {
    local line name use plan kind key
    local -a own
    (umask 077; : >"$env_file.new")
    printf '%s\n' "DISCLOSED_BASE_URL=$base_url" "DISCLOSED_DSN='$dsn'" >"$env_file.new"
    for line in "${keys[@]}"; do
        read -r name use plan kind line <<<"$line"
        read -ra own <<<"$line"
        key=$(old_value "$name")
        if [ "$use" = fresh ]; then
            revoke_key "$key"
            key=''
        fi
        if [ -z "$key" ] || [ "$(status_of "$key" /v1/coverage)" = 401 ]; then
            key=$(create_key "$name" "$plan" "$kind" "${own[@]}")
        fi
        [ -n "$key" ] || { say "disclosedctl made no key of plan $plan"; return 1; }
        say "$name=$key" >>"$env_file.new"
    done
    mv "$env_file.new" "$env_file"
}

check_answer() {
    local status
    status=$(status_of "$(old_value DISCLOSED_KEY)" '/v1/companies?limit=1')
    if [ "$status" = 200 ]; then return; fi
    say "$base_url/v1/companies responded with $status to the new key"
    tail -n 12 "$log_dir/error.log"
    return 1
}
