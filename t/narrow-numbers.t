# Migration 0070 makes the rows of numbers narrow: those that are stored stay as they are, and what is derived of the same facts by the functions
# before it and by those of now is the same, row for row. Fiscal labels, which migration 0095 makes another way (t/fundamentals.t), and remainders, which
# are since 0123 (t/remainders.t), and returns, which are since 0130 (t/returns.t), are left out.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Test;
use Disclosed::Build qw(build);
use Disclosed::Process qw(run);
use Disclosed::Shared qw(cluster control fresh workspace);

my $cluster = cluster();
my $database = fresh('narrow_numbers');
my $before = workspace() . '/' . fresh('sql-before-0070');
run('cp', '-r', build('SRCDIR') . '/sql', $before);
unlink grep { m{/(\d{4})_[^/]*$} && $1 >= 70 } glob "$before/[0-9]*.sql";
$cluster->create_database($database);
is((control($cluster->conninfo($database), 'migrate', '--sql-dir', $before))[0], 0, 'the migrations before it');

# Two companies with six years of quarters: reported by quarter, by the year to date, or both; restated, off scale, in two currencies, per share, by two
# filings at one instant, of a proxy statement, and superseded.
sub execute { my ($sql) = @_; return $cluster->execute($database, "SET search_path = disclosed, public; SET TimeZone = 'UTC'; $sql") }
execute(<<'SQL');
INSERT INTO issuer (cik, name) SELECT 7000 + g, 'Narrow ' || g FROM generate_series(1, 2) g;
INSERT INTO source (source_key, provider, by_filing, url) VALUES (1, 'sec', true, 'https://www.sec.gov/Archives/edgar/data/');
CREATE FUNCTION pg_temp.report(company integer, place integer, filed date, report_form text, fy integer, fp text, facts text[]) RETURNS void LANGUAGE sql AS $$
    INSERT INTO disclosed.xbrl_report (id, issuer_id, record_key, known_at, src_digest, accession, source_id, told_by, form, filed_on, fiscal_year, fiscal_period,
        concepts, units, start_dates, end_dates, amounts)
    SELECT nextval('disclosed.record_id'), i.issuer_id, a.accession || '/companyfacts', filed + time '21:00' AT TIME ZONE 'UTC', md5(a.accession)::uuid, a.accession,
           (SELECT source_id FROM disclosed.source), 'companyfacts', report_form, filed, fy, fp, array_agg(split_part(f, ' ', 1) ORDER BY f),
           array_agg(split_part(f, ' ', 2) ORDER BY f), array_agg(translate(split_part(f, ' ', 3), '-', '-') ORDER BY f), array_agg(split_part(f, ' ', 4) ORDER BY f),
           array_agg(split_part(f, ' ', 5) ORDER BY f)
    FROM disclosed.issuer i, unnest(facts) f, (SELECT format('000000700%s-%s-%s', company, to_char(filed, 'YY'), lpad(place::text, 6, '0')) AS accession) a
    WHERE i.cik = 7000 + company GROUP BY i.issuer_id, a.accession
$$;
DO $$
DECLARE
    ends date; begins date; amount numeric; facts text[]; place integer := 0;
BEGIN
    FOR company IN 1..2 LOOP
        FOR quarter IN 0..23 LOOP
            begins := make_date(2018 + quarter / 4, 1 + quarter % 4 * 3, 1);
            ends := (begins + interval '3 months - 1 day')::date;
            amount := 1000000 + quarter * 12345.67 + company;
            facts := ARRAY[format('us-gaap:Assets USD  %s %s', ends, amount * 10), format('us-gaap:Liabilities USD  %s %s', ends, amount * 4),
                format('us-gaap:StockholdersEquity USD  %s %s', ends, CASE WHEN quarter = 9 THEN amount * 6000 ELSE amount * 6 END),
                format('us-gaap:NetCashProvidedByUsedInOperatingActivities USD %s %s %s', make_date(2018 + quarter / 4, 1, 1), ends, amount * (quarter % 4 + 1)),
                format('us-gaap:PaymentsToAcquirePropertyPlantAndEquipment USD %s %s %s', make_date(2018 + quarter / 4, 1, 1), ends, amount / 8 * (quarter % 4 + 1)),
                format('us-gaap:EarningsPerShareDiluted USD/shares %s %s %s', begins, ends, round(amount / 1e6, 2)),
                format('us-gaap:Assets EUR  %s %s', ends, amount * 9)];
            IF quarter % 4 < 3 OR company = 2 THEN
                facts := facts || format('us-gaap:Revenues USD %s %s %s', begins, ends, amount) || format('us-gaap:NetIncomeLoss USD %s %s %s', begins, ends, amount / 5);
            END IF;
            IF quarter % 4 = 3 THEN
                facts := facts || format('us-gaap:Revenues USD %s %s %s', make_date(2018 + quarter / 4, 1, 1), ends, (amount - 12345.67) * 3 + amount)
                               || format('us-gaap:NetIncomeLoss USD %s %s %s', make_date(2018 + quarter / 4, 1, 1), ends, amount);
            END IF;
            IF quarter % 4 = 2 THEN
                facts := facts || format('us-gaap:Revenues USD %s %s %s', make_date(2018 + quarter / 4, 1, 1), ends, amount * 3);
            END IF;
            -- The year before again: as it was, or restated.
            IF quarter >= 4 THEN
                facts := facts || format('us-gaap:Revenues USD %s %s %s', begins - 365 - (extract(month FROM begins) > 2 AND extract(year FROM begins) % 4 = 0)::integer,
                    (ends - interval '1 year')::date, 1000000 + (quarter - 4) * 12345.67 + company + (quarter % 5 = 0)::integer * 1000);
            END IF;
            place := place + 1;
            PERFORM pg_temp.report(company, place, ends + 40, CASE WHEN quarter % 4 = 3 THEN '10-K' ELSE '10-Q' END, 2018 + quarter / 4,
                                   CASE WHEN quarter % 4 = 3 THEN 'FY' ELSE 'Q' || quarter % 4 + 1 END, facts);
            IF quarter IN (5, 11) THEN
                place := place + 1;
                PERFORM pg_temp.report(company, place, ends + 40, '10-Q/A', 2018 + quarter / 4, 'Q2', ARRAY[format('us-gaap:Revenues USD %s %s %s', begins, ends, amount + 5),
                    format('us-gaap:Assets USD  %s %s', ends, amount * 10)]);
                PERFORM pg_temp.report(company, place + 500, ends + 50, 'DEF 14A', 2018 + quarter / 4, 'FY', ARRAY[format('us-gaap:NetIncomeLoss USD %s %s %s', begins, ends, 1)]);
            END IF;
        END LOOP;
    END LOOP;
    UPDATE disclosed.xbrl_report SET superseded_at = known_at + interval '500 days' WHERE form = '10-Q/A';
