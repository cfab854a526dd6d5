# Search: what the contract says of its fields, query syntax, filters, instants, pages; hostile queries; chunks, how they are cut and kept.
use v5.24;
use utf8;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build ();
use Disclosed::Process qw(slurp);
use Disclosed::Test;
use Disclosed::JSON ();
use Time::HiRes ();

promises(
    search => {
        parameters => [qw(query symbols source_kinds forms start_date end_date event_id limit cursor as_of)],
        fields     => [qw(data pagination query)],
    },
);

my $site = site();
my $json = Disclosed::JSON->new->utf8->canonical;
sub search { my ($query, %more) = @_; return json_of($site->post('/v1/search', { query => $query, %more })) }
sub found  { return search(@_)->{data} }
sub ids    { return map { $_->{ref}{chunk_id} } @_ }
sub count  { return 0 + $site->value("SELECT count(*) FROM document_chunk WHERE is_current AND $_[0]") }

# ---------------------------------------------------------------------- one result, whole

my $company = ($site->rows(q{SELECT i.issuer_id, i.ticker, i.symbol, i.name FROM issuer i WHERE i.ticker = 'QORDRA'}))[0];
my $first = found('Qordra scheduling software harbours', limit => 1)->[0];
is_deeply([sort keys %$first], [sort qw(ref title snippet score similar_count published_at provenance)], 'fields of a result');
is_deeply([sort keys $first->{ref}->%*], [sort qw(chunk_id ticker source_kind source_doc_id char_start char_end section_id event_id)], 'fields of ref');
is_deeply([sort keys $first->{provenance}->%*],
    [sort qw(src_id source_provider source_url accession quote content_hash citation_url extracted_at)], 'fields of provenance');
