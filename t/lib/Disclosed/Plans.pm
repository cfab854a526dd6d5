package Disclosed::Plans;

# The plans of the statements that the module really sends, from PostgreSQL's auto_explain: sessions of a
# database write each statement's plan into the server's log. One request at a time; what others send to
# that database meanwhile is seen as well.

use v5.24;
use warnings;
use Disclosed::JSON ();

my $json = Disclosed::JSON->new;

# SQL that switches it on for sessions to come, run by the superuser. Further settings as SQL text by name.
sub settings
{
    my ($class, $database, %more) = @_;
    my %settings = (session_preload_libraries => "'auto_explain'", 'auto_explain.log_min_duration' => 0,
        'auto_explain.log_format' => "'json'", 'auto_explain.log_nested_statements' => 'on', %more);
    return join '', map { "ALTER DATABASE $database SET $_ = $settings{$_};\n" } sort keys %settings;
}

# A reader of a server's log, from its end on; of one database alone where the log's lines name it (Disclosed::Cluster).
sub new
{
    my ($class, $log, $database) = @_;
    my $self = bless { log => $log, whose => defined $database ? qr/^.* database=\Q$database\E LOG:  /m : qr// }, $class;
    $self->{offset} = -s $log // 0;
    return $self;
}

# The plans that were written since the last call: [{ query, plan }, ...]. Of a long one PostgreSQL may have written a part: then it is
# read again.
sub read
{
    my ($self) = @_;
    my $start = $self->{offset};
    for (1 .. 50) {
        my $plans = eval { $self->read_whole };
        return @$plans if $plans;
        $self->{offset} = $start;
        select undef, undef, undef, 0.02;
    }
    die $@;
}

sub read_whole
{
    my ($self) = @_;
    open my $file, '<', $self->{log} or die "$self->{log}: $!\n";
    seek $file, $self->{offset}, 0;
    local $/;
    my $text = scalar <$file> // '';
    $self->{offset} += length $text;
    my @plans;
    # Lines of one message but its first begin with a tab.
    while ($text =~ /$self->{whose}duration: [\d.]+ ms  plan:\n((?:\t.*\n)+)/g) {
        my $document = $json->decode($1 =~ s/^\t//gmr);
        push @plans, { query => $document->{'Query Text'}, plan => $document->{Plan} };
    }
    return \@plans;
}

# Whether keys or the background process ask so, beside what a request is about.
sub is_beside { my ($query) = @_; return $query =~ /\b(?:api_key|account|dataset_stat|key_generation|followed_\w+|change_reader|\w*webhook\w*)\b/ }

# All nodes of a plan, each with those above it: [node, parent, grandparent, ...].
sub nodes
{
    my ($node, @above) = @_;
    return ([$node, @above], map { nodes($_, $node, @above) } ($node->{Plans} // [])->@*);
}

# What is wrong with a page's plan: a table read from end to end, or sorted beyond a page. `small` names tables
# that may be, or undef; `most` is how many rows may be sorted.
sub faults
{
    my ($plan, $small, $most) = @_;
    my @faults;
    for my $place (nodes($plan)) {
        my ($node, @above) = @$place;
        my $type = $node->{'Node Type'};
        push @faults, "Seq Scan on $node->{'Relation Name'}" if $type eq 'Seq Scan' && !$small->{ $node->{'Relation Name'} };
        my $input = $type =~ /Sort/ ? ($node->{Plans}[0]{'Actual Rows'} // $node->{Plans}[0]{'Plan Rows'}) : 0;
        push @faults, "$type of $input rows by " . join ', ', $node->{'Sort Key'}->@* if $input > $most;
    }
    return @faults;
}

# A plan in one line, from the top: node types with their indexes.
sub line
{
    my ($plan) = @_;
    my $name = $plan->{'Node Type'};
    $name .= " $plan->{'Index Name'}" if $plan->{'Index Name'};
    $name .= " on $plan->{'Relation Name'}" if $plan->{'Relation Name'} && !$plan->{'Index Name'};
    my @below = map { line($_) } ($plan->{Plans} // [])->@*;
    return @below ? "$name(" . join(', ', @below) . ')' : $name;
}

1;
