# The canonical metrics are sound data: each check is a query that names what is wrong, and is tried on data with the mistake that it is
# there for. The mapping is measured on the companyfacts files.

use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Build qw(build);
use Disclosed::Process qw(run);
use Disclosed::Shared qw(cluster database);
use Disclosed::Test;

my $database = database('empty');

# A concept that fills two metrics, and why it may.
my %shared_concepts = (
    'us-gaap:EarningsPerShareBasicAndDiluted' => 'where nothing dilutes, filers report one number for both',
    'ifrs-full:BasicAndDilutedEarningsLossPerShare' => 'likewise',
    'us-gaap:WeightedAverageNumberOfShareOutstandingBasicAndDiluted' => 'likewise',
);
my $shared = join ', ', map { "'$_'" } sort keys %shared_concepts;

my $metric = q{INSERT INTO canonical_metric (metric_key, display, definition, unit, basis, category, decimal_places, aliases, additive)
    VALUES ('planted', 'Planted', 'Is planted.', 'currency', 'duration', 'income_statement', 0, '{weed}', true);};

# [what holds, a query for what breaks it, a mistake to plant, what the query then finds]
my @checks = (
    ['every metric has a concept or a formula, or is an average ratio',
        q{SELECT metric_key FROM canonical_metric m WHERE NOT EXISTS (SELECT 1 FROM canonical_concept c WHERE c.metric_key = m.metric_key)
            AND NOT EXISTS (SELECT 1 FROM canonical_term f WHERE f.metric_key = m.metric_key AND f.rule = 'formula')},
        $metric, 'planted'],
    ['no concept fills two metrics, but for those with a reason',
        qq{SELECT concept FROM canonical_concept GROUP BY 1 HAVING count(*) > 1 AND concept NOT IN ($shared)},
        q{INSERT INTO canonical_concept VALUES ('gross_profit', 9, 'us-gaap:Revenues')}, 'us-gaap:Revenues'],
    ['concepts are of taxonomies that are imported', q{SELECT concept FROM canonical_concept WHERE concept !~ '^(us-gaap|ifrs-full|dei):'},
        q{UPDATE canonical_concept SET concept = 'gaap:Assets' WHERE concept = 'us-gaap:Assets'}, 'gaap:Assets'],
    ['ranks are dense from 1', q{SELECT metric_key FROM canonical_concept GROUP BY 1 HAVING min(rank) <> 1 OR max(rank) <> count(*)},
        q{UPDATE canonical_concept SET rank = rank + 1 WHERE metric_key = 'assets' AND rank > 1}, 'assets'],
    ['industries that a concept is not for are templates of industries',
        q{SELECT concept FROM canonical_concept, unnest(not_for) slug WHERE slug NOT IN (SELECT template_slug FROM industry_template)},
        q{UPDATE canonical_concept SET not_for = '{bank,banks}' WHERE concept = 'us-gaap:SalesRevenueNet'}, 'us-gaap:SalesRevenueNet'],
    ['US GAAP ranks before IFRS',
        q{SELECT a.metric_key FROM canonical_concept a JOIN canonical_concept b USING (metric_key)
            WHERE a.rank < b.rank AND a.concept LIKE 'ifrs-full:%' AND b.concept NOT LIKE 'ifrs-full:%'},
        q{INSERT INTO canonical_concept VALUES ('assets', 3, 'us-gaap:AssetsPlanted')}, 'assets'],
    ['a formula is of one kind, its places dense, a ratio of two terms',
        q{SELECT metric_key FROM canonical_formula GROUP BY 1 HAVING count(DISTINCT kind) > 1 OR min(place) <> 1 OR max(place) <> count(*)
            OR count(*) < 2},
        q{DELETE FROM canonical_formula WHERE metric_key = 'net_margin' AND place = 2}, 'net_margin'],
    ['a remainder is of a day, and so are its terms, in one unit; its places are dense, the first is required',
        q{SELECT DISTINCT f.metric_key FROM canonical_remainder f JOIN canonical_metric m USING (metric_key) JOIN canonical_metric t ON t.metric_key = f.term
            WHERE (m.basis, m.unit, t.basis, t.unit) <> ('instant', 'currency', 'instant', 'currency') OR (f.place = 1 AND NOT f.is_required)
            UNION SELECT metric_key FROM canonical_remainder GROUP BY 1 HAVING min(place) <> 1 OR max(place) <> count(*) ORDER BY 1},
        q{UPDATE canonical_remainder SET term = 'revenue' WHERE (metric_key, place) = ('total_equity', 2);
            DELETE FROM canonical_remainder WHERE (metric_key, place) = ('liabilities', 3)}, "liabilities\ntotal_equity"],
    ['a term is left out of a remainder for an element of another of its terms',
        q{SELECT metric_key FROM canonical_remainder f WHERE unless_concept IS NOT NULL AND NOT EXISTS (
            SELECT 1 FROM canonical_remainder o JOIN canonical_concept c ON c.metric_key = o.term
            WHERE o.metric_key = f.metric_key AND o.place <> f.place AND c.concept = f.unless_concept)},
        q{UPDATE canonical_remainder SET unless_concept = 'us-gaap:Assets' WHERE place = 4}, 'liabilities'],
    ['elements, terms and formula stand with their metric as the tables of both have them',
        q{SELECT metric_key FROM canonical_metric m WHERE (concepts, terms, term_balances, formula) IS DISTINCT FROM (
            (SELECT array_agg(c.concept ORDER BY c.rank) FROM canonical_concept c WHERE c.metric_key = m.metric_key),
            coalesce((SELECT array_agg(t.metric_id ORDER BY f.place) FROM canonical_formula f JOIN canonical_metric t ON t.metric_key = f.term WHERE f.metric_key = m.metric_key),
                (SELECT ARRAY[a.metric_id, b.metric_id, b.metric_id] FROM canonical_average_ratio f JOIN canonical_metric a ON a.metric_key = f.amount
                    JOIN canonical_metric b ON b.metric_key = f.balance WHERE f.metric_key = m.metric_key)),
            (SELECT ARRAY[NULL, 'opening', 'closing'] FROM canonical_average_ratio f WHERE f.metric_key = m.metric_key),
            formula_text(m.metric_key))
            ORDER BY 1},
        q{UPDATE canonical_concept SET concept = 'us-gaap:AssetsPlanted' WHERE concept = 'us-gaap:Assets';
            UPDATE canonical_formula SET weight = 2 WHERE metric_key = 'gross_profit' AND place = 1;
            UPDATE canonical_formula SET term = 'assets' WHERE metric_key = 'net_margin' AND place = 2;
            UPDATE canonical_average_ratio SET balance = 'inventory' WHERE metric_key = 'return_on_assets'}, "assets\ngross_profit\nnet_margin\nreturn_on_assets"],
    ['an average ratio is a ratio of an additive amount to a balance in money, and has no other formula',
        q{SELECT f.metric_key FROM canonical_average_ratio f JOIN canonical_metric m USING (metric_key) JOIN canonical_metric a ON a.metric_key = f.amount
            JOIN canonical_metric b ON b.metric_key = f.balance
            WHERE (m.unit, m.basis, a.additive, b.unit, b.basis) <> ('ratio', 'duration', true, 'currency', 'instant')
               OR EXISTS (SELECT 1 FROM canonical_formula o WHERE o.metric_key = f.metric_key)},
        q{UPDATE canonical_average_ratio SET amount = 'eps_basic' WHERE metric_key = 'return_on_assets';
            UPDATE canonical_average_ratio SET balance = 'revenue' WHERE metric_key = 'return_on_equity'}, "return_on_assets\nreturn_on_equity"],
    ['... its terms are computed before the deepest formulas, with which it is, and no formula needs it',
        q{SELECT f.metric_key FROM canonical_average_ratio f JOIN canonical_depth d ON d.metric_key IN (f.amount, f.balance)
            WHERE d.depth >= (SELECT max(depth) FROM canonical_depth)
            UNION SELECT term FROM canonical_term t JOIN canonical_average_ratio f ON f.metric_key = t.term},
        q{UPDATE canonical_average_ratio SET amount = 'ebitda_margin' WHERE metric_key = 'return_on_assets';
            UPDATE canonical_formula SET term = 'return_on_equity' WHERE metric_key = 'net_margin' AND place = 1}, "return_on_assets\nreturn_on_equity"],
    ['no formula needs itself', q{SELECT metric_key FROM canonical_depth WHERE has_cycle},
        q{INSERT INTO canonical_formula VALUES ('revenue', 'sum', 1, 'gross_profit', 1), ('revenue', 'sum', 2, 'cost_of_revenue', 1);
            DELETE FROM canonical_formula WHERE metric_key LIKE '%margin' OR metric_key IN (SELECT metric_key FROM canonical_formula
                WHERE kind = 'ratio')}, "gross_profit\nrevenue"],
    ['terms are computed before what needs them',
        q{SELECT f.metric_key FROM canonical_formula f JOIN canonical_depth d USING (metric_key)
            LEFT JOIN canonical_depth t ON t.metric_key = f.term WHERE d.depth <= coalesce(t.depth, 0)},
        q{CREATE OR REPLACE VIEW canonical_depth AS SELECT metric_key, 1 AS depth, false AS has_cycle FROM canonical_formula
            WHERE metric_key IN ('total_debt', 'net_debt')}, 'net_debt'],
    ['a formula has the basis and the unit of its terms',
        q{SELECT f.metric_key FROM canonical_formula f JOIN canonical_metric m USING (metric_key) JOIN canonical_metric t ON t.metric_key = f.term
            JOIN canonical_metric n ON n.metric_key = (SELECT term FROM canonical_formula x WHERE x.metric_key = f.metric_key AND place = 1)
            WHERE t.basis <> m.basis OR t.unit <> CASE f.kind WHEN 'sum' THEN m.unit ELSE n.unit END OR (f.kind = 'ratio') <> (m.unit = 'ratio')},
        q{INSERT INTO canonical_formula VALUES ('ebitda', 'sum', 3, 'inventory', 1)}, 'ebitda'],
    ['... also a ratio',
        q{SELECT f.metric_key FROM canonical_formula f JOIN canonical_metric m USING (metric_key) WHERE f.kind = 'ratio' AND m.unit <> 'ratio'},
        q{UPDATE canonical_metric SET unit = 'count' WHERE metric_key = 'cash_ratio'}, 'cash_ratio'],
    ['what is additive is money over a period, and the other way round',
        q{SELECT metric_key FROM canonical_metric WHERE additive <> (unit = 'currency' AND basis = 'duration')},
        q{UPDATE canonical_metric SET additive = false WHERE metric_key = 'revenue'}, 'revenue'],
    ['the statements have metrics of their category, ratios theirs',
        q{SELECT m.metric_key FROM template_metric t JOIN canonical_metric m USING (metric_key)
            WHERE t.template_slug IN ('income_statement', 'balance_sheet', 'cash_flow', 'per_share', 'ratios')
              AND CASE t.template_slug WHEN 'ratios' THEN 'ratio' ELSE t.template_slug END <> category},
        q{INSERT INTO template_metric VALUES ('cash_flow', 900, 'revenue')}, 'revenue'],
    ['every metric is in a template', q{SELECT metric_key FROM canonical_metric EXCEPT SELECT metric_key FROM template_metric}, $metric, 'planted'],
    ['places of templates are dense', q{SELECT template_slug FROM template_metric GROUP BY 1 HAVING min(place) <> 1 OR max(place) <> count(*)
            UNION ALL SELECT 'of templates' FROM statement_template HAVING max(place) <> count(*)},
        q{DELETE FROM template_metric WHERE metric_key = 'deposits'}, 'bank'],
    ['every template but those of all is of an industry',
        q{SELECT slug FROM statement_template WHERE slug NOT IN ('income_statement', 'balance_sheet', 'cash_flow', 'per_share', 'ratios')
            EXCEPT SELECT template_slug FROM industry_template},
        q{DELETE FROM industry_template WHERE template_slug = 'reit'}, 'reit'],
    ['aliases are lower case, without spaces around', q{SELECT alias FROM canonical_metric, unnest(aliases) alias
            WHERE alias <> lower(btrim(alias)) OR alias = ''},
        q{UPDATE canonical_metric SET aliases = '{Turnover}' WHERE metric_key = 'revenue'}, 'Turnover'],
    ['an alias or a name is that of one metric, and said once',
        q{SELECT name FROM (SELECT replace(metric_key, '_', ' ') AS name, metric_key FROM canonical_metric
            UNION SELECT lower(display), metric_key FROM canonical_metric
            UNION ALL SELECT unnest(aliases), metric_key FROM canonical_metric) n GROUP BY 1 HAVING count(*) > 1},
        q{UPDATE canonical_metric SET aliases = '{revenue}' WHERE metric_key = 'gross_profit'}, 'revenue'],
    ['definitions are sentences', q{SELECT metric_key FROM canonical_metric WHERE definition !~ '^[A-Z].{12,}[.]$' OR definition ~ '  '
            UNION SELECT slug FROM statement_template WHERE description !~ '^[A-Z].{12,}[.]$'},
        q{UPDATE canonical_metric SET definition = rtrim(definition, '.') WHERE metric_key = 'goodwill'}, 'goodwill'],
    ['names begin with a capital and differ', q{SELECT max(metric_key) FROM canonical_metric GROUP BY display
            HAVING count(*) > 1 OR display !~ '^[A-Z].*[^ .]$'},
        q{UPDATE canonical_metric SET display = 'goodwill' WHERE metric_key = 'goodwill'}, 'goodwill'],
    ['the names that questions are held against are those of the dictionary',
        q{(SELECT name FROM metric_name_source EXCEPT SELECT name FROM metric_name) UNION (SELECT name FROM metric_name EXCEPT SELECT name FROM metric_name_source)},
        "ALTER TABLE canonical_metric DISABLE TRIGGER canonical_metric_names; $metric DELETE FROM metric_name WHERE name = 'goodwill'", "goodwill\nplanted\nweed"],
);
for my $check (@checks) {
    my ($name, $query, $mistake, $found) = @$check;
    is(cluster()->value($database, $query), '', $name);
    is(cluster()->execute($database, "SET search_path = disclosed, public; BEGIN; $mistake; SELECT DISTINCT * FROM ($query) q ORDER BY 1; ROLLBACK"),
        $found, '... a mistake is found');
}

