package Disclosed::Wire;

# Values in PostgreSQL's binary format as we write them, compared with PostgreSQL's own text: by t/unit/unit, which is
# given a query of values, their text and their JSON. Random ones are the same each time.

use v5.24;
use warnings;
use Disclosed::Build qw(build);
use Disclosed::Process qw(run);
use Exporter qw(import);

our @EXPORT_OK = qw(random_values special_values prove_values);

my $microseconds = q{(random() * 4294967296)::bigint * 2147483648 + (random() * 2147483647)::bigint};
my $before = q{' microseconds')::interval};

# Each kind as an expression of random().
my %random = (
    'numeric of any size' => q{((random() - 0.5)::numeric(20,18) * (random() * 1e15)::numeric * random()::numeric}
        . q{ * power(10::numeric, (random() * 80 - 40)::integer))::numeric},
    'numeric with a scale' => q{round((random() * 2e6 - 1e6)::numeric * 1.0001, (random() * 12)::integer)},
    'numeric of few digits' => q{((random() * 400 - 200)::integer * power(10::numeric, (random() * 24 - 12)::integer))::numeric},
    'money' => q{((random() * 1e9)::bigint / 100.0)::numeric(20,4)},
    'date' => q{('4714-11-24 BC'::date + (random() * 2147483000)::integer % 2147483493)},
    'date of our time' => q{('1900-01-01'::date + (random() * 73000)::integer)},
    'time of our time' => q{(timestamptz '1900-01-01 00:00:00Z' + random() * interval '200 years')},
    'time of a second' => q{(timestamptz '1900-01-01 00:00:00Z' + (random() * 6e9)::bigint * interval '1 second')},
    'time without a zone' => q{(timestamp '0100-01-01 00:00:00 BC' + random() * interval '12000 years')},
    'smallint' => q{(random() * 65535 - 32768)::smallint},
    'integer' => q{(random() * 4294967295 - 2147483648)::integer},
    'bigint' => qq{((random() * 2 - 1) * 9223372036854774784)::bigint},
    'uuid' => q{md5(random()::text)::uuid},
    'boolean' => q{(random() < 0.5)},
    'text' => q{translate(md5(random()::text), 'abcdef', E'"\\\\/<é\n')},
);
$random{time} = qq{(timestamptz '2000-01-01 00:00:00Z' + ((($microseconds) % 9223371331200000000 - 211813488000000000) || $before)};

# Kinds whose JSON is compared with PostgreSQL's.
my %with_json = (
    'text[]' => [q{ARRAY[translate(md5(random()::text), 'abcdef', E'"\\\\/<é\n'), NULL, '</', chr((random() * 30)::integer + 1)]}, q{to_json(v)::text}],
    'jsonb' => [q{jsonb_build_object('a', random(), 'b </', ARRAY[md5(random()::text), E'\\t"'])}, q{NULL}],
);

sub random_values
{
    my ($count) = @_;
    my %query;
    for my $kind (keys %random) {
        $query{$kind} = "SELECT v, format('%s', v), NULL::text FROM (SELECT $random{$kind} AS v FROM generate_series(1, $count)) r OFFSET 0";
    }
    for my $kind (keys %with_json) {
        my ($value, $json) = $with_json{$kind}->@*;
        $query{$kind} = "SELECT v, format('%s', v), ($json)::text FROM (SELECT $value AS v FROM generate_series(1, $count)) r OFFSET 0";
    }
    return %query;
}

my %special = (
    numeric => [qw(0 0.0 0.000000 -0 -0.00 1 -1 9 10 99 100 999 1000 9999 10000 10001 99999 100000000 100000001 0.1 0.01 0.001
        0.0001 0.00010 0.00001 0.99999 0.999900 1.0 1.0000 1.00001 1.50 -1.50 100.00 123456789012345678901234567890.1234567890
        NaN Infinity -Infinity 1e131071 -1e131071 1e-16383 9e131071 9999.9999 10000.0001 0.10000000000000000000)],
    date => ['4714-11-24 BC', '4713-01-01 BC', '0001-12-31 BC', '0001-01-01', '0099-02-28', '1582-10-15', '1600-02-29', '1900-02-28',
        '1900-03-01', '1969-12-31', '1970-01-01', '1999-12-31', '2000-01-01', '2000-02-29', '2000-03-01', '2100-02-28', '9999-12-31',
        '10000-01-01', '5874897-12-31', 'infinity', '-infinity'],
    timestamptz => ['4714-11-24 00:00:00+00 BC', '0001-12-31 23:59:59.999999+00 BC', '0001-01-01 00:00:00+00', '1999-12-31 23:59:59.999999+00',
        '2000-01-01 00:00:00+00', '2000-01-01 00:00:00.000001+00', '2024-02-29 12:34:56.5+00', '2024-02-29 12:34:56.12345+00',
        '9999-12-31 23:59:59.999999+00', '10000-01-01 00:00:00+00', '294276-12-31 23:59:59.999999+00', 'infinity', '-infinity'],
    smallint => [-32768, -1, 0, 1, 32767],
    integer => [-2147483648, -1, 0, 1, 2147483647],
    bigint => ['-9223372036854775808', -1, 0, 1, '9223372036854775807'],
    boolean => [qw(true false)],
    uuid => ['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
    'text[]' => ['{}', '{""}', '{NULL}', '{a,NULL,"b c","\\"","\\\\"}'],
    text => ['', ' ', 'a'],
);
$special{timestamp} = [map { s/\+00//r } $special{timestamptz}->@*];

sub special_values
{
    my %query;
    for my $type (keys %special) {
        my $list = join ', ', map { "('" . $_ . "')" } $special{$type}->@*;
        my $json = $type eq 'text[]' ? 'to_json(v)::text' : 'NULL::text';
        $query{"special $type"} = "SELECT v, format('%s', v), $json FROM (SELECT t::$type AS v FROM (VALUES $list) s(t)) r";
    }
    return %query;
}

# How many were compared, and what differs.
sub prove_values
{
    my ($conninfo, $query) = @_;
    my ($code, $out, $err) = run(build('BUILDDIR') . '/t/unit/unit', 'wire', $conninfo, $query);
    my ($compared, $differ) = $out =~ /^(\d+) compared, (\d+) differ$/m;
    return ($compared // 0, $code == 0 ? '' : "code $code: $out$err");
}

1;
