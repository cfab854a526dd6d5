# What every list keeps to, taken from the OpenAPI document that the module serves, so that a list that
# is added is looked at without a word here: fields and their types, walks in both directions, order,
# limits and page caps, every filter alone and with every other, cursors, ETags, HEAD, as_of.
# What a filter is about stands in Disclosed/Filters.pm; one that does not is a fault.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Filters qw(is_filter rule_of order_of passes values_to_try);
use Disclosed::Lists qw(with field_of);
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(wait_until);
use Disclosed::Schema qw(schema_faults);
use Disclosed::Test;

my $site  = site();
my $lists = Disclosed::Lists->new($site);
# Lists that look ahead from the instant of asking: of another instant they have other rows.
my %by_clock = map { ($_ => 1) } qw(list_calendar);

my %looked = map { ($_ => 0) } qw(lists items fields parameters values pairs pages requests);

my %paging = map { ($_ => 1) } qw(cursor limit direction as_of sort unit fields);

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
sub known_order
{
    my ($list, $choice) = @_;
    my ($known, $order) = order_of($list, $choice);
    ok($known, "... what it is ordered by" . ($choice ? " under sort=$choice" : '') . ' has a rule in Filters.pm');
    return $order;
}

sub check_order
{
    my ($list, $rows, $order, $text) = @_;
    return if !$order;
    my @values = map { $order->($lists->item($_)) } @$rows;
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
        check_order($list, $sorted, known_order($list, $choice), "... ordered by $choice");
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
    # A tag is left out while the background process is late, as on a machine that stalls.
    my $whole;
    wait_until(20 * patience(), sub { $whole = $lists->get($target); $whole->header('etag') });
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

# What a filter decides by, of every row: by key.
sub subjects
{
    my ($list, $rule, $rows) = @_;
    my ($known, $order) = order_of($list);
    my $of = $rule->{of} // ($rule->{field} ? sub { field_of($_[0], $rule->{field}) } : $order) // return;
    my %fact = $rule->{fact} ? map { ($_->{key} => $_->{value}) } $site->rows($rule->{fact}) : ();
    return { map { my $key = $lists->key_of($_); ($key => $of->($lists->item($_), $key, $fact{$key})) } @$rows };
}

# Every value of one filter; returns the value that splits the list best, with its keys.
sub check_filter
{
    my ($list, $target, $rows, $name, $most) = @_;
    my $rule = rule_of($list, $name);
    ok($rule, "... $name has a rule in Filters.pm") or return;
    my $about = $rule->{test} eq 'some' ? {} : subjects($list, $rule, $rows) // return fail("... $name: no field to compare");
    my @keys = keys_of($rows);
    my ($best, @wrong, $tried);
    for my $value (values_to_try($list->{parameter}{$name}{schema}, $rule, values %$about)) {
        my @values = ref $value ? @$value : ($value);
        my ($found) = $lists->walk(with($target, $name => $value, limit => $most));
        my @found = keys_of($found);
        my %found = map { ($_ => 1) } @found;
        my @expected = grep { $rule->{test} eq 'some' ? $found{$_} : passes($rule, $about->{$_}, @values) } @keys;
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
    my $path = $lists->path_of($list->{path});
    my @filters = grep { is_filter($_) } $list->{query}->@*;
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
    check_order($list, $rows, known_order($list), '... in the order that its description says') if $list->{parameter}{direction};
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