# Names follow the dictionary: what it takes, changes and gives up.
is(cluster()->execute($database, "SET search_path = disclosed, public; BEGIN; $metric SELECT string_agg(name, ',' ORDER BY name) FROM metric_name WHERE metric_key = 'planted';
    UPDATE canonical_metric SET aliases = '{herb}' WHERE metric_key = 'planted'; SELECT string_agg(name, ',' ORDER BY name) FROM metric_name WHERE metric_key = 'planted';
    DELETE FROM canonical_metric WHERE metric_key = 'planted'; SELECT count(*) FROM metric_name WHERE metric_key = 'planted'; ROLLBACK"),
    "planted,weed\nherb,planted\n0", 'names of metrics are kept as the dictionary is written');

# What the tables do not take.
my @refused = (
    ['a term that is no metric', q{INSERT INTO canonical_formula VALUES ('assets', 'sum', 1, 'nothing', 1)}, 'canonical_formula_term_fkey'],
    ['a line that is no metric', q{INSERT INTO template_metric VALUES ('bank', 900, 'nothing')}, 'template_metric_metric_key_fkey'],
    ['a concept of no metric', q{INSERT INTO canonical_concept VALUES ('nothing', 1, 'us-gaap:Assets')}, 'canonical_concept_metric_key_fkey'],
    ['industries that overlap', q{INSERT INTO industry_template VALUES (6030, 6300, 'fund')}, 'industry_template_int4range_excl'],
    ['a share count that adds up', q{UPDATE canonical_metric SET additive = true WHERE metric_key = 'eps_basic'}, 'canonical_metric_check'],
    ['a ratio of three terms', q{INSERT INTO canonical_formula VALUES ('net_margin', 'ratio', 3, 'ebitda', 1)}, 'canonical_formula_check'],
);
for my $case (@refused) {
    my ($name, $sql, $constraint) = @$case;
    my $error = eval { cluster()->execute_apart($database, "SET search_path = disclosed, public; $sql"); 'none' } // $@;
    like($error, qr/"\Q$constraint\E/, "refused: $name");
}

# ----------------------------------------------------------------------------------------- the search

# What the comment at canonical_text() promises, and by the index.
sub search
{
    my ($words, $threshold) = @_;
    return cluster()->value($database, "SET pg_trgm.word_similarity_threshold = $threshold; SELECT metric_key FROM canonical_metric
        WHERE '$words' <% canonical_text(metric_key, display, aliases)
        ORDER BY word_similarity('$words', canonical_text(metric_key, display, aliases)) DESC, length(metric_key), metric_key LIMIT 1");
}
my @searches = (['turnover', 0.6, 'revenue'], ['capex', 0.6, 'capital_expenditure'], ['free cashflw', 0.6, 'free_cash_flow'],
    ['operating incme', 0.6, 'operating_income'], ['reveneu', 0.4, 'revenue'], ['buybacks', 0.6, 'share_repurchases']);
is(search($_->[0], $_->[1]), $_->[2], "$_->[0] finds $_->[2]") for @searches;
like(cluster()->value($database, "SET enable_seqscan = off; EXPLAIN SELECT 1 FROM canonical_metric
    WHERE 'sales' <% canonical_text(metric_key, display, aliases)"), qr/canonical_metric_search/, 'a search uses the index');
for my $role ('disclosed_api', 'disclosed_loader') {
    is(cluster()->value($database, "SELECT string_agg(relname, ' ') FROM pg_class WHERE relnamespace = 'disclosed'::regnamespace
        AND relname ~ '^(canonical_(metric|concept|formula|depth|remainder|average_ratio|term)|statement_template|template_metric|industry_template)\$'
        AND (NOT has_table_privilege('$role', oid, 'SELECT') OR has_table_privilege('$role', oid, 'INSERT, UPDATE, DELETE'))"), '',
        "$role only reads");
}

# ---------------------------------------------------------------------------------------- the filers

my @files = glob(build('SHARED') . '/data/edgar-companyfacts/CIK*.json.gz');
SKIP: {
    skip 'no companyfacts files', 10 if !@files;
    my ($code, $out, $err) = run({ env => { PATH => build('PGBIN') . ":$ENV{PATH}" } }, $^X, build('SRCDIR') . '/t/bench/mapping',
        '--database', cluster()->conninfo($database, 'postgres'), '--from', 2009, @files);
    is($code, 0, 't/bench/mapping') or diag $err;
    my ($table, $holes, $unfit) = split /^# (?:holes|concepts).*\n/m, $out;
    # Microsoft says of the days of its tests that nothing was impaired.
    is($unfit, "goodwill_impairment us-gaap:GoodwillImpairmentLoss: instant, USD\n",
        'all facts but those fit the basis and the unit of their metric');
    my %found = $table =~ /^(\w+ \d{4}) (\d+\/\d+)/gm;
    # What all seven filers report.
    is($found{"$_ 2023"}, '7/7', "$_ is found for all filers")
        for qw(revenue net_income assets eps_diluted operating_income income_tax_expense capital_expenditure);
    like($holes, qr/^total_debt Apple Inc\. \(/m, 'a hole is named');
}
finish();
