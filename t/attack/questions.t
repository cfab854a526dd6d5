# Questions and searches that are meant to take long: what answering one costs is counted in calls of functions, so that no machine's speed
# decides. A long word, one that is repeated, and many companies cost no more than others do. Any text is answered.
#
#   DISCLOSED_ATTACK=whole   with each letter of each block of Unicode
use v5.24;
use utf8;
use FindBin;
use lib "$FindBin::Bin/../lib";
use Disclosed::Test;

my $site = site();
my @tickers = map { $_->{ticker} } $site->rows('SELECT ticker FROM issuer WHERE ticker IS NOT NULL ORDER BY 1');

# How often a statement calls each function of ours and of pg_trgm; `sum`: all of them.
sub calls
{
    my ($statement) = @_;
    $site->execute('SELECT pg_stat_force_next_flush()'); # what was counted before
    my $told = $site->execute(qq{SET search_path = disclosed, public; BEGIN; SET LOCAL track_functions = 'all';
        CREATE TEMPORARY TABLE done ON COMMIT DROP AS $statement;
        SELECT p.proname || ' ' || pg_stat_get_xact_function_calls(p.oid) FROM pg_proc p
        WHERE p.pronamespace IN ('disclosed'::regnamespace, 'public'::regnamespace) AND pg_stat_get_xact_function_calls(p.oid) > 0;
        COMMIT});
    my %calls = (sum => 0);
    for (split /\n/, $told) {
        my ($name, $number) = split / /;
        $calls{$name} += $number;
        $calls{sum} += $number;
    }
    return \%calls;
}

sub quoted { return "'" . $_[0] =~ s/'/''/gr . "'" }
sub asked  { return calls('SELECT * FROM ask(' . quoted($_[0]) . ', NULL, NULL, NULL, NULL)') }

# ------------------------------------------------------------------------- what a question costs

cmp_ok(asked('zzyzxxyz')->{similarity} // 0, '>', 0, 'a word that may be a typing error of a metric is held against names');
for my $letter (qw(a é １ 中), "\x{1d7ce}") {
    my $code = sprintf 'U+%04X', ord $letter;
    is(asked($letter x 2000)->{similarity} // 0, 0, "... but no word of 2,000 letters, $code");
    my $words = join ' ', map { $letter x (230 + $_) } 1 .. 8;
    is(asked($words)->{similarity} // 0, 0, '... nor are eight of 230');
}
is(calls(qq{SELECT ask_spelled(repeat('revenut ', 64), '{revenue}')})->{similarity}, calls(q{SELECT ask_spelled('revenut', '{revenue}')})->{similarity}, 'a word that is said 64 times is looked at once');
for my $number (2, 10, 40) {
    my $question = 'Compare the revenue of ' . join(' and ', @tickers[0 .. $number - 1]) . ' in 2024';
    is(asked($question)->{ask_members}, $number, "$number companies: the parts of each are read once");
}
for my $question ('Which company had the highest revenue in 2024?', 'Which five companies have the lowest net margin?') {
    my $calls = asked($question);
    is(join(' ', map { $calls->{$_} // 0 } qw(ask_numbers ask_stored ask_numbers_of)), '0 0 1', "$question the numbers of all companies are read at once");
}
for my $question ('Who are the largest holders of Akovex?', 'Which insiders of Akogom sold shares?', 'What is the short interest of Akogom?', 'top 2 holders of Akovex', 'the two largest insider sales at Akogom',
    'What did members of Congress buy in March 2024?', 'latest trades of members of Congress', 'the two biggest purchases of Akovex by members of Congress') {
    my $calls = asked($question);
    cmp_ok(($calls->{ask_day} // 0) + ($calls->{ask_company} // 0), '<', 60, "$question what is said is made of the rows that are named alone");
}
cmp_ok(asked('top 2 holders of Akovex')->{ask_report_of} // 0, '<', 10, 'only of holders that may be named it is asked what they have reported since');
for my $names (join(' ', (qw(dan alex chris pat steve kathy jerry rick phil nate terry)) x 2), join(' ', map { "name$_" } 'a' .. 'v'), join ' ', ('smith') x 22) {
    cmp_ok(asked("$names sold")->{ask_insiders} // 0, '<', 500, "insiders are looked up for neighbouring words alone: $names");
}
is(asked(join(' ', map { "name$_" } 'a' .. 'z') . ' sold')->{ask_insiders} // 0, 0, '... and for none of a long question');
is(asked('What was the revenue of Qordra in 2024?')->{ask_of_part} // 0, 0, 'a company alone is no part of another');

# ------------------------------------------------------------------------------- any text

my $is_whole = ($ENV{DISCLOSED_ATTACK} // '') eq 'whole';
my @texts = map { $_ x 2000 } 'segment ', 'a ', 'é ', '1,', '2021/', '2021-', "'s ", '10-K ', 'q1 2024 ', 'by segment ', '"a" ', '-a ', '$A ', "e\x{301}", "\x{301}", "\x{200d}", '\\', '(', ': ', 'a:us ',
    'january 1 2024 ', 'year over year ';
push @texts, join(' ', 'a' .. 'zz'), join(' ', 1900 .. 2300), join(' ', map { "w$_" } 1 .. 400), join(' ', @tickers), join(' ', map { "\$$_" } @tickers);
push @texts, map { chr($_) x 2000 } grep { chr($_) =~ /\p{Nd}/ && chr($_ - 1) !~ /\p{Nd}/ } 1 .. 0x1ffff; # the zero of each script
my $size = $is_whole ? 0x100 : 0x1000;
for (my $from = 0x80; $from < ($is_whole ? 0x110000 : 0x20000); $from += $size) {
    my $letters = join '', grep { /\p{Assigned}/ && !/\p{Co}/ } map { chr } grep { $_ < 0xd800 || $_ > 0xdfff } $from .. $from + $size - 1;
    push @texts, $letters x 20, $is_whole ? join(' ', split //, $letters) x 20 : () if $letters ne '';
}
my $most = 0;
for my $text (@texts) {
    my $name = sprintf '%s (U+%04X)', substr($text, 0, 12) =~ s/[^ -~]/?/gr, ord $text;
    my $calls = asked(substr $text, 0, 2000);
    cmp_ok($calls->{sum}, '<', 8000, "$name: calls of functions");
    $most = $calls->{sum} if $calls->{sum} > $most;
    is($site->post('/v1/ask', { question => substr $text, 0, 2000 })->status, 200, '... an answer') if $is_whole || length $text < 20_000;
    is($site->post('/v1/search', { query => substr($text, 0, 1000), limit => 10 })->status, 200, '... a search');
}
note("the most is $most");

finish();
