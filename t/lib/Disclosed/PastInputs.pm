package Disclosed::PastInputs;

# Inputs that can be cut at an instant: what of them was public by then. An input has parts, each with the time at
# which it became public; some are whole files, of others the parts that came since the last time are made a file.
#
# When a file became public is what the database with everything says of its records: the import that is loaded
# here is tested elsewhere, and what is tested here is that nothing of a later time shows.

use v5.24;
use warnings;
use Disclosed::Build qw(shared_data);
use Disclosed::Process qw(slurp);
use Exporter qw(import);
use Disclosed::JSON ();

our @EXPORT_OK = qw(lines_input real_inputs load_all load_until news_of);

my $json = Disclosed::JSON->new->utf8->canonical;

# An input: source, options, and how it is cut: `parts`, [[time, text], ...] with `head`, `tail`, `between` and
# `name` of the file that is made of them; or `files`, paths whose times are looked up; or `cut`, a function of site,
# times and the two instants that returns file names with their texts.

# Lines of NDJSON, each public at its known_at.
sub lines_input
{
    my ($name, @lines) = @_;
    return { source => 'ndjson', name => $name, parts => [map { [time_of($_->{known_at}), $json->encode($_) . "\n"] } @lines] };
}

# YYYY-MM-DDTHH:MM:SSZ of such a time with fractions or without, or of a date, which means the end of its day in New York.
sub time_of
{
    my ($text) = @_;
    return substr($text, 0, 19) . 'Z' if $text =~ /T.*Z\z/;
    return end_of_day($text);
}

# Late enough in winter and in summer; instants are asked about at other hours.
sub end_of_day { my ($day) = @_; return "$day" . 'T99:99:99Z' }

# --- real files ----------------------------------------------------------------------------------

sub files_below
{
    my ($folder) = @_;
    return map { -d $_ ? files_below($_) : $_ } sort glob "$folder/*";
}

# Rows of a text file with a date each; a day that is to come counts from when the file was taken.
sub rows_input
{
    my ($source, $path, $date, %option) = @_;
    my ($head, @rows) = split /^/, slurp($path);
    my ($name) = $path =~ m{([^/]+)\z};
    my @parts = map { [end_of_day($date->($_)), $_] } @rows;
    return { source => $source, name => $name, head => $head, parts => \@parts, %option } if !delete $option{series};
    # What a series says of a day depends on the days before: it comes as it was, with all of them. One that has been adjusted
    # for a split is of after it: its amounts were others before.
    my $adjusted_on = delete $option{adjusted_on};
    return { source => $source, all => $path, %option, cut => sub {
        my ($times, $since, $instant) = @_;
        return if defined $adjusted_on && $instant lt end_of_day($adjusted_on);
        return if !grep { $_->[0] gt $since && $_->[0] le $instant } @parts;
        return [$name, join '', $head, map { $_->[1] } grep { $_->[0] le $instant } @parts];
    } };
}

sub submissions_of
{
    my ($folder) = @_;
    my @paths = (glob("$folder/earlier-snapshot/*.json"), glob("$folder/CIK*.json"));
    my @files = map { { path => $_, data => $json->decode(slurp($_)) } } @paths;
    return { source => 'sec-submissions', all => $folder, cut => sub { cut_submissions(\@files, @_) } };
}

