# On Citus: a coordinator and two workers serve what a single PostgreSQL serves, byte for byte; loads, credits and webhooks work
# there; a company's rows are asked of one worker; a worker that is gone makes 503 of its companies' requests alone.
#
# runs docs/scale.md: ^(?:CREATE EXTENSION citus|disclosedctl (?:migrate|distribute))

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Citus;
use Disclosed::Guides;
use Disclosed::Copies qw(path_of);
use Disclosed::Lists qw(with);
use Disclosed::Load;
use Disclosed::Memory qw(patience);
use Disclosed::Operations qw(operations targets_of);
use Disclosed::OrderFiles qw(own_files);
use Disclosed::Plans;
use Disclosed::Process qw(slurp wait_until);
use Disclosed::Shared qw(control fresh workspace);
use Disclosed::Test qw(without_cache);
use Disclosed::TimeMachine;
use Disclosed::JSON ();

if (my $missing = Disclosed::Citus::missing()) {
    plan skip_all => "NOT RUN: no Citus: $missing";
}
my $citus = Disclosed::Citus->create(map { workspace() . '/' . fresh('own') } 1 .. 3);
my $coordinator = $citus->coordinator;
my $json = Disclosed::JSON->new->utf8->canonical;

# disclosedctl on a database of the coordinator; dies where that fails.
sub control_of
{
    my ($database, @arguments) = @_;
    my ($code, $out, $err) = control($coordinator->conninfo($database), @arguments);
    is($code, 0, "disclosedctl @arguments") or diag $out, $err;
    return $out;
}

# --- by the guide ---------------------------------------------------------------------------------

