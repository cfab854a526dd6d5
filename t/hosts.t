# Three httpd hosts behind mod_proxy_balancer, with one database and one secret: what one makes the others take, whatever their clocks say.
# They are restarted, stopped and given another secret one after the other, and no client notices.
#
# runs docs/scale.md: ^(?:manager=|nonce=|curl )
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::FakeClock qw(why_no_clock clock_environment fixed_clock step_clock);
use Disclosed::Guides;
use Disclosed::Hosts;
use Disclosed::Key qw(make_key insert_key_sql);
use Disclosed::Memory qw(patience);
use Disclosed::Pace qw(stay_in_day);
use Disclosed::Process qw(run slurp wait_until);
use Disclosed::Receiver;
use Disclosed::Schema qw(structured_faults);
use Disclosed::Shared qw(fresh workspace);
use Disclosed::JSON ();
use POSIX ();
use Time::HiRes qw(sleep time);

my $missing = Disclosed::Hosts::why_none() // (-e build('MODULES_DIR') . '/mod_ssl.so' ? undef : 'this httpd has no mod_ssl');
plan skip_all => "SEVERAL HOSTS ARE NOT TESTED: $missing" if $missing;
my $no_clock = why_no_clock();

my ($RATE, $BURST, $DAY) = (20, 40, 300); # of the plan that has a quota

my $directory = workspace() . '/' . fresh('receiver');
mkdir $directory or die "$directory: $!";
my $receiver = Disclosed::Receiver->start($directory, $no_clock ? () : (environment => fixed_clock('-3600'))); # its certificate is good for slow clocks, too
my $together = Disclosed::Hosts->new(
    front  => $receiver->config =~ s/^Disclosed(?!Engine).*\n//gmr,
    limits => "DisclosedAddressLimit 1000000/s 100000\nDisclosedPlan counted rate=$RATE/s burst=$BURST day=$DAY\n"
        . join('', map { "DisclosedPlan $_ rate=1000000/s burst=100000 day=unlimited\n" } qw(starter builder enterprise)),
    config => $receiver->directives . "<Location /mcp>\nSetHandler disclosed-mcp\n</Location>\n");
my @hosts = $together->hosts;
$hosts[2]{environment} = clock_environment($hosts[2]) if !$no_clock;
$together->start;
my $front = $together->front;
my $site = $hosts[0]; # whichever: for the database
my $json = Disclosed::JSON->new->utf8->canonical;
my ($issuer) = $site->rows('SELECT symbol, ticker, cik FROM issuer WHERE cik IS NOT NULL AND symbol IS NOT NULL ORDER BY issuer_id LIMIT 1');
my $next = 0;

sub accession { my ($number) = @_; return sprintf '0009999999-26-%06d', $number }

# Loads a new filing; returns its accession number.
sub load_filing
{
    my $accession = accession(++$next);
    my ($code, $out, $err) = $site->control('import', 'ndjson', $site->write('filing.ndjson', $json->encode({ dataset => 'filing', cik => $issuer->{cik} + 0,
        form => '8-K', filed_on => '2026-11-20', known_at => '2026-11-20T21:00:00Z', provenance => { source_provider => 'sec', accession => $accession },
        title => "Report $next" }) . "\n"));
    is($code, 0, "filing $next is loaded") or diag $out, $err;
    return $accession;
}

