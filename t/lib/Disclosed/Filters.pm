package Disclosed::Filters;

# What the lists' parameters are about: which field of an item a filter decides by, and what a list is
# ordered by. A new filter needs a line here.

use v5.24;
use warnings;
use Disclosed::Lists qw(with field_of);
use Exporter qw(import);

our @EXPORT_OK = qw(is_filter rule_of order_of passes values_to_try filter_values);

# Parameters that leave nothing out.
my %paging = map { ($_ => 1) } qw(cursor limit direction as_of sort unit fields);

sub is_filter { return !$paging{ $_[0] } }

# For each filter, by its name or by operation.name: `test`, how it decides (below), and `field`, what of an item
# it is about; or `of`, a function of item, key and fact, where `fact` is SQL of what no item shows: rows of
# key (as key_of() tells an item by) and value. A filter that leaves rows out by what cannot be told at all has
# the test "some". `values` stand beside those that are taken from items; `written` are other ways to write
# one, and `read` what makes them the same. `open` is the value under which nothing is left out, where that is
# not the default.
my $listing = "SELECT l.ticker || ':' || l.market AS key, %s AS value FROM listing l LEFT JOIN issuer_profile p"
    . " ON p.issuer_id = l.issuer_id AND p.superseded_at IS NULL WHERE l.superseded_at IS NULL";
