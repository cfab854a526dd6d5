# What `disclosedctl follow --keep` has kept, and `reimport` reads again: of every source, as it was or as a later importer reads it, killed at any instant, from
# files that are damaged, gone or others' than they seem. What is read as before stores nothing, what differs supersedes, and nothing false is read.

use v5.24;
use warnings;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build shared_data);
use Disclosed::FollowProof;
use Disclosed::JSON ();
use Disclosed::Memory qw(patience);
use Disclosed::Order qw(versions);
use Disclosed::Process qw(run slurp wait_until);
use Disclosed::RawServer;
use Disclosed::Shared qw(cluster control database fresh register_process workspace);
use Digest::SHA qw(sha256_hex);
use File::Temp qw(tempdir);
use POSIX ();
use Test::More;
use Time::HiRes qw(sleep);

if (!shared_data('edgar-submissions') || !shared_data('house-ptr')) {
    diag 'NOT TESTED: real filings (DISCLOSED_SHARED)';
    plan skip_all => 'no real filings';
}
$SIG{$_} = sub { exit 130 } for qw(INT TERM HUP);
my $keep = tempdir(CLEANUP => 1);
my $scratch = $ENV{TMPDIR} = tempdir(CLEANUP => 1);
my @sources = qw(sec-tickers sec-edgar finra-short-interest house-clerk);

# ---- followed, and kept

my $proof = Disclosed::FollowProof->new(each => 4, most => 80, lean => 6 << 20, seconds => 1);
my $database = $proof->{database};
$proof->{server}->begin;
sleep 1.2;
for my $round (1 .. 4) {
    my ($code) = $proof->once('--since', '2026-10-01', '--keep', $keep);
    $proof->hasten;
    last if $code == 0;
}
sub value   { my ($sql) = @_; return $proof->value($sql) }
sub execute { my ($sql) = @_; cluster()->execute($database, "SET search_path = disclosed, public; $sql") }

