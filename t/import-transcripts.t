# Real files: earnings calls of Earnings-21 (Rev.com, CC BY-SA 4.0), turned into NDJSON here, loaded for
# the companies that spoke, and compared with the files word by word.

use FindBin;
use lib "$FindBin::Bin/lib";
use utf8;
use Disclosed::Test 'without_cache';
use Disclosed::RealFiles qw(folder import_twice);
use Disclosed::Process qw(slurp);

my $calls   = folder('transcripts') . '/earnings21';
my $tickers = folder('edgar-tickers') . '/company_tickers.json';
my $site = site(template => 'empty');
my $json = Disclosed::JSON->new->utf8->canonical;

# What the files do not tell is made: the day of a call, and whether it was one about results.
my %calls = (
    4392809 => { issuer => { symbol => 'LE:US' },   day => '2020-12-02', event_type => 'earnings', host => 'Meeting Host' },
    4384683 => { issuer => { symbol => 'OGS' },     day => '2020-11-03', event_type => 'earnings', host => 'Operator' },
    4386541 => { issuer => { symbol => 'CMLS' },    day => '2020-11-05', event_type => 'earnings', host => 'Operator' },
    4387332 => { issuer => { cik => 1296205, issuer_name => 'ZAGG Inc' }, day => '2020-11-04', event_type => 'earnings', host => 'Grace' },
    4374910 => { issuer => { symbol => 'AXP' },     day => '2020-09-10', event_type => 'other' },
);

# --- the files, read here ----------------------------------------------------------------------

sub lines { return split /\r?\n/, do { my $text = slurp($_[0]); utf8::decode($text); $text } }

my %name;
for my $line (lines("$calls/speaker-metadata.csv")) {
    my ($file, $speaker, $name) = split /,/, $line, 3;
    $name{$file}{$speaker} = $name;
}
my %length;
for my $line (lines("$calls/earnings21-file-metadata.csv")) {
    my ($file, $seconds) = split /,/, $line;
    $length{$file} = int($seconds * 1000 + 0.5) if $seconds =~ /^[\d.]+$/;
}

# Turns of speakers, [speaker, text]: tokens with what follows them. The columns are token, speaker, ts, endTs, punctuation, ...
sub turns
{
    my ($file) = @_;
    my (@turns, $words);
    my ($header, @tokens) = map { [split /\|/, $_, -1] } lines("$calls/$file.nlp");
    is("@$header[0, 1, 4]", 'token speaker punctuation', "$file: its columns");
    for my $token (@tokens) {
        my ($word, $speaker, $mark) = @$token[0, 1, 4];
        push @turns, [$speaker, ''] if !@turns || $turns[-1][0] ne $speaker;
        $turns[-1][1] .= ($turns[-1][1] eq '' ? '' : ' ') . $word . $mark;
        $words++;
    }
    return ($words, @turns);
}

# Questions begin when the host, once the company has spoken, asks for them; who speaks first after that is an analyst.
sub line_of
{
    my ($file, @turns) = @_;
    my %call = $calls{$file}->%*;
    my $names = $name{$file};
    my ($host) = grep { ($names->{$_} // '') eq ($call{host} // '') } keys %$names;
    my ($questions) = defined $host ? grep { $_ > 0 && $turns[$_][0] eq $host && $turns[$_][1] =~ /question/i } 0 .. $#turns : ();
    my %prepared = map { ($turns[$_][0] => 1) } 0 .. ($questions // 0) - 1;
    my %seen;
    my @speakers = map { my $role = defined $host && $_ eq $host ? 'Operator' : !defined $questions ? undef : $prepared{$_} ? 'Management' : 'Analyst';
            { speaker_id => $_, name => $names->{$_}, role => $role } } grep { !$seen{$_}++ } map { $_->[0] } @turns;
    my @segments = map { { speaker => 0 + $turns[$_][0], text => $turns[$_][1],
            section => !defined $questions ? undef : $_ < $questions ? 'prepared' : 'qa' } } 0 .. $#turns;
    return { dataset => 'transcript', $call{issuer}->%*, record_key => "earnings21/$file", call_date => "$call{day}T14:00:00Z", event_type => $call{event_type},
        duration_ms => $length{$file}, speakers => \@speakers, chapters => defined $questions ? [{ kind => 'prepared' }, { kind => 'qa' }] : [],
        segments => \@segments, provenance => { source_provider => 'service_transcript', source_url => "https://github.com/revdotcom/speech-datasets#$file" } };
}

my (%turns, %line, $words);
for my $file (sort keys %calls) {
    my ($count, @turns) = turns($file);
    $words += $count;
    $turns{$file} = \@turns;
    $line{$file} = line_of($file, @turns);
}
cmp_ok($words, '>', 18_000, "$words words in " . keys(%calls) . ' calls');

# --- imported, served, compared ----------------------------------------------------------------

is(($site->control('import', 'sec-company-tickers', '--known-at', '2020-01-01', $tickers))[0], 0, 'tickers');
my $summary = import_twice($site, 'ndjson', $site->write('calls.ndjson', join '', map { $json->encode($line{$_}) . "\n" } sort keys %line));
is("$summary->{stored} $summary->{rejected}", '5 0', 'five calls');
my %id = map { ($_->{record_key} =~ s{.*/}{}r => $_) } $site->rows('SELECT id, record_key, event_id, i.ticker, i.name FROM transcript JOIN issuer i USING (issuer_id)');
for my $file (sort keys %calls) {
    my $got = json_of($site->get("/v1/transcripts/$id{$file}{id}"), "$file: $id{$file}{name}");
    is_deeply([map { [$_->{speaker} . '', $_->{text}] } $got->{segments}->@*], $turns{$file}, '... ' . $turns{$file}->@* . ' turns, word for word');
    my %names = map { ($_->{speaker_id} => $_->{name}) } $got->{speakers}->@*;
    is_deeply(\%names, { map { ($_ => $name{$file}{$_}) } keys %names }, '... names as in speaker-metadata.csv');
    is($got->{duration_ms}, $length{$file}, '... as long as the recording');
    my %part = map { my $section = $_; ($_ => json_of($site->get("/v1/transcripts/$id{$file}{id}?section=$section"), $section)->{segments}) } qw(prepared qa);
    my $told = $line{$file}{chapters}->@*;
    is($part{prepared}->@* + $part{qa}->@*, $told ? $turns{$file}->@* : 0, '... both sections together are the call, where it has sections');
    is($got->{event_type} eq 'other' ? !defined $got->{event_id} : $got->{event_id} > 0, 1, '... an earnings call is an event, another talk is none');
}
is($id{4392809}{ticker}, 'LE', 'the call of Lands\' End is Lands\' End\'s');
my $people = json_of($site->get('/v1/companies/LE/executives?category=analysts&as_of=2021-01-01'), 'its analysts');
same_json([sort map { $_->{name} } $people->{data}->@*], ['Alex Furman', 'Steve Murada'], '... are those who asked');
my $event = json_of($site->get("/v1/events/$id{4392809}{event_id}?as_of=2021-01-01"), 'the event of the call');
same_json([$event->{symbol}, $event->{type}, $event->{event_date}, $event->{period}, $event->{source}, @{ $event->{bundle} }{qw(transcript_id webcast_status filing_ids)}],
    ['LE:US', 'earnings', '2020-12-02T14:00:00Z', undef, "date: the call's transcript", $id{4392809}{id}, 'captured', []], '... leads to it, and knows no period');

finish();
