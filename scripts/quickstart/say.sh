# shellcheck shell=bash disable=SC2034,SC2154,SC2164  # shared variables; set -e is on
# Telling what happens: steps with their seconds, the log, what to do when one fails.

say() { printf '%s\n' "$*"; }

# die WHAT [WHAT-TO-DO...]
die() {
    printf '\nquickstart: %s\n' "$1" >&2
    shift
    [ $# -eq 0 ] || printf '  %s\n' "$@" >&2
    exit 1
}

# Inside a step: what the reader should do if the step fails from here on.
hint() { printf '%s\n' "$@" >"$hint_file"; }

# step LABEL FUNCTION [ARGUMENT...]: runs it with its output in the log, and shows the seconds.
step() {
    local label=$1 began=$SECONDS status=0 ticker='' first_line
    shift
    rm -f "$hint_file"
    first_line=$(($(wc -l <"$log") + 2))
    printf '\n=== %s: %s\n' "$(date -u +%FT%TZ)" "$label" >>"$log"
    printf '  %-52s' "$label"
    if [ -t 1 ]; then tick "$label" & ticker=$!; fi
    # Not "(...) || status=": that would switch off set -e inside.
    set +e
    (set -e; "$@") >>"$log" 2>&1 </dev/null 9>&-
    status=$?
    set -e
    if [ -n "$ticker" ]; then stop_ticker "$ticker" "$label"; fi
    if [ "$status" -ne 0 ]; then step_failed "$label" "$first_line"; fi
    printf '%4d s\n' $((SECONDS - began))
}

# On a terminal the seconds count while the step runs; ends with the script at the latest.
tick() {
    local began=$SECONDS
    exec 9>&- 2>/dev/null
    while sleep 1 && kill -0 $$; do printf '\r  %-52s%4d s' "$1" $((SECONDS - began)); done
}

stop_ticker() {
    kill "$1" 2>/dev/null || true
    wait "$1" 2>/dev/null || true
    printf '\r  %-52s' "$2"
}

step_failed() {
    local advice=("the whole log: $log" 'when it is mended, run the same command again')
    if [ -s "$hint_file" ]; then mapfile -t -O "${#advice[@]}" advice <"$hint_file"; fi
    printf 'FAILED\n\n' >&2
    tail -n "+$2" "$log" | tail -n 20 | sed 's/^/    | /' >&2
    die "this step failed: $1" "${advice[@]}"
}