# A report of the House's, which no index of the made day names.
my ($pdf) = glob shared_data('house-ptr') . '/ptr-pdf/*.pdf';
my ($report) = $pdf =~ m{([^/]+)\.pdf\z};
my $digits = sha256_hex(slurp($pdf));
mkdir "$keep/" . substr $digits, 0, 2;
is((run('cp', $pdf, "$keep/" . substr($digits, 0, 2) . '/' . substr $digits, 2))[0], 0, 'a report of the House is kept');
execute("INSERT INTO followed_document (source, identity, kind, url, seen_in, state, parts, done, content_hash, next_at)
    VALUES ('house-clerk', '$report', 'ptr', 'https://disclosures-clerk.house.gov/public_disc/ptr-pdfs/2023/$report.pdf', 'index', 'stored', '{house-ptr}', '{house-ptr}', 'sha256:$digits', NULL)");

sub reimport
{
    my ($source, $folder) = (@_, $keep);
    my ($code, $out, $err) = control(cluster()->conninfo($database), 'reimport', '--source', $source, '--since', '1990-01-01', '--keep', $folder, '--json');
    return ($code, eval { Disclosed::JSON->new->utf8->decode($out) } // {}, $err);
}

is((reimport('house-clerk'))[1]{stored} > 0, 1, '... which is read, as it had not been');

my %kinds;
push $kinds{ $_->{source} }->@*, $_->{kind} for $proof->rows("SELECT DISTINCT source, kind FROM disclosed.followed_document WHERE state = 'stored' ORDER BY 1, 2");
cmp_ok(scalar(($kinds{$_} // [])->@*), '>', 0, "$_: " . join ', ', ($kinds{$_} // [])->@*) for @sources;
cmp_ok(scalar $kinds{'sec-edgar'}->@*, '>=', 9, 'forms, and files about companies');
my @kept = grep { -f } glob "$keep/*/*";
is(scalar @kept, value("SELECT count(DISTINCT content_hash) FROM followed_document WHERE state = 'stored'"), 'each content is kept, once');
is_deeply([grep { my ($folder, $name) = m{([^/]+)/([^/]+)\z}; sha256_hex(slurp($_)) ne "$folder$name" } @kept], [], '... under its own name');

# What all tables say now, without when it was learnt: a correction is known from its day on, and what was said before it stays in the past.
sub rows_now
{
    my %rows;
    for my $version (versions(cluster(), $database)->@*) {
        my ($table, undef, $until, $row) = @$version;
        push $rows{$table}->@*, $row =~ s/"(?:seen_at": "[^"]*"|at": [\d.]+)//gr if !defined $until;
    }
    return { map { ($_ => [sort $rows{$_}->@*]) } keys %rows };
}
my $whole = rows_now();
note join ', ', map { "$_ " . scalar $whole->{$_}->@* } sort keys %$whole;

# Tables in which there is a difference.
sub differing
{
    my ($now) = (rows_now());
    return grep { join("\n", ($whole->{$_} // [])->@*) ne join "\n", ($now->{$_} // [])->@* } sort keys %{ { %$whole, %$now } };
}

# ---- as it was

for my $source (@sources) {
    my ($code, $count, $err) = reimport($source);
    is("$code $err", '0 ', "$source: read again");
    is($count->{files}, value("SELECT count(*) FROM followed_document WHERE source = '$source' AND state = 'stored'"), '... all that is kept of it');
    is(join(' ', @$count{qw(absent failed stored superseded)}), '0 0 0 0', '... it stores nothing');
    cmp_ok($count->{unchanged}, '>', 0, '... though it is read');
}
is_deeply([differing()], [], '... and all is as it was');
is((control(cluster()->conninfo($database), 'reimport', '--source', 'sec-tickers', '--since', '2999-01-01', '--keep', $keep))[1] =~ /^0 files read again/ ? 1 : 0, 1, 'of what was published since then');

my ($parent, $inside) = $keep =~ m{(.*)/(.*)};
my ($exit, $told) = run({ directory => $parent, env => { DISCLOSED_DATABASE => cluster()->conninfo($database) } }, build('CTL'), qw(reimport --source sec-tickers --since 1990-01-01 --keep), $inside);
like("$exit $told", qr/^0 [1-9]\d* files read again/, 'a folder that is named from where one is');

# ---- as an importer read it that knew less: what differs is superseded, and nothing else

my @altered = (
    ['sec-tickers', 'listing', 'name', q{name || ' Holdings'}],
    ['sec-tickers', 'fund_class', 'series_id', q{'S000099999'}],
    ['sec-edgar', 'filing', 'primary_document', q{'other.htm'}],
    ['sec-edgar', 'insider_transaction', 'security_title', q{'Other Stock'}],
    ['sec-edgar', 'institution_position', 'value', 'value + 1'],
    ['sec-edgar', 'fund_holding', 'balance', 'balance + 1'],
    ['sec-edgar', 'beneficial_owner', 'security_title', q{'Other Stock'}],
    ['sec-edgar', 'xbrl_report', 'form', q{'10-X'}],
    ['finra-short-interest', 'short_interest', 'current_short_position', 'current_short_position + 7'],
    ['house-clerk', 'congress_report', 'last_name', q{'Other'}],
    ['house-clerk', 'congress_trade', 'asset_name', q{'Other asset'}],
);
# What a file does not say, another has said: it stays.
sub alter
{
    my ($table, $column, $to) = @_;
    return value("WITH known AS (SELECT row_id FROM $table WHERE superseded_at IS NULL AND $column IS NOT NULL),
        changed AS (UPDATE $table SET $column = $to WHERE row_id IN (SELECT row_id FROM known WHERE row_id % 3 = 0 UNION SELECT min(row_id) FROM known) RETURNING 1)
        SELECT count(*) FROM changed");
}

for my $case (@altered) {
    my ($source, $table, $column, $to) = @$case;
    my $count = alter($table, $column, $to);
    cmp_ok($count, '>', 0, "$table.$column was read otherwise, in $count rows");
    is_deeply([grep { $_ eq $table } differing()], [$table], '... which is seen');
    my ($code, $told, $err) = reimport($source);
    is("$code $err", '0 ', "... $source is read again");
    is($told->{superseded}, $count, '... and supersedes these, and no others') or diag explain $told;
    is_deeply([differing()], [], '... all is as it was');
}

# ---- killed while it reads

{
    my $altered = 0;
    $altered += alter(@$_[1 .. 3]) for grep { $_->[0] eq 'sec-edgar' } @altered;
    my ($killed, $ended) = (0, 0);
    for my $round (1 .. 8) {
        my $pid = fork() // die "fork: $!";
        if ($pid == 0) {
            open STDOUT, '>', '/dev/null';
            open STDERR, '>', '/dev/null';
            exec build('CTL'), '--database', cluster()->conninfo($database), qw(reimport --source sec-edgar --since 1990-01-01 --keep), $keep or POSIX::_exit(127);
        }
        register_process($pid);
        sleep 0.05 + rand 0.8;
        kill KILL => $pid;
        waitpid $pid, 0;
        $? == 9 ? $killed++ : $ended++;
    }
    cmp_ok($killed, '>', 0, "killed $killed times, and $ended times at its end");
    wait_until(30, sub { value("SELECT count(*) FROM pg_stat_activity WHERE application_name LIKE 'disclosedctl%' AND datname = current_database()") == 0 });
    my ($code, undef, $err) = reimport('sec-edgar');
    is("$code $err", '0 ', "... the next one reads to the end of it, where $altered rows were read otherwise");
    is_deeply([differing()], [], '... all is as it was');
    is_deeply([glob "$scratch/disclosed*"], [], '... and nothing is left in the folder of temporary files');
}

# ---- what is kept is another file than it was

sub kept_of { my ($form) = @_; return value("SELECT content_hash FROM followed_document WHERE source = 'sec-edgar' AND kind = '$form' AND state = 'stored' ORDER BY document_id LIMIT 1") =~ s{sha256:(..)}{$keep/$1/}r }
my %damage = (
    'a byte is another' => sub { my ($bytes) = @_; substr($bytes, length($bytes) / 2, 1) ^= "\x01"; return $bytes },
    'it is cut' => sub { my ($bytes) = @_; return substr $bytes, 0, length($bytes) / 2 },
    'it is empty' => sub { return '' },
    'it is another document' => sub { return slurp(kept_of('13F-HR')) },
);
my $path = kept_of('4');
my $bytes = slurp($path);
for my $what (sort keys %damage) {
    open my $out, '>', $path or die "$path: $!";
    print $out $damage{$what}->($bytes);
    close $out;
    my ($code, $count, $err) = reimport('sec-edgar');
    is("$code $count->{failed} $count->{stored}", '1 1 0', "$what: seen, and nothing is stored");
    like($err, qr/\Q$path\E: it is damaged, as its content is not that by which it is named/, '... and told');
}
unlink $path;
my ($code, $count, $err) = reimport('sec-edgar');
is("$code $count->{failed} $count->{absent} $count->{stored} $err", '0 0 1 0 ', 'what is gone is counted');
is_deeply([differing()], [], '... and all is as it was');

done_testing;