END $$;
SELECT disclosed.derive_fundamentals(ARRAY(SELECT issuer_id FROM disclosed.issuer));
SQL

my $columns = 'i.cik, f.record_key, f.known_at, f.superseded_at, f.src_digest, f.source_id, f.accession, f.start_date, f.end_date, f.is_suspect, f.is_restated, f.verified_at,'
    . ' f.metric_key, f.unit, f.period_kind, f.fiscal, f.value, f.concept_rank, f.rule, f.inputs';
my $kept = q{f.rule IS DISTINCT FROM 'remainder' AND f.metric_key NOT LIKE 'return_on_%'};
# Versions that differ in their label alone are one.
sub numbers
{
    my @numbers;
    for (split /\n/, execute("COPY (SELECT $columns FROM fundamental f JOIN issuer i USING (issuer_id) WHERE $kept ORDER BY i.cik, f.record_key, f.known_at) TO STDOUT")) {
        my @number = split /\t/;
        $number[15] = '';
        my @said = @number[0, 1, 4 .. $#number];
        if (@numbers && $numbers[-1][3] eq $number[2] && "@said" eq "@{ $numbers[-1] }[0, 1, 4 .. $#said + 2]") {
            $numbers[-1][3] = $number[3];
        }
        else {
            push @numbers, \@number;
        }
    }
    return join "\n", map { join "\t", @$_ } @numbers;
}
sub identities { return execute("COPY (SELECT id, src_digest, min(recorded_at), min(known_at) FROM fundamental f WHERE $kept GROUP BY id, src_digest ORDER BY src_digest) TO STDOUT") }

my $wide = numbers();
my @rows = map { [split /\t/] } split /\n/, $wide;
cmp_ok(scalar @rows, '>', 800, 'numbers');
my %rules;
$rules{ $_->[18] eq '\N' ? 'reported' : $_->[18] }++ for @rows;
is_deeply([sort keys %rules], [qw(difference formula four_quarters reported)], '... by all rules');
ok((grep { $_->[9] eq 't' } @rows) && (grep { $_->[10] eq 't' } @rows) && (grep { $_->[3] ne '\N' } @rows) && (grep { $_->[11] ne '\N' } @rows), '... suspect, restated, past, verified');
my $identities = identities();

is((control($cluster->conninfo($database), 'migrate'))[0], 0, 'the migration, and those after it');
is(numbers(), $wide, 'the same numbers');
is(identities(), $identities, '... with their ids, and when they were loaded');
is(execute('COPY (SELECT derive_fundamentals(ARRAY(SELECT issuer_id FROM issuer))) TO STDOUT'), '', 'derived again, nothing is another');
is(identities(), $identities, '... nor has moved');
execute('DELETE FROM metric_value; SELECT derive_fundamentals(ARRAY(SELECT issuer_id FROM issuer))');
is(numbers(), $wide, 'derived anew, they are the same');
execute("UPDATE metric_value SET value = value + 1, fiscal = 'FY1' WHERE metric_id = 1 OR end_date = '2019-06-30'; DELETE FROM metric_value WHERE end_date = '2020-06-30';"
    . ' SELECT derive_fundamentals(ARRAY(SELECT issuer_id FROM issuer))');
is(numbers(), $wide, 'what is not so is put right');
$cluster->drop_database($database);
done_testing;