is($first->{ref}{ticker}, 'QORDRA', 'a name finds its company first');
my $source = json_of($site->get("/v1/src/$first->{provenance}{src_id}"));
ok($source->{resolvable}, 'the src_id resolves');
my $body = $site->post('/v1/search', { query => 'Qordra', limit => 1 })->body;
like($body, qr/\A\{"data":\[\{"ref":\{"chunk_id":\d+,.*\],"pagination":\{"next_cursor":"[\w-]+","has_more":true\},"query":"Qordra"\}\z/, 'the envelope');
is($site->post('/v1/search', { query => 'zzyzxx' })->body, '{"data":[],"pagination":{"next_cursor":null,"has_more":false},"query":"zzyzxx"}', 'nothing found');

# Each kind of text leads to what it is of, and its characters are those of the stored text.
my %text_of = (filing => ['filing_text', 'text'], exhibit => ['filing_exhibit', 'text'], document => ['document', 'text']);
for my $kind (qw(filing exhibit document transcript)) {
    my $hit = found('revenue', source_kinds => [$kind], limit => 1)->[0];
    is($hit->{ref}{source_kind}, $kind, "a $kind");
    my $chunk = ($site->rows("SELECT text, row_id FROM document_chunk WHERE chunk_id = $hit->{ref}{chunk_id}"))[0];
    my $range = "$hit->{ref}{char_start} + 1, $hit->{ref}{char_end} - $hit->{ref}{char_start}";
    my $stored = $kind eq 'transcript'
        ? "(SELECT string_agg(e.value ->> 'text', E'\\n' ORDER BY e.place) FROM transcript t, jsonb_array_elements(t.segments) WITH ORDINALITY e(value, place) WHERE t.row_id = $chunk->{row_id})"
        : "(SELECT $text_of{$kind}[1] FROM $text_of{$kind}[0] WHERE row_id = $chunk->{row_id})";
    is($site->value("SELECT btrim(regexp_replace(substr($stored, $range), '\\s+', ' ', 'g')) = text FROM document_chunk WHERE chunk_id = $hit->{ref}{chunk_id}"), 't',
        '... its characters are those of the text');
    like($chunk->{text}, qr/revenue/i, '... and have the word');
    my $target = $kind eq 'transcript' ? "/v1/transcripts/$hit->{ref}{source_doc_id}" : $kind eq 'document' ? "/v1/documents/$hit->{ref}{source_doc_id}"
        : "/v1/filings/$hit->{provenance}{accession}";
    is(json_of($site->get($target))->{id}, $hit->{ref}{source_doc_id}, '... source_doc_id leads to it');
}

# Which other kinds a page has changes nothing about a passage, now and as of an instant.
for my $instant ({}, { as_of => '2025-06-30' }) {
    my %alone;
    for my $kind (qw(filing exhibit document transcript)) {
        my $hits = found('revenue', source_kinds => [$kind], limit => 200, %$instant);
        $alone{ $_->{ref}{chunk_id} } = [@$_{qw(ref title published_at provenance)}] for @$hits;
    }
    my $kinds_of_pages = 0;
    for my $kinds (['filing', 'document'], ['exhibit', 'transcript'], ['document', 'transcript'], [qw(filing exhibit document transcript)]) {
        my $hits = found('revenue', source_kinds => $kinds, limit => 100, %$instant);
        my %kinds = map { ($_->{ref}{source_kind} => 1) } @$hits;
        $kinds_of_pages += keys %kinds;
        my @both = grep { $alone{ $_->{ref}{chunk_id} } } @$hits;
        is($json->encode([map { [@$_{qw(ref title published_at provenance)}] } @both]), $json->encode([map { $alone{ $_->{ref}{chunk_id} } } @both]), "passages on a page of @$kinds: " . @both);
    }
    is($kinds_of_pages, 10, '... which has all of them');
}

# ------------------------------------------------------------------------------- the syntax

sub texts { return map { lc $site->value("SELECT coalesce(heading, '') || ' ' || text FROM document_chunk WHERE chunk_id = $_") } ids(@{ $_[0] }) }
my $phrase = found('"net loss was"', limit => 500);
cmp_ok(scalar @$phrase, '>', 2, 'a phrase is found: ' . @$phrase);
is(scalar(grep { !/net loss was/ } texts($phrase)), 0, '... where it stands as it is');
my $without = found('"net loss was" -quarter', limit => 500);
is(scalar(grep { /quarter/ } texts($without)), 0, 'what is excluded is not there');
is(scalar @{ found('"loss net was"') }, 0, 'a phrase in another order is none');
# A phrase is excluded where it stands as it is, a stop word as a word, a number with all of its digits.
my ($number) = map { $_->{n} } $site->rows(q{SELECT (regexp_match(text, '(?:^|[^0-9,.])([0-9]{1,3},[0-9]{3})(?:[^0-9,.]|\Z)'))[1] AS n FROM document_chunk
    WHERE text ~ '(^|[^0-9,.])[0-9]{1,3},[0-9]{3}([^0-9,.]|\Z)' ORDER BY chunk_id LIMIT 1});
for my $case (['loss -"net loss was"', qr/\bnet loss was\b/, qr/loss/], ['revenue -"quarter the revenue"', qr/quarter the revenue/, qr/quarter/], ['loss -was', qr/\bwas\b/, qr/loss/], ["revenue -$number", qr/(?<![0-9,])\Q$number\E(?![0-9,])/, qr/revenue/], ['revenue -for -"the quarter" -million', qr/\bfor\b|\bthe quarter\b|\bmillion\b/, qr/revenue/]) {
    my ($query, $excluded, $kept) = @$case;
    my @texts = texts(walk($query, limit => 100));
    is(scalar(grep { $_ =~ $excluded } @texts), 0, "$query: what is excluded is not there, in " . @texts . ' texts');
    cmp_ok(scalar(grep { $_ =~ $kept } @texts), '>', 0, '... and no more than that');
}
for my $query ($number, "\$$number", "\"$number\"") {
    my @texts = texts(found($query, limit => 500));
    cmp_ok(scalar @texts, '>', 0, "$query is found");
    is(scalar(grep { $_ !~ /\Q$number\E/ } @texts), 0, '... as it is written');
}

# Common words, long phrases and many exclusions are not all asked of the index: what is found is the same.
sub matching { return "chunk_vector(issuer_id, row_id, source_kind, form, published_at, heading, text) @@ \$q\$$_[0]\$q\$::tsquery" }
is($site->value("SELECT array_agg(search_asked(s.shares::float8[], 1000000, s.chunks) ORDER BY s.n) FROM (VALUES (1, '{}', 1000000.0), (2, '{0.9}', 1000000),
    (3, '{0.3,0.4,0.5}', 1000000), (4, '{0.001,0.03,0.04,0.5}', 1000), (5, '{0.001,0.03,0.04,0.5}', 200000), (6, '{0.001,0.01,0.02,0.5}', 1000),
    (7, '{0.1,0.11,0.24}', 1000000), (8, '{0.1,0.3}', 900), (9, '{0.002,0.24}', 100000), (10, '{0.002,0.03}', 100000), (11, '{0.6,0.9}', 1000000), (12, '{0.41,0.5}', 1000000))
    AS s(n, shares, chunks)"), '{0,0,1,1,2,3,3,1,1,2,0,1}', 'costly words are asked for until few match, common ones beside no other, and none that most chunks have');
# Here none is costly: they are made so.
my $asked = $site->value("SELECT pg_get_functiondef('search_asked'::regproc)");
$site->execute($asked =~ s/20000/0/r);
my @common = @{ walk('revenue million quarter', limit => 100) };
cmp_ok(scalar @common, '>', 100, 'common words: ' . @common);
my $lacking = join ',', ids(@common);
is($site->value("SELECT count(*) FROM document_chunk WHERE chunk_id IN ($lacking) AND NOT " . matching("'revenu' & 'million' & 'quarter'")), 0, '... all of them are in each passage');
$site->execute($asked =~ s/20000/0/r =~ s/:= 0\.4;/:= 0.01;/r);
my $alike;
my $often = $site->value("SELECT word FROM chunk_word WHERE word ~ '^[a-z]+\$' ORDER BY share DESC, word LIMIT 1");
my @unasked = @{ walk($often, limit => 100) };
cmp_ok(scalar @unasked, q(>), 100, "a word that the index is not asked for, $often: " . @unasked);
$lacking = join ',', ids(@unasked);
is($site->value("SELECT count(*) FROM document_chunk WHERE chunk_id IN ($lacking) AND NOT " . matching("'$often'")), 0, '... is in each passage');
$alike = 0;
$alike += $_->{similar_count} for @unasked;
$site->execute($asked);
my @same = @{ walk($often, limit => 100) };
my $alike_of_same = 0;
$alike_of_same += $_->{similar_count} for @same;
cmp_ok(@unasked + $alike, '>=', @same + $alike_of_same, "... and none is left out: $alike are folded");
$site->execute($asked =~ s/20000/0/r);
my @words = qw(share cost tax risk chart nasdaq nyse); # of which the index is asked for the first four
my $exclusions = join ' ', 'revenue', map { "-$_" } @words;
my @left = @{ walk($exclusions, limit => 100) };
my $truth = matching(join ' & ', "'revenu'", map { "!'$_'" } @words);
cmp_ok(count(matching("'revenu' & ('chart' | 'nasdaq' | 'nyse') & !('share' | 'cost' | 'tax' | 'risk')")), '>', 100, 'passages that only the texts tell of');
$alike = 0;
$alike += $_->{similar_count} for @left;
is(@left + $alike, count($truth), 'seven exclusions: ' . @left . " passages, $alike of them folded");
is($site->value("SELECT count(*) FROM document_chunk WHERE chunk_id IN (" . join(',', 0, ids(@left)) . ") AND NOT ($truth)"), 0, '... none has an excluded word');
my $long = lc $site->value("SELECT m[1] FROM document_chunk c, regexp_match(c.text, '([[:alpha:]]+(?: [[:alpha:]]+){9})') m WHERE c.is_current AND c.source_kind = 'filing' AND m IS NOT NULL
    ORDER BY c.chunk_id LIMIT 1");
my @standing = @{ walk("\"$long\"", limit => 100) };
cmp_ok(scalar @standing, '>', 0, "a phrase of ten words: $long");
is(scalar(grep { index($_, $long) < 0 } texts(\@standing)), 0, '... stands in each');
$site->execute($asked);
is_deeply(found('REVENUE revenue'), found('revenue revenue'), 'letters are small or capital');
is_deeply([ids(@{ found('revenues') })], [ids(@{ found('revenue') })], 'words are stems');
is_deeply(found('the revenue of the'), found('revenue'), 'stop words do not count');
is_deeply(found('"unclosed revenue'), found('"unclosed revenue"'), 'a quote that is not closed ends with the query');
is(scalar @{ found($_) }, 0, "nothing to look for: $_") for 'the of and', '-revenue', '"', '""', '- - -', '""""""""', '!!! ??? ...';

# ------------------------------------------------------------------------------- filters

my @of_two = @{ found('revenue', symbols => ['QORDRA', 'zemruz:us'], limit => 200) };
is(join(' ', sort keys %{{ map { ($_->{ref}{ticker} => 1) } @of_two }}), 'QORDRA ZEMRUZ', 'symbols');
is_deeply(found('revenue', symbols => ['NOSUCH']), [], '... one that nobody has');
is_deeply(found('revenue', symbols => []), found('revenue'), '... none: no filter');
is_deeply(found('revenue', symbols => undef, event_id => undef), found('revenue'), '... nor is null');
is(scalar(grep { $_->{ref}{source_kind} !~ /^(?:filing|transcript)\z/ } @{ found('revenue', source_kinds => ['filing', 'transcript'], limit => 200) }), 0, 'kinds');
my @quarterly = @{ found('revenue', forms => ['10-Q'], limit => 100) };
cmp_ok(scalar @quarterly, '>', 5, 'forms: ' . @quarterly);
is($site->value("SELECT string_agg(DISTINCT form, ' ') FROM document_chunk WHERE chunk_id IN (" . join(',', ids(@quarterly)) . ')'), '10-Q', '... only those');
my @of_year = @{ found('revenue', start_date => '2024-02-01', end_date => '2024-02-29', limit => 500) };
cmp_ok(scalar @of_year, '>', 5, 'dates: ' . @of_year);
is(scalar(grep { $_->{published_at} !~ /^2024-02/ } @of_year), 0, '... from the first to the last day');
is_deeply(found('revenue', start_date => '2024-03-01', end_date => '2024-02-29'), [], '... the end before the start: nothing');
my $event = (grep { $_->{ref}{event_id} } @{ found('revenue quarter') })[0]{ref}{event_id};
my @of_event = @{ found('revenue', event_id => $event, limit => 100) };
is(join(' ', keys %{{ map { ($_->{ref}{event_id} => 1) } @of_event }}), $event, 'an event: ' . @of_event);
cmp_ok(scalar keys %{{ map { ($_->{ref}{source_kind} => 1) } @of_event }}, '>', 1, '... has texts of several kinds');

# A typing error in a name, and none elsewhere.
is(found('Qordraa revenue', limit => 1)->[0]{ref}{ticker}, 'QORDRA', 'a name with a typing error');
is(found('revenue $QORDRA', limit => 1)->[0]{ref}{ticker}, 'QORDRA', 'a ticker behind $');

# ------------------------------------------------------------------------- pages and instants

sub walk
{
    my ($query, %more) = @_;
    my (@all, $cursor);
    for (1 .. 400) {
        my $page = search($query, %more, $cursor ? (cursor => $cursor) : ());
        push @all, $page->{data}->@*;
        $cursor = $page->{pagination}{next_cursor};
        is($page->{pagination}{has_more} ? 1 : 0, defined $cursor ? 1 : 0, 'has_more says whether there is a cursor') if $page->{pagination}{has_more} xor defined $cursor;
        return \@all if !defined $cursor;
    }
    die 'the walk does not end';
}
my $large = walk('gross profit', limit => 500);
my %once = map { ($_ => 1) } ids(@$large);
is(scalar keys %once, scalar @$large, 'a walk of ' . @$large . ' rows shows none twice');
my $matches = count(q{chunk_vector(issuer_id, row_id, source_kind, form, published_at, heading, text) @@ plainto_tsquery('disclosed.disclosure', 'gross profit')});
my $folded = 0;
$folded += $_->{similar_count} for @$large;
is(@$large + $folded, $matches, "... and leaves none out: $matches, $folded of them folded");
my $small = walk('gross profit', limit => 37);
is_deeply([sort { $a <=> $b } ids(@$small)], [sort { $a <=> $b } ids(@$large)], '... small pages have the same rows');
is_deeply([map { $_->{score} } @{$large}[0 .. 99]], [sort { $b <=> $a } map { $_->{score} } @{$large}[0 .. 99]], '... the best first');
is_deeply([ids(@{ walk('Qordra scheduling', limit => 7) })], [ids(@{ walk('Qordra scheduling', limit => 500) })], '... a walk of one window is in one order');
is(scalar @{ json_of($site->post('/v1/search', { query => 'revenue', limit => 500 }, key => 'free'))->{data} }, 25, 'the free plan has pages of 25');
my $cursor = search('gross profit', limit => 5)->{pagination}{next_cursor};
my $refused = sub { my ($what) = @_; return qq({"detail":[{"type":"value_error","loc":["body","cursor"],"msg":"Value error, invalid cursor","input":"$what","ctx":{"error":{}}}]}) };
is($site->post('/v1/search', { query => 'other words', cursor => $cursor })->body, $refused->($cursor), 'a cursor of another query');
is($site->post('/v1/search', { query => 'gross profit', cursor => 'x' })->body, $refused->('x'), 'no cursor');

my $then = '2023-06-30T00:00:00Z';
my @past = @{ found('revenue', as_of => $then, limit => 200) };
cmp_ok(scalar @past, '>', 20, 'as of an instant: ' . @past);
is(scalar(grep { $_->{published_at} gt $then } @past), 0, '... nothing is of later');
is($site->value("SELECT count(*) FROM document_chunk c JOIN chunked_text t USING (issuer_id, row_id) WHERE c.chunk_id IN (" . join(',', ids(@past)) . ") AND (t.known_at > '$then' OR t.superseded_at <= '$then')"),
    0, '... all were public then, and in force');

# 304 is of GET and HEAD alone (RFC 9110, section 13.1.2).
my $response = $site->post('/v1/search', { query => 'revenue', limit => 3 });
is($response->header('ETag'), undef, 'a POST has no ETag');
is($site->post('/v1/search', { query => 'revenue', limit => 3 }, headers => { 'If-None-Match' => '*' })->status, 200, '... and no 304');
my $part = $site->post('/v1/search', { query => 'revenue', limit => 3 }, headers => { Range => 'bytes=0-9' });
is($part->status . ' ' . length $part->body, '200 ' . length $response->body, '... nor a part of it (section 14.2)');

# ------------------------------------------------------------------------------- snippets

for my $query ('net income', 'scheduling software', 'gross profit per diluted share') {
    for my $hit (@{ found($query, limit => 20) }) {
        my $text = $site->value("SELECT text FROM document_chunk WHERE chunk_id = $hit->{ref}{chunk_id}");
        utf8::decode($text);
        my $core = $hit->{snippet} =~ s/^… //r =~ s/ …\z//r;
        ok(index(" $text ", " $core ") >= 0 || $core eq $text, 'a snippet is whole words of the text') or diag $hit->{snippet};
        last if length $hit->{snippet} > 400;
    }
}

# ------------------------------------------------------------------------- validation errors

sub refused
{
    my ($body, $expected, $name) = @_;
    my $got = $site->post('/v1/search', $body);
    is($got->status . ' ' . $got->body, "422 {\"detail\":[$expected]}", $name);
}
refused('{}', '{"type":"missing","loc":["body","query"],"msg":"Field required","input":{}}', 'no query');
refused('{"query":""}', '{"type":"string_too_short","loc":["body","query"],"msg":"String should have at least 1 character","input":"","ctx":{"min_length":1}}', 'an empty query');
refused({ query => 'a' x 1001 }, '{"type":"string_too_long","loc":["body","query"],"msg":"String should have at most 1000 characters","input":"' . 'a' x 1001 . '","ctx":{"max_length":1000}}', 'a long query');
refused('{"query":7,"limit":0,"source_kinds":["film"],"start_date":"soon","event_id":"x","symbols":"A"}',
    '{"type":"string_type","loc":["body","query"],"msg":"Input should be a valid string","input":7},'
    . '{"type":"list_type","loc":["body","symbols"],"msg":"Input should be a valid list","input":"A"},'
    . '{"type":"literal_error","loc":["body","source_kinds",0],"msg":"Input should be \'filing\', \'exhibit\', \'transcript\' or \'document\'","input":"film","ctx":{"expected":"\'filing\', \'exhibit\', \'transcript\' or \'document\'"}},'
    . '{"type":"date_from_datetime_parsing","loc":["body","start_date"],"msg":"Input should be a valid date or datetime, input is too short","input":"soon","ctx":{"error":"input is too short"}},'
    . '{"type":"int_parsing","loc":["body","event_id"],"msg":"Input should be a valid integer, unable to parse string as an integer","input":"x"},'
    . '{"type":"greater_than_equal","loc":["body","limit"],"msg":"Input should be greater than or equal to 1","input":0,"ctx":{"ge":1}}', 'all errors at once');
refused('{"query":"a","limit":5.5,"start_date":[1],"as_of":true}',
    '{"type":"date_type","loc":["body","start_date"],"msg":"Input should be a valid date","input":[1]},'
    . '{"type":"int_from_float","loc":["body","limit"],"msg":"Input should be a valid integer, got a number with a fractional part","input":5.5},'
    . '{"type":"datetime_type","loc":["body","as_of"],"msg":"Input should be a valid datetime","input":true}', 'other types');
refused('{"query":"a","limit":null}', '{"type":"int_type","loc":["body","limit"],"msg":"Input should be a valid integer","input":null}', 'null where a default is');
refused('{"query":"a\u0000b"}', '{"type":"value_error","loc":["body","query"],"msg":"Value error, NUL characters are not allowed","input":"a\u0000b","ctx":{"error":{}}}', 'NUL');
is($site->post('/v1/search', '{"query":"revenue","limit":"5","start_date":1706659200,"event_id":5.0}')->status, 200, 'what Pydantic takes as well');
is($site->post('/v1/search', { query => 'a' }, key => undef)->status, 401, 'no key');
is($site->get('/v1/search')->status, 405, 'GET');

# --------------------------------------------------------------------- what the index is asked for

# --------------------------------------------------------------- how long lines are cut

# Lines of characters of one to four bytes, with sentences, words and spaces or without: parts of `target` characters and half as many again at
# most, which leave out nothing but white space, and whose ranges have their texts. One of four megabytes takes time by its length (the square
# of it would be minutes).
my $pieces = q{ARRAY['a', 'Words', 'é', '日本', '😀', '. ', '! ', ' ', '  ', E'\t', '"', '.) ', 'x', 'y z']};
is($site->value(qq{SELECT count(*) || ' ' || count(*) FILTER (WHERE p.wrong) || ' ' || count(*) FILTER (WHERE btrim(regexp_replace(l.line, '\\s+', '', 'g')) <> p.all_text)
    FROM (SELECT setseed(0.5)) s, generate_series(1, 300) g
    CROSS JOIN LATERAL (SELECT string_agg(($pieces)[1 + floor(random() * 14)::integer] || CASE WHEN random() < (g % 7) / 7.0 THEN ' ' ELSE left('', h) END, '' ORDER BY h) AS line
        FROM generate_series(1, (g % 40) * 30 + 1) h) l
    CROSS JOIN LATERAL (SELECT bool_or(length(c.text) > 60 OR c.text = '' OR c.char_end <= c.char_start OR c.char_start < coalesce(c.before, 0)
            OR btrim(regexp_replace(substr(l.line, c.char_start + 1, c.char_end - c.char_start), '\\s+', ' ', 'g')) <> c.text) AS wrong,
            coalesce(string_agg(regexp_replace(c.text, '\\s+', '', 'g'), '' ORDER BY c.char_start), '') AS all_text
        FROM (SELECT k.*, lag(k.char_end) OVER (ORDER BY k.char_start) AS before FROM disclosed.cut_line(l.line, 40) k) c) p}), '300 0 0', 'lines are cut whole');
# The definition, on characters: a rest of `target` and a half is one part, else it ends behind the last sentence in the second half, else the last space.
my $definition = q{CREATE FUNCTION pg_temp.parts(line text, target integer) RETURNS TABLE (char_start integer, char_end integer, text text) LANGUAGE plpgsql AS $$
    DECLARE at integer := 0; rest text := line; taken integer; part text;
    BEGIN
        WHILE rest <> '' LOOP
            taken := length(rest);
            IF taken > target * 3 / 2 THEN
                part := left(rest, target);
                taken := coalesce((SELECT max(e) FROM generate_series(target / 2, target) e WHERE left(part, e) ~ '[.!?]["'')]?\s$'),
                    nullif((SELECT max(e) FROM generate_series(1, target) e WHERE left(part, e) ~ '\s$'), 0), target);
            END IF;
            part := left(rest, taken);
            IF part ~ '\S' THEN
                char_start := at + length(part) - length(ltrim(part, E' \t')); char_end := at + length(rtrim(part, E' \t'));
                text := btrim(regexp_replace(part, '\s+', ' ', 'g')); RETURN NEXT;
            END IF;
            at := at + taken; rest := substr(rest, taken + 1);
        END LOOP;
    END $$;};
like($site->value(qq{$definition SELECT count(*) || ' ' || max(octet_length(l.line) - length(l.line)) || ' ' || count(*) FILTER (WHERE
        (SELECT array_agg((c.char_start, c.char_end, c.text) ORDER BY c.char_start) FROM disclosed.cut_line(l.line, 40) c)
        IS DISTINCT FROM (SELECT array_agg((c.char_start, c.char_end, c.text) ORDER BY c.char_start) FROM pg_temp.parts(l.line, 40) c))
    FROM (SELECT setseed(0.5)) s, generate_series(1, 300) g
    CROSS JOIN LATERAL (SELECT string_agg(($pieces)[1 + floor(random() * 14)::integer] || CASE WHEN random() < (g % 7) / 7.0 THEN ' ' ELSE left('', h) END, '' ORDER BY h) AS line
        FROM generate_series(1, (g % 40) * 30 + 1) h) l}), qr/^300 [1-9]\d{2,} 0$/, 'lines are cut as they are to be');
is($site->value(q{SET statement_timeout = '100s'; SELECT count(*) || ' ' || max(char_end) FROM disclosed.cut_line(repeat('some words ', 400000), 1000)}), '4420 4399999', '... a long one in time');

# A chunk of a document is of the page in which it begins, whichever that is.
like($site->value(q{SELECT count(*) || ' ' || count(*) FILTER (WHERE c.section_id IS DISTINCT FROM (
        SELECT p.value ->> 'page_index' FROM jsonb_array_elements(d.pages) p
        WHERE (p.value ->> 'char_start')::integer <= c.char_start AND c.char_start < (p.value ->> 'char_end')::integer))
    FROM disclosed.document d CROSS JOIN LATERAL disclosed.chunks_of_document(d.issuer_id, d.row_id) c
    WHERE d.text IS NOT NULL AND NOT EXISTS (SELECT 1 FROM jsonb_array_elements(d.pages) p WHERE btrim(p.value ->> 'vision_caption') <> '')}), qr/^[1-9]\d+ 0$/, 'chunks of documents have their pages');

# The shares of words, by which that is chosen: here the sample is all chunks.
is($site->value(q{WITH c AS MATERIALIZED (SELECT search_words(concat_ws(' ', heading, text)) AS words FROM document_chunk)
    SELECT count(*) FROM chunk_word k WHERE k.word IN ('revenu', 'qordra', 'quarter', 'lighthous') AND abs(k.share - (
        SELECT avg((c.words @@ quote_literal(k.word)::tsquery)::integer) FROM c)) < 1e-6}), 4, 'shares of words are counted');
is($site->value(q{SELECT count(*) FROM chunk_word WHERE word ~ E'^\\x01[^h]'}), '0', '... marks are none');
cmp_ok($site->value(q{SELECT share * (SELECT count(*) FROM document_chunk) FROM chunk_word WHERE word = ''}), '>=', 1, '... the empty word has what ranking goes by');

# Marks of time leave out no chunk of their weeks, however many weeks and companies there are.
my $spans = $site->value(q{WITH c AS MATERIALIZED (SELECT issuer_id, published_at, chunk_vector(issuer_id, row_id, source_kind, form, published_at, heading, text) AS vector FROM document_chunk)
    SELECT count(*) || ' ' || count(*) FILTER (WHERE s.first_week IS NOT NULL) || ' ' || count(*) FILTER (WHERE EXISTS (
        SELECT 1 FROM c
        WHERE (o.issuers IS NULL OR c.issuer_id = ANY (o.issuers)) AND search_week(c.published_at) >= coalesce(s.first_week, -1000000) AND (u.until IS NULL OR c.published_at < u.until)
          AND NOT c.vector @@ s.marks)) || ' ' || count(*) FILTER (WHERE EXISTS (
        SELECT 1 FROM c
        WHERE (search_week(c.published_at) < s.first_week OR c.issuer_id <> ALL (o.issuers))
          AND c.vector @@ s.marks)) || ' ' || count(*) FILTER (WHERE s.marks::text ~ E'\x01c.*\x01w')
        || ' ' || count(*) FILTER (WHERE NOT EXISTS (SELECT 1 FROM c WHERE search_week(c.published_at) < s.first_week) AND s.first_week IS NOT NULL)
    FROM (VALUES (NULL::bigint[]), (ARRAY(SELECT min(issuer_id) FROM document_chunk)), (ARRAY(SELECT DISTINCT issuer_id FROM document_chunk ORDER BY 1 LIMIT 2)),
                 (ARRAY(SELECT DISTINCT issuer_id FROM document_chunk ORDER BY 1 LIMIT 12))) o(issuers)
    CROSS JOIN (VALUES (NULL::timestamptz), ('2024-05-15'), ('2022-11-02')) u(until)
    CROSS JOIN unnest(ARRAY[1, 3, 10, 30, 100, 200, 300, 500, 800, 1200, 2000]) t(target)
    CROSS JOIN LATERAL search_span(o.issuers, (SELECT count(*) FROM document_chunk), coalesce(chunks_of(o.issuers), (SELECT count(*) FROM document_chunk)), 1, 1, t.target, 1000000,
                                   NULL, u.until) s
    WHERE s.marks IS NOT NULL});
my ($all_spans, $cut_spans, $faulty_spans, $wide_spans, $spans_of_blocks, $spans_of_all) = split / /, $spans;
cmp_ok($cut_spans, '>', 50, "spans that leave weeks out: $cut_spans of $all_spans");
is($faulty_spans, 0, '... none leaves out a chunk of its weeks');
is($wide_spans, 0, '... or has one of weeks before them, or of another company');
is($spans_of_all, 0, '... and none says that there are weeks before it where there are none');
cmp_ok($spans_of_blocks, '>', 10, "... of a company's weeks they are eight at a time, and single ones where not all of these are meant");
is($site->value("SELECT count(*) || ' ' || count(*) FILTER (WHERE s.first_week < w.week) FROM (SELECT week FROM chunk_week WHERE chunks > 20 AND week > (SELECT min(week) + 100 FROM chunk_week)) w
    CROSS JOIN LATERAL search_span(NULL, 3000, 3000, 1, 1, 10, 1000000, NULL, 'epoch'::timestamptz + w.week * interval '7 days') s") =~ /^([1-9]\d*) \1\z/ ? 1 : 0, 1,
    '... one that ends where a week begins is of the weeks before, so that pages go on');
is($site->value(q{SELECT count(DISTINCT m[1]) FROM (SELECT count(*) AS chunks FROM document_chunk) n CROSS JOIN unnest(ARRAY[0.001, 0.3, 0.5, 0.8]) part
    CROSS JOIN LATERAL search_span(NULL, n.chunks, n.chunks, 1, 1, part * n.chunks, 1000000, NULL, NULL) s CROSS JOIN LATERAL regexp_matches(s.marks::text, E'\x01([a-z])', 'g') m}), 3,
    '... of weeks, of 8 and of 64');

# Where few chunks have a word, the index is not asked whose they are.
my $held = 'chunk_vector(c.issuer_id, c.row_id, c.source_kind, c.form, c.published_at, c.heading, c.text)';
my ($rare, $holder) = split / /, $site->value(qq{SELECT k.word || ' ' || h.issuer_id FROM chunk_word k CROSS JOIN LATERAL (
        SELECT min(c.issuer_id) AS issuer_id, count(DISTINCT c.issuer_id) AS companies FROM document_chunk c WHERE c.is_current AND $held @@ quote_literal(k.word)::tsquery) h
    WHERE k.word ~ '^[a-z]{5,}\$' AND k.share * (SELECT count(*) FROM document_chunk) BETWEEN 10 AND 60 AND h.companies > 1
      AND plainto_tsquery('disclosure', k.word) = quote_literal(k.word)::tsquery ORDER BY k.word LIMIT 1});
is($site->value(qq{SELECT (s.marks IS NULL)::text FROM (SELECT count(*) AS chunks FROM document_chunk) n, chunk_word k, search_span('{$holder}', n.chunks, chunks_of('{$holder}'), k.share, k.share, 180, 4000, NULL, NULL) s
    WHERE k.word = '$rare'}), 'true', "few chunks have \"$rare\": no marks");
is($site->value(qq{SELECT string_agg(c.chunk_id::text, ' ' ORDER BY c.chunk_id) FROM search_candidates('{"words":["$rare"],"phrases":[],"excluded":[]}', '{$holder}', NULL, NULL, NULL, NULL, NULL, NULL) c WHERE c.kind = 'window'}),
    $site->value(qq{SELECT string_agg(c.chunk_id::text, ' ' ORDER BY c.chunk_id) FROM document_chunk c WHERE c.is_current AND c.issuer_id = $holder AND $held @@ quote_literal('$rare')::tsquery}), '... but those of the company alone are found');

# A company's window is looked for in the newer of its weeks first: where these have too few matches, the rest comes from all of them. Made are 64 weeks
# with 150 chunks each and one of another company, of which a search ends after 60, amid eight; a word is in all of the oldest 24 weeks, in `often` of
# the other weeks, and in the other company's.
for my $often (0, 2, 40) {
    $site->execute(qq{SET search_path = disclosed, public; INSERT INTO document_chunk (issuer_id, row_id, published_at, char_start, char_end, is_current, source_kind, text)
        SELECT (SELECT CASE WHEN n = 150 THEN max(issuer_id) ELSE min(issuer_id) END FROM issuer), 900000000, 'epoch'::timestamptz + (2560 + week) * interval '7 days' + n * interval '1 hour', 0, 10, true, 'document',
               CASE WHEN week < 24 OR n < $often OR n = 150 THEN 'wolframite found ' || n ELSE 'nothing found ' || n END FROM generate_series(0, 63) week CROSS JOIN generate_series(0, 150) n;
        DELETE FROM chunk_word; SELECT count_chunk_words()});
    my $company = 'ARRAY(SELECT min(issuer_id) FROM issuer)';
    my $end = "'epoch'::timestamptz + 2620 * interval '7 days'";
    my $window = qq{SELECT string_agg(c.chunk_id::text, ' ' ORDER BY c.published_at DESC, c.chunk_id DESC)};
    like($site->value(qq{SELECT (s.newer IS NOT NULL)::text || ' ' || (NOT EXISTS (SELECT 1 FROM document_chunk c
        WHERE (c.issuer_id = ANY ($company) AND search_week(c.published_at) BETWEEN s.newer_week AND 2619) <> (chunk_vector(c.issuer_id, c.row_id, c.source_kind, c.form, c.published_at, c.heading, c.text) @@ s.newer)))::text
        FROM (SELECT count(*) AS chunks FROM document_chunk) n CROSS JOIN LATERAL search_span($company, n.chunks, chunks_of($company), (SELECT share FROM chunk_word WHERE word = 'wolframit'),
        (SELECT share FROM chunk_word WHERE word = 'wolframit'), 180, 4000, NULL, $end) s}), qr/^true true\z/, "newer weeks, $often of 150: all of their chunks, and no other");
    is($site->value(qq{$window FROM search_candidates('{"words":["wolframite"],"phrases":[],"excluded":[]}', $company, NULL, NULL, NULL, $end, NULL, NULL) c WHERE c.kind = 'window'}),
        $site->value(qq{$window FROM (SELECT * FROM document_chunk WHERE text LIKE 'wolframite%' AND issuer_id = ANY ($company) AND published_at < $end ORDER BY published_at DESC, chunk_id DESC LIMIT 150) c}), '... the window has the newest that match');
    $site->execute('DELETE FROM disclosed.document_chunk WHERE row_id = 900000000');
}
$site->execute('SET search_path = disclosed, public; DELETE FROM chunk_word; SELECT count_chunk_words()');

# ------------------------------------------------------------------------- hostile queries

my @hostile = ('word ' x 199, 'a ' x 500, '"a" ' x 250, '"' x 1000, '-' x 1000, '-a ' x 333, 'the ' x 250, '営業利益 売上高', 'выручка компании', 'إيرادات', '😀 😀 revenue',
    "'; DROP TABLE document_chunk; --", "revenue' OR '1'='1", 'a & b | !c <-> d:*', '((((', ':*', '\\', '\\\\\'', '%s %n %d', '<script>alert(1)</script>', "a\x{1}i1 \x{1}k", "revenue\tnet\n\nincome",
    'x' x 1000, "\x{feff}revenue", 'http://example.com/a?b=c revenue', 'a@b.example revenue', '3.2 billion 10-K 1,234.5', '${jndi:ldap://x}', '../../etc/passwd', "\x{10ffff}" x 100,
    'revenue ' . '-"net income" ' x 30, join(' ', map { "w$_" } 1 .. 150));
for my $query (@hostile) {
    my $began = Time::HiRes::time();
    my $got = $site->post('/v1/search', { query => $query, limit => 10 });
    is($got->status, 200, 'hostile: ' . substr($query, 0, 30) =~ s/[^ -~]/?/gr) or diag $got->body;
    cmp_ok(Time::HiRes::time() - $began, '<', 5, '... in time');
}
is(count('true') > 1000 ? 1 : 0, 1, 'the chunks are still there');

# ------------------------------------------------------------------------- how chunks are kept

is($site->value('SELECT sum(chunks) FROM chunk_week'), $site->value('SELECT count(*) FROM document_chunk'), 'weeks count their chunks');
is($site->value(q{SELECT sum(record_count) FROM dataset_issuer_stat WHERE dataset = 'document_chunk'}), count('true'), 'companies count theirs');
my $before = $site->value(q{SELECT md5(string_agg(c::text, '' ORDER BY chunk_id)) FROM document_chunk c});
is($site->value(q{SELECT sum(cut_texts(k, ARRAY(SELECT issuer_id FROM issuer))) FROM unnest(ARRAY['filing', 'exhibit', 'transcript', 'document']) k}), 0, 'cut again: nothing changes');
is($site->value(q{SELECT md5(string_agg(c::text, '' ORDER BY chunk_id)) FROM document_chunk c}), $before, '... not even a number');

# A text that is replaced, moved in time, and gone.
sub load { my ($line) = @_; my ($code, $out, $err) = $site->control('import', 'ndjson', $site->write('line.ndjson', "$line\n")); is($code, 0, 'a load') or diag $err; }
my $document = sub {
    my ($text, $known) = @_;
    return $json->encode({ dataset => 'document', symbol => 'QORDRA', record_key => 'search-test', title => 'Quixotic plans', doc_type => 'other', published_at => '2026-01-05T10:00:00Z',
        known_at => $known, text => $text, pages => [{ page_index => 0, char_start => 0, char_end => length $text, vision_caption => 'A windmill by a lighthouse' }],
        provenance => { source_provider => 'fictional', source_url => 'https://qordra.example/plans' } });
};
load($document->('Flibbertigibbets gather at noon.', '2026-01-05T10:00:00Z'));
my $new = found('flibbertigibbets')->[0];
is($new->{snippet}, 'Flibbertigibbets gather at noon.', 'a new text is found');
is($new->{title}, 'Quixotic plans', '... with its title');
is_deeply([map { "$_->{snippet} $_->{ref}{section_id}" } @{ found('windmill lighthouse') }], ['A windmill by a lighthouse 0'], 'so is what a picture shows');
is(scalar @{ found('quixotic') }, 2, '... and both by the title');
# No passage crosses pages, whatever stands between them; and one is of its own page.
my ($words, $pages) = (0);
my $paged = sub {
    my ($between, $lead) = @_;
    my ($one, $two, $key) = ("A page of lorem and ipsum. It ends with gargantuanism$words.", "${lead}It begins with zephyrology$words and goes on.", 'paged-' . ++$words);
    my $at = length "$one$between";
    return $json->encode({ dataset => 'document', symbol => 'QORDRA', record_key => $key, title => 'Paged', doc_type => 'other', published_at => '2026-01-06T10:00:00Z',
        text => "$one$between$two", pages => [{ page_index => 0, char_start => 0, char_end => length $one }, { page_index => 1, char_start => $at, char_end => $at + length $two }],
        provenance => { source_provider => 'fictional', source_url => "https://qordra.example/$key" } });
};
for my $between (map { ["$_", ''], ["$_", "\f"], ["$_", ' '] } '', ' ', "\f", "\n\f", "\n", "\n\n", ' - ') {
    my $number = $words;
    load($paged->(@$between));
    my $shown = join '|', map { s/\n/\\n/r =~ s/\f/\\f/r } @$between;
    is_deeply([map { "$_->{snippet} $_->{ref}{section_id}" } @{ found("gargantuanism$number") }], ["A page of lorem and ipsum. It ends with gargantuanism$number. 0"], "pages with '$shown' between them: the first");
    my $start = length("A page of lorem and ipsum. It ends with gargantuanism$number.") + length(join '', @$between);
    is_deeply([map { "$_->{snippet} $_->{ref}{section_id} $_->{ref}{char_start}" } @{ found("zephyrology$number") }], ["It begins with zephyrology$number and goes on. 1 $start"], '... and the second');
}
is($site->value(q{SELECT string_agg(concat_ws(' ', c.char_start, c.char_end, c.text), '/') FROM cut_text(E'alpha beta gamma\n delta', '{0,6,11,18,30}') c}),
    '0 5 alpha/6 10 beta/11 16 gamma/18 23 delta', 'a text is cut within its lines');
# What was stored before: passages across pages.
my $chunks = q{SELECT string_agg(concat_ws(' ', c.row_id, c.char_start, c.char_end, c.section_id, c.text), E'\n' ORDER BY c.row_id, c.char_start, c.char_end, c.text) FROM document_chunk c WHERE c.source_kind = 'document'};
my $cut = $site->value($chunks);
$site->execute(<<'SQL');
SET search_path = disclosed, public;
CREATE TEMP TABLE paged AS SELECT c.issuer_id, c.row_id FROM document t JOIN chunked_text c USING (issuer_id, row_id) WHERE t.title = 'Paged';
UPDATE document_chunk c SET char_end = w.char_end, text = c.text || ' ' || w.text FROM document_chunk w JOIN paged USING (row_id)
WHERE c.row_id = w.row_id AND c.section_id = '0' AND w.section_id = '1';
DELETE FROM document_chunk c USING paged p WHERE c.row_id = p.row_id AND c.section_id = '1';
SQL
isnt($site->value($chunks), $cut, 'as earlier versions had cut them');
my ($again) = slurp("$FindBin::Bin/../sql/0156_passages_and_revisions.sql") =~ /^-- What is stored, cut again.*?^(DO \$\$.*?^END \$\$;)/ms;
$site->execute("SET search_path = disclosed, public; $again");
is($site->value($chunks), $cut, '... the migration puts them right');

load($document->('Flibbertigibbets left. Snollygosters came.', '2026-02-05T10:00:00Z'));
is_deeply([map { $_->{snippet} } @{ found('flibbertigibbets') }], ['Flibbertigibbets left. Snollygosters came.'], 'replaced: the new version alone');
is_deeply([map { $_->{snippet} } @{ found('flibbertigibbets', as_of => '2026-01-20') }], ['Flibbertigibbets gather at noon.'], '... and the old one as of before');
is_deeply(found('snollygosters', as_of => '2026-01-20'), [], '... which does not know the new');
load($document->('Flibbertigibbets gather at noon.', '2026-01-02T10:00:00Z'));
is_deeply([map { $_->{snippet} } @{ found('flibbertigibbets', as_of => '2026-01-03') }], ['Flibbertigibbets gather at noon.'], 'known earlier than was thought');
is($site->value('SELECT sum(chunks) FROM chunk_week'), $site->value('SELECT count(*) FROM document_chunk'), 'weeks still count their chunks');
is($site->value(q{SELECT record_count FROM dataset_stat WHERE dataset = 'document_chunk'}), count('true'), '... and so does the dataset');

# ------------------------------------------------------------------------- the documentation

open my $docs, '<', Disclosed::Build::build('SRCDIR') . '/docs/search.md' or die "search.md: $!";
my @examples = do { local $/ = undef; (<$docs> =~ /```json\n(.*?)```/s)[0] =~ /^(.+)$/mg };
cmp_ok(scalar @examples, '>=', 5, 'examples of docs/search.md: ' . @examples);
cmp_ok(scalar @{ json_of($site->post('/v1/search', $_))->{data} }, '>', 0, "... finds something: $_") for @examples;

finish();
