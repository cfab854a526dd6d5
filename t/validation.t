# Parameters that are wrong: the 422 bodies of FastAPI with Pydantic v2, byte for byte, with all
# faults of a request at once.

use FindBin;
use lib "$FindBin::Bin/lib";
use utf8;
use Disclosed::Test;

my $site = site();

my $integer  = ['int_parsing', 'Input should be a valid integer, unable to parse string as an integer'];
my $number   = ['float_parsing', 'Input should be a valid number, unable to parse string as a number'];
my $finite   = ['finite_number', 'Input should be a finite number'];
my $boolean  = ['bool_parsing', 'Input should be a valid boolean, unable to interpret input'];
my $least    = ['greater_than_equal', 'Input should be greater than or equal to 1', '{"ge":1}'];
my $most     = ['less_than_equal', 'Input should be less than or equal to 500', '{"le":500}'];
my $inexact  = ['date_from_datetime_inexact', 'Datetimes provided to dates should have zero time - e.g. be exact dates'];
my $nul      = ['value_error', 'Value error, NUL characters are not allowed', '{"error":{}}'];
my $cursor   = ['value_error', 'Value error, invalid cursor', '{"error":{}}'];

sub literal
{
    my (@choices) = map { "'$_'" } @_;
    my $expected = join(', ', @choices[0 .. $#choices - 1]) . ' or ' . $choices[-1];
    return ['literal_error', "Input should be $expected", "{\"expected\":\"$expected\"}"];
}

sub bad_date { return ['date_from_datetime_parsing', "Input should be a valid date or datetime, $_[0]", "{\"error\":\"$_[0]\"}"] }
sub bad_time { return ['datetime_from_date_parsing', "Input should be a valid datetime or date, $_[0]", "{\"error\":\"$_[0]\"}"] }

# The value as it stands in a query.
sub escaped
{
    my ($text) = @_;
    utf8::encode($text);
    return $text =~ s/([^A-Za-z0-9_.~-])/sprintf '%%%02X', ord $1/ger;
}

# One value, one fault.
sub refused
{
    my ($path, $name, $value, $fault, $loc) = @_;
    my ($type, $message, $context) = @$fault;
    my $response = $site->get("$path?$name=" . escaped($value));
    faults_is($response, [fault($type, $loc // ['query', $name], $message, $value, $context)],
        "$name='" . escaped($value) . "'");
}

sub accepted
{
    my ($path, $name, @values) = @_;
    status_is($site->get("$path?$name=" . escaped($_)), 200, "$name='" . escaped($_) . "' is good") for @values;
}

# --- integers --------------------------------------------------------------------------------

for my $path (qw(/v1/insider /v1/companies /v1/filings /v1/companies/ZEMRUZ/insider /v1/companies/ZEMRUZ/executives)) {
    refused($path, 'limit', 'abc', $integer);
    refused($path, 'limit', '0',   $least);
    refused($path, 'limit', '501', $most);
}
refused('/v1/insider', 'limit', $_, $integer)
    for '', 'null', 'true', '5.5', '1.', '.0', '1e2', '0x10', '1__0', '_1', '1_', '- 5', '+-5', '--5', '5 5', '٣', '１';
refused('/v1/insider', 'limit', $_, $least) for '-0', '-007', '0_0', '-99999999999999999999';
refused('/v1/insider', 'limit', $_, $most)  for '1_000', '99999999999999999999', '501.0';
refused('/v1/insider', 'limit', '9' x 4301,
    ['int_parsing_size', 'Unable to parse input string as an integer, exceeded maximum size']);
accepted('/v1/insider', 'limit', '5', '+5', ' 5 ', "\t5\n", "\x{a0}5", '005', '1_0', '1_0.0', '5.0', '1.00', '500');
faults_is($site->get('/v1/insider?limit'), [fault($integer->[0], ['query', 'limit'], $integer->[1], '')], 'limit without =');
is(scalar($site->get('/v1/insider?limit=+5')->json->{data}->@*), 5, 'a plus is a space');
is(scalar($site->get('/v1/insider?limit=x&limit=7')->json->{data}->@*), 7, 'the last of a repeated scalar counts');
refused('/v1/companies', 'issuer_ids', 'x', $integer, ['query', 'issuer_ids', 0]);
accepted('/v1/companies', 'issuer_ids', '1', '-1', '99999999999999999999');

# --- numbers and booleans --------------------------------------------------------------------

refused('/v1/insider', 'min_value', $_, $number) for '', 'x', '1,5', '0x1', '1d', '+', '1__0.5', ' 1_0 ';
refused('/v1/insider', 'min_value', $_, $finite) for 'nan', 'NaN', 'inf', '-Infinity', '1e999';
accepted('/v1/insider', 'min_value', '1', '1.', '.5', '1e5', '1E5', '-1', ' 7 ', '1_000', '1e-400', '1e308');
refused('/v1/companies', 'active_only', $_, $boolean) for '', '2', '-1', '01', '1.0', ' true', 'null', 'maybe';
accepted('/v1/companies', 'active_only', qw(1 t y on yes true TRUE 0 f n no off false False));
refused('/v1/companies/ZEMRUZ/executives', 'current_only', 'x', $boolean);
refused('/v1/src/src_insider_00000000000000000000000000000000', 'redirect', 'x', $boolean);

# --- dates and times -------------------------------------------------------------------------

my $separator = 'invalid datetime separator, expected `T`, `t`, `_` or space';
my %dates = (
    'input is too short'                              => ['', 'abc', '2024-1-3', '2024-01', 'today', 'null', '1e9', '2024-01-31T', '2024-01-31 '],
    'day value is outside expected range'             => ['2024-02-30', '2023-02-29'],
    'month value is outside expected range of 1-12'   => ['2024-13-01', '2024-00-10'],
    'invalid date separator, expected `-`'            => ['2024/01/31', '10000-01-01'],
    'invalid character in year'                       => ['12/31/2024', ' 2024-01-31'],
    'invalid character in month'                      => ['2024-W05-1'],
    $separator                                        => ['2024-01-31x', '2024-01-31Z'],
);
for my $path ('/v1/insider', '/v1/filings', '/v1/companies/ZEMRUZ/insider') {
    for my $error (sort keys %dates) {
        refused($path, 'start_date', $_, bad_date($error)) for $dates{$error}->@*;
    }
}
refused('/v1/insider', 'end_date', $_, $inexact)
    for '2024-01-31T05:00:00Z', '1706659201', '20240131', '2024', '-1';
refused('/v1/insider', 'end_date', '0000-01-01', ['date_parsing',
    'Input should be a valid date in the format YYYY-MM-DD, year 0 is out of range', '{"error":"year 0 is out of range"}']);
accepted('/v1/insider', 'end_date', '2024-01-31', '0001-01-01', '9999-12-31', '2024-01-31T00:00', '2024-01-31T00:00:00Z',
    '2024-01-31 00:00:00+05:00', '0', '86400', '1706659200', '1706659200000');

my $extra = 'unexpected extra characters at the end of the input';
for my $where (['/v1/insider', 'as_of'], ['/v1/filings', 'updated_after'], ['/v1/companies/ZEMRUZ', 'as_of']) {
    my ($path, $name) = @$where;
    refused($path, $name, $_, bad_time($extra))
        for '2024-01-31T12', '2024-01-31T25:00:00', '2024-01-31T12:60', '2024-01-31T12:00:00+05', '2024-01-31T12:00:00Z ', '2024-01-31T12:00:00 05:30';
    refused($path, $name, $_, bad_time('input is too short')) for '', 'x', '2024-01';
    refused($path, $name, '2024-02-30', bad_time('day value is outside expected range'));
}
refused('/v1/insider', 'as_of', '0000-01-01', ['datetime_parsing',
    'Input should be a valid datetime, year 0 is out of range', '{"error":"year 0 is out of range"}']);
accepted('/v1/insider', 'as_of', '2024-01-31', '2024-01-31t12:00', '2024-01-31_12:00:00,123456789', '2024-01-31 12:00:00Z',
    '2024-01-31T12:00:00+0530', '2024-01-31T12:00:00−05:30', '0', '1706659200000', '9999-12-31T23:59:59Z', '0001-01-01');

# --- choices, text, cursors ------------------------------------------------------------------

for my $path (qw(/v1/insider /v1/companies /v1/filings)) {
    refused($path, 'direction', $_, literal('asc', 'desc')) for '', 'up', 'ASC', 'asc ';
    refused($path, 'cursor', $_, $cursor) for 'x', 'é', 'A' x 40, "'; --";
}
my $codes = literal(qw(P S V A D F I M C E H O X G L W Z J K U));
refused('/v1/insider', 'transaction_types', $_, $codes, ['query', 'transaction_types', 0]) for 'p', 'P,S', '', 'Q', 'é';
refused('/v1/companies/ZEMRUZ/executives', 'category', $_, literal(qw(executives ir analysts))) for 'x', 'IR';
accepted('/v1/companies', 'q', '', 'é', '%', '_', '\\', 'x' x 2000);
for my $name (qw(q sector)) {
    refused('/v1/companies', $name, "a\0b", $nul);
}
refused('/v1/companies', $_, "a\0b", $nul, ['query', $_, 0]) for qw(markets tickers ciks isins figis);
refused('/v1/filings', $_, "a\0b", $nul, ['query', $_, 0]) for qw(symbols forms);
status_is($site->get('/v1/insider?cursor='), 200, 'an empty cursor is none');

# --- all at once -----------------------------------------------------------------------------

faults_is($site->get('/v1/insider?limit=0&direction=up&as_of=x&end_date=2024-02-30&start_date=&min_value=z'
            . '&transaction_types=P&transaction_types=Q&transaction_types=S&transaction_types=r&unknown=1'),
    [
        fault($codes->[0],  ['query', 'transaction_types', 1], $codes->[1], 'Q', $codes->[2]),
        fault($codes->[0],  ['query', 'transaction_types', 3], $codes->[1], 'r', $codes->[2]),
        fault($number->[0], ['query', 'min_value'], $number->[1], 'z'),
        map({ my ($name, $value, $bad) = @$_; fault($bad->[0], ['query', $name], $bad->[1], $value, $bad->[2]) }
            ['start_date', '',           bad_date('input is too short')],
            ['end_date',   '2024-02-30', bad_date('day value is outside expected range')],
            ['limit',      '0',          $least],
            ['direction',  'up',         literal('asc', 'desc')],
            ['as_of',      'x',          bad_time('input is too short')]),
    ],
    'every fault, in the order in which the parameters are declared');
faults_is($site->get('/v1/companies?issuer_ids=1&issuer_ids=x&issuer_ids=2&issuer_ids=&active_only=2'),
    [
        fault($integer->[0], ['query', 'issuer_ids', 1], $integer->[1], 'x'),
        fault($integer->[0], ['query', 'issuer_ids', 3], $integer->[1], ''),
        fault($boolean->[0], ['query', 'active_only'],   $boolean->[1], '2'),
    ],
    'elements by their place in the list');
faults_is($site->get('/v1/companies/NOBODY/insider?limit=0'),
    [fault($least->[0], ['query', 'limit'], $least->[1], '0', $least->[2])], 'a 422 comes before the 404 of the resource');
my $echo = $site->get('/v1/insider?limit=%22%5C%2F%3Cscript%3E%E2%80%A8%01');
is($echo->json && $echo->json->{detail}[0]{input}, "\"\\/<script>\x{2028}\x01", 'input is echoed as it was');
unlike($echo->body, qr{</script}, '... safely');

finish();
