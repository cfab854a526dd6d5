# shellcheck shell=bash disable=SC2034,SC2154,SC2164  # shared variables; set -e is on
# The private httpd: its configuration, starting it, asking it.

make_secret() {
    if [ -s "$var/secret" ]; then return; fi
    (umask 077; head -c 32 /dev/urandom | od -An -v -tx1 | tr -d ' \n' >"$var/secret.new")
    mv "$var/secret.new" "$var/secret"
}

# Modules that are built into httpd have no file; those that a system lacks are left out.
load_lines() {
    local name
    for name in mpm_event unixd authz_core log_config headers filter deflate brotli setenvif reqtimeout socache_shmcb alias dir mime; do
        if [ -e "$modules_dir/mod_$name.so" ]; then say "LoadModule ${name}_module $modules_dir/mod_$name.so"; fi
    done
    say "LoadModule disclosed_module $module"
}

# The documentation, where it has been rendered
docs_lines() {
    if ! [ -e "$build/docs/html/index.html" ]; then return; fi
    cat <<CONF
DisclosedDocsURL $base_url/docs
Alias "/docs" "$home/docs"
<Directory "$home/docs">
    Require all granted
    <IfModule dir_module>
        DirectoryIndex index.html
    </IfModule>
    <IfModule headers_module>
        Header set Content-Security-Policy "default-src 'self'"
    </IfModule>
</Directory>
CONF
}

# Where httpd's children may read it: a checkout may lie in a folder that is closed to them.
copy_docs() {
    if [ -e "$build/docs/html/index.html" ]; then
        rm -rf "$home/docs"
        cp -R "$build/docs/html" "$home/docs"
        chmod -R a+rX "$home/docs"
    fi
}

write_httpd_conf() {
    local account=''
    if [ "$(id -u)" -eq 0 ]; then
        account="User $web_user"$'\n'"Group $(id -gn "$web_user")"
    fi
    printf '%s\n' 'text/html html' 'text/css css' 'text/javascript js' 'image/svg+xml svg' >"$httpd_root/mime.types"
    cat >"$httpd_root/httpd.conf" <<CONF
# written by quickstart at every start; conf/example-site.conf is the one to learn from
ServerRoot "$httpd_root"
ServerName 127.0.0.1
Listen 127.0.0.1:$port
PidFile "$log_dir/httpd.pid"
ErrorLog "$log_dir/error.log"
LogLevel warn
$(load_lines)
$account
<IfModule mpm_event_module>
    ServerLimit 4
    StartServers 2
    ThreadLimit 100
    ThreadsPerChild 100
    MaxRequestWorkers 400
    MinSpareThreads 100
    MaxSpareThreads 300
</IfModule>
# Who sends slowly is cut off; until then each holds one of the threads above.
<IfModule reqtimeout_module>
    RequestReadTimeout header=5-10,MinRate=1000 body=5,MinRate=4000
</IfModule>
LimitRequestBody 65536
# Who reads slowly holds none.
FlushMaxThreshold 4194304
ServerTokens Prod
<IfModule mime_module>
    TypesConfig "$httpd_root/mime.types"
</IfModule>
TraceEnable Off

# Only the API is served: the document root is an empty folder.
DocumentRoot "$home/htdocs"
<Directory "/">
    AllowOverride None
    Require all denied
</Directory>
<Directory "$home/htdocs">
    Require all granted
</Directory>

DisclosedEngine On
DisclosedDatabase "host=$socket port=5432 dbname=disclosed user=disclosed_api"
DisclosedDatabasePool 8
DisclosedDatabaseTimeout 2
DisclosedStatementTimeout 5
DisclosedSecretFile "$var/secret"
DisclosedBaseURL $base_url
$(docs_lines)
<Location "/metrics">
    SetHandler disclosed-metrics
    Require all granted
</Location>
<Location "/health">
    SetHandler disclosed-health
    Require all granted
</Location>

<Location "/mcp">
    SetHandler disclosed-mcp
    Require all granted
</Location>
<Location "/.well-known/oauth-protected-resource">
    SetHandler disclosed-oauth
    Require all granted
</Location>
<Location "/llms.txt">
    SetHandler disclosed-llms
    Require all granted
</Location>

<IfModule brotli_module>
    AddOutputFilterByType BROTLI_COMPRESS application/json application/problem+json text/csv application/x-ndjson
    BrotliAlterETag NoChange
</IfModule>
<IfModule deflate_module>
    AddOutputFilterByType DEFLATE application/json application/problem+json text/csv application/x-ndjson
    DeflateAlterETag NoChange
</IfModule>
CustomLog "$log_dir/access.log" "%^DJ"

# Directives of your own, kept over starts.
IncludeOptional "$var/httpd.d/*.conf"
CONF
}

