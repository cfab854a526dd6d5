# How good search is: queries with known right chunks (t/evaluation/search.queries), over the demo companies and the SEC's real files, beside
# plain ts_rank and BM25 over the same chunks. Prints recall@10, MRR and nDCG@10 of each half; the half that nothing was tuned on must
# be no worse than the better of the two. A chunk that was folded into a newer one is found with it.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Test;
use List::Util qw(max min sum0);

my $shared = build('SHARED') . '/data';
plan(skip_all => "no real files: $shared is not there") if !-d "$shared/8k-ex99";

my $site = site();
my ($code, $out, $err) = $site->control('import', 'sec-filing', "$shared/8k-ex99", "$shared/sgml-filings");
is($code, 0, 'the real files') or diag $err;

open my $file, '<', "$FindBin::Bin/evaluation/search.queries" or die "search.queries: $!";
my @queries = map { chomp; my %q; @q{qw(half query company kind says)} = split /\t/; \%q } grep { !/^#/ } <$file>;
cmp_ok(scalar @queries, '>=', 100, 'queries: ' . @queries);

for my $query (@queries) {
    my $says = $query->{says} =~ s/'/''/gr;
    $query->{right} = { map { ($_->{chunk_id} => 1) } $site->rows("SELECT c.chunk_id FROM document_chunk c JOIN issuer i USING (issuer_id)
        WHERE c.is_current AND i.name ILIKE '$query->{company}' AND '$query->{kind}' IN ('*', c.source_kind) AND concat_ws(' ', c.heading, c.text) ~* '$says'") };
    ok(scalar keys $query->{right}->%*, "right chunks: $query->{query}") if !keys $query->{right}->%*;
}

$site->execute(q{SET search_path = disclosed, public; CREATE TABLE public.chunk_vectors AS SELECT chunk_id, search_words(concat_ws($$ $$, heading, text)) AS v FROM document_chunk WHERE is_current});

# ------------------------------------------------------------------------- three ways to rank: [chunk, how many were folded into it]

sub ours
{
    my ($query) = @_;
    return map { [$_->{ref}{chunk_id}, $_->{similar_count}] } json_of($site->post('/v1/search', { query => $query, limit => 10 }))->{data}->@*;
}

sub quoted { return "'" . $_[0] =~ s/'/''/gr . "'" }

sub ts_rank
{
    my ($query) = @_;
    my $any = "replace(plainto_tsquery('disclosed.disclosure', " . quoted($query =~ tr/"$//dr) . ")::text, '&', '|')::tsquery";
    return map { [$_->{chunk_id}, 0] } $site->rows("SELECT chunk_id FROM public.chunk_vectors WHERE v @@ $any ORDER BY ts_rank(v, $any) DESC, chunk_id DESC LIMIT 10");
}

# BM25 with the usual k1 = 1.2, b = 0.75, over words of heading and text.
my (%postings, %length);
for my $row ($site->rows("SELECT chunk_id, w.lexeme, cardinality(w.positions) AS count FROM public.chunk_vectors, unnest(v) w")) {
    $postings{ $row->{lexeme} }{ $row->{chunk_id} } = $row->{count};
    $length{ $row->{chunk_id} } += $row->{count};
}
my $usual = sum0(values %length) / keys %length;

sub bm25
{
    my ($query) = @_;
    my %score;
    for my $word (map { $_->{lexeme} } $site->rows("SELECT lexeme FROM unnest(search_words(" . quoted($query =~ tr/"$//dr) . '))')) {
        my $of = $postings{$word} // next;
        my $weight = log(1 + (keys(%length) - keys(%$of) + 0.5) / (keys(%$of) + 0.5));
        $score{$_} += $weight * $of->{$_} * 2.2 / ($of->{$_} + 1.2 * (0.25 + 0.75 * $length{$_} / $usual)) for keys %$of;
    }
    return map { [$_, 0] } (sort { $score{$b} <=> $score{$a} || $b <=> $a } keys %score)[0 .. min(9, keys(%score) - 1)];
}

# ------------------------------------------------------------------------- figures

sub figures
{
    my ($rank, @some) = @_;
    my %sum;
    for my $query (@some) {
        my ($found, $gain, $first, $place) = (0, 0, 0, 0);
        my $right = keys $query->{right}->%*;
        for my $hit ($rank->($query->{query})) {
            $place++;
            next if !$query->{right}{ $hit->[0] };
            $first ||= 1 / $place;
            $found += 1 + $hit->[1];
            $gain += 1 / (log(1 + $place) / log 2);
            $right -= $hit->[1];
        }
        my $all = max(1, $right);
        my $ideal = sum0(map { 1 / (log(1 + $_) / log 2) } 1 .. min(10, $all));
        $sum{recall} += min(1, $found / min(10, scalar keys $query->{right}->%*));
        $sum{mrr} += $first;
        $sum{ndcg} += min(1, $gain / $ideal);
        push $sum{missed}->@*, "$query->{query} (1/" . ($first ? int(1 / $first + 0.5) : 'none') . ')' if $first < 1;
    }
    return { (map { ($_ => ($sum{$_} // 0) / @some) } qw(recall mrr ndcg)), missed => $sum{missed} // [] };
}

my %rank = (ours => \&ours, ts_rank => \&ts_rank, bm25 => \&bm25);
for my $half (qw(tune report)) {
    my @some = grep { $_->{half} eq $half } @queries;
    my %of = map { ($_ => figures($rank{$_}, @some)) } sort keys %rank;
    diag sprintf '%-7s %-8s recall@10 %.3f  MRR %.3f  nDCG@10 %.3f  of %d queries', $half, $_, $of{$_}->@{qw(recall mrr ndcg)}, scalar @some for sort keys %of;
    diag '  not first: ' . join '; ', $of{ours}{missed}->@* if $ENV{DISCLOSED_RELEVANCE} && ($half eq 'tune' || $ENV{DISCLOSED_RELEVANCE} eq 'report');
    for my $figure (qw(recall mrr ndcg)) {
        cmp_ok($of{ours}{$figure}, '>=', max($of{ts_rank}{$figure}, $of{bm25}{$figure}), "$half: $figure is no worse than that of ts_rank and of BM25");
    }
}
finish();
