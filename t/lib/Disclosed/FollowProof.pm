package Disclosed::FollowProof;

# The proof of following: disclosedctl follow reads a made day from the replay server into an empty database, damaged, killed and
# beside others, and in the end has each document once and what a plain import of the same files has.

use v5.24;
use warnings;
use Disclosed::Build qw(build);
use Disclosed::Kill;
use Disclosed::MadeDay qw(last_weekday made_filings);
use Disclosed::Memory qw(patience);
use Disclosed::Order qw(versions);
use Disclosed::Process qw(slurp_if_there wait_until);
use Disclosed::Receiver;
use Disclosed::ReplayFiles qw(replay_files);
use Disclosed::ReplayPages;
use Disclosed::ReplayServer;
use Disclosed::Shared qw(cluster control database fresh register_process workspace);
use Exporter qw(import);
use Disclosed::JSON ();
use POSIX qw(WNOHANG);
use Time::HiRes qw(sleep time);

our @EXPORT_OK = qw(percentile followed_forms);

my $json = Disclosed::JSON->new->utf8->canonical;

our $contact = 'Replay Suite suite@example.org';

# What becomes of forms, said here a second time: importers of the full submission, and files about the filer that are new with it.
my %forms = (
    (map { ($_ => [['sec-ownership']]) } map { ($_, "$_/A") } 3, 4, 5),
    (map { ($_ => [['sec-13f']]) } '13F-HR', '13F-HR/A'),
    (map { ($_ => [['sec-nport']]) } 'NPORT-P', 'NPORT-P/A'),
    (map { ($_ => [['sec-beneficial-ownership']]) } map { ("SCHEDULE $_", "SCHEDULE $_/A") } '13D', '13G'),
    (map { ($_ => [[], 'submissions']) } '8-K', '8-K/A'),
    (map { ($_ => [['xbrl-instance'], 'submissions', 'companyfacts']) } map { ($_, "$_/A") } qw(10-K 10-Q 20-F 40-F 6-K)),
);

sub followed_forms { return sort keys %forms }

# Options: each (filings of each kind, all), every_form (1: one of each form at least), most (tickers, all), sources (names of those that are followed, all), lean (bytes of the largest file about a company, any), share and kinds (of damage), seed, and those of Disclosed::ReplayServer.
# Files that change are as they are in the end, for the whole day.
sub new
{
    my ($class, %option) = @_;
    my $self = bless { owner => $$, %option }, $class;
    $self->{day} = last_weekday();
    $self->{filings} = made_filings($self->{day}, each => $option{each}, every_form => $option{every_form});
    my $folder = workspace() . '/' . fresh('archives');
    mkdir $folder;
    my $files = replay_files($self->{day}, $self->{filings}, $folder, most => $option{most});
    # Files about companies that take long to load are left out: the source has none then.
    delete @$files{ grep { $option{lean} && m{^/data\.sec\.gov/} && length $files->{$_}[-1]{bytes} > $option{lean} } keys %$files };
    $files = { map { ($_ => [{ $files->{$_}[-1]->%*, at => $files->{$_}[0]{at} }]) } keys %$files };
    my %unlisted = map { ($self->{filings}[$_]{accession} => 1) } grep { $option{unlisted} && $_ % $option{unlisted} == 1 } 0 .. $self->{filings}->$#*;
    $self->{pages} = Disclosed::ReplayPages->new(day => $self->{day}, filings => $self->{filings}, files => $files, unlisted => \%unlisted);
    $self->{database} = $option{database} // database('empty');
    $self->start_server;
    return $self;
}