run_httpd() { (cd / && "$httpd" -d "$httpd_root" -f "$httpd_root/httpd.conf" "$@"); }

# The pid of our httpd, if it runs; a pid that another program has by now does not count.
httpd_pid() {
    local pid
    pid=$(cat "$log_dir/httpd.pid" 2>/dev/null) || return 1
    [ "$(readlink "/proc/$pid/exe" 2>/dev/null)" = "$(readlink -f "$httpd")" ] &&
        grep -qzFx -- "$httpd_root/httpd.conf" "/proc/$pid/cmdline" && printf '%s\n' "$pid"
}

port_answers() { (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; }

# Who listens, as far as this user may see it
port_holder() {
    command -v ss >/dev/null || return 0
    ss -Hltnp "sport = :$port" 2>/dev/null |
        sed -n 's/.*users:(("\([^"]*\)",pid=\([0-9]*\).*/\1 (pid \2)/p' | head -n 1
}

check_port() {
    local free=$((port + 1)) holder
    if [ "$(httpd_port)" = "$port" ] || ! port_answers "$port"; then return; fi
    while port_answers "$free"; do free=$((free + 1)); done
    holder=$(port_holder)
    die "port $port of 127.0.0.1 is taken${holder:+ by $holder}" \
        "take another one:  DISCLOSED_PORT=$free ./quickstart" \
        'or stop the program that has it, and run ./quickstart again'
}

# The port on which our httpd listens now
httpd_port() {
    if httpd_pid >/dev/null; then sed -n 's/^Listen 127.0.0.1://p' "$httpd_root/httpd.conf"; fi
}

# Files with directives of the user's own
own_directives() { find "$var/httpd.d" -name '*.conf' 2>/dev/null | sort; }

start_httpd() {
    local mark
    hint "httpd's log: $log_dir/error.log"
    make_secret
    install -d -m 755 "$home/htdocs"
    copy_docs
    write_httpd_conf
    run_httpd -t
    mark=$(cat "$module" "$httpd_root/httpd.conf" $(own_directives) | sha256sum)
    if ! httpd_pid >/dev/null; then
        run_httpd -k start
    elif [ "$(cat "$httpd_root/started" 2>/dev/null)" != "$mark" ]; then
        run_httpd -k graceful
    fi
    wait_for_answer
    printf '%s\n' "$mark" >"$httpd_root/started"
}

# status_of KEY PATH: the status code that a request gets; 000 when nothing answers. The key goes
# through a pipe, since a command line can be read by everybody.
status_of() {
    local header=''
    if [ -n "$1" ]; then header="Authorization: Bearer $1"; fi
    curl -s -o /dev/null -w '%{http_code}' --max-time 10 -H @- "$base_url$2" <<<"$header" || true
}

# 401 is what a request without a key must get: httpd, module and key check are at work.
wait_for_answer() {
    local tries status
    for ((tries = 0; tries < 150; tries++)); do
        status=$(status_of '' /v1/coverage)
        if [ "$status" = 401 ]; then return; fi
        sleep 0.2
    done
    say "no 401 from $base_url/v1/coverage within 30 seconds; the last status was $status"
    tail -n 12 "$log_dir/error.log"
    return 1
}
