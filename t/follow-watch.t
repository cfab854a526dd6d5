# disclosedctl follow --watch: files that arrive in a folder are loaded, each content once: written, moved in, there before it began, or
# while it was too busy to be told; killed in between and beside another. What is damaged is told of, and loaded when it is repaired; a good file
# is loaded again that is put back after a bad one. Nothing but files of the folder is read.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::Memory qw(patience);
use Disclosed::Order qw(number_below);
use Disclosed::Process qw(run slurp_if_there wait_until);
use Disclosed::Shared qw(fresh register_process workspace);
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep time utime);

Disclosed::Order::seed(1);
my $site = site(template => 'empty', start => 0);
my $number = 0;

# A folder that is watched, and its option.
sub folder { my $folder = workspace() . '/' . fresh('watched'); mkdir $folder or die "$folder: $!"; return $folder }
sub watch { my ($folder, $importer) = @_; return ('--source', 'watch', '--watch', ($importer // 'corporate-actions') . "=$folder") }

# A file with one dividend of a share of its own: the share.
sub dividend { my ($symbol, $amount) = @_; return "ticker,ex_date,amount,currency,pay_date\n$symbol,2022-02-03," . ($amount // 0.5) . ",USD,2022-03-03\n" }
sub write_file { my ($path, $text) = @_; open my $file, '>:raw', $path or die "$path: $!"; print $file $text; close $file or die; return $path }

# The same, as if it had been written an hour ago: a look at the folder need not wait for who writes.
sub put { my ($path, $text) = @_; write_file($path, $text); utime time - 3600, time - 3600, $path; return $path }

# How often each share's dividend has been stored, by the runs of imports.
sub loads { my ($name) = @_; return $site->value("SELECT count(*) FROM disclosed.import_run WHERE status = 'done' AND stored > 0 AND file ~ '/$name(?::|\$)'") }
# What stands for a file as it is: as the database has it of another name.
sub mark { my ($path) = @_; return (run('stat', '-c', '%s %.9Y %.9Z %i', $path))[1] =~ s/\n//r }
sub shares { return join ' ', map { $_->{symbol} } $site->rows('SELECT DISTINCT symbol_code AS symbol FROM disclosed.corporate_action WHERE superseded_at IS NULL ORDER BY 1') }
sub once { return $site->control('follow', '--once', '--verbose', watch(@_)) }
sub status { return ($site->control('follow', '--status'))[1] }

# The command beside us; a process may be stopped, killed or told to end.
sub begin
{
    my ($folder, @command) = @_;
    my $output = workspace() . '/' . fresh('follow');
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        open STDIN,  '<', '/dev/null';
        open STDOUT, '>', "$output.out";
        open STDERR, '>', "$output.err";
        { no warnings; exec @command, build('CTL'), '--database', $site->conninfo('disclosed_loader'), 'follow', '--verbose', '--poll', 1, watch($folder); }
        POSIX::_exit(127);
    }
    register_process($pid);
    return { pid => $pid, output => $output };
}

sub end
{
    my ($follower, $signal) = @_;
    kill $signal // 'TERM', $follower->{pid};
    wait_until(30 * patience(), sub { waitpid($follower->{pid}, WNOHANG) != 0 }) or die 'it does not end';
    return $? & 127 ? 128 + ($? & 127) : $? >> 8;
}

sub said_by { my ($follower) = @_; return join '', map { slurp_if_there("$follower->{output}.$_") // '' } qw(out err) }
sub is_loaded
{
    my ($name, $follower, $says) = @_;
    ok(wait_until(60 * patience(), sub { loads($name) == 1 }), $says) or diag said_by($follower), status();
}

# ---- what is refused
for my $case (['corporate-actions', '--watch takes IMPORTER=FOLDER, and there is no such importer'], ['dividends=/tmp', '--watch takes IMPORTER=FOLDER, and there is no such importer'],
    ['ndjson=/nonexistent', '--watch: there is no such folder'], ['ndjson=' . __FILE__, '--watch: there is no such folder']) {
    my ($code, undef, $err) = $site->control('follow', '--once', '--source', 'watch', '--watch', $case->[0]);
    is($code, 2, "--watch $case->[0] is refused");
    like($err, qr/\Q$case->[1]\E/, '... and it says why');
}
is(($site->control('reimport', '--source', 'watch', '--since', '2020-01-01', '--keep', '/nonexistent'))[0], 2, 'reimport has no source watch');

# ---- one round
my $folder = folder();
my $outside = put(workspace() . '/' . fresh('outside') . '.csv', dividend('OUTS'));
put("$folder/one.csv", dividend('ONE'));
put("$folder/two 'words' \"é\".csv", dividend('TWO'));
put("$folder/$_", dividend('HID')) for qw(.hidden.csv new.csv.tmp new.csv.PART new.csv.filepart new.csv~);
symlink $outside, "$folder/link.csv" or die;
mkdir "$folder/inner.csv" or die;
put("$folder/inner.csv/inner.csv", dividend('INN'));
POSIX::mkfifo("$folder/pipe.csv", 0600) or die;
my ($code, $out, $err) = $site->control('follow', '--dry-run', watch($folder));
is($code, 0, 'a dry run') or diag $err;
same_json([sort split /\n/, $out], [sort "$folder/one.csv", "$folder/two 'words' \"é\".csv"], '... tells the files');
is($site->value('SELECT count(*) FROM disclosed.followed_document'), 0, '... and loads none');
($code, $out, $err) = once($folder);
is($code, 0, 'a round') or diag $out, $err;
is($err, '', '... without a failure');
like($out, qr/^watch: one\.csv: corporate-actions: 1 stored, 0 unchanged, 0 rejected$/m, '... tells a file');
like($out, qr/^0 requests, 2 documents stored, 0 failed, 0 missing$/m, '... and how many');
is(shares(), 'ONE TWO', 'files of the folder are loaded, and nothing else');
ok(-e "$folder/one.csv", '... and stay there');
($code, $out) = once($folder);
like($out, qr/\A0 requests, 0 documents stored, 0 failed, 0 missing\n\z/, 'a second round does nothing');

# ---- the same bytes
put("$folder/again.csv", dividend('ONE'));
utime time, time, "$folder/one.csv";
sleep 2.1;
($code, $out) = once($folder);
is($code, 0, 'the same bytes under another name, and a file that was touched');
like($out, qr/^watch: again\.csv: its content is stored already$/m, '... are known');
is($site->value(q{SELECT count(*) FROM disclosed.import_run WHERE file ~ '/(one|again)\.csv$'}), 1, '... and not imported again');

# ---- what is damaged
put("$folder/bad.csv", "this is\nno table of dividends\n");
put("$folder/latin\xe9.csv", dividend('LATIN'));
put("$folder/other.csv", dividend('OTHER'));
($code, $out, $err) = once($folder);
is($code, 1, 'a round with files that cannot be loaded');
like($err, qr/^watch: bad\.csv: import: .+ \(file:\/\/\Q$folder\E\/bad\.csv\)$/m, '... says why');
like($err, qr/^watch: latin\x{ef}\x{bf}\x{bd}\.csv: other: its name has control characters, or is not UTF-8: rename it/m, '... of a name that nobody can write');
is(shares(), 'ONE OTHER TWO', '... and loads the others');
ok(-e "$folder/bad.csv", '... and leaves them in place');
like(status(), qr/^watch +corporate-actions:\Q$folder\E\/bad\.csv +import +\S/m, '--status has them with the reason');
like(($site->control('follow', '--status', '--source', 'watch'))[1], qr/^watch +corporate-actions:\Q$folder\E\/bad\.csv /m, '... where folders are asked for');
is(($site->control('follow', '--status', '--source', 'house-clerk'))[1], '', '... and not where another source is');
($code, $out, $err) = once($folder);
is("$code$err", '1', 'as they are they are not tried at once');
rename "$folder/latin\xe9.csv", "$folder/latin.csv" or die;
put("$folder/bad.csv", dividend('GOOD'));
($code, $out, $err) = once($folder);
is("$code$err", '0', 'repaired, they are loaded');
is(shares(), 'GOOD LATIN ONE OTHER TWO', '... both');
is(($site->control('follow', '--status', '--json'))[1], "[]\n", '... and nothing is missing');
put("$folder/bad2.csv", "no table\n");
is((once($folder))[0], 1, 'another');
unlink "$folder/bad2.csv" or die;
is((once($folder))[0], 0, 'one that is taken away is not missed');
is($site->value("SELECT count FROM disclosed.followed_failure WHERE source = 'watch' AND kind = 'import'"), 2, 'failures are counted');
same_json([$site->rows("SELECT document, missing::int FROM disclosed.followed_state WHERE source = 'watch'")], [{ document => 'corporate-actions', missing => 0 }], '... and coverage has how fresh it is');

# All of its rows are rejected, as their provider is not declared: that is no content that is stored.
my $lines = folder();
sub line { my ($key) = @_; return qq({"dataset":"corporate_action","cik":99887766,"symbol_code":"$key","kind":"dividend","action_date":"2022-02-03","amount":0.5,"currency":"USD","provenance":{"source_provider":"own_desk","source_url":"https://desk.example/"}}\n) }
put("$lines/undeclared.ndjson", line('LINE'));
($code, $out, $err) = once($lines, 'ndjson');
is($code, 1, 'a file of which all rows are rejected');
like($err, qr/^watch: undeclared\.ndjson: import: all of its rows are rejected, 1: disclosedctl runs says why/m, '... says so');
like(status(), qr/undeclared\.ndjson +import +all of its rows are rejected/, '... in --status, too');
is(($site->control('provider', 'add', 'own_desk', 'our own desk'))[0], 0, 'its provider is declared');
utime time - 60, time - 60, "$lines/undeclared.ndjson";
($code, $out, $err) = once($lines, 'ndjson');
is("$code$err", '0', '... and it is loaded');
like($out, qr/^watch: undeclared\.ndjson: ndjson: 1 stored, 0 unchanged, 0 rejected$/m, '... with its row');
put("$lines/mixed.ndjson", line('MIX') . "no JSON\n");
($code, $out, $err) = once($lines, 'ndjson');
is("$code$err", '0', 'one of which some are rejected is loaded');
$site->execute("UPDATE disclosed.corporate_action SET superseded_at = now() WHERE symbol_code IN ('LINE', 'MIX')");

# ---- archives, and compressed files
put("$folder/inside$_.csv", dividend("IN$_")) for 1, 2, 3;
is((run({ directory => $folder }, 'tar', 'cf', 'all.tar.part', 'inside1.csv', 'inside2.csv'))[0], 0, 'an archive');
is((run({ directory => $folder }, 'gzip', 'inside3.csv'))[0], 0, 'a compressed file');
unlink "$folder/inside1.csv", "$folder/inside2.csv";
rename "$folder/all.tar.part", "$folder/all.tar" or die;
utime time - 60, time - 60, "$folder/all.tar", "$folder/inside3.csv.gz";
($code, $out, $err) = once($folder);
is("$code$err", '0', '... are loaded');
is(shares(), 'GOOD IN1 IN2 IN3 LATIN ONE OTHER TWO', '... with all that is in them');
is((once($folder))[1], "0 requests, 0 documents stored, 0 failed, 0 missing\n", '... once');

# ---- one that is being written
{
    my $pid = fork() // die;
    if ($pid == 0) {
        open my $file, '>:unix', "$folder/slow.csv" or POSIX::_exit(1);
        syswrite $file, 'ticker,ex_date,amount,currency,pay_date' . "\n";
        while (!-e "$folder/.enough") { syswrite $file, "SLOW,2022-02-03,0.5,USD,2022-03-03\n"; sleep 0.05 }
        POSIX::_exit(0);
    }
    wait_until(10, sub { -s "$folder/slow.csv" });
    ($code, $out, $err) = once($folder);
    is($code, 1, 'a file that somebody writes');
    like($err, qr/^watch: slow\.csv: truncated: it is being written/m, '... is left alone');
    unlike(shares(), qr/SLOW/, '... and none of it is loaded');
    write_file("$folder/.enough", '');
    waitpid $pid, 0;
    $site->execute("UPDATE disclosed.followed_document SET etag = '" . mark("$folder/slow.csv") . "' WHERE failure_kind = 'truncated'"); # as if that had been its last write
    sleep 2.1;
    is((once($folder))[0], 0, '... until it is whole');
    like(shares(), qr/SLOW/, '... and loaded then');
}

# ---- a folder that goes
my $gone = folder();
put("$gone/x.csv", "no table\n");
is((once($gone))[0], 1, 'a folder with a damaged file');
is((once($folder))[0], 0, '... is nothing to those that do not watch it');

# ---- put back
my $back = folder();
sub amount { my ($symbol) = @_; return $site->value("SELECT amount FROM disclosed.corporate_action WHERE symbol_code = '$symbol' AND superseded_at IS NULL") }
sub imports { my ($name) = @_; return $site->value("SELECT count(*) FROM disclosed.import_run WHERE status = 'done' AND file ~ '/\Q$name\E(?::|\$)'") }
sub one_round
{
    my ($name, $count, $amount, $says, $symbol) = @_;
    my ($code, $out, $err) = once($back);
    is("$code$err", '0', $says) or diag $out;
    is(imports($name), $count, "... loaded $count times so far") or diag join "\n", map { "$_->{file} $_->{stored}" } $site->rows("SELECT file, stored FROM disclosed.import_run WHERE file ~ '$name'");
    is(amount($symbol // 'BACK'), $amount, "... and $amount is in force");
}
put("$back/share.csv", dividend('BACK', 0.5));
one_round('share.csv', 1, 0.5, 'a good file');
put("$back/share.csv", dividend('BACK', 0.6));
one_round('share.csv', 2, 0.6, 'a bad one in its place');
put("$back/share.csv", dividend('BACK', 0.5));
one_round('share.csv', 3, 0.5, 'the good one again');
utime time - 60, time - 60, "$back/share.csv";
one_round('share.csv', 3, 0.5, '... is not loaded again where it was touched');
put("$back/share.csv", "no table\n");
is((once($back))[0], 1, 'a damaged one in its place');
put("$back/share.csv", dividend('BACK', 0.5));
one_round('share.csv', 3, 0.5, 'the good one again, as nothing else was loaded from there');
put("$back/second.csv", dividend('BACK', 0.6));
one_round('second.csv', 0, 0.5, 'the bad one under a new name');
put("$back/share.csv", dividend('BACK', 0.6));
one_round('share.csv', 4, 0.6, 'the bad one in its place again');
rename "$back/share.csv", "$back/third.csv" or die;
one_round('third.csv', 0, 0.6, '... is not loaded again where it was renamed');
put("$back/fourth.csv", dividend('BACK', 0.6) . "\n");
one_round('fourth.csv', 1, 0.6, 'another file');
put("$back/fourth.csv", dividend('BACK', 0.6));
one_round('fourth.csv', 2, 0.6, '... that gets the bytes of the bad one');
put("$back/share.csv", dividend('BACK', 0.5));
one_round('share.csv', 5, 0.5, 'the good one in the place of the bad one, which others had since');
for my $round ([1, 0.5], [2, 0.6], [3, 0.5]) {
    put("$back/inside.csv", dividend('PACK', $round->[1]));
    is((run({ directory => $back }, 'tar', 'cf', 'put.tar.part', '--mtime=@1000000000', 'inside.csv'))[0], 0, 'an archive');
    unlink "$back/inside.csv" or die;
    utime time - 60, time - 60, "$back/put.tar.part";
    rename "$back/put.tar.part", "$back/put.tar" or die;
    one_round('put.tar', $round->[0], $round->[1], '... with ' . $round->[1], 'PACK');
}
one_round('put.tar', 3, 0.5, '... and nothing more', 'PACK');
$site->execute("UPDATE disclosed.corporate_action SET superseded_at = now() WHERE symbol_code IN ('BACK', 'PACK')");

# Files of one folder that all of them say something else, as a rotation leaves them: the youngest counts.
my $rotated = folder();
my $age = 900;
sub aged { my ($name, $text) = @_; put("$rotated/$name", $text); utime time - $age, time - $age, "$rotated/$name"; $age -= 60; return }
sub turn_of { my ($amount) = @_; return qq({"dataset":"corporate_action","cik":99887766,"symbol_code":"TURN","kind":"dividend","action_date":"2022-02-03","amount":$amount,"currency":"USD","provenance":{"source_provider":"own_desk","source_url":"https://desk.example/turn"}}\n) }
aged("data.$_", turn_of($_)) for 3, 2, 1;
($code, $out, $err) = once($rotated, 'ndjson');
is("$code$err", '0', 'three files of other ages');
same_json([$out =~ /^watch: (\S+): ndjson: /mg], [map { "data.$_" } 3, 2, 1], '... are loaded in their order');
is(amount('TURN'), 1, '... and the youngest is in force');
rename "$rotated/data.2", "$rotated/data.3" or die;
rename "$rotated/data.1", "$rotated/data.2" or die;
aged('data.1', turn_of(4));
($code, $out, $err) = once($rotated, 'ndjson');
is("$code$err", '0', '... rotated by one');
is(amount('TURN'), 4, '... the youngest still is') or diag $out;
$site->execute("UPDATE disclosed.corporate_action SET superseded_at = now() WHERE symbol_code = 'TURN'");

# Two processes meet it.
{
    my $both = folder();
    my @followers = map { begin($both) } 1, 2;
    for my $round ([1, 0.5], [2, 0.6], [3, 0.5]) {
        write_file("$both/.new", dividend('BOTH', $round->[1]));
        rename "$both/.new", "$both/both.csv" or die;
        ok(wait_until(60 * patience(), sub { imports('both.csv') == $round->[0] }), "two processes load $round->[1]") or diag map { said_by($_) } @followers;
    }
    is(end($_), 0, '... and end') for @followers;
    is(imports('both.csv'), 3, '... each time once');
    is(amount('BOTH'), 0.5, '... and what was put there last is in force');
    is(scalar(() = map { said_by($_) =~ /^watch: .*(?:import|disk): /mg } @followers), 0, '... and no failure is told') or diag map { said_by($_) } @followers;
}

# ---- as they arrive
my $live = folder();
put("$live/before.csv", dividend('BEFORE'));
my $follower = begin($live);
is_loaded('before.csv', $follower, 'what was there before');
write_file("$live/written.csv", dividend('WRITTEN'));
is_loaded('written.csv', $follower, 'a file that is written');
write_file("$live/.moved", dividend('MOVED'));
rename "$live/.moved", "$live/moved.csv" or die;
is_loaded('moved.csv', $follower, 'one that is moved in');
write_file("$live/bad.csv", "no table\n");
ok(wait_until(60 * patience(), sub { said_by($follower) =~ /^watch: bad\.csv: import: /m }), 'a damaged one is told of');
write_file("$live/bad.csv", dividend('MENDED'));
is_loaded('bad.csv', $follower, '... and loaded when it is repaired');

# More than the system keeps for it, while it does not look: the last ones are lost.
kill 'STOP', $follower->{pid};
write_file("$live/.a", '');
my $most = slurp_if_there('/proc/sys/fs/inotify/max_queued_events') // 0;
for (1 .. $most) { rename "$live/.a", "$live/.b"; rename "$live/.b", "$live/.a" }
write_file("$live/lost.csv", dividend('LOST'));
kill 'CONT', $follower->{pid};
is_loaded('lost.csv', $follower, "what arrived after $most others");
like(said_by($follower), qr/^watch: more has arrived than the system tells: folders are looked at again$/m, '... which was seen');

# The folder is replaced by another one of its name.
rename $live, "$live-old" or die;
mkdir $live or die;
ok(wait_until(90 * patience(), sub { write_file("$live/anew" . ++$number . '.csv', dividend("ANEW$number")); sleep 1; shares() =~ /ANEW/ }), 'a folder that takes its place') or diag said_by($follower);
is(end($follower), 0, 'it ends when it is told to');

# ---- where the system tells nothing of files
my @without = ('unshare', '-Ur', 'sh', '-c', 'echo 0 > /proc/sys/user/max_inotify_instances && exec "$@"', 'sh');
SKIP: {
    my ($can) = run(@without, 'true');
    diag 'NOT TESTED: folders without inotify (unshare -Ur)' if $can;
    skip 'no namespaces', 3 if $can;
    my $polled = begin($live, @without);
    ok(wait_until(60 * patience(), sub { said_by($polled) =~ /^watch: the system tells nothing of files: folders are looked at every 1 seconds$/m }), 'without inotify') or diag said_by($polled);
    write_file("$live/polled.csv", dividend('POLLED'));
    is_loaded('polled.csv', $polled, '... folders are looked at');
    is(end($polled), 0, '... until it ends');
}

# ---- killed, and beside another
my $struck = folder();
my @names = map { "kill$_.csv" } 1 .. 30;
my @followers = map { begin($struck) } 1, 2;
for my $name (@names) {
    write_file("$struck/.new", dividend(uc $name =~ s/\.csv//r));
    rename "$struck/.new", "$struck/$name" or die;
    link "$struck/$name", "$struck/same-$name" or die; # the same bytes under another name
    sleep number_below(300) / 1000;
    next if number_below(3);
    my $at = number_below(2);
    is(end($followers[$at], 'KILL'), 137, 'killed');
    $followers[$at] = begin($struck);
}
my $stored = sub { $site->value("SELECT count(*) FROM disclosed.followed_document WHERE state = 'stored' AND starts_with(identity, 'corporate-actions:$struck/')") };
ok(wait_until(120 * patience(), sub { $stored->() == 2 * @names }), 'all of them are stored') or diag $stored->(), map { said_by($_) } @followers;
is(end($_), 0, "it ends") or diag said_by($_) =~ s{^watch: .*\n}{}mgr for @followers;
same_json([grep { my $name = $_; $site->value("SELECT count(*) FROM disclosed.import_run WHERE status = 'done' AND stored > 0 AND file ~ '/(?:same-)?$name\$'") != 1 } @names], [], '... each content once');
is($site->value("SELECT count(*) FROM disclosed.corporate_action WHERE symbol_code ~ '^KILL'"), scalar @names, '... with its row');
is(($site->control('follow', '--status', '--json'))[1] =~ /\Q$struck\E/ ? 'something' : 'nothing', 'nothing', '... and nothing is missing');
is(scalar(() = map { said_by($_) =~ /^watch: .*(?:import|disk): /mg } @followers), 0, 'no failure is told') or diag map { said_by($_) } @followers;

finish();
