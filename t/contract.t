# What every list keeps to, taken from the OpenAPI document that the module serves, so that a list that
# is added is looked at without a word here: fields and their types, walks in both directions, order,
# limits and page caps, every filter alone and with every other, cursors, ETags, HEAD, as_of.
# A filter needs a rule: which field of an item it is about, and how.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Lists qw(with field_of);
use Disclosed::Schema qw(schema_faults);
use Disclosed::Test;

my $site  = site();
my $lists = Disclosed::Lists->new($site);
my %looked = map { ($_ => 0) } qw(lists items fields parameters values pairs pages requests);

# --- what parameters are about ---------------------------------------------------------------

# Facts that an item does not show, by what key_of() tells it by.
sub facts { return map { ($_->{key} => $_->{value}) } $site->rows($_[0]) }
my $listing = "FROM listing l LEFT JOIN issuer_profile p ON p.issuer_id = l.issuer_id AND p.superseded_at IS NULL
    WHERE l.superseded_at IS NULL";
my %sector   = facts("SELECT l.ticker || ':' || l.market AS key, sic_sector(p.sic) AS value $listing");
my %status   = facts("SELECT l.ticker || ':' || l.market AS key, l.status AS value $listing");
my %received = facts('SELECT id AS key, recorded_at AS value FROM filing UNION SELECT id, created_at FROM event');

