# What functions of the database and statements of the program call exists, with so many arguments: PL/pgSQL itself finds out only when
# it gets there, and PostgreSQL drops a function that others call. Each check is tried on a call with the mistake.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Process qw(slurp);
use Disclosed::Shared qw(cluster database);
use Disclosed::Test;
use File::Find ();

my $database = database('empty');

my (%takes, %is_table);    # function => [[fewest, most arguments], ...]
for my $row (cluster()->rows($database, q{SELECT proname, pronargs - pronargdefaults AS fewest, CASE WHEN provariadic = 0 THEN pronargs ELSE 100 END AS most
    FROM pg_proc WHERE pronamespace = 'disclosed'::regnamespace})) {
    push $takes{ $row->{proname} }->@*, [$row->{fewest}, $row->{most}];
}
$is_table{ $_->{relname} } = 1 for cluster()->rows($database, q{SELECT relname FROM pg_class WHERE relnamespace = 'disclosed'::regnamespace});
cmp_ok(scalar keys %takes, '>', 300, 'functions');

# How many arguments stand behind an opening bracket, up to where it closes; nothing where the text ends before.
sub arguments
{
    my ($text) = @_;
    my ($depth, $commas, $some) = (0, 0, 0);
    while ($text =~ /\G(?:(--[^\n]*|\s+)|('(?:[^']|'')*')|([(\[])|([)\]])|(,)|.)/gs) {
        next if defined $1;
        return $some ? $commas + 1 : 0 if defined $4 && $depth == 0;
        $depth += defined $3 ? 1 : defined $4 ? -1 : 0;
        $commas++ if defined $5 && $depth == 0;
        $some = 1;
    }
    return;
}

# The calls of a text that meet no function, and how many it has.
sub faults
{
    my ($text) = @_;
    my ($calls, @faults) = (0);
    while ($text =~ /(?<!EXECUTE FUNCTION )\bdisclosed\.(\w+)\(/g) { # but of triggers, whose arguments are not the function's
        my ($name, $count) = ($1, arguments(substr $text, pos $text));
        next if $is_table{$name} && !$takes{$name};
        $calls++;
        my $fits = !defined $count ? $takes{$name} : grep { $count >= $_->[0] && $count <= $_->[1] } ($takes{$name} // [])->@*;
        push @faults, "$name(" . ($count // '?') . ')' if !$fits;
    }
    return ($calls, @faults);
}

my $calls = 0;
for my $row (cluster()->rows($database, q{SELECT p.proname, p.prosrc FROM pg_proc p JOIN pg_language l ON l.oid = p.prolang
    WHERE p.pronamespace = 'disclosed'::regnamespace AND l.lanname IN ('sql', 'plpgsql') ORDER BY 1})) {
    my ($many, @faults) = faults($row->{prosrc});
    $calls += $many;
    is_deeply(\@faults, [], "$row->{proname}()") if @faults;
}
cmp_ok($calls, '>', 500, "functions call $calls times what exists");

my ($statements, @sources) = (0);
File::Find::find({no_chdir => 1, wanted => sub { push @sources, $_ if /\.[ch]\z/ }}, build('SRCDIR') . '/mod_disclosed');
for my $path (sort @sources) {
    # Neighbouring literals are one; of what else stands between them nothing is known.
    my $text = slurp($path);
    $text =~ s{/\*.*?\*/}{}gs;
    my ($many, @faults) = (0);
    while ($text =~ /((?:"(?:[^"\\]|\\.)*"\s*)+)/g) {
        my ($more, @of) = faults($1 =~ s/"\s*"//gr =~ s/^"|"\s*\z//gr);
        $many += $more;
        push @faults, @of;
    }
    $statements += $many;
    is_deeply(\@faults, [], $path) if @faults;
}
cmp_ok($statements, '>', 50, "statements of the program call $statements times what exists");

is_deeply([faults(q{SELECT disclosed.no_such_function(1)})], [1, 'no_such_function(1)'], 'a function that does not exist is seen');
is_deeply([faults(q{PERFORM disclosed.key_hash('a, b', ARRAY[1, 2], -- , c
    coalesce(d, e));})], [1, 'key_hash(3)'], 'one with other arguments is seen');
is_deeply([faults(q{SELECT disclosed.key_hash('it''s, all') FROM disclosed.issuer})], [1], 'one that is right is not');

done_testing;
