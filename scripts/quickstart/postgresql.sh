# shellcheck shell=bash disable=SC2034,SC2154,SC2164  # shared variables; set -e is on
# The private PostgreSQL cluster, its database and the demo data.

cluster_runs() { as_user "$db_user" "$pg_bin/pg_ctl" status -s -D "$data" >/dev/null 2>&1; }

cluster_answers() { "$pg_bin/pg_isready" -q -h "$socket" -p 5432; }

make_cluster() {
    if [ -s "$data/PG_VERSION" ]; then return; fi
    rm -rf "$data.new"
    install -d -m 755 "$cluster" "$socket"
    install -d -m 700 "$data.new"
    chown "$db_user" "$socket" "$data.new"
    as_user "$db_user" "$pg_bin/initdb" -D "$data.new" --username=postgres --auth=peer \
        --encoding=UTF8 --locale="$(locale -a | grep -iEx 'C\.utf-?8' || echo C)" --data-checksums
    mv "$data.new" "$data"
}

configure_cluster() {
    cat >"$data/postgresql.conf" <<CONF
# written by quickstart at every start
listen_addresses = ''
port = 5432
unix_socket_directories = '$socket'
max_connections = 100
shared_buffers = 128MB
effective_cache_size = 512MB
work_mem = 8MB
maintenance_work_mem = 128MB
max_wal_size = 1GB
random_page_cost = 1.1
jit = off
timezone = 'UTC'
log_timezone = 'UTC'
log_line_prefix = '%m [%p] %q%u@%d '
CONF
    cat >"$data/pg_hba.conf" <<CONF
# no password, no network: the operating system says who is at the other end of the socket
local all all peer map=disclosed
CONF
    user_map >"$data/pg_ident.conf"
}

# Operating-system user -> role: the caller administers, httpd's children read.
user_map() {
    local caller role
    caller=$(id -un)
    say "disclosed $db_user postgres"
    for role in disclosed_owner disclosed_loader disclosed_api; do say "disclosed $caller $role"; done
    if [ "$web_user" != "$caller" ]; then say "disclosed $web_user disclosed_api"; fi
}

start_cluster() {
    local action=start mark
    hint "PostgreSQL's log: $log_dir/postgresql.log"
    make_cluster
    configure_cluster
    mark=$(cat "$data/postgresql.conf" "$data/pg_hba.conf" "$data/pg_ident.conf" | sha256sum)
    if cluster_answers; then
        if [ "$(cat "$cluster/configured" 2>/dev/null)" = "$mark" ]; then return; fi
        action=restart
    fi
    run_cluster "$action"
    printf '%s\n' "$mark" >"$cluster/configured"
}

# The server inherits its log: the user postgres may not be able to open a file there.
run_cluster() {
    local server_log=$log_dir/postgresql.log
    if as_user "$db_user" "$pg_bin/pg_ctl" "$1" -D "$data" -w -t 300 -m fast >>"$server_log" 2>&1; then return; fi
    tail -n 15 "$server_log"
    return 1
}

superuser_psql() {
    as_user "$db_user" "$pg_bin/psql" -X -q -v ON_ERROR_STOP=1 -h "$socket" -p 5432 -U postgres -d postgres "$@"
}

make_database() {
    superuser_psql <"$root/sql/roles.sql"
    if [ -z "$(superuser_psql -tAc "SELECT 1 FROM pg_database WHERE datname = 'disclosed'")" ]; then
        superuser_psql -c 'CREATE DATABASE disclosed OWNER disclosed_owner TEMPLATE template0'
        superuser_psql -c 'REVOKE CONNECT, TEMPORARY ON DATABASE disclosed FROM PUBLIC' \
            -c 'GRANT CONNECT ON DATABASE disclosed TO disclosed_api, disclosed_loader' \
            -c 'GRANT TEMPORARY ON DATABASE disclosed TO disclosed_loader'
    fi
    # So that psql shows the tables without their schema; the module and disclosedctl set their own.
    superuser_psql -c 'ALTER DATABASE disclosed SET search_path = disclosed, public'
    DISCLOSED_DATABASE=$dsn "$ctl" migrate --sql-dir "$root/sql"
}

# The demo data is loaded again only by a disclosedctl that may know more of it.
load_demo() {
    local mark
    mark=$(sha256sum <"$ctl")
    if [ "$(cat "$cluster/demo" 2>/dev/null)" = "$mark" ]; then return; fi
    DISCLOSED_DATABASE=$dsn "$ctl" demo
    printf '%s\n' "$mark" >"$cluster/demo"
}

# What is removed once stays away, also when disclosedctl is another one.
demo_is_removed() { [ "$(cat "$cluster/demo" 2>/dev/null)" = removed ]; }

# disclosedctl demo, and what it leaves.
change_demo() {
    DISCLOSED_DATABASE=$dsn "$ctl" "$@"
    case " $* " in
    *' --help '*) ;;
    *' --remove '*) echo removed >"$cluster/demo" ;;
    *) sha256sum <"$ctl" >"$cluster/demo" ;;
    esac
}