my $fact = sub { $_[2] };
my %rules = (
    transaction_types => { test => 'equals', field => 'transaction_code' },
    min_value  => { test => 'at_least', field => 'value', values => ['5e5', 0, 1e12] },
    start_date => { test => 'from' },
    end_date   => { test => 'until' },
    symbols    => { test => 'symbol', of => sub { $_[0]{symbol} // $_[0]{ticker} } },
    forms      => { test => 'equals', field => 'form', values => ['10-k'] },
    updated_after => { test => 'from', of => $fact, fact => 'SELECT id AS key, recorded_at AS value FROM filing UNION SELECT id, created_at FROM event',
        values => ['2020-01-01', '2099-01-01T00:00:00Z'] },
    tickers    => { test => 'equals_any_case', field => 'ticker' },
    markets    => { test => 'equals_any_case', field => 'market', values => ['us', ['ca', 'GB'], 'XX'] },
    isins      => { test => 'equals_any_case', field => 'isin' },
    figis      => { test => 'equals', field => 'figi' },
    issuer_ids => { test => 'equals', field => 'issuer_id', values => [-1] },
    ciks       => { test => 'equals', field => 'cik', values => ['abc'], read => sub { $_[0] =~ s/^CIK//ir =~ s/^0+//r },
        written => [sub { $_[0] =~ s/^0+//r }, sub { sprintf '%010d', $_[0] }, sub { "CIK$_[0]" }] },
    q          => { test => 'contains', of => sub { "$_[0]{name}\n$_[0]{ticker}" }, values => ['in', 'IMAGINARY', '-B', '%', '_'] },
    sector     => { test => 'equals_any_case', of => $fact, fact => sprintf($listing, 'sic_sector(p.sic)'), values => ['Manufacturing'] },
    ticker     => { test => 'equals_any_case', field => 'ticker' },
    chamber    => { test => 'equals', field => 'politician.chamber' },
    transaction_type => { test => 'equals', field => 'transaction_type' },
    doc_types  => { test => 'equals', field => 'doc_type' },
    kind       => { test => 'equals', field => 'kind' },
    types      => { test => 'equals', field => 'family' },
    'list_beneficial_owners.forms' => { test => 'equals', field => 'form' },
    latest_only => { test => 'is_true', field => 'is_latest' },
    etfs_only  => { test => 'is_true', field => 'is_etf' },
    metrics    => { test => 'equals', field => 'canonical' },
    periods    => { test => 'equals', field => 'period.calendar', values => ['2025Q1', '2025'], read => sub { uc $_[0] =~ s/-//r },
        written => [sub { $_[0] =~ s/Q/-Q/r }, sub { lc $_[0] }] },
    page       => { test => 'equals', field => 'page_index', values => [0] },
    active_only => { test => 'is_true', of => $fact, fact => sprintf($listing, "(l.status = 'active')::int"), open => 'false' },
);

# How a filter decides. Each: does a row of which this is the value pass under these values of the filter?
my %tests = (
    equals   => sub { my ($value, @wanted) = @_; grep { $value eq $_ } @wanted },
    equals_any_case => sub { my ($value, @wanted) = @_; grep { lc $value eq lc } @wanted },
    # A bare ticker stands for all markets.
    symbol   => sub { my ($value, @wanted) = @_; grep { uc eq (/:/ ? $value : $value =~ s/:.*//r) } @wanted },
    at_least => sub { my ($value, $least) = @_; $value >= $least },
    # A date bounds times by their day.
    from     => sub { my ($value, $day) = @_; substr($value, 0, length $day) ge $day },
    until    => sub { my ($value, $day) = @_; substr($value, 0, length $day) le $day },
    contains => sub { my ($value, $part) = @_; $value =~ /\Q$part\E/i },
    is_true  => sub { my ($value, $wanted) = @_; $wanted eq 'false' || $value },
);

# What a list is ordered by, by operation or by operation.choice (of `sort`), where that is no field of its items,
# as the description of `direction` names it: a function of item; undef where an item does not tell.
my %orders = (
    list_companies => undef, # the day on which a listing became known
    'list_companies.listed' => undef,
    'list_companies.match' => undef, # by q: t/companies.t
    search_metrics => undef, # how well q is matched: t/fundamentals.t
    list_fund_exposure => sub { $_[0]{weight} },
    'list_fund_exposure.value' => sub { $_[0]{market_value}{raw} },
);

sub rule_of
{
    my ($list, $name) = @_;
    return $rules{"$list->{name}.$name"} // $rules{$name};
}

# Whether the suite knows what a list is ordered by, and the function that tells it from an item, or undef.
sub order_of
{
    my ($list, $choice) = @_;
    my $parameter = $list->{parameter}{direction} // $list->{parameter}{limit} // {};
    my ($named) = defined $choice ? $choice : ($parameter->{description} // '') =~ /\bby ([\w.]+)\.$/;
    my ($top) = ($named // '') =~ /^(\w+)/;
    return (1, sub { field_of($_[0], $named) }) if $top && $list->{item}{properties}{$top};
    my $name = defined $choice ? "$list->{name}.$choice" : $list->{name};
    return (exists $orders{$name}, $orders{$name});
}

# Whether a row of which the filter's field has a value passes under the values of the parameter.
sub passes
{
    my ($rule, $value, @wanted) = @_;
    return 0 if !defined $value && $rule->{test} ne 'is_true';
    my $read = $rule->{read} // sub { $_[0] };
    return $tests{ $rule->{test} }->($read->($value), map { $read->($_) } @wanted) ? 1 : 0;
}

# Values to try for a parameter: those of the rule and of the schema, and of what items have, the one that is
# frequent and the one that is rare, two together, and one that no item has.
sub values_to_try
{
    my ($schema, $rule, @found) = @_;
    ($schema) = $schema->{anyOf}->@* if $schema->{anyOf}; # a time, or a date
    return ('true', 'false') if $schema->{type} eq 'boolean';
    my %count;
    $count{$_}++ for grep { defined && $_ ne '' } @found;
    my @sorted = sort { $count{$b} <=> $count{$a} || $a cmp $b } keys %count;
    my @values = ($rule->{values} // [])->@*;
    push @values, $rule->{test} =~ /^(?:from|until|at_least)\z/ ? bounds($schema, $rule, @sorted)
        : $rule->{test} =~ /^(?:contains|some)\z/ ? () : choices($schema, $rule, @sorted);
    my %seen;
    return grep { !$seen{ ref $_ ? "@$_" : $_ }++ } @values;
}

# A value for each filter of a list, by name: one that some item of the first page has, else one of the rule's.
sub filter_values
{
    my ($lists, $list, $path) = @_;
    my ($rows) = $lists->walk(with($path, limit => 100), pages => 1);
    my %values;
    for my $name (grep { is_filter($_) } $list->{query}->@*) {
        my $rule = rule_of($list, $name) // next; # t/contract.t says so
        my (undef, $order) = order_of($list);
        my $of = $rule->{fact} ? sub { undef } : $rule->{of} // ($rule->{field} ? sub { field_of($_[0], $rule->{field}) } : $order);
        my @values = values_to_try($list->{parameter}{$name}{schema}, $rule, $of ? map { $of->($lists->item($_)) } @$rows : ());
        my @own = grep { !ref && !/^(?:NOBODY|1950|2990)/ } @values;
        $values{$name} = $own[0] // $values[0];
    }
    return %values;
}

sub bounds
{
    my ($schema, $rule, @values) = @_;
    return () if $rule->{fact};
    my @outside = $rule->{test} eq 'at_least' ? () : ('1950-01-01', '2990-01-01');
    @values = $rule->{test} eq 'at_least' ? sort { $a <=> $b } @values : sort @values;
    @values = map { substr $_, 0, 10 } @values if ($schema->{format} // '') eq 'date';
    return (@outside, @values ? map { $values[ $_ * $#values ] } 0, 0.5, 0.9, 1 : ());
}

sub choices
{
    my ($schema, $rule, @values) = @_;
    my $single = $schema->{items} // $schema;
    return $single->{enum}->@* if $single->{enum};
    my @tried = $single->{type} eq 'integer' ? () : ('NOBODY');
    return @tried if !@values;
    push @tried, $values[0], $values[-1], map { $_->($values[0]) } ($rule->{written} // [])->@*;
    push @tried, lc $values[0] if $rule->{test} =~ /any_case|symbol/;
    push @tried, $values[0] =~ s/:.*//r if $rule->{test} eq 'symbol';
    push @tried, [@values[0, -1]] if $schema->{items} && @values > 1;
    return @tried;
}

1;