# Its SQL on the nodes that it says, with their addresses and the name of a database; then its commands.
my $guides = Disclosed::Guides->new;
my ($name, @addresses) = ('by_guide', map { $_->{directory} } $coordinator, $citus->workers);
$_->create_database($name) for $coordinator, $citus->workers;
for my $line (split /\n/, $guides->text(qr/^CREATE EXTENSION citus/)) {
    my ($sql, $where) = $line =~ /^(.*?;)(?: +-- (.*))?\z/;
    $sql =~ s/'10\.0\.0\.1([0-2])'/'$addresses[$1]'/;
    $sql =~ s/\bDATABASE disclosed\b/DATABASE $name/;
    $_->execute_apart($name, $sql) for $coordinator, ($where // '') eq 'on each node' ? $citus->workers : ();
}
is($coordinator->value($name, q{SELECT string_agg(nodename, ' ' ORDER BY nodeid) FROM pg_dist_node}), join(' ', @addresses), 'the nodes that the guide adds');
for my $command ($guides->mine(qr/^disclosedctl /)) {
    control_of($name, split ' ', $command->{text} =~ s/^disclosedctl //r);
    $guides->ran($command);
}
is($coordinator->value($name, "SELECT max(shard_count) FROM citus_tables WHERE citus_table_type = 'distributed'"), 4, '... spread over as many shards as it says');
$guides->all_ran;

# --- the same data in one PostgreSQL and in three -------------------------------------------------

$coordinator->create_database('single');
control_of('single', 'migrate');
control_of('single', 'demo');
$citus->create_database('spread', 'single');
like(control_of('spread', 'distribute', '--status'), qr/^\S+ coordinator, takes none, 0 shards\n(\S+ worker, 0 shards\n){2}nothing is distributed\n\z/, 'the nodes, before anything is distributed');
control_of('spread', 'distribute', '--apply');

my $plan = $json->decode(control_of('spread', 'distribute', '--json', '--plan'));
my %kind = map { ($_->{name} => $_->{kind}) } @$plan;
is($kind{filing}, 'distributed', 'filings are spread by issuer');
is($kind{issuer}, 'reference', 'issuers, to which all rows point, are on each node');
my $together = q{SELECT string_agg(DISTINCT s.columns, '; ') FROM (SELECT (SELECT string_agg(a.attname, ' ' ORDER BY a.attname) FROM pg_attribute a
    WHERE a.attrelid = x.stxrelid AND a.attnum = ANY (x.stxkeys::int2[])) AS columns FROM pg_statistic_ext x) s};
my $columns = $coordinator->value('spread', $together);
is($coordinator->value('spread', qq{SELECT string_agg(DISTINCT result, ', ') FROM run_command_on_workers(\$\$$together\$\$)}), $columns, "workers have the statistics of columns together that the tables have: $columns");
my %reason = map { ($_->{name} => $_->{reason}) } @$plan;
is($reason{$_->[0]}, $_->[1], "$_->[0]: $_->[1]") for ['filing', 'by issuer_id'], ['institution_holder', 'by company_id'], ['congress_trade', 'by company_or_politician_id'],
    ['politician', 'lists join it to congress_trade, which is spread otherwise'], ['institution_report', 'lists join it to institution_holder, which is spread otherwise'],
    ['institution_position', 'by issuer_id'];
is(join(' ', sort grep { $kind{$_} eq 'local' } keys %kind), 'dataset_record document_chunk', 'without a primary key a table stays');
is(join(' ', grep { $_ } map { $_->{kind} ne 'local' && $_->{state} ne 'done' ? $_->{name} : '' } @$plan), '', 'all is done');
same_json($json->decode(control_of('spread', 'distribute', '--json', '--apply')), { distributed => 0 }, 'a second time nothing is left to do');
my $status = $json->decode(control_of('spread', 'distribute', '--json', '--status'));
same_json([map { "$_->{role} $_->{active}" } $status->{nodes}->@*], ['coordinator t', 'worker t', 'worker t'], 'the nodes');
is(scalar $status->{tables}->@*, scalar(grep { $_ ne 'local' } values %kind), 'tables with shards');
for my $case ([['single', '--apply'], 1, qr/extension citus is not there/], [['single', '--status'], 1, qr/extension citus is not there/],
    [['single', '--plan'], 0, qr/^\z/], [['spread'], 2, qr/--plan, --apply or --status\?/], [['spread', '--plan', '--apply'], 2, qr/one of --plan/])
{
    my ($arguments, $exit, $text) = @$case;
    my ($database, @options) = @$arguments;
    my ($code, $out, $err) = control($coordinator->conninfo($database), 'distribute', @options);
    is($code, $exit, "distribute @options of database $database: exit code $exit");
    like($err, $text, '... says why');
}
my ($denied, undef, $reason) = control($coordinator->conninfo('spread', 'disclosed_loader'), 'distribute', '--apply');
is($denied, 1, 'another than the owner is refused');
like($reason, qr/another than the owner/, '... with a reason');

my $single = site(cluster => $coordinator, database => 'single', start => 0, base_url => 'https://api.example.org');
my $spread = site(cluster => $coordinator, database => 'spread', start => 0, base_url => 'https://api.example.org');
$spread->{secret} = $single->{secret};
$spread->write('conf/secret', "$single->{secret}\n", 0600);
$_->start for $single, $spread;

# What differs between two responses, of GET, or POST with a body; '' where they are the same. Returns the response of the single one as well.
sub difference
{
    my ($target, $body) = @_;
    my ($one, $other) = map { $body ? $_->post($target, $body) : $_->get($target) } $single, $spread;
    my ($first, $second) = map { $_->body =~ s/"request_id":"\w+"//r } $one, $other;
    my $what = $target . ($body ? ' ' . $json->encode($body) : '');
    return ("$what: " . $one->status . ' and ' . $other->status, $one) if $one->status != $other->status;
    return ("$what: ETag", $one) if ($one->header('etag') // '') ne ($other->header('etag') // '');
    return ($first eq $second ? '' : "$what: bodies\n  " . substr($first, 0, 300) . "\n  " . substr($second, 0, 300), $one);
}

my (%asked, @different);

# Compares, once; returns the response, or nothing where that has been done.
sub compare
{
    my ($target, $body) = @_;
    return if $asked{ $target . ($body ? $json->encode($body) : '') }++;
    my ($difference, $response) = difference($target, $body);
    push @different, $difference if $difference;
    return $response;
}

# Pages of a list, the next by the cursor of the one before.
sub compare_pages
{
    my ($target, $most, %more) = @_;
    for (1 .. $most) {
        my $response = compare(with($target, %more)) // last;
        my ($cursor) = $response->body =~ /"next_cursor":"([\w-]+)"/ or last;
        $more{cursor} = $cursor;
    }
}

# Companies so that each of their lists has rows of one at least.
my %watched = map { ($coordinator->value('single', "SELECT min(l.record_key) FROM disclosed.listing l JOIN disclosed.$_ t ON t.issuer_id = l.issuer_id WHERE l.superseded_at IS NULL") => 1) }
    qw(filing insider_transaction insider_holding executive short_interest corporate_action beneficial_owner event transcript document fund_exposure);
my $machine = Disclosed::TimeMachine->new(full => $single, grown => $spread, watched => [sort keys %watched], symbols => 1, most => 3, sources => 1);
my $names = { full => $machine->translate($single), grown => $machine->translate($spread) };
my @instants = qw(2025-01-01 2026-10-01);
my %found;    # by operation, and as of an instant

# Whether a body has no rows, nor anything else.
sub is_empty
{
    my ($response) = @_;
    my $body = $response->body =~ /\[\]|\{\}/ ? $response->json : return 0;
    return ref $body eq 'ARRAY' ? !@$body : !%$body || ref $body->{data} eq 'ARRAY' && !$body->{data}->@*;
}

sub compare_then
{
    my ($name, $target, $is_paged, $as_of) = @_;
    my %more = $as_of ? (as_of => $as_of) : ();
    my $response = compare(with($target, %more)) // return;
    $found{ $name . ($as_of ? ' as_of' : '') } += $response->status == 200 && !is_empty($response);
    compare_pages($target, 3, %more, limit => 4) if $is_paged && $response->body =~ /"next_cursor":"/;
}

for my $target ($machine->targets($names)) {
    compare_then($target->{operation}, $target->{path}[0], $target->{paged}, $_) for undef, @instants;
}

# Each operation of each surface, with each of its parameters: of some companies, and with the values that the documents show. What accounts
# own, and the log of events, is on the coordinator alone: webhooks.t and webhook-requests.t of t/citus/suites.
my @operations = operations($single);
my @of_accounts = grep { $_->{path} =~ m{^/v1/(?:webhook-endpoints|changes)\b} } @operations;
my @watched = sort keys %watched;
my %values = (symbols => [$watched[0], [@watched[0, 1]]], q => ['net income', 'a']);
for my $operation (grep { $_->{method} eq 'GET' } @operations) {
    next if grep { $_ == $operation } @of_accounts;
    my @of_watched = $operation->{of_company} ? map { (targets_of($operation, symbol => [$_], ticker => [s/:.*//r]))[0] } @watched : ();
    for my $target (targets_of($operation, %values), @of_watched) {
        compare_then($operation->{name}, $target, $operation->{parameter}{cursor}, $_) for undef, $operation->{takes_as_of} ? @instants : ();
    }
}
for my $question ('What was the revenue of ' . ($watched[0] =~ s/:.*//r) . ' in 2024?', 'Which company had the largest revenue in 2024?', "How many shares did insiders of $watched[0] buy?") {
    compare('/v1/ask', { question => $question, %$_ }) && $found{ask}++ for {}, map { { as_of => $_ } } @instants;
}
for my $body ({ query => 'revenue' }, { query => 'net sales in Europe', as_of => '2025-01-01' }, { query => 'revenue', symbols => [$names->{symbol} // ($machine->symbols)->[0]] }) {
    my $cursor;
    for (1 .. 3) {
        my $response = compare('/v1/search', { %$body, limit => 3, $cursor ? (cursor => $cursor) : () }) // last;
        $found{search} += $response->status == 200;
        $cursor = $response->status == 200 ? $response->json->{pagination}{next_cursor} // last : last;
    }
}
is(join("\n", @different), '', 'the same bytes of ' . keys(%asked) . ' targets');
my %is_of_account = map { ($_->{name} => 1) } @of_accounts;
my @expected = map { ($_->{name}, $_->{takes_as_of} ? "$_->{name} as_of" : ()) } grep { !$is_of_account{ $_->{name} } } @operations;
is(join("\n", grep { !$found{$_} } @expected), '', 'each operation, now and as of an instant, had something to compare: ' . @expected);

# --- where statements run ---------------------------------------------------------------------

# Lists that the coordinator reads from its own tables, since Citus can't take their statements apart; "as_of": as of an instant alone.
my $joins   = 'joins a function to rows of many shards';
my $event   = 'looks events up by their number';
my $numbers = 'reads several tables of numbers as one, or sums of a row';
my %of_coordinator = (
    '/v1/companies/{symbol}/kpis' => $numbers, '/v1/companies/{symbol}/kpis as_of' => $numbers,
    '/v1/companies/{symbol}/fundamentals' => $numbers, '/v1/companies/{symbol}/fundamentals as_of' => $numbers,
    '/v1/companies/{symbol}/kpis/{metric_key}/observations' => $numbers, '/v1/companies/{symbol}/kpis/{metric_key}/observations as_of' => $numbers,
    '/v1/metrics/{canonical_key}/values' => $numbers, '/v1/metrics/{canonical_key}/values as_of' => $numbers,
    '/v1/documents as_of' => $event, '/v1/filings as_of' => $event, '/v1/transcripts as_of' => $event, '/v1/events as_of' => $event, '/v1/events/calendar as_of' => $event,
    map { ("$_ as_of" => $joins) } qw(/v1/companies/{symbol}/congress /v1/congress /v1/congress/politicians/{slug}
        /v1/insider /v1/institutions/{cik}/positions),
);

# Numbers of tasks, and their statements, of the parts of a plan that workers run.
sub tasks_of
{
    my ($node) = @_;
    return ref $node eq 'ARRAY' ? map { tasks_of($_) } @$node : () if ref $node ne 'HASH';
    my @own = exists $node->{'Task Count'} ? [$node->{'Task Count'}, map { $_->{Query} // '' } ($node->{Tasks} // [])->@*] : ();
    return (@own, map { tasks_of($node->{$_}) } grep { $_ ne 'Remote Plan' } sort keys %$node);
}

# How many rows a task's statement brings at the most.
sub most_of_task { my ($query) = @_; return $query =~ /\bLIMIT '?(\d+)'?(?:::\w+)?\z/ ? $1 : 9**9**9 }

$coordinator->execute('postgres', Disclosed::Plans->settings('spread', 'auto_explain.log_verbose' => 'on', 'auto_explain.log_nested_statements' => 'off'));
my $watched = site(cluster => $coordinator, database => 'spread', start => 0, base_url => 'https://api.example.org');
$watched->start;
my $lists = Disclosed::Lists->new($watched);
my $log = Disclosed::Plans->new("$coordinator->{directory}/log", 'spread');
my (@several, @unlimited, @local, $one_task, $pushed);
for my $list ($lists->lists) {
    my $path = $lists->path_of($list->{path});
    my $of_company = $list->{path} =~ /\{symbol\}/;
    for my $as_of (undef, '2025-01-01') {
        my $asked = with($path, limit => 7, $as_of ? (as_of => $as_of) : ());
        $lists->get($asked);    # by the second time each connection knows
        $log->read;
        $lists->get($asked);
        my @plans = grep { $_->{query} =~ /\bLIMIT\b/ && !Disclosed::Plans::is_beside($_->{query}) } $log->read;
        my @tasks = map { tasks_of($_->{plan}) } @plans;
        push @local, $list->{path} . ($as_of ? ' as_of' : '') if !@tasks;
        if ($of_company) {
            push @several, "$asked: " . join ', ', map { $_->[0] } @tasks if grep { $_->[0] != 1 } @tasks;
            $one_task += @tasks;
        } else {
            push @unlimited, "$asked: $_->[1]" for grep { $_->[0] > 1 && most_of_task($_->[1]) > 7 + 1 } @tasks;
            $pushed += @tasks;
        }
    }
}
is(join("\n", @several), '', "what is asked of a company is one task ($one_task)");

# The same of each operation about a company, with all statements that it makes and each of its parameters.
my (@of_several, %looked_at);
for my $operation (grep { $_->{method} eq 'GET' && $_->{of_company} } @operations) {
    for my $target (targets_of($operation)) {
        for my $as_of (undef, $operation->{takes_as_of} ? $instants[-1] : ()) {
            my $asked = with($target, $as_of ? (as_of => $as_of) : ());
            $lists->get($asked);
            $log->read;
            $lists->get($asked);
            my @plans = grep { !Disclosed::Plans::is_beside($_->{query}) } $log->read;
            $looked_at{ $operation->{path} } += @plans;
            for my $plan (@plans) {
                push @of_several, "$asked: $_->[0]: $plan->{query}" for grep { $_->[0] != 1 } tasks_of($plan->{plan});
            }
        }
    }
}
is(join("\n", @of_several), '', '... and so is each statement of the ' . keys(%looked_at) . ' operations about a company');
is(join(' ', grep { !$looked_at{$_} } map { $_->{of_company} ? $_->{path} : () } @operations), '', '... each was looked at');
is(join("\n", @unlimited), '', "what is asked of all companies brings no more than a page from each shard ($pushed)");
my %seen;
is(join("\n", grep { !$seen{$_}++ && !$of_coordinator{$_} } @local), '', 'the other lists are asked of the workers');
is(join("\n", grep { !$seen{$_} } sort keys %of_coordinator), '', 'no list is named above for nothing');
cmp_ok($one_task, '>=', 8, '... so many of a company were looked at');
cmp_ok($pushed, '>=', 12, '... and of all');
$coordinator->execute('postgres', "ALTER DATABASE spread RESET ALL");

# Connections that a list of all would open for itself alone, at once and not by and by.
$coordinator->execute('postgres', 'ALTER DATABASE spread SET citus.executor_slow_start_interval = 0');
my $narrow = site(cluster => $coordinator, database => 'spread', processes => 1, pool => 1);
sub sessions_of_workers { return map { $_->execute_apart('spread', "SELECT sessions FROM pg_stat_database WHERE datname = 'spread'") =~ s/\n//r } $citus->workers }
$narrow->get('/v1/insider?limit=7');
my @before = sessions_of_workers();
status_is($narrow->get('/v1/insider?limit=7'), 200, 'a list of all') for 1 .. 3;
my @opened = sessions_of_workers();
$opened[$_] -= $before[$_] + 1 for 0 .. $#opened;    # the one that looks
is("@opened", '0 0', '... goes to each worker by the connection that is there');
log_is_clean($narrow, '... and nothing is logged');
$coordinator->execute('postgres', "ALTER DATABASE spread RESET ALL");

# --- loads ------------------------------------------------------------------------------------

sub unlike_shards { return $citus->unlike_shards(@_) }

# Tables of which one machine and three have loaded other rows: all that the plan names, without instants from the first load on and what is made
# of them, and without the order of the versions and sources that one statement stores: a row's source is told by what it says, not by its number.
sub unlike_tables
{
    my ($began) = @_;
    my $left_out = "'{row_id,source_key}'::text[]";
    my @sources = map {
        +{ map { $_->{source_id} => $_->{said} } $coordinator->rows($_, "SELECT source_id, (to_jsonb(s) - $left_out - 'source_id')::text AS said FROM disclosed.source s") }
    } qw(plain loads);
    my @unlike;
    for my $table (map { $_->{name} } $json->decode(control_of('loads', 'distribute', '--json', '--plan'))->@*) {
        my @rows = map { [map { $_->{row} } $coordinator->rows($_, "SELECT (to_jsonb(t) - $left_out)::text AS row FROM disclosed.$table t ORDER BY 1")] } qw(plain loads);
        for my $database (0, 1) {
            for ($rows[$database]->@*) {
                s{"source_id": (\d+)}{'"source": ' . ($sources[$database]{$1} // "none of number $1")}ge;
                s/"(\d{4}-\d\d-\d\dT[\d:.]+)\+00:00"/$1 ge $began ? '"now"' : "\"$1\""/ge;
            }
        }
        my %only;
        $only{$_}++ for $rows[0]->@*;
        $only{$_}-- for $rows[1]->@*;
        my ($first) = sort grep { $only{$_} } keys %only;
        push @unlike, "$table: " . @{ $rows[0] } . ' and ' . @{ $rows[1] } . " rows: $first" if defined $first;
    }
    return join "\n", @unlike;
}

$coordinator->create_database('plain');
$citus->create_database('loads');
my $began = $coordinator->value('plain', q{SELECT to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS')});
control_of($_, 'migrate') for qw(plain loads);
control_of('loads', 'distribute', '--apply');

# Rows of a table that become another company's move to its shard.
sub move_rows
{
    my ($table) = @_;
    my $moved = $coordinator->value('loads', "WITH moved AS (UPDATE disclosed.$table t SET company_id = o.company_id FROM (SELECT max(company_id) AS company_id FROM disclosed.$table) o
        WHERE t.company_id <> o.company_id RETURNING 1) SELECT count(*) FROM moved");
    cmp_ok($moved, '>', 0, "$table: $moved rows become another company's");
    is(unlike_shards('loads'), '', '... the shards have that');
}

for my $name (qw(plain loads)) {
    control_of($name, 'demo', '--companies', '6');
    if ($name eq 'loads') {
        is(unlike_shards('loads'), '', 'the demo data: the shards have what the tables have');
        move_rows($_) for qw(institution_holder congress_trade);
    }
    control_of($name, 'demo', '--remove');
}
is(unlike_shards('loads'), '', '... and when they are removed');
cmp_ok($coordinator->value('loads', 'SELECT count(*) FROM disclosed_shards.filing'), '==', 0, '... there is none left');

# The small files of the fuzz targets, on one machine and on three.
my ($folder, %imported) = workspace() . '/' . fresh('files');
mkdir $folder;
my @others;
for my $file (own_files($folder)->@*) {
    my ($importer, $path, @options) = @$file;
    my ($one, $other) = map { my ($code, $out) = control($coordinator->conninfo($_, 'disclosed_loader'), 'import', $importer, '--json', @options, $path);
            "$code $out" =~ s/"seconds":[\d.]+,//r } qw(plain loads);
    $imported{$importer}++ if $other =~ /"stored":[1-9]/;
    push @others, "$importer $path: $one, $other" if $one ne $other;
}
is(join("\n", @others), '', 'files of ' . keys(%imported) . ' importers are loaded as on one machine');
my ($known) = map { $json->decode($_)->{importers} } control_of('loads', 'tables', '--json');
my $elsewhere = 'earnings-calendar sec-financial-statements';    # t/citus/suites t/import-events.t t/import-financial-statements.t
is(join(' ', grep { !$imported{$_} } sort map { $_->{name} } @$known), $elsewhere, '... all but two, whose suites load theirs');
is(unlike_tables($began), '', '... and all tables have the same rows');
is(unlike_shards('loads'), '', '... and the shards have them');

# A copy of a report with more rows, and the good one again: its rows are left out on both.
my $form = slurp(build('SRCDIR') . '/t/fuzz/corpus/ownership/form4');
my @left = map {
    my $path = path_of('ownership', $_->[0], '0000320193-24-000061.xml', $_->[1]);
    map { (control($coordinator->conninfo($_, 'disclosed_loader'), 'import', 'sec-ownership', '--json', $path))[1] =~ s/"seconds":[\d.]+,//r } qw(plain loads);
} ['more', $form =~ s/(<nonDerivativeTransaction>.*?<\/nonDerivativeTransaction>\n)/$1$1/sr], ['good', $form];
is_deeply([@left[1, 3]], [@left[0, 2]], 'a copy of a report with more rows, and the good one again, are loaded as on one machine');
my @out = map { $coordinator->value($_, 'SELECT count(*) FROM insider_transaction WHERE left_out AND superseded_at = known_at') } qw(plain loads);
cmp_ok($out[0], '>', 0, '... rows are left out');
is($out[1], $out[0], '... as many');
is(unlike_shards('loads'), '', '... and the shards have that');
is($coordinator->value('loads', 'SELECT count(*) FROM unsent_change'), 0, 'nothing is left to be sent');

$coordinator->execute('loads', 'TRUNCATE disclosed.short_interest');
is(unlike_shards('loads'), '', '... nor after a table was emptied');

# --- a migration, and the way back -----------------------------------------------------------------

# A later migration.
$coordinator->execute('loads', 'ALTER TABLE disclosed.short_interest ADD COLUMN remark text');
like(control_of('loads', 'distribute', '--plan'), qr/^short_interest +distributed +changed/m, 'a column more: the plan says so');
is(control_of('loads', 'distribute', '--apply'), "distributed short_interest\n", '... its shards are made anew, no others');
is(unlike_shards('loads'), '', '... with what is there');
control_of('loads', 'migrate');

# The way back, and there again; a backup is restored likewise.
$coordinator->execute('loads', 'SET client_min_messages = error; DROP SCHEMA disclosed_shards CASCADE');
control_of('loads', 'demo', '--companies', '6');
control_of('loads', 'distribute', '--apply');
is(unlike_shards('loads'), '', 'without shards loads go on; they are made again');

# --- one worker more --------------------------------------------------------------------------------

my $added = $citus->add_worker('loads', workspace() . '/' . fresh('own'));
like(control_of('loads', 'distribute', '--status'), qr/^\Q$added->{directory}\E:5432 worker, 0 shards$/m, 'a worker is added: it has nothing');
my ($early, undef, $told) = control($coordinator->conninfo('loads'), 'distribute', '--apply');
is($early, 1, '... and has to be given the reference tables first');
like($told, qr/worker \Q$added->{directory}\E:5432 is new.*; as a superuser: SELECT replicate_reference_tables\('block_writes'\)$/, '... which a superuser does, as it says');
$coordinator->execute_apart('loads', "SELECT replicate_reference_tables('block_writes')");
control_of('loads', 'distribute', '--apply');
my ($moved) = $coordinator->rows('loads', <<'END');
SELECT shardid, nodename FROM pg_dist_shard_placement JOIN pg_dist_shard USING (shardid) WHERE logicalrelid = 'disclosed_shards.filing'::regclass ORDER BY shardid LIMIT 1
END
$coordinator->execute_apart('loads', "SELECT citus_move_shard_placement($moved->{shardid}, '$moved->{nodename}', 5432, '$added->{directory}', 5432, 'block_writes')");
cmp_ok($coordinator->value('loads', "SELECT count(*) FROM pg_dist_shard_placement WHERE nodename = '$added->{directory}'"), '>', 20, '... shards can be moved there, those of a company together');
is(unlike_shards('loads'), '', '... whole');
control_of('loads', 'demo', '--companies', '8');
is(unlike_shards('loads'), '', '... and loads go there');

# --- a worker that is gone -----------------------------------------------------------------------

my ($first, $second) = $citus->workers;
my %symbol = map { ($_->{node} => $_->{symbol}) } $coordinator->rows('spread', <<'END');
SELECT i.symbol, p.nodename AS node FROM issuer i JOIN pg_dist_shard_placement p
  ON p.shardid = get_shard_id_for_distribution_column('disclosed_shards.insider_transaction', i.issuer_id)
WHERE i.symbol IN (SELECT i.symbol FROM insider_transaction t JOIN issuer i USING (issuer_id))
END
my ($here, $away) = map { "/v1/companies/$symbol{ $_->{directory} }/insider" } $first, $second;
status_is($spread->get($_), 200, "both workers are there: $_") for $here, $away;
$second->stop;
$spread->{log}->permit(qw(DSC0002 DSC0020));
for my $time (1 .. 3) {
    problem_is($spread->get($away), 503, 'one is gone: 503 for its companies', instance => $away);
    status_is($spread->get($here), 200, '... others go on');
}
status_is($spread->get('/v1/companies'), 200, '... and what is on each node');
my $rows = $coordinator->value('spread', 'SELECT count(*) FROM filing');
my ($code, $out, $err) = control($coordinator->conninfo('spread', 'disclosed_loader'), 'demo', '--companies', '43', '--no-such');
is($code, 2, 'a wrong option is told without a worker as well');
($code, $out, $err) = control($coordinator->conninfo('spread', 'disclosed_loader'), 'demo', '--companies', '43');
isnt($code, 0, 'a load fails');
like($err, qr/connection to the remote node/, '... and says why');
is($coordinator->value('spread', 'SELECT count(*) FROM filing'), $rows, '... nothing of it is stored');
$second->start;
ok(wait_until(20 * patience(), sub { $spread->get($away)->status == 200 }), 'it is back: all is well');
control_of('spread', 'demo', '--companies', '43');
cmp_ok($coordinator->value('spread', 'SELECT count(*) FROM filing'), '>', $rows, '... the load, again, stores its rows');
is(unlike_shards('spread'), '', '... and the shards have them');

# --- a worker that is silent ----------------------------------------------------------------------

log_is_clean($_, 'nothing is logged') for $single, $spread, $watched;
my $timeout = 2;
my $hasty = site(cluster => $coordinator, database => 'spread', config => "DisclosedStatementTimeout $timeout\n");
status_is($hasty->get($_), 200, "before: $_") for $here, $away;
$second->freeze;
$hasty->{log}->permit(qw(DSC0002 DSC0004 DSC0010 DSC0020));
my $load = Disclosed::Load->start($hasty, clients => 4, pause => 0.05, targets => [$away]);
sleep 1;
is_deeply([grep { $_ != 200 } map { $hasty->get($here)->status } 1 .. 20], [], 'one is silent, and asked by four clients: others go on');
status_is($hasty->get('/v1/companies'), 200, '... and what is on each node');
my @answers = $load->stop;
is_deeply([grep { $_->{status} !~ /^50[34]\z/ || ($_->{status} == 503 && !$_->{retry_after}) || $_->{worked} >= ($timeout + 0.1) * patience() } @answers], [], '... its companies have 503 or 504 in time: ' . @answers) or diag $json->encode(\@answers);
$second->thaw;
ok(wait_until(20 * patience(), sub { $hasty->get($away)->status == 200 }), 'it is heard again: all is well');

finish();
