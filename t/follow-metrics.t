# What metrics and mod_status show of sources that are followed: lag, what is wanted, failures by kind. Nothing, where nobody follows; what
# was read last, while the database does not let it be read.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(run wait_until);

my $site = site(template => 'empty', config => <<"END");
@{[ metrics_location() ]}
@{[ status_location() ]}
END

sub metrics { return $site->get('/metrics', key => undef)->body }
sub figures { return metrics() =~ /^disclosed_(follow_\S*?\{.*?\} \S+)$/gm }
sub value_of { my ($name) = @_; return metrics() =~ /^disclosed_\Q$name\E (\S+)$/m ? $1 : undef }

# Reads until a figure is so; it is read every ten seconds.
sub becomes
{
    my ($name, $value) = @_;
    my $got;
    ok(wait_until(40 * patience(), sub { $got = value_of($name); return defined $got && $got eq $value }), "$name is $value") or diag 'it is ' . ($got // 'not there');
}

# ---- nobody follows
ok(wait_until(10 * patience(), sub { metrics() =~ /^disclosed_database_seen_age_seconds\{database="0"\} [0-4]\./m }), 'the database is watched');
unlike(metrics(), qr/follow/, 'no line about following where nobody follows');
SKIP: {
    skip 'mod_status is not installed', 1 if !status_location();
    unlike($site->get('/status?auto', key => undef)->body, qr/^DisclosedFollow/m, '... nor in mod_status');
}

# ---- two sources
$site->execute(q{SET search_path = disclosed, public;
    INSERT INTO followed_source (source, checked_at) VALUES ('house-clerk', clock_timestamp() - interval '1 hour'), ('sec-edgar', NULL);
    INSERT INTO followed_listing (source, listing, part, failure_kind, failure, completed) VALUES
        ('sec-edgar', 'feed', '-infinity', 'timeout', 'it takes too long', false), ('sec-edgar', 'daily-index', '2026-11-20', 'server', 'status 503', false),
        ('sec-edgar', 'daily-index', '2026-11-19', 'absent', 'status 404', true), ('sec-edgar', 'full-index', '2026-10-01', NULL, NULL, false);
    INSERT INTO followed_failure (source, kind, count) VALUES ('sec-edgar', 'timeout', 7), ('sec-edgar', 'server', 12345678901), ('house-clerk', 'tls', 1);
    INSERT INTO followed_document (source, identity, kind, url, published_at, stored_at, state, seen_in, seen_at) VALUES
        ('sec-edgar', '1', 'SCHEDULE 13D', 'https://x/1', '2026-11-20T21:00:00.5Z', '2026-11-20T21:00:09Z', 'stored', 'feed', now()),
        ('sec-edgar', '2', 'SCHEDULE 13D', 'https://x/2', '2026-11-20T20:00:00Z', '2026-11-20T21:00:10.25Z', 'stored', 'feed', now()),
        ('sec-edgar', '3', 'SCHEDULE 13D', 'https://x/3', now(), NULL, 'wanted', 'feed', clock_timestamp() - interval '100 seconds'),
        ('sec-edgar', '4', 'SCHEDULE 13D', 'https://x/4', now(), NULL, 'wanted', 'feed', now()),
        ('sec-edgar', '5', 'submissions', 'https://x/5', NULL, NULL, 'absent', 'filing', now()),
        ('house-clerk', '6', 'ptr', 'https://x/6', NULL, '2026-11-20T21:00:00Z', 'stored', 'index', now());
    SELECT refresh_followed('sec-edgar'), refresh_followed('house-clerk')});
my $document = 'database="0",source="sec-edgar",document="SCHEDULE 13D"';
becomes("follow_documents_wanted{$document}", 2);
my %age = map { my ($value) = value_of($_); ($_ => $value) } 'follow_lag_seconds{database="0",source="house-clerk"}', "follow_backlog_age_seconds{$document}", 'follow_read_age_seconds{database="0"}';
my %least = ('follow_lag_seconds{database="0",source="house-clerk"}' => 3600, "follow_backlog_age_seconds{$document}" => 100, 'follow_read_age_seconds{database="0"}' => 0);
like($age{$_}, qr/\A\d+\.\d{3}\z/, "$_ in seconds") and cmp_ok($age{$_}, '>=', $least{$_}, '... as long as it is') for sort keys %least;
cmp_ok($age{$_}, '<', $least{$_} + 300, '... and no longer') for sort keys %least;
same_json([sort map { s/^(follow_(?:lag|backlog_age|read_age)_seconds\{.*\}) (?!0\.000$)\d+\.\d{3}$/$1 an age/r } figures()], [sort split /\n/, <<'END'], 'all figures, to the letter');
follow_backlog_age_seconds{database="0",source="house-clerk",document="ptr"} 0.000
follow_backlog_age_seconds{database="0",source="sec-edgar",document="SCHEDULE 13D"} an age
follow_documents_wanted{database="0",source="house-clerk",document="ptr"} 0
follow_documents_wanted{database="0",source="sec-edgar",document="SCHEDULE 13D"} 2
follow_failures_total{database="0",source="house-clerk",kind="tls"} 1
follow_failures_total{database="0",source="sec-edgar",kind="server"} 12345678901
follow_failures_total{database="0",source="sec-edgar",kind="timeout"} 7
follow_figures_left_out{database="0"} 0
follow_lag_seconds{database="0",source="house-clerk"} an age
follow_lag_seconds{database="0",source="sec-edgar"} NaN
follow_newest_timestamp_seconds{database="0",source="house-clerk",document="ptr"} 0.000
follow_newest_timestamp_seconds{database="0",source="sec-edgar",document="SCHEDULE 13D"} 1795208400.500
follow_read_age_seconds{database="0"} an age
follow_stored_timestamp_seconds{database="0",source="house-clerk",document="ptr"} 1795208400.000
follow_stored_timestamp_seconds{database="0",source="sec-edgar",document="SCHEDULE 13D"} 1795208410.250
follow_unread_listings{database="0",source="house-clerk"} 0
follow_unread_listings{database="0",source="sec-edgar"} 2
END

# Each figure under its head, and heads once.
my $text = metrics();
my %heads;
$heads{$_}++ for $text =~ /^# TYPE disclosed_(follow_\w+ \w+)$/gm;
same_json(\%heads, { map { ($_ => 1) } 'follow_failures_total counter', map { "follow_$_ gauge" } qw(lag_seconds unread_listings newest_timestamp_seconds stored_timestamp_seconds
    documents_wanted backlog_age_seconds read_age_seconds figures_left_out) }, 'heads');
is(scalar(() = $text =~ /^# HELP disclosed_follow_\w+ \S/gm), 9, '... with help');
my ($promtool) = grep { -x } map { "$_/promtool" } split /:/, $ENV{PATH};
SKIP: {
    diag 'NOT TESTED: promtool check metrics (no promtool)' if !$promtool;
    skip 'no promtool', 1 if !$promtool;
    my ($code, $out, $err) = run({ stdin => $text }, $promtool, 'check', 'metrics');
    is("$out$err", '', 'promtool finds nothing');
}

SKIP: {
    skip 'mod_status is not installed', 6 if !status_location();
    my $auto = $site->get('/status?auto', key => undef)->body;
    like($auto, qr/^DisclosedFollow0\.sec-edgar: read NaN seconds ago, 2 lists unread$/m, '?auto: a source that was never read');
    like($auto, qr/^DisclosedFollow0\.house-clerk: read 3[67]\d\d\.\d{3} seconds ago, 0 lists unread$/m, '... one that was');
    like($auto, qr/^DisclosedFollow0\.sec-edgar\.SCHEDULE 13D: 2 wanted for [1-3]\d\d\.\d{3} seconds, newest Fri, 20 Nov 2026 21:00:00 GMT, last stored Fri, 20 Nov 2026 21:00:10 GMT$/m, '... documents');
    like($auto, qr/^DisclosedFollow0\.house-clerk\.ptr: 0 wanted for 0\.000 seconds, newest never, last stored Fri, 20 Nov 2026 21:00:00 GMT$/m, '... of which none is wanted');
    like($auto, qr/^DisclosedFollow0\.sec-edgar\.timeout: 7 failures$/m, '... failures');
    like($site->get('/status', key => undef)->body, qr{^<dt>database 0 follows sec-edgar, timeout: 7 failures</dt>$}m, 'the page');
}

# ---- what changes, and what goes
$site->execute(q{SET search_path = disclosed, public; UPDATE followed_failure SET count = 8 WHERE kind = 'timeout'; DELETE FROM followed_failure WHERE kind = 'tls';
    UPDATE followed_document SET state = 'stored', stored_at = '2026-11-21T00:00:00Z' WHERE identity IN ('3', '4'); DELETE FROM followed_source WHERE source = 'house-clerk';
    INSERT INTO followed_failure (source, kind) VALUES (E'a"b\\\\c', 'dns'), (repeat('x', 40), 'dns'); SELECT refresh_followed('sec-edgar')});
becomes('follow_failures_total{database="0",source="sec-edgar",kind="timeout"}', 8);
is(value_of("follow_documents_wanted{$document}"), 0, 'nothing is wanted any more');
is(value_of("follow_backlog_age_seconds{$document}"), '0.000', '... since never');
is(value_of('follow_failures_total{database="0",source="house-clerk",kind="tls"}'), undef, 'what is no longer there is not shown');
is(value_of('follow_lag_seconds{database="0",source="house-clerk"}'), undef, '... nor a source');
is(value_of('follow_failures_total{database="0",source="a_b_c",kind="dns"}'), 1, 'a name that would end its label');
is(value_of('follow_figures_left_out{database="0"}'), 1, 'one that is too long is counted');

# ---- more than there is room for
$site->execute(q{INSERT INTO disclosed.followed_failure (source, kind) SELECT 'many', 'kind ' || g FROM generate_series(1, 300) g});
ok(wait_until(40 * patience(), sub { (value_of('follow_figures_left_out{database="0"}') // 0) > 40 }), 'what there is no room for is counted');
is(value_of('follow_failures_total{database="0",source="sec-edgar",kind="timeout"}'), 8, '... and the others are shown');

# ---- a lock that somebody holds
my $held = $site->{cluster}->hold($site->{database}, 'LOCK TABLE disclosed.followed_failure');
ok(wait_until(60 * patience(), sub { (value_of('follow_read_age_seconds{database="0"}') // 0) > 12 }), 'figures that cannot be read grow old');
is(value_of('follow_failures_total{database="0",source="sec-edgar",kind="timeout"}'), 8, '... and stay');
cmp_ok(value_of('database_seen_age_seconds{database="0"}'), '<', 5 * patience(), '... while the database is watched');
$site->{cluster}->release($held);
ok(wait_until(40 * patience(), sub { value_of('follow_read_age_seconds{database="0"}') < 10 }), '... and are read when they can be');
expect_log($site, 'DSC0020');

finish();