# Submissions files with the filings of before the instant; whole when the newest of them is.
sub cut_submissions
{
    my ($files, $times, $since, $instant) = @_;
    my @cut;
    for my $file (@$files) {
        my ($base) = $file->{path} =~ m{([^/]+)\z};
        my ($cik) = $base =~ /CIK0*(\d+)/;
        my $data = $file->{data};
        # Which clock EDGAR wrote a file by does not hang on how much of it was public: all its filings have told.
        my @clock = ('--clock', $times->{clock}{$base} // 'utc');
        my $arrays = $data->{filings} ? $data->{filings}{recent} : $data;
        my @known = map { $times->{filing}{"$cik/$_"} // '9' } $arrays->{accessionNumber}->@*;
        # One without filings is of when it was loaded.
        my ($newest) = sort { $b cmp $a } @known, @known ? () : '9';
        next if $newest le $since;
        if ($newest le $instant) {
            push @cut, [$base, undef, $file->{path}];
            next;
        }
        my @older = $data->{filings} ? grep { $_->{filingFrom} lt substr $instant, 0, 10 } $data->{filings}{files}->@* : ();
        my @named = ((map { substr($_->{from}, 0, 10), substr($_->{to}, 0, 10) } ($data->{formerNames} // [])->@*), map { $_->{filingFrom} } @older);
        next if !grep { $_ gt $since && $_ le $instant } @known, @named;
        my @rows = grep { $known[$_] le $instant } 0 .. $#known;
        my %recent = map { my $column = $arrays->{$_}; ($_ => [$column->@[@rows]]) } keys %$arrays;
        # Without filings it does not tell of when it is.
        push @cut, [$base, $json->encode($data->{filings} ? { past_issuer($data, $instant), filings => { recent => \%recent, files => \@older } } : \%recent), undef,
            @clock, @rows ? () : ('--known-at', substr $instant, 0, 10)] if @rows || $data->{filings};
    }
    return @cut;
}

# The issuer as it was known without the file: its name of then, and names before that.
sub past_issuer
{
    my ($data, $instant) = @_;
    my @names = sort { $a->{from} cmp $b->{from} } grep { substr($_->{from}, 0, 10) lt $instant } ($data->{formerNames} // [])->@*;
    my @over  = grep { substr($_->{to}, 0, 10) lt substr($instant, 0, 10) } @names;
    my ($open) = grep { substr($_->{to}, 0, 10) ge substr($instant, 0, 10) } reverse @names;
    # Between two former names it is still the one that was over last.
    ($open) = sort { $b->{to} cmp $a->{to} } @over if !$open && @over && @names < ($data->{formerNames} // [])->@*;
    my %kept = map { ($_ => $data->{$_}) } qw(cik);
    return (%kept, name => $open ? $open->{name} : $data->{name}, tickers => [], exchanges => [],
        formerNames => [map { { %$_ } } @over]);
}

# The trades of a dump whose reports were public.
sub trades_input
{
    my ($source, $path, $report, %option) = @_;
    my ($name) = $path =~ m{([^/]+)\z};
    my $rows = $json->decode(slurp($path));
    return { source => $source, all => $path, %option, cut => sub {
        my ($times, $since, $instant) = @_;
        my @known = map { $times->{trade}{ $report->($_) // '' } // '9' } @$rows;
        return if !grep { $_ gt $since && $_ le $instant } @known;
        return [$name, $json->encode([map { $rows->[$_] } grep { $known[$_] le $instant } 0 .. $#known])];
    } };
}

# The real files that this machine has, or nothing.
sub real_inputs
{
    my %folder = map { ($_ => shared_data($_)) } qw(edgar-tickers edgar-submissions edgar-companyfacts financial-statement-data-sets ownership-xml beneficial-ownership sgml-filings 8k-ex99 form13f nport
        finra-short-interest corporate-actions events house-ptr senate-ptr);
    return if grep { !defined } values %folder;
    my $actions = $folder{'corporate-actions'};
    my $short = $json->decode(slurp((glob "$folder{'finra-short-interest'}/api*.json")[0]));
    my %cycles;
    push $cycles{ $_->{settlementDate} }->@*, $_ for @$short;
    return (
        { source => 'sec-company-tickers', files => ["$folder{'edgar-tickers'}/company_tickers_exchange.2024-07-16.json"] },
        { source => 'sec-company-tickers', options => ['--known-at', '2024-12-19'], files => ["$folder{'edgar-tickers'}/company_tickers_exchange.json"] },
        { source => 'sec-company-tickers', options => ['--known-at', '2026-06-30'], files => ["$folder{'edgar-tickers'}/company_tickers.json"] },
        submissions_of($folder{'edgar-submissions'}),
        { source => 'sec-companyfacts', files => [glob "$folder{'edgar-companyfacts'}/CIK*.json.gz"] },
        { source => 'sec-financial-statements', files => [glob "$folder{'financial-statement-data-sets'}/*.zip"] },
        { source => 'sec-ownership', files => [files_below($folder{'ownership-xml'})] },
        { source => 'sec-beneficial-ownership', files => [grep { /\/s\w+[^\/]*\.xml\z/ && !/truncated/ } files_below($folder{'beneficial-ownership'})] },
        { source => 'sec-filing', files => [map { files_below($folder{$_}) } qw(sgml-filings 8k-ex99)] },
        { source => 'sec-13f', files => [glob "$folder{form13f}/0*"] },
        { source => 'sec-nport', files => [grep { /\.xml\z/ } files_below($folder{nport})] },
        { source => 'finra-short-interest', files => [glob "$folder{'finra-short-interest'}/shrt*.csv"] },
        (map { { source => 'finra-short-interest', made => ["api-$_.json", $json->encode($cycles{$_})] } } sort keys %cycles),
        rows_input('corporate-actions', "$actions/dividends.csv", sub { (split /,/, $_[0])[1] }, options => ['--known-at', '2026-01-01']),
        rows_input('corporate-actions', "$actions/splits.csv", sub { (split /,/, $_[0])[1] }, options => ['--known-at', '2026-01-01']),
        rows_input('corporate-actions', "$actions/quandl-wiki-prices-2014.csv", sub { (split /,/, $_[0])[1] }, series => 1, options => ['--known-at', '2026-01-01']),
        (map { rows_input('corporate-actions', "$actions/daily-with-dividend-split/$_->[0].csv", sub { (split /,/, $_[0])[0] }, series => 1, adjusted_on => $_->[1], options => ['--known-at', '2026-01-01']) }
            ['AAPL', '2014-06-09'], ['KO', '2012-08-13']),
        { source => 'earnings-calendar', options => ['--known-at', '2023-10-01'], files => [glob "$folder{events}/earnings-calendar*.csv"] },
        { source => 'house-ptr', options => ['--known-at', '2026-05-01'], files => [glob "$folder{'house-ptr'}/ptr-pdf/*.pdf"] },
        rows_input('house-ptr', "$folder{'house-ptr'}/clerk-index/2023FD.txt", sub { my ($m, $d, $y) = split m{/}, (split /\t/, $_[0])[7]; sprintf '%04d-%02d-%02d', $y || 9999, $m || 0, $d || 0 }),
        trades_input('house-ptr', "$folder{'house-ptr'}/house_transactions.json", sub { ($_[0]{source_url} // '') =~ m{(\d+)\.pdf} ? "house/$1" : undef }, options => ['--known-at', '2026-05-01']),
        { source => 'senate-ptr', options => ['--known-at', '2026-05-01'], files => [glob "$folder{'senate-ptr'}/daily/*.json"] },
    );
}

# --- loading -------------------------------------------------------------------------------------

sub import_paths
{
    my ($site, $input, @paths) = @_;
    my ($code, $out, $err) = $site->control('import', $input->{source}, '--json', ($input->{options} // [])->@*, @paths);
    # Some of the real files are of no use, and said to be: what counts is that both databases have the same.
    die "import $input->{source} @paths: $code $out$err\n" if $code != 0 && $code != 1;
    return;
}

my $made = 0;

# Files made of texts: [name, text, path in place of a text, options].
sub make_files
{
    my ($site, @files) = @_;
    mkdir "$site->{root}/made-" . ++$made;
    return map { my ($name, $text, $path) = @$_; $path // $site->write("made-$made/$name", $text) } @files;
}

# The whole of all inputs.
sub load_all
{
    my ($site, @inputs) = @_;
    for my $input (@inputs) {
        import_paths($site, $input, $input->{all} ? $input->{all} : $input->{files} ? $input->{files}->@* : make_files($site,
            $input->{made} // [$input->{name}, join '', $input->{head} // '', map { $_->[1] } $input->{parts}->@*]));
    }
    $site->execute('ANALYZE');
    return;
}

# When files, filings and reports became public, as the database with everything says.
sub times_of
{
    my ($site) = @_;
    my $records = join ' UNION ALL ', map { "SELECT import_run_id, known_at FROM ${_}_sourced" } qw(issuer_profile listing filing filing_exhibit filing_text insider_transaction
        insider_holding executive beneficial_owner institution_report institution_position short_interest corporate_action congress_trade event_notice fund fund_holding);
    my $text = q{to_char(%s AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')};
    my %times;
    $times{file}{ $_->{file} } = $_->{known} for $site->rows('SELECT r.file, ' . sprintf($text, 'max(x.known_at)') . " AS known FROM import_run r JOIN ($records) x USING (import_run_id) GROUP BY 1");
    $times{filing}{ $_->{key} } = $_->{known} for $site->rows("SELECT i.cik || '/' || f.accession AS key, " . sprintf($text, 'min(f.known_at)') . ' AS known FROM filing f JOIN issuer i USING (issuer_id) GROUP BY 1');
    $times{clock}{ $_->{file} =~ s{.*/}{}r } = $_->{message} =~ /US Eastern clock/ ? 'eastern' : 'utc'
        for $site->rows("SELECT file, message FROM import_run WHERE source = 'sec-submissions' AND message LIKE 'acceptance times are on %'");
    $times{trade}{ $_->{key} } = $_->{known} for $site->rows("SELECT chamber || '/' || report_id AS key, " . sprintf($text, 'min(known_at)') . ' AS known FROM congress_trade GROUP BY 1');
    return \%times;
}

# The days on which anything became public.
sub news_of
{
    my ($site) = @_;
    my $days = join ' UNION ', map { "SELECT (known_at AT TIME ZONE 'UTC')::date AS day FROM $_" } qw(listing filing insider_transaction beneficial_owner institution_report
        short_interest corporate_action congress_trade event_notice fund issuer_profile);
    return map { $_->{day} } $site->rows("SELECT day FROM ($days) d WHERE day < now()::date - 30 ORDER BY 1");
}

# Loads what became public after `since` and not after `instant`. `full` is the database with everything.
sub load_until
{
    my ($site, $full, $since, $instant, @inputs) = @_;
    my $times = $full->{times} //= times_of($full);
    my $files = 0;
    for my $input (@inputs) {
        my @paths;
        if ($input->{cut}) {
            my @cut = $input->{cut}->($times, $since, $instant);
            for my $file (grep { @$_ > 3 } @cut) {
                import_paths($site, { %$input, options => [@$file[3 .. $#$file]] }, make_files($site, $file));
                $files++;
            }
            @paths = make_files($site, grep { @$_ <= 3 } @cut);
        } elsif ($input->{parts}) {
            my @parts = grep { $_->[0] gt $since && $_->[0] le $instant } $input->{parts}->@*;
            @paths = make_files($site, [$input->{name}, join '', $input->{head} // '', map { $_->[1] } @parts]) if @parts;
        } elsif ($input->{made}) {
            my ($known) = map { $times->{file}{$_} } grep { m{/\Q$input->{made}[0]\E\z} } keys $times->{file}->%*;
            @paths = make_files($site, $input->{made}) if defined $known && $known gt $since && $known le $instant;
        } else {
            @paths = grep { my $known = $times->{file}{$_}; defined $known && $known gt $since && $known le $instant } $input->{files}->@*;
        }
        import_paths($site, $input, @paths) if @paths;
        $files += @paths;
    }
    $site->execute('ANALYZE') if $files;
    return $files;
}

1;
