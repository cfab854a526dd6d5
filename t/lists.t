# What every list keeps to, taken from the OpenAPI document that the module serves: limits, page
# caps, cursors, directions, links, filters, and answers that fit their own schema.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Schema qw(schema_faults);

my $site     = site();
my $document = json_of($site->get('/v1/openapi.json'), 'the OpenAPI document');
my $symbol   = $site->value('SELECT i.ticker FROM insider_transaction t JOIN issuer i USING (issuer_id)
    WHERE t.superseded_at IS NULL GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1');

# --- the lists -------------------------------------------------------------------------------

# The schema of an operation's 200, with references followed one step.
sub schema_of
{
    my ($operation) = @_;
    my $schema = $operation->{responses}{200}{content}{'application/json'}{schema};
    return $schema->{'$ref'} ? $document->{components}{schemas}{ $schema->{'$ref'} =~ s{.*/}{}r } : $schema;
}

my %lists;
for my $path (keys $document->{paths}->%*) {
    my $operation = $document->{paths}{$path}{get} or next;
    $lists{$path} = $operation if schema_of($operation)->{properties}{pagination};
}
cmp_ok(scalar(keys %lists), '>=', 4, 'there are lists: ' . join ' ', sort keys %lists);

sub with
{
    my ($path, %parameters) = @_;
    my @pairs = map { my $name = $_; map { "$name=" . s/([^A-Za-z0-9_.~:-])/sprintf '%%%02X', ord $1/ger }
            ref $parameters{$name} ? $parameters{$name}->@* : $parameters{$name} } sort keys %parameters;
    return $path . (@pairs ? ($path =~ /\?/ ? '&' : '?') . join '&', @pairs : '');
}

# Walks a list by its cursors; returns the rows' text and the number of pages.
sub walk
{
    my ($target, %option) = @_;
    my ($text, $pages, $cursor) = ('', 0);
    while (1) {
        my $response = $site->get(with($target, defined $cursor ? (cursor => $cursor) : ()), %option);
        my $rows = $response->data_text;
        if ($response->status != 200 || !defined $rows || ++$pages > 400) {
            fail("walk of $target") or diag $response->describe;
            return ('', $pages);
        }
        $text .= ($text ne '' && $rows ne '' ? ',' : '') . $rows;
        my ($next, $more) = $response->body =~ /"next_cursor":(null|"[\w-]+"),"has_more":(true|false)\}\}\z/;
        fail("next_cursor is $next, has_more $more") if ($next eq 'null') != ($more eq 'false');
        fail('Link is there exactly when there is a next page') if ($next eq 'null') == defined $response->header('link');
        return ($text, $pages) if $next eq 'null';
        $cursor = $next =~ s/"//gr;
    }
}

# The rows' keys in order: the first member of each row.
sub keys_of
{
    my ($text) = @_;
    return $text =~ /(?:^|\},)\{"(?:id|symbol)":("[^"]*"|\d+)/g;
}

sub count
{
    my ($text) = @_;
    return scalar(my @keys = keys_of($text));
}

# --- one list --------------------------------------------------------------------------------