# How a filter decides. Each: does a row whose field has this value pass under these values of the filter?
my %tests = (
    equals     => sub { my ($value, @wanted) = @_; defined $value && grep { $value eq $_ } @wanted },
    equals_any_case => sub { my ($value, @wanted) = @_; defined $value && grep { lc $value eq lc } @wanted },
    symbol     => sub { my ($value, @wanted) = @_; defined $value && grep { uc($_) eq ($value =~ /:/ && !/:/ ? $value =~ s/:.*//r : $value) } @wanted },
    at_least   => sub { my ($value, $least) = @_; defined $value && $value >= $least },
    # A date bounds times by their day.
    from       => sub { my ($value, $day) = @_; defined $value && substr($value, 0, length $day) ge $day },
    until      => sub { my ($value, $day) = @_; defined $value && substr($value, 0, length $day) le $day },
    contains   => sub { my ($value, $part) = @_; defined $value && $value =~ /\Q$part\E/i },
    is_true    => sub { my ($value, $wanted) = @_; $wanted eq 'false' || $value },
);

# For each filter, by its name or by operation.name: how it decides, and the field of an item that it is about
# (or `of`, a function of item and key). One that leaves rows out by what no item shows has the test "some".
# `values` stand beside those that the suite takes from the items; `written` are other ways to write a value.
# `open` is the value under which nothing is left out, where that is not the default.
my %rules = (
    transaction_types => { test => 'equals', field => 'transaction_code' },
    min_value  => { test => 'at_least', field => 'value', values => ['5e5', 0, 1e12] },
    start_date => { test => 'from' },
    end_date   => { test => 'until' },
    symbols    => { test => 'symbol', of => sub { $_[0]{symbol} // $_[0]{ticker} } },
    forms      => { test => 'equals', field => 'form', values => ['10-k'] },
    updated_after => { test => 'from', of => sub { $received{ $_[1] } }, values => ['2020-01-01', '2099-01-01T00:00:00Z'] },
    tickers    => { test => 'equals_any_case', field => 'ticker' },
    markets    => { test => 'equals_any_case', field => 'market', values => ['us', ['ca', 'GB'], 'XX'] },
    isins      => { test => 'equals_any_case', field => 'isin' },
    figis      => { test => 'equals', field => 'figi' },
    issuer_ids => { test => 'equals', field => 'issuer_id', values => [-1] },
    ciks       => { test => 'equals', of => sub { $_[0]{cik} =~ s/^0+//r }, values => ['abc'],
        written => [sub { "000$_[0]" =~ s/^0+(?=\d{10})//r }, sub { "CIK$_[0]" }] },
    q          => { test => 'contains', of => sub { "$_[0]{name}\n$_[0]{ticker}" }, values => ['in', 'IMAGINARY', '-B', '%', '_'] },
    sector     => { test => 'equals_any_case', of => sub { $sector{ $_[1] } } },
    ticker     => { test => 'equals_any_case', field => 'ticker' },
    doc_types  => { test => 'equals', field => 'doc_type' },
    kind       => { test => 'equals', field => 'kind' },
    types      => { test => 'equals', field => 'family' },
    page       => { test => 'equals', field => 'page_index', values => [0] },
    active_only => { test => 'is_true', of => sub { $status{ $_[1] } eq 'active' }, open => 'false' },
);

# What a list is ordered by, where the description of `direction` does not name a field of its items: a
# function of item and key; undef where an item does not tell.
my %orders = (
    list_companies => undef, # the day on which a listing became known
);

# Where values of path parameters come from: lists, and the field of their items.
my %places = (
    symbol => [['/v1/companies', 'symbol']],
    cik    => [['/v1/institutions/holders-of/{symbol}', 'institution.cik']],
    doc_id => [['/v1/documents', 'id']],
);

# Lists that look ahead from the instant of asking: of another instant they have other rows.
my %by_clock = map { ($_ => 1) } qw(list_calendar);

my %paging = map { ($_ => 1) } qw(cursor limit direction as_of sort);

# --- the path of a list ----------------------------------------------------------------------

# Values of a path parameter, at most 40.
sub path_values
{
    my ($name) = @_;
    my %seen;
    for my $place (($places{$name} // die "no place for the path parameter $name: name one in %places\n")->@*) {
        my ($target, $field) = @$place;
        my ($rows) = $lists->walk(with(longest($target), limit => 500), pages => 1);
        $seen{ field_of($lists->item($_), $field) // '' } = 1 for @$rows;
    }
    delete $seen{''};
    return (sort keys %seen)[0 .. (keys %seen > 40 ? 39 : keys(%seen) - 1)];
}

# The template with that value in the place of its parameter which gives the longest list.
my %longest;
sub longest
{
    my ($template) = @_;
    my ($name) = $template =~ /\{(\w+)\}/ or return $template;
    return $longest{$template} //= do {
        my ($best, $most) = (undef, -1);
        for my $value (path_values($name)) {
            my $target = $template =~ s/\{\w+\}/$value/r;
            my ($rows) = $lists->walk(with($target, limit => 500), pages => 1);
            ($best, $most) = ($target, scalar @$rows) if @$rows > $most;
        }
        $best // die "no value for $template\n";
    };
}

# --- fields, walks, order ---------------------------------------------------------------------

sub keys_of { return map { $lists->key_of($_) } @{ $_[0] } }

# All items fit the schema. Tells which fields no item has.
sub check_items
{
    my ($list, $rows) = @_;
    my (@faults, %filled);
    for my $row (@$rows) {
        my $item = $lists->item($row);
        push @faults, schema_faults($item, $list->{item}, $lists->{document});
        $filled{$_} = 1 for grep { defined $item->{$_} } keys %$item;
    }
    my @fields = sort keys $list->{item}{properties}->%*;
    is_deeply([@faults[0 .. ($#faults > 9 ? 9 : $#faults)]], [], "$list->{path}: all " . @$rows . ' items fit the schema');
    my @empty = grep { !$filled{$_} } @fields;
    diag "$list->{path}: null in every item of the demo data: @empty" if @empty;
    $looked{items} += @$rows;
    $looked{fields} += @fields;
}

# A whole answer fits the schema: what stands beside the items.
sub check_envelope
{
    my ($list, $target) = @_;
    my @faults = schema_faults($lists->get(with($target, limit => 1))->json, $list->{schema}, $lists->{document});
    is_deeply(\@faults, [], '... so does a whole answer');
}

sub check_walks
{
    my ($list, $target, $rows, $most) = @_;
    my @keys = keys_of($rows);
    my %seen = map { ($_ => 1) } @keys;
    is(scalar(keys %seen), scalar @keys, '... no row is shown twice');
    my $step = int(@keys / 7) + 1;
    my ($small, $pages) = $lists->walk(with($target, limit => $step));
    is($pages, int((@keys + $step - 1) / $step), "... $pages pages of $step");
    is_deeply($small, $rows, '... have the same rows as large pages');
    my ($free) = $lists->walk(with($target, limit => 500), key => 'free') if @keys < 300;
    is_deeply($free // $rows, $rows, '... so has a walk on the free plan');
    my ($noise) = $lists->walk(with($target, limit => $most, unknown => 'x', 'limit[]' => 3, Limit => 2));
    is_deeply($noise, $rows, '... unknown parameters are ignored');
    like($lists->get(with($target, limit => scalar @keys))->body, qr/"has_more":false/, '... a page that takes all says that there is no more')
        if @keys && @keys <= $most;
    return if !$list->{parameter}{direction};
    my ($usual, $other) = ways($list);
    my ($forth) = $lists->walk(with($target, limit => $most, direction => $usual));
    is_deeply($forth, $rows, "... $usual is the default");
    my ($back) = $lists->walk(with($target, limit => $step, direction => $other));
    is_deeply([reverse @$back], $rows, "... $other is the reverse");
}

# The direction that a list has by default, and the other: what has a date begins with the newest.
sub ways
{
    my ($list) = @_;
    return $list->{parameter}{direction}{schema}{default} eq 'asc' ? qw(asc desc) : qw(desc asc);
}

# The function that tells what a list is ordered by, or undef.
sub order_of
{
    my ($list, $choice) = @_;
    my ($named) = defined $choice ? $choice : ($list->{parameter}{direction} // $list->{parameter}{limit})->{description} =~ /\bby ([\w.]+)\.$/;
    my ($top) = ($named // '') =~ /^(\w+)/;
    return sub { field_of($_[0], $named) } if $top && $list->{item}{properties}{$top};
    my $name = defined $choice ? "$list->{name}.$choice" : $list->{name};
    ok(exists $orders{$name}, "$name: what it is ordered by has a rule in this suite");
    return $orders{$name};
}

sub check_order
{
    my ($list, $rows, $order, $text) = @_;
    return if !$order;
    my @values = map { $order->($lists->item($_), $lists->key_of($_)) } @$rows;
    @values = reverse @values if $list->{parameter}{direction} && (ways($list))[0] eq 'asc';
    my $numbers = !grep { ($_ // '') !~ /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?\z/ } @values;
    my @wrong = grep {
        my ($one, $next) = @values[$_ - 1, $_];
        !defined $one || !defined $next || ($numbers ? $one < $next : $one lt $next);
    } 1 .. $#values;
    is_deeply([map { [@values[$_ - 1, $_]] } @wrong[0 .. ($#wrong > 2 ? 2 : $#wrong)]], [], $text);
}

sub check_sort
{
    my ($list, $target, $rows, $most) = @_;
    for my $choice ($list->{parameter}{sort}{schema}{enum}->@*) {
        my ($sorted) = $lists->walk(with($target, sort => $choice, limit => $most));
        is_deeply([sort @$sorted], [sort @$rows], "... sort=$choice has the same rows");
        check_order($list, $sorted, order_of($list, $choice), "... ordered by $choice");
        my ($small) = $lists->walk(with($target, sort => $choice, limit => int(@$rows / 5) + 1));
        is_deeply($small, $sorted, '... on small pages too');
    }
}

# --- limits, cursors, caching, instants -------------------------------------------------------

sub size_of
{
    my ($target, %option) = @_;
    my $rows = Disclosed::Lists::rows_of($lists->get($target, %option));
    return $rows ? scalar @$rows : 'no list';
}

sub least { return (sort { $a <=> $b } @_)[0] }

sub check_limits
{
    my ($list, $target, $total) = @_;
    my ($default, $most) = $list->{parameter}{limit}{schema}->@{qw(default maximum)};
    is(size_of($target), least($default, $total), "... $default rows by default");
    is(size_of(with($target, limit => $_)), least($_, $total), "... limit=$_") for 1, 2, $most;
    is($lists->get(with($target, limit => $_), key => 'free')->status, 422, "... limit=$_ is refused on every plan") for 0, -1, $most + 1;
    for my $key (qw(free test)) {
        is(size_of($target, key => $key), least(25, $default, $total), "... at most 25 rows on a $key key");
        is(size_of(with($target, limit => $most), key => $key), least(25, $total), '... also where more are asked for');
        is(size_of(with($target, limit => 1), key => $key), least(1, $total), '... and fewer where fewer are');
    }
}

# A cursor goes on from where it came from, and belongs to one direction, instant and set of filters.
sub check_cursor
{
    my ($list, $target, $values) = @_;
    my $first = $lists->get(with($target, limit => 1));
    my $cursor = $first->json->{pagination}{next_cursor} // return;
    my ($link) = ($first->header('link') // '') =~ m{^<\Q$site->{base_url}\E([^>]+)>; rel="next"\z};
    ok($link, '... Link has an absolute address') or return diag $first->describe;
    is($lists->get($link)->body, $lists->get(with($target, limit => 1, cursor => $cursor))->body, '... of the next page');
    cmp_ok(length $cursor, '<=', 200, '... whose cursor has at most 200 characters');
    my %other = (%$values, $list->{parameter}{direction} ? (direction => (ways($list))[1]) : (), as_of => '2026-11-01');
    my @taken = grep { my $r = $lists->get(with($target, limit => 1, cursor => $cursor, $_ => $other{$_}));
        $r->status != 422 || $r->body !~ /"loc":\["query","cursor"\]/ } sort keys %other;
    is("@taken", '', '... and is not taken with another ' . join ', ', sort keys %other);
    is($lists->get(with($target, cursor => "x$cursor"))->status, 422, '... nor when it was changed');
}

sub check_caching
{
    my ($target) = @_;
    my $whole = $lists->get($target);
    my $etag = $whole->header('etag') // '';
    like($etag, qr{^W/"[0-9a-f]{32}"\z}, '... has an ETag');
    my $again = $lists->get($target, headers => { 'If-None-Match' => $etag });
    is($again->status . ' ' . length $again->body, '304 0', '... a 304 without a body');
    is($again->header('etag'), $etag, '... with the same ETag');
    my $other = $lists->get(with($target, limit => 1), headers => { 'If-None-Match' => $etag });
    is($other->status, 200, '... of this request alone');
    my $head = $site->head($target);
    is_deeply([map { $head->header($_) } qw(etag content-type content-length)], [map { $whole->header($_) } qw(etag content-type content-length)],
        '... HEAD has the same headers');
    is($head->status . ' ' . length $head->body, '200 0', '... and no body');
}

sub check_instants
{
    my ($list, $target, $rows, $most) = @_;
    my ($all) = $lists->walk(with($target, limit => $most, as_of => '2999-01-01'));
    is_deeply([sort { $a cmp $b } keys_of($all)], $by_clock{ $list->{name} } ? [] : [sort { $a cmp $b } keys_of($rows)],
        '... the same rows as of a day to come' . ($by_clock{ $list->{name} } ? ', as far as they are to come then' : ''));
    my $before = $lists->get(with($target, as_of => '1950-01-01'));
    my $empty = $before->status == 200 && $before->body =~ /"data":\[\],"pagination":\{"next_cursor":null,"has_more":false\}\}\z/;
    # What is in the path was not known then either.
    ok($empty || $list->{path} =~ /\{/ && $before->status == 404, '... none as of a day long ago') or diag $before->describe;
}

sub check_access
{
    my ($list, $target) = @_;
    is($lists->get($target, key => undef)->status, 401, '... 401 without a key');
    is($site->request('POST', $target)->status, 405, '... 405 for POST');
    is($lists->get($list->{path} =~ s/\{symbol\}/NOBODY:US/r)->status, 404, '... 404 for a symbol that nobody has') if $list->{path} =~ /\{symbol\}/;
}

# --- filters: the same as filtering the whole list --------------------------------------------

sub rule_of
{
    my ($list, $name) = @_;
    return $rules{"$list->{name}.$name"} // $rules{$name};
}

# The function of item and key that a rule is about; a date without a field is about what the list is ordered by.
sub subject_of
{
    my ($list, $rule) = @_;
    my $field = $rule->{field};
    return $rule->{of} // ($field ? sub { field_of($_[0], $field) } : order_of($list));
}

# Values to try: those of the schema, of the rule, and of the items, the one that is frequent and the one
# that is rare, two together, and one that no item has.
sub values_to_try
{
    my ($schema, $rule, @found) = @_;
    return ('true', 'false') if $schema->{type} eq 'boolean';
    my @values = ($rule->{values} // [])->@*;
    my %count;
    $count{$_}++ for grep { defined && $_ ne '' } @found;
    my @sorted = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
    if ($rule->{test} =~ /^(?:from|until|at_least)\z/) {
        return @values if $rule->{of};
        my @ordered = $rule->{test} eq 'at_least' ? sort { $a <=> $b } @sorted : sort @sorted;
        @ordered = map { substr $_, 0, 10 } @ordered if ($schema->{format} // '') eq 'date';
        push @values, map { $ordered[ $_ * $#ordered ] } 0, 0.5, 0.9, 1 if @ordered;
        push @values, '1950-01-01', '2990-01-01' if $rule->{test} ne 'at_least';
        return @values;
    }
    return @values if $rule->{test} eq 'contains';
    my $enum = ($schema->{items} // $schema)->{enum};
    push @values, grep { defined } $enum ? @$enum : (@sorted[0, -1], ($schema->{items} // $schema)->{type} eq 'integer' ? () : 'NOBODY');
    push @values, map { $_->($sorted[0]) } ($rule->{written} // [])->@* if @sorted;
    push @values, lc $sorted[0] if @sorted && $rule->{test} =~ /any_case|symbol/;
    push @values, [@sorted[0, -1]] if $schema->{items} && @sorted > 1;
    my %seen;
    return grep { !$seen{ ref $_ ? "@$_" : $_ }++ } @values;
}

# Every value of one filter; returns the value that splits the list best, with its keys.
sub check_filter
{
    my ($list, $target, $rows, $name, $most) = @_;
    my $rule = rule_of($list, $name);
    ok($rule, "... $name has a rule in this suite") or return;
    my $subject = $rule->{test} eq 'some' ? sub { 'x' } : subject_of($list, $rule)
        or return fail("... $name: no field to compare");
    my %about = map { my $key = $lists->key_of($_); ($key => $subject->($lists->item($_), $key)) } @$rows;
    my @keys = keys_of($rows);
    my ($best, @wrong, $tried);
    for my $value (values_to_try($list->{parameter}{$name}{schema}, $rule, values %about)) {
        my @values = ref $value ? @$value : ($value);
        @values = map { s/^CIK//ir =~ s/^0+//r } @values if $name eq 'ciks';
        my ($found) = $lists->walk(with($target, $name => $value, limit => $most));
        my @found = keys_of($found);
        my %found = map { ($_ => 1) } @found;
        my @expected = grep { $rule->{test} eq 'some' ? $found{$_} : $tests{ $rule->{test} }->($about{$_}, @values) } @keys;
        $tried++;
        push @wrong, sprintf '%s: %d rows, not %d', ref $value ? "@$value" : $value, scalar @found, scalar @expected if "@found" ne "@expected";
        my $split = @found * (@keys - @found);
        $best = { value => $value, keys => \@found, split => $split } if !$best || $split > $best->{split};
    }
    is(join("\n", @wrong), '', "... $name: the rows that the whole list has under it, $tried values");
    $looked{values} += $tried // 0;
    return $best;
}

# Two filters, and all: the rows that pass each of them.
sub check_together
{
    my ($path, $most, $open, %best) = @_;
    my @names = sort keys %best;
    my @groups = (map { my $i = $_; map { [@names[$i, $_]] } $i + 1 .. $#names } 0 .. $#names);
    push @groups, [@names] if @names > 2;
    my (@wrong, $rows);
    for my $group (@groups) {
        my %passed;
        $passed{$_}++ for map { $best{$_}{keys}->@* } @$group;
        my @expected = grep { $passed{$_} == @$group } $best{ $group->[0] }{keys}->@*;
        my ($found) = $lists->walk(with($path, %$open, limit => $most, map { ($_ => $best{$_}{value}) } @$group));
        my @found = keys_of($found);
        push @wrong, "@$group: " . @found . ' rows, not ' . @expected if "@found" ne "@expected";
        $rows += @found;
    }
    is(join("\n", @wrong), '', '... ' . @groups . " pairs of filters, and all together: $rows rows") if @groups;
    $looked{pairs} += @groups;
}

# --- all of it --------------------------------------------------------------------------------

sub check_list
{
    my ($list) = @_;
    my $path = longest($list->{path});
    my @filters = grep { !$paging{$_} } $list->{query}->@*;
    # Where a parameter leaves rows out by default, it is opened; and comes back as a filter.
    my %open = map { my $rule = rule_of($list, $_); $rule && $rule->{open} ? ($_ => $rule->{open}) : () } @filters;
    my $target = with($path, %open);
    my $most = $list->{parameter}{limit}{schema}{maximum} // 500;
    my ($rows) = $lists->walk($list->{parameter}{limit} ? with($target, limit => $most) : $target);
    cmp_ok(scalar @$rows, '>=', 1, "$list->{path}: the demo data has rows, as $path");
    check_items($list, $rows);
    check_envelope($list, $target);
    check_access($list, $path);
    check_caching($target);
    check_order($list, $rows, order_of($list), '... in the order that its description says') if $list->{parameter}{direction};
    check_walks($list, $target, $rows, $most) if $list->{parameter}{cursor};
    check_limits($list, $target, scalar @$rows) if $list->{parameter}{limit};
    check_instants($list, $target, $rows, $most) if $list->{parameter}{as_of};
    check_sort($list, $target, $rows, $most) if $list->{parameter}{sort};
    my %best;
    for my $name (@filters) {
        my %others = map { ($_ => $open{$_}) } grep { $_ ne $name } keys %open;
        my $best = check_filter($list, with($path, %others), $rows, $name, $most);
        $best{$name} = $best if $best;
    }
    check_together($path, $most, \%open, %best);
    check_cursor($list, $target, { map { ($_ => $best{$_}{value}) } grep { !exists $open{$_} } keys %best }) if $list->{parameter}{cursor};
    my @faults = $lists->faults;
    is(join("\n", @faults), '', '... nothing was wrong with a page on the way');
    $looked{lists}++;
    $looked{parameters} += $list->{query}->@*;
}

check_list($_) for $lists->lists;
$looked{$_} = $lists->{$_} for qw(pages requests);
diag join ', ', map { "$looked{$_} $_" } qw(lists items fields parameters values pairs pages requests);
my %least = (lists => 4, items => 3000, fields => 40, parameters => 30, values => 60, pairs => 50, pages => 300);
cmp_ok($looked{$_}, '>=', $least{$_}, "looked at $looked{$_} $_") for sort keys %least;

finish();