# Every host with every other, and with itself.
sub pairs { return map { my $first = $_; map { [$first, $_] } 0 .. $#hosts } 0 .. $#hosts }

# --- what one makes the others take -----------------------------------------------------------

sub check_keys
{
    my ($when) = @_;
    my ($code, $out, $err) = $site->control('key', 'create', '--plan', 'builder', '--owner', "Several $when", '--name', 'several');
    my ($key) = $out =~ /^(sk_live_\w+)$/m or return fail("a key: $out$err");
    my @statuses = map { $_->get('/v1/companies?limit=1', key => $key)->status } @hosts, $front;
    is("@statuses", '200 200 200 200', "$when: a new key is good at each host");
    $site->control('key', 'revoke', substr $key, 8, 8);
    ok(wait_until(5 * patience(), sub { !grep { $_->get('/v1/companies?limit=1', key => $key)->status != 401 } @hosts }), '... and at none when it is revoked');
    my $temporary = make_key('live');
    $site->execute(insert_key_sql($temporary, 'builder', expires_at => "now() + interval '60 seconds'"));
    is(join(' ', map { $_->get('/v1/companies?limit=1', key => $temporary)->status } @hosts), '200 200 200', '... one that ends within a minute is good until then');
}

sub check_etags
{
    my ($when) = @_;
    my @targets = ('/v1/filings?limit=3', "/v1/companies/$issuer->{ticker}", '/v1/coverage', '/v1/insider?limit=5&as_of=2026-11-01', '/v1/filings/' . accession($next));
    for my $target (@targets) {
        # Each has noticed the load, where there was one.
        my @responses;
        wait_until(10 * patience(), sub { @responses = map { $_->get($target) } @hosts; my %tags = map { ($_->header('etag') // '' => 1) } @responses; keys %tags == 1 && !$tags{''} });
        my @tags = map { $_->header('etag') // 'none' } @responses;
        is("@tags[1, 2]", "$tags[0] $tags[0]", "$when: one ETag of $target");
        is($responses[$_]->body, $responses[0]->body, '... the same body') for 1, 2;
        my @statuses = map { $hosts[$_->[1]]->get($target, headers => { 'If-None-Match' => $tags[$_->[0]] })->status } pairs();
        is("@statuses", join(' ', (304) x 9), '... and each gives a 304 for that of each');
    }
}

# The items of a list, by the first page from one and the others from another.
sub walk
{
    my ($target, @from) = @_;
    my (@seen, $cursor);
    for (1 .. 200) {
        my $response = $from[0]->get($target . ($cursor ? "&cursor=$cursor" : ''));
        my $page = $response->status == 200 ? $response->json : return $response->describe;
        push @seen, map { $json->encode($_) } $page->{data}->@*;
        $cursor = $page->{pagination}{next_cursor} or return join "\n", @seen;
        shift @from if @from > 1;
    }
    return 'no end';
}

sub check_cursors
{
    my ($when) = @_;
    for my $target ("/v1/filings?symbols=$issuer->{ticker}&limit=6", "/v1/insider?symbols=$issuer->{ticker}&limit=10") {
        my $all = walk($target, $hosts[0]);
        cmp_ok(scalar(() = $all =~ /\n/g), '>=', 12, "$when: pages of $target");
        is(walk($target, @hosts[@$_]), $all, "... the first from host $_->[0], the others from host $_->[1]") for pairs();
        is(walk($target, $front), $all, '... all from the balancer');
    }
    my $search = sub { my ($host, %more) = @_; return $host->post('/v1/search', { query => 'revenue', limit => 3, %more }) };
    my $cursor = $search->($hosts[0])->json->{pagination}{next_cursor};
    my $second = $search->($hosts[0], cursor => $cursor)->body;
    for (pairs()) {
        my ($first, $other) = @hosts[@$_];
        is($search->($other, cursor => $search->($first)->json->{pagination}{next_cursor})->body, $second, "... a search begun at host $_->[0], continued at host $_->[1]");
    }
}

sub check_mcp
{
    my ($when) = @_;
    my $id = 0;
    my $ask = sub {
        my ($host, $method, $params) = @_;
        my $response = $host->post('/mcp', { jsonrpc => '2.0', id => ++$id, method => $method, params => $params },
            headers => { Accept => 'application/json, text/event-stream', 'MCP-Protocol-Version' => '2025-11-25' });
        return ($response->json // {})->{result} // $response->describe;
    };
    for my $first (0 .. 2) {
        my @order = map { $hosts[($first + $_) % 3] } 0 .. 2;
        my $begun = $ask->($order[0], 'initialize', { protocolVersion => '2025-11-25', capabilities => {}, clientInfo => { name => 'test', version => '1' } });
        my $tools = $ask->($order[1], 'tools/list', {});
        my $found = $ask->($order[2], 'tools/call', { name => 'find_company', arguments => { symbol => $issuer->{ticker} } });
        is(ref $begun eq 'HASH' && $begun->{protocolVersion}, '2025-11-25', "$when: MCP is begun at host $first") or diag $begun;
        cmp_ok(ref $tools eq 'HASH' ? scalar $tools->{tools}->@* : 0, '>', 5, '... the tools are listed by the next') or diag $tools;
        is(ref $found eq 'HASH' && $found->{structuredContent}{symbol}, $issuer->{symbol}, '... and called at the third') or diag $found;
        is(join("\n", structured_faults($tools->{tools}, 'find_company', $found->{structuredContent})), '', '... as its schema says') if ref $tools eq 'HASH' && ref $found eq 'HASH';
    }
}

# --- webhooks ---------------------------------------------------------------------------------

my (%secret_of, $endpoints_made);

# A webhook endpoint made at a host: its target at the receiver, and its id.
sub make_endpoint
{
    my ($host, $path) = @_;
    my $target = ($path // '/ok') . '?' . ++$endpoints_made;
    my %headers = ('Idempotency-Key' => "make-$endpoints_made");
    my $made = $host->post('/v1/webhook-endpoints', { url => $receiver->url($target), topics => ['filing.created'] }, key => 'builder', headers => \%headers);
    return fail($made->describe) if $made->status != 200;
    $secret_of{$target} = $made->json->{signing_secret};
    # Whoever repeats it elsewhere gets the same, secret and all.
    my @again = map { $_->post('/v1/webhook-endpoints', { url => $receiver->url($target), topics => ['filing.created'] }, key => 'builder', headers => \%headers)->body } @hosts;
    is_deeply(\@again, [($made->body) x 3], "endpoint $endpoints_made: a repeated request is known at each host");
    return { target => $target, id => $made->json->{id} };
}

# Which hosts deliver what is queued.
sub let_deliver
{
    my (@numbers) = @_;
    for my $number (0 .. $#hosts) {
        my $host = $hosts[$number];
        $host->{config} =~ s/^DisclosedWebhooks .*\n//m;
        $host->{config} .= 'DisclosedWebhooks ' . ((grep { $_ == $number } @numbers) ? 'On' : 'Off') . "\n";
        Disclosed::Hosts::restart_gracefully($host);
    }
}

# Every endpoint gets the filing once, signed, within the time that receivers allow a clock to be off.
sub check_delivered
{
    my ($what, $accession, @endpoints) = @_;
    my $of = sub { my ($target) = @_; return grep { $_->{body} =~ /\Q$accession\E/ } $receiver->received($target) };
    ok(wait_until(20 * patience(), sub { !grep { !$of->($_->{target}) } @endpoints }), "$what: $accession comes to each endpoint");
    sleep 0.3;
    for my $endpoint (@endpoints) {
        my @got = $of->($endpoint->{target});
        is(scalar @got, 1, "... $endpoint->{target} has it once");
        ok(@got && Disclosed::Receiver::is_signed($got[0], $secret_of{ $endpoint->{target} }, 300), '... signed');
    }
}

sub check_webhooks
{
    my ($when) = @_;
    my @endpoints = map { make_endpoint($_) } @hosts;
    my @tests = map { my $host = $_; map { $host->request('POST', "/v1/webhook-endpoints/$_->{id}/test", key => 'builder')->json->{result}{delivered} ? 'yes' : 'no' } @endpoints } @hosts;
    is("@tests", join(' ', ('yes') x 9), "$when: what one makes, each may test");
    for my $number (0 .. $#hosts) {
        let_deliver($number);
        check_delivered("$when: host $number delivers", load_filing(), @endpoints);
    }
    let_deliver(0 .. 2);
    check_delivered("$when: all deliver", load_filing(), @endpoints);
    remove_endpoint($_) for @endpoints;
}

# A clock that steps back holds up nothing that waits: the receiver fails once, and the second attempt is due five seconds later.
sub check_step_back
{
    let_deliver(2);
    my $endpoint = make_endpoint($hosts[0], '/fail-first/1');
    my $accession = load_filing();
    my $of = sub { return grep { $_->{body} =~ /\Q$accession\E/ } $receiver->received($endpoint->{target}) };
    ok(wait_until(20 * patience(), sub { $of->() == 1 }), 'a delivery fails');
    step_clock($hosts[2], '-120');
    my @waits = $site->rows('SELECT extract(epoch FROM next_attempt_at - clock_timestamp()) AS seconds FROM webhook_delivery WHERE attempts = 1 AND next_attempt_at IS NOT NULL');
    ok(@waits < 2 && (!@waits || $waits[0]{seconds} < 10), '... the next attempt is due in seconds, though the host is two minutes ahead') or diag $json->encode(\@waits);
    ok(wait_until(40 * patience(), sub { $of->() == 2 }), 'the clock of the host that delivers is put back by four minutes, and it goes on');
    remove_endpoint($endpoint);
    let_deliver(0 .. 2);
}

sub remove_endpoint { my ($endpoint) = @_; is($front->request('DELETE', "/v1/webhook-endpoints/$endpoint->{id}", key => 'builder')->status, 200, 'an endpoint is removed') }

# --- quotas -----------------------------------------------------------------------------------

# One account, at each host as fast as it is let, until each refuses for the day.
sub check_quota
{
    my ($when) = @_;
    stay_in_day(180); # by all of their clocks
    my $key = $site->own_key('counted');
    $_->write('let-through', '') for @hosts;
    my @pids;
    for my $host (@hosts) {
        my $pid = fork() // die "fork: $!";
        if (!$pid) {
            my $end = time + 120 * patience();
            my $let = 0;
            while (time < $end) {
                my $response = $host->get('/v1/companies?limit=1', key => $key);
                $let++ if $response->status == 200;
                last if $response->status == 429 && $response->header('retry-after') > 300;
                last if $response->status !~ /^(?:200|429)$/;
                sleep 0.01 if $response->status == 429;
            }
            $host->write('let-through', $let);
            POSIX::_exit(0);
        }
        push @pids, $pid;
    }
    waitpid $_, 0 for @pids;
    my @let = map { slurp("$_->{root}/let-through") } @hosts;
    my $sum = 0;
    $sum += $_ for @let;
    # What docs/admin.md says; a slow machine may take longer than two seconds between two looks.
    my $overshoot = (@hosts - 1) * (2 * patience() * $RATE + $BURST);
    cmp_ok($sum, '>=', $DAY, "$when: of $DAY a day, all of them: @let");
    cmp_ok($sum, '<=', $DAY + $overshoot, "... and at most $overshoot more");
    my $stored = "SELECT coalesce(sum(requests), 0) FROM disclosed.account_day JOIN disclosed.api_key USING (account_id) WHERE key_id = '" . substr($key, 8, 8) . "'";
    ok(wait_until(10 * patience(), sub { $site->value($stored) == $sum }), '... each counted once') or diag $site->value($stored);
}

# --- the same whatever the clocks say -----------------------------------------------------------

my @clocks = (['all clocks are right', '+0'], $no_clock ? () : (["one host's clock is two minutes fast", '+120'], ["one host's clock is two minutes slow", '-120']));
diag "CLOCKS THAT ARE OFF ARE NOT TRIED: $no_clock" if $no_clock;
for my $clock (@clocks) {
    my ($when, $seconds) = @$clock;
    check_step_back() if $seconds < 0;
    step_clock($hosts[2], $seconds) if !$no_clock;
    load_filing();
    check_keys($when);
    check_etags($when);
    check_cursors($when);
    check_mcp($when);
    check_webhooks($when);
    check_quota($when);
    log_is_clean($_, "$when: nothing in the log") for @hosts;
}

# --- under load -------------------------------------------------------------------------------

# Clients of the balancer, each until it is told to stop: they walk pages by cursor, ask with an old ETag, repeat requests with an
# Idempotency-Key, test a webhook endpoint, and search. Returns what went wrong, and how many requests there were.
my $tested = make_endpoint($hosts[1]);

sub client_steps
{
    my ($number, $round) = @_;
    my ($page, $etag);
    return (
        sub { my $response = $front->get("/v1/filings?symbols=$issuer->{ticker}&limit=6"); $page = $response->json; $etag = $response->header('etag'); return $response },
        sub { return $front->get("/v1/filings?symbols=$issuer->{ticker}&limit=6&cursor=$page->{pagination}{next_cursor}") },
        sub { return $front->get("/v1/filings?symbols=$issuer->{ticker}&limit=6", headers => { 'If-None-Match' => $etag // '"none"' }) },
        sub { return $front->get("/v1/companies/$issuer->{ticker}") },
        sub { my $response = $front->post('/v1/search', { query => 'revenue', limit => 3 }); $page = $response->json; return $response },
        sub { return $front->post('/v1/search', { query => 'revenue', limit => 3, cursor => $page->{pagination}{next_cursor} }) },
        sub { return $front->request('POST', "/v1/webhook-endpoints/$tested->{id}/test", key => 'builder', headers => { 'Idempotency-Key' => "test-$number-$round" }) },
    );
}

sub run_client
{
    my ($number, $path) = @_;
    my ($stopped, $round, $asked) = (0, 0, 0);
    local $SIG{TERM} = sub { $stopped = 1 };
    open my $file, '>', $path or POSIX::_exit(1);
    $file->autoflush;
    while (!$stopped) {
        $round++;
        for my $step (client_steps($number, $round)) {
            my $response = $step->();
            $asked++;
            my $wrong = $response->error || $response->status !~ /^(?:200|304)$/ || $response->status == 200 && $response->body =~ /"delivered":false/;
            print $file "WRONG\t" . ($response->describe =~ s/\s+/ /gr) . "\n" if $wrong;
            last if $wrong;
            sleep 0.01;
        }
    }
    print $file "asked\t$asked\n";
    close $file;
    POSIX::_exit(0);
}

sub under_load
{
    my ($what, $code) = @_;
    my $path = "$front->{root}/clients-" . int(1000 * time);
    my @pids = map { my $number = $_; my $pid = fork() // die "fork: $!"; run_client(int(1000 * time) . "-$number", "$path.$number") if !$pid; $pid } 1 .. 3;
    sleep 1;
    my @before = $together->served;
    my $done = eval { $code->(); 1 };
    my $error = $@;
    my @after = $together->served;
    sleep 1;
    kill 'TERM', @pids;
    waitpid $_, 0 for @pids;
    my @lines = map { split /\n/, slurp("$path.$_") } 1 .. 3;
    my @wrong = grep { /^WRONG/ } @lines;
    my $asked = 0;
    $asked += $_ for map { /^asked\t(\d+)/ ? $1 : () } @lines;
    ok($done, $what) or diag $error;
    cmp_ok($asked, '>', 50, "... with $asked requests meanwhile");
    is_deeply([map { $after[$_] > $before[$_] ? () : $_ } 0 .. 2], [], "... at all hosts: @before, then @after");
    return @wrong;
}

sub nothing_fails
{
    my ($what, $code) = @_;
    my @wrong = under_load($what, $code);
    is(scalar @wrong, 0, '... of which none fails') or diag @wrong[0 .. (@wrong > 5 ? 4 : $#wrong)];
}

step_clock($hosts[2], '+120') if !$no_clock;
nothing_fails('hosts are restarted gracefully, one after the other', sub { Disclosed::Hosts::restart_gracefully($_) for @hosts });
# What the kernel has taken for a host that stops, and httpd has not yet, is reset: so the balancer sends a host nothing before it stops.
nothing_fails('hosts are drained, stopped and started, one after the other', sub {
    for my $host (@hosts) {
        $together->drain($host);
        my ($code, $output) = $host->httpd('-k', 'graceful-stop');
        die $output if $code != 0;
        wait_until(20 * patience(), sub { !Disclosed::Process::is_alive($host->{pid}) }) or die 'httpd does not stop';
        $host->start;
        $together->undrain($host);
    }
});

# As the guide has it, in a shell.
my $guides = Disclosed::Guides->new;
my @lines = map { $guides->ran($_); $_->{text} } $guides->mine;
for my $is_draining (1, 0) {
    my $script = join("\n", @lines) =~ s{http://127\.0\.0\.1/}{$front->{base_url}/}r =~ s{http://10\.0\.0\.1:80&}{http://127.0.0.1:$hosts[0]{port}&}r =~ s/w_status_N=1/w_status_N=$is_draining/r;
    my ($code, undef, $err) = run('bash', '-c', $script);
    is($code, 0, "the guide's commands, with w_status_N=$is_draining") or diag $err;
    is($together->balanced($hosts[0])->{status} =~ /(Drn)/ ? $1 : '', $is_draining ? 'Drn' : '', $is_draining ? '... take a host out' : '... put it back');
}
$guides->all_ran;

# --- another secret ---------------------------------------------------------------------------

my $old = $site->{secret};
my $new = join '', map { sprintf '%02x', rand 256 } 1 .. 32;

# One host after the other gets these lines.
sub give_secrets
{
    my (@secrets) = @_;
    for my $host (@hosts) {
        Disclosed::Hosts::set_secrets($host, @secrets);
        Disclosed::Hosts::restart_gracefully($host);
    }
}

my $list = "/v1/filings?symbols=$issuer->{ticker}&limit=6";
sub cursor_of { my ($host) = @_; return $host->get($list)->json->{pagination}{next_cursor} }
my $before = cursor_of($hosts[0]);
nothing_fails('all hosts get to know the new secret, below the old one', sub { give_secrets($old, $new) });
nothing_fails('all hosts use it, above the old one', sub { give_secrets($new, $old) });
is($front->get("$list&cursor=$before")->status, 200, 'cursors of before are taken');
is($hosts[1]->post("/v1/webhook-endpoints/$tested->{id}/test", '', key => 'builder')->json->{result}{delivered}, JSON::PP::true, 'what the old secret sealed is opened');
my $between = cursor_of($hosts[0]);
nothing_fails('all hosts forget the old one', sub { give_secrets($new) });
is($front->get("$list&cursor=$between")->status, 200, 'cursors of the new secret are taken');
is($front->get("$list&cursor=$before")->status, 422, '... those of the old one no longer');
check_delivered('with the new secret alone', load_filing(), $tested);

# What it is for that all know it before one uses it.
my $third = join '', map { sprintf '%02x', rand 256 } 1 .. 32;
Disclosed::Hosts::set_secrets($hosts[0], $third, $new);
Disclosed::Hosts::restart_gracefully($hosts[0]);
is($hosts[1]->get("$list&cursor=" . cursor_of($hosts[0]))->status, 422, 'a cursor of a secret that a host was not told');

finish();