sub check_limits
{
    my ($path, $default, $most) = @_;
    my $size = sub { my ($target, @option) = @_; return count($site->get($target, @option)->data_text // '') };
    is($size->(with($path)), $default, "$path: $default rows by default");
    is($size->(with($path, limit => 1)), 1, '... one row');
    is($site->get(with($path, limit => 1), key => 'free')->status, 200, '... also on the free plan');
    for my $key (qw(free test)) {
        is($size->(with($path), key => $key), 25, "... 25 rows on a $key key");
        is($size->(with($path, limit => $most), key => $key), 25, '... also where more are asked for');
        is($size->(with($path, limit => 7), key => $key), 7, '... and fewer where fewer are');
    }
    is($site->get(with($path, limit => $_), key => 'free')->status, 422, "... limit $_ is refused on every plan")
        for 0, $most + 1;
}

sub check_walks
{
    my ($path, $most) = @_;
    my ($whole) = walk(with($path, limit => $most));
    my @keys = keys_of($whole);
    my %seen = map { ($_ => 1) } @keys;
    is(scalar(keys %seen), scalar @keys, "$path: no row is shown twice (" . @keys . ' rows)');
    my $step = int(@keys / 7) + 1;
    my ($small, $pages) = walk(with($path, limit => $step));
    is($pages, int((@keys + $step - 1) / $step), "... $pages pages of $step");
    ok($small eq $whole, '... have the same rows as large pages, byte for byte');
    my ($free) = walk(with($path, limit => 500), key => 'free') if @keys < 300;
    ok(!defined $free || $free eq $whole, '... so has a walk on the free plan');
    my ($forth) = walk(with($path, limit => $step, direction => 'desc'));
    ok($forth eq $whole, '... desc is the default');
    my ($back) = walk(with($path, limit => $step, direction => 'asc'));
    is_deeply([reverse keys_of($back)], \@keys, '... asc is the reverse');
    my $exact = $site->get(with($path, limit => scalar @keys));
    like($exact->body, qr/"has_more":false/, '... a page that takes all says that there is no more') if @keys <= $most;
    my ($noise) = walk(with($path, limit => $most, unknown => 'x', 'limit[]' => 3, Limit => 2));
    ok($noise eq $whole, '... unknown parameters are ignored');
    return $whole;
}

sub check_link
{
    my ($path) = @_;
    my $first = $site->get(with($path, limit => 2));
    my ($target) = ($first->header('link') // '') =~ m{^<\Q$site->{base_url}\E([^>]+)>; rel="next"\z};
    ok($target, "$path: Link has an absolute address") or return diag $first->describe;
    my $second = $site->get($target);
    my $cursor = $first->json->{pagination}{next_cursor};
    is($second->body, $site->get(with($path, limit => 2, cursor => $cursor))->body, '... of the next page');
    cmp_ok(length $cursor, '<=', 200, '... whose cursor has at most 200 characters');
}

# --- filters: the same as filtering the whole list -------------------------------------------

my %issuer_of = map { ("$_->{ticker}:$_->{market}" => $_) } $site->rows('SELECT l.*, i.cik, sic_sector(p.sic) AS sector
    FROM listing l JOIN issuer i USING (issuer_id) LEFT JOIN issuer_profile p ON p.issuer_id = l.issuer_id
    AND p.superseded_at IS NULL WHERE l.superseded_at IS NULL');
my %recorded = map { ($_->{id} => $_->{recorded_at}) } $site->rows('SELECT id, recorded_at FROM filing');
my @listing = sort { $a->{ticker} cmp $b->{ticker} } values %issuer_of;

# For each parameter of a list: values, and whether a row is wanted under them.
my %filters = (
    transaction_types => [[['P'], ['S', 'G'], ['V']], sub { my ($row, @codes) = @_; grep { $row->{transaction_code} eq $_ } @codes }],
    min_value  => [[100_000, '5e5', 0, 1e12], sub { my ($row, $least) = @_; $row->{value} && $row->{value}{raw} >= $least }],
    start_date => [['2025-01-01', '2099-01-01'], sub { my ($row, $day) = @_; ($row->{filing_date} // $row->{filed_at}) ge $day }],
    end_date   => [['2024-06-30', '1999-01-01'], sub { my ($row, $day) = @_; ($row->{filing_date} // substr $row->{filed_at}, 0, 10) le $day }],
    symbols    => [[[$symbol], ["$symbol:US", lc $listing[0]{symbol}], ['NOBODY:US']],
        sub { my ($row, @symbols) = @_; grep { $row->{ticker} eq uc s/:.*//r } @symbols }],
    forms      => [[['10-K'], ['10-K/A', '8-K'], ['10-k']], sub { my ($row, @forms) = @_; grep { $row->{form} eq $_ } @forms }],
    updated_after => [['2020-01-01', '2099-01-01T00:00:00Z'], sub { my ($row, $time) = @_; $recorded{ $row->{id} } ge $time }],
    q          => [['in', 'IMAGINARY', '-B', '%', '_'], sub { my ($row, $part) = @_; "$row->{name}\n$row->{ticker}" =~ /\Q$part\E/i }],
    markets    => [[['US'], ['ca', 'GB'], ['XX']], sub { my ($row, @markets) = @_; grep { $row->{market} eq uc } @markets }],
    sector     => [['Manufacturing', 'retail trade', 'x'], sub { my ($row, $sector) = @_; lc($issuer_of{ $row->{symbol} }{sector} // '') eq lc $sector }],
    tickers    => [[[$symbol, 'NOBODY'], [lc $listing[3]{ticker}]], sub { my ($row, @tickers) = @_; grep { $row->{ticker} eq uc } @tickers }],
    ciks       => [[[$listing[0]{cik}, "CIK000$listing[5]{cik}"], ["000$listing[0]{cik}"], ['abc']],
        sub { my ($row, @ciks) = @_; grep { s/^CIK0*|^0+//r eq $row->{cik} =~ s/^0+//r && !/^CIK0|^000/ } @ciks }],
    isins      => [[[$listing[0]{isin}, lc $listing[1]{isin}], ['US0000000000']], sub { my ($row, @isins) = @_; grep { ($row->{isin} // '') eq uc } @isins }],
    figis      => [[[$listing[2]{figi}]], sub { my ($row, @figis) = @_; grep { ($row->{figi} // '') eq $_ } @figis }],
    issuer_ids => [[[1, 5, 7], [-1]], sub { my ($row, @ids) = @_; grep { $row->{issuer_id} == $_ } @ids }],
    active_only => [['true'], sub { my ($row) = @_; $issuer_of{ $row->{symbol} }{status} eq 'active' }],
);
my %paging = map { ($_ => 1) } qw(symbol cursor limit direction as_of);

sub check_filters
{
    my ($path, $operation, $all) = @_;
    my @names = grep { !$paging{$_} } map { $_->{name} } $operation->{parameters}->@*;
    for my $name (@names) {
        my ($values, $wanted) = ($filters{$name} // [])->@*;
        ok($values, "$path: $name has a rule in this suite") or next;
        for my $value (@$values) {
            my @expected = map { $_->{id} // $_->{symbol} } grep { $wanted->($_, ref $value ? @$value : $value) } @$all;
            my ($text) = walk(with($path, $name => $value));
            my @found = map { s/"//gr } keys_of($text);
            is_deeply(\@found, \@expected, sprintf '... %s=%s: %d of %d', $name, ref $value ? "@$value" : $value, scalar @expected, scalar @$all);
        }
    }
}

for my $template (sort keys %lists) {
    my $operation = $lists{$template};
    my $path = $template =~ s/\{symbol\}/$symbol/r;
    my ($limit) = grep { $_->{name} eq 'limit' } $operation->{parameters}->@*;
    check_limits($path, $limit->{schema}{default}, $limit->{schema}{maximum}) if $path ne '/v1/companies';
    # All rows of a list: where a parameter leaves some out by default, it is switched off.
    my $everything = $path eq '/v1/companies' ? with($path, active_only => 'false') : $path;
    my $text = check_walks($everything, $limit->{schema}{maximum});
    check_link($path);
    my @faults = map { schema_faults($site->get(with($everything, limit => 100, direction => $_))->json, schema_of($operation), $document) } qw(asc desc);
    is_deeply([@faults[0 .. ($#faults > 9 ? 9 : $#faults)]], [], "$path: answers fit their schema");
    my $all = JSON::PP->new->utf8->decode("[$text]");
    # Filters of listings without active_only=false look at active ones alone.
    my @shown = $path eq '/v1/companies' ? grep { $issuer_of{ $_->{symbol} }{status} eq 'active' } @$all : @$all;
    check_filters($path, $operation, $path eq '/v1/companies' ? \@shown : $all);
}
my ($whole) = walk('/v1/companies?active_only=false');
is(count($whole), scalar(keys %issuer_of), 'active_only=false lists every listing');

finish();
