# On Citus: a coordinator and two workers serve what a single PostgreSQL serves, byte for byte; loads, credits and webhooks work
# there; a company's rows are asked of one worker; a worker that is gone makes 503 of its companies' requests alone.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Citus;
use Disclosed::Lists qw(with);
use Disclosed::Memory qw(patience);
use Disclosed::Process qw(wait_until);
use Disclosed::Shared qw(control);
use Disclosed::Test qw(without_cache);
use Disclosed::TimeMachine;
use JSON::PP ();

if (my $missing = Disclosed::Citus::missing()) {
    plan skip_all => "NOT RUN: no Citus: $missing";
}
my $citus = Disclosed::Citus->new;
my $coordinator = $citus->coordinator;
my $json = JSON::PP->new->utf8->canonical;

# disclosedctl on a database of the coordinator; dies where that fails.
sub control_of
{
    my ($database, @arguments) = @_;
    my ($code, $out, $err) = control($coordinator->conninfo($database), @arguments);
    is($code, 0, "disclosedctl @arguments") or diag $out, $err;
    return $out;
}

# --- the same data in one PostgreSQL and in three -------------------------------------------------

$coordinator->create_database('single');
control_of('single', 'migrate');
control_of('single', 'demo');
$citus->create_database('spread', 'single');
control_of('spread', 'distribute', '--apply');

my $single = site(cluster => $coordinator, database => 'single', start => 0, base_url => 'https://api.example.org');
my $spread = site(cluster => $coordinator, database => 'spread', start => 0, base_url => 'https://api.example.org');
$spread->{secret} = $single->{secret};
$spread->write('conf/secret', "$single->{secret}\n", 0600);
$_->start for $single, $spread;

# What differs between two responses; '' where they are the same.
sub difference
{
    my ($target) = @_;
    my ($one, $other) = map { $_->get($target) } $single, $spread;
    my ($first, $second) = map { $_->body =~ s/"request_id":"\w+"//r } $one, $other;
    return "$target: " . $one->status . ' and ' . $other->status if $one->status != $other->status;
    return "$target: ETag" if ($one->header('etag') // '') ne ($other->header('etag') // '');
    return $first eq $second ? '' : "$target: bodies\n  " . substr($first, 0, 300) . "\n  " . substr($second, 0, 300);
}

my $machine = Disclosed::TimeMachine->new(full => $single, grown => $spread, symbols => 3, most => 3, sources => 1);
my $names = { full => $machine->translate($single), grown => $machine->translate($spread) };
my (%asked, @different);
for my $target ($machine->targets($names)) {
    for my $as_of (undef, '2025-01-01') {
        my $asked = with($target->{path}[0], $as_of ? (as_of => $as_of) : ());
        next if $asked{$asked}++;
        my $difference = difference($asked);
        push @different, $difference if $difference;
    }
}
is(join("\n", @different), '', 'the same bytes of ' . keys(%asked) . ' targets');
log_is_clean($_, 'nothing is logged') for $single, $spread;
finish();
