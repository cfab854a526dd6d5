# shellcheck shell=bash disable=SC2034,SC2154,SC2164  # shared variables; set -e is on
# API keys, and var/quickstart.env.

# What var/quickstart.env holds besides the address and the DSN: name, plan, kind.
keys=(
    'DISCLOSED_KEY enterprise live'
    'DISCLOSED_KEY_BUILDER builder live'
    'DISCLOSED_KEY_STARTER starter live'
    'DISCLOSED_KEY_FREE free live'
    'DISCLOSED_KEY_TEST enterprise test'
)

# create_key PLAN KIND: prints the secret, which disclosedctl shows this once
create_key() {
    local answer
    answer=$(DISCLOSED_DATABASE=$dsn "$ctl" key create --plan "$1" --kind "$2" --owner quickstart --json)
    sed -n 's/.*"key" *: *"\([^"]*\)".*/\1/p' <<<"$answer"
}

# Keys of an earlier run stay while the server still takes them.
write_keys() {
    local line name plan kind key
    (umask 077; : >"$env_file.new")
    printf '%s\n' "DISCLOSED_BASE_URL=$base_url" "DISCLOSED_DSN='$dsn'" >"$env_file.new"
    for line in "${keys[@]}"; do
        read -r name plan kind <<<"$line"
        key=$(old_value "$name")
        if [ -z "$key" ] || [ "$(status_of "$key" /v1/coverage)" = 401 ]; then
            key=$(create_key "$plan" "$kind")
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
    say "$base_url/v1/companies answered $status with the new key"
    tail -n 12 "$log_dir/error.log"
    return 1
}