sub start_server
{
    my ($self) = @_;
    my %server = map { exists $self->{$_} ? ($_ => $self->{$_}) : () } qw(seconds limit refusal);
    my $damage = Disclosed::ReplayDamage->new(share => $self->{share} // 0, seed => $self->{seed} // 1, $self->{kinds} ? (kinds => $self->{kinds}) : ());
    $self->{server} = Disclosed::ReplayServer->start(pages => $self->{pages}, damage => $damage, %server);
}

sub value { my ($self, $sql) = @_; return cluster()->value($self->{database}, "SET search_path = disclosed, public; $sql") =~ s/^SET\n//r }
sub rows  { my ($self, $sql) = @_; return cluster()->rows($self->{database}, $sql) }

# --- running -------------------------------------------------------------------------------------

sub day { my ($self) = @_; return $self->{day} =~ s/(....)(..)(..)/$1-$2-$3/r }

# Arguments of the command; all of the day is wanted, unless they say since when.
sub arguments
{
    my ($self, @more) = @_;
    my @since = (grep { $_ eq '--since' } @more) ? () : ('--since', $self->day);
    return ('--database', cluster()->conninfo($self->{database}), 'follow', '--user-agent', $contact, @since, '--poll', 1, $self->{server}->mirrors,
        (map { ('--source', $_) } ($self->{sources} // [])->@*), @more);
}

# One round, to its end: (exit code, standard output, standard error).
sub once
{
    my ($self, @more) = @_;
    my (undef, undef, @arguments) = $self->arguments('--once', @more);
    return control(cluster()->conninfo($self->{database}), @arguments);
}

# The command beside us: {pid, output}.
sub begin_following
{
    my ($self, @more) = @_;
    my $output = workspace() . '/' . fresh('follow');
    my $pid = fork() // die "fork: $!";
    if ($pid == 0) {
        open STDIN,  '<', '/dev/null';
        open STDOUT, '>', "$output.out";
        open STDERR, '>', "$output.err";
        $ENV{DISCLOSED_SQL_DIR} = build('SRCDIR') . '/sql';
        exec build('CTL'), $self->arguments(@more) or POSIX::_exit(127);
    }
    register_process($pid);
    return $self->{following}{$pid} = { pid => $pid, output => $output };
}

# Ends it by a signal; returns its exit code, or 128 and the signal.
sub end_following
{
    my ($self, $follower, $signal) = @_;
    kill $signal // 'TERM', $follower->{pid};
    my $end = time + 20 * patience();
    while (waitpid($follower->{pid}, WNOHANG) == 0) {
        if (time > $end) {
            kill 'KILL', $follower->{pid};
            waitpid $follower->{pid}, 0;
            return 'does not end';
        }
        sleep 0.01;
    }
    delete $self->{following}{ $follower->{pid} };
    return $? & 127 ? 128 + ($? & 127) : $? >> 8;
}

sub has_ended { my ($follower) = @_; return waitpid($follower->{pid}, WNOHANG) != 0 }

sub said_by { my ($follower) = @_; return join '', map { slurp_if_there("$follower->{output}.$_") } qw(out err) }

# As if the time had passed that what has failed, and the publisher that has refused, are left alone.
sub hasten
{
    my ($self) = @_;
    cluster()->execute($self->{database}, "WITH due AS MATERIALIZED (SELECT document_id FROM disclosed.followed_document WHERE state <> 'stored' AND next_at > clock_timestamp()
        ORDER BY 1 FOR UPDATE) UPDATE disclosed.followed_document d SET next_at = clock_timestamp() FROM due WHERE d.document_id = due.document_id");
    cluster()->execute($self->{database}, "WITH due AS MATERIALIZED (SELECT source, listing, part FROM disclosed.followed_listing WHERE failure IS NOT NULL AND next_at > clock_timestamp()
        ORDER BY 1, 2, 3 FOR UPDATE) UPDATE disclosed.followed_listing l SET next_at = clock_timestamp() FROM due WHERE (l.source, l.listing, l.part) = (due.source, due.listing, due.part)");
    cluster()->execute($self->{database}, 'UPDATE disclosed.followed_limit SET paused_until = clock_timestamp() WHERE paused_until > clock_timestamp()');
}

# --- what is expected ----------------------------------------------------------------------------

# Each document that there is for us: {path (of the server), importers, name}.
sub expected
{
    my ($self) = @_;
    my (@documents, %seen);
    for my $filing (grep { $forms{ $_->{form} } } $self->{filings}->@*) {
        my ($more, @about) = $forms{ $filing->{form} }->@*;
        my @importers = ('sec-filing', grep { $_ ne 'xbrl-instance' || $filing->{text} =~ /<TYPE>EX-101\.INS|<ix:header/ } @$more);
        push @documents, { identity => $filing->{accession}, importers => \@importers, name => "$filing->{accession}.txt", bytes => $filing->{text}, at => $filing->{at} };
        for my $filer ($filing->{filers}->@*) {
            my $name = sprintf 'CIK%010d.json', $filer->{cik};
            my %path = (submissions => "/data.sec.gov/submissions/$name", companyfacts => "/data.sec.gov/api/xbrl/companyfacts/$name");
            push @documents, map { { identity => $path{$_}, importers => ["sec-$_"], name => $name, bytes => $self->{pages}{files}{ $path{$_} }[0]{bytes} } }
                grep { !$seen{ $path{$_} }++ && $self->{pages}{files}{ $path{$_} } } @about;
        }
    }
    return (@documents, $self->expected_files);
}

# Those that no filing brings.
my @others = (
    ['sec-tickers', qr{/files/company_tickers(?:_exchange)?\.} => 'sec-company-tickers'],
    ['sec-tickers', qr{/files/company_tickers_mf\.} => 'sec-fund-tickers'],
    ['finra', qr{/equity/otcmarket/} => 'finra-short-interest'],
    ['house', qr{/(?:financial|ptr)-pdfs/} => 'house-ptr'],
);

sub follows { my ($self, $source) = @_; return !$self->{sources} || grep { $_ eq $source } $self->{sources}->@* }

sub expected_files
{
    my ($self) = @_;
    my @documents;
    for my $path (sort keys $self->{pages}{files}->%*) {
        my ($row) = grep { $path =~ $_->[1] && $self->follows($_->[0]) } @others or next;
        my ($name) = $path =~ m{([^/]+)\z};
        push @documents, { identity => $path, importers => [$row->[2]], name => $name, $self->{pages}{files}{$path}[0]->%* };
    }
    return @documents;
}

# How many documents are stored, of how many that are wanted.
sub progress
{
    my ($self) = @_;
    my ($row) = $self->rows("SELECT count(*) FILTER (WHERE state = 'stored') AS stored, count(*) FILTER (WHERE state = 'wanted') AS wanted FROM disclosed.followed_document");
    return @$row{qw(stored wanted)};
}

# Until all of the day is stored; whether it is. Options: hasten.
sub wait_until_complete
{
    my ($self, $seconds, %option) = @_;
    my @expected = $self->expected;
    return wait_until($seconds * patience(), sub {
        $self->hasten if $option{hasten};
        my ($stored, $wanted) = $self->progress;
        sleep 0.2;
        return $self->{server}->is_over && $stored >= @expected && !$wanted;
    });
}

# --- faults --------------------------------------------------------------------------------------

# Where documents are not stored exactly once, by the state and by the runs of imports.
sub once_faults
{
    my ($self) = @_;
    my @faults;
    my %stored = map { ($_->{name} => $_) } $self->rows("SELECT regexp_replace(url, '^https:/', '') AS name, identity, state, array_to_string(parts, ' ') AS parts, failure FROM disclosed.followed_document");
    my %by_number = map { ($_->{identity} => $_) } values %stored;
    my %runs;
    $runs{"$_->{source} $_->{name}"} = $_->{runs} for $self->rows("SELECT source, regexp_replace(file, '^.*/', '') AS name, count(*) AS runs FROM disclosed.import_run
        WHERE status = 'done' AND stored > 0 GROUP BY 1, 2");
    my %done = map { ("$_->{source} $_->{name}" => 1) } $self->rows("SELECT DISTINCT source, regexp_replace(file, '^.*/', '') AS name FROM disclosed.import_run WHERE status = 'done'");
    for my $document ($self->expected) {
        my $is = $stored{ $document->{identity} } // $by_number{ $document->{identity} };
        push @faults, "$document->{identity} is not there" and next if !$is;
        push @faults, "$document->{identity} is $is->{state}: " . ($is->{failure} // '') if $is->{state} ne 'stored';
        for my $importer ($document->{importers}->@*) {
            my $runs = $runs{"$importer $document->{name}"} // 0;
            push @faults, "$importer has stored of $document->{identity} in $runs runs" if $runs > 1;
            push @faults, "$importer has not been run for $document->{identity}" if !$done{"$importer $document->{name}"};
        }
    }
    my %expected = map { ($_->{identity} => 1) } $self->expected;
    push @faults, map { "$_->{name} is stored, and not expected" } grep { $_->{state} eq 'stored' && !$expected{ $_->{name} } && !$expected{ $_->{identity} } } values %stored;
    return @faults;
}

# A database into which the same files have been imported plainly, importer by importer: its name.
sub plain_database
{
    my ($self) = @_;
    my $database = database('empty');
    my $folder = workspace() . '/' . fresh('plain');
    mkdir $folder;
    my %paths;
    for my $document ($self->expected) {
        my ($about) = $document->{importers}->@*;
        mkdir "$folder/$about";
        my $path = $document->{path} // "$folder/$about/$document->{name}";
        if (!$document->{path}) {
            open my $file, '>:raw', $path or die "$path: $!";
            print $file $document->{bytes};
            close $file;
        }
        push $paths{$_}->@*, $path for $document->{importers}->@*;
    }
    for my $importer (sort keys %paths) {
        my ($code, $out, $err) = control(cluster()->conninfo($database), 'import', $importer, '--quiet', $paths{$importer}->@*);
        die "import $importer: code $code: $out$err\n" if $code > 1;
    }
    return $database;
}

# Files that do not tell when they are of are of when they are loaded: their rows are compared without times, and without the name, which
# is that of the file that was loaded last.
my %of_loading = map { ($_ => 1) } qw(listing fund_class);

sub rows_of
{
    my ($database) = @_;
    my %rows;
    for my $version (versions(cluster(), $database)->@*) {
        my ($table, $from, $until, $row) = @$version;
        next if defined $until && $until eq $from;
        push $rows{$table}->@*, $of_loading{$table} ? (defined $until ? () : $row =~ s/"name": "(?:[^"\\]|\\.)*"//r) : join "\t", $from, $until // '', $row;
    }
    return \%rows;
}

# Where two databases differ, table by table.
sub difference_faults
{
    my ($one, $other) = @_;
    my ($left, $right) = (rows_of($one), rows_of($other));
    my @faults;
    for my $table (sort keys %{ { %$left, %$right } }) {
        my ($had, $has) = map { join "\n", sort(($_->{$table} // [])->@*) } $left, $right;
        push @faults, Disclosed::Order::difference($table, $left->{$table} // [], $right->{$table} // []) if $had ne $has;
    }
    push @faults, 'nothing is stored' if !%$left;
    return @faults;
}

# Where the database is not what a plain import of the same files leaves, or its counts are not those of its rows.
sub plain_faults
{
    my ($self) = @_;
    my $plain = $self->plain_database;
    my @faults = difference_faults($plain, $self->{database});
    my (undef, $out) = control(cluster()->conninfo($plain), 'tables', '--json');
    my $counts = { cluster => cluster(), datasets => $json->decode($out)->{datasets} };
    push @faults, Disclosed::Kill::count_faults($counts, $self->{database});
    cluster()->drop_database($plain);
    return @faults;
}

# Where the SEC has been asked more often than it allows, or by somebody unknown.
sub manner_faults
{
    my ($self) = @_;
    my $most = $self->{server}->most_in_a_second('(?:www|data)\.sec\.gov');
    my @requests = $self->{server}->requests;
    return (($most > 10 ? "$most requests to the SEC in a second" : ()), (@requests ? () : 'nothing was asked'),
        map { "$_->{target}: $_->{status}" . ($_->{agent} ? '' : ' without a User-Agent') } grep { $_->{status} =~ /^4(?:03|29)/ || ($_->{agent} // '') ne $contact } @requests);
}

# --- freshness -----------------------------------------------------------------------------------

# Follows the day beside a site on the database, and asks it for each filing from when it is published. A receiver (Disclosed::Receiver) that
# has an endpoint of the site gets webhooks. Returns {accession => {served, sent: seconds after it was published; signed}}; webhooks
# about filings of other days are kept in `others`. It goes on until all are served, and that is so which a function, if given, looks at.
sub freshness
{
    my ($self, $site, $receiver, $target, $secret, $has_more) = @_;
    my $follower = $self->begin_following;
    $self->{server}->begin;
    my %due = map { ($_->{accession} => $self->{server}->published_at($_->{at})) } grep { $forms{ $_->{form} } } $self->{filings}->@*;
    my %of = map { ($_ => {}) } keys %due;
    my %of_day = map { ($_->{accession} => 1) } $self->{filings}->@*; # of other forms, too: companies' lists have them
    wait_until($self->{server}{seconds} + 60 * patience(), sub {
        for my $accession (grep { $due{$_} <= time } keys %due) {
            next if $site->get("/v1/filings/$accession")->status != 200;
            $of{$accession}{served} = time - delete $due{$accession};
        }
        return !%due && (!$has_more || $has_more->());
    });
    $self->{ended} = $self->end_following($follower);
    wait_until(15 * patience(), sub {
        my %told = map { ($json->decode($_->{body})->{data}{accession} // '' => 1) } $receiver->received($target);
        return !grep { !$told{$_} } keys %of;
    });
    for my $request ($receiver->received($target)) {
        my $accession = $json->decode($request->{body})->{data}{accession} // next;
        if (!$of{$accession}) {
            $self->{others}{$accession} = 1 if !$of_day{$accession};
            next;
        }
        $of{$accession}{times}++;
        $of{$accession}{sent} = $request->{at} - $self->{server}->published_at((grep { $_->{accession} eq $accession } $self->{filings}->@*)[0]{at});
        $of{$accession}{signed} = Disclosed::Receiver::is_signed($request, $secret);
    }
    return \%of;
}

# The number below which so large a part (0 to 1) of the numbers is.
sub percentile
{
    my ($part, @numbers) = @_;
    my @sorted = sort { $a <=> $b } @numbers;
    return @sorted ? $sorted[ int($part * $#sorted + 0.5) ] : undef;
}

sub DESTROY
{
    my ($self) = @_;
    local ($?, $!);
    return if $self->{owner} != $$;
    $self->end_following($_, 'KILL') for values(($self->{following} // {})->%*);
}

1;
