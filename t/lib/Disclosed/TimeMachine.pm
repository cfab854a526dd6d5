package Disclosed::TimeMachine;

# Whether as_of tells the past: one database has everything (`full`), another one grows as time goes by (`grown`):
# what was public by an instant is loaded into it, in the order of time. At each instant the full one, asked as of
# it, must say what the grown one says, asked without it.
#
# Not compared, or compared after a translation:
# - numbers of records, issuers and events hang on the order of loading: each stands for the source of its record
#   (src_id), the issuer's CIK or party, the event's earliest evidence;
# - src_ids of events, holders, flows and exposures are made of such numbers: the first are translated, the others left out;
# - extracted_at is the time of loading where a source states none;
# - the order of rows of one day is that of their numbers: pages are walked to the end, and rows compared as a set, an
#   event's filings and documents as well;
# - cursors hold such numbers: the pages that they lead to are compared;
# - the calendar is of events to come, from the instant of asking on: the grown one is asked as of it, too;
# - content_hash where an input is cut: a file's hash is of all its bytes.

use v5.24;
use warnings;
use Disclosed::Lists qw(with);
use Disclosed::JSON ();

my $json = Disclosed::JSON->new->canonical;

# The order proof (Disclosed::Order) asks two databases that have the same files, loaded in two orders, for the same: `alike`.

# Options: full, grown (sites; the latter may come later, by against()), symbols (most of them that are asked for, 200), most (other values of a parameter, 40),
# sources (src_ids of each table, 6), watched (symbols among them), hash (1: compare content_hash), reasons: pairs of a
# pattern of differences (operation, target, instant and first difference) and why they may be.
sub new
{
    my ($class, %option) = @_;
    my $self = bless { symbols => 200, most => 40, sources => 6, watched => [], reasons => [], excused => {}, cells => 0, requests => 0, rows => 0, different => [], %option }, $class;
    $self->{document} = Disclosed::Lists->new($self->{full})->{document};
    return $self;
}

# Compares with another site from now on.
sub against
{
    my ($self, $grown) = @_;
    $self->{grown} = $grown;
    return $self;
}

# --- what stands for numbers ---------------------------------------------------------------------

# Datasets that files bring, table => name: derived ones are made of them.
sub datasets
{
    my ($site) = @_;
    state %datasets;
    if (!%datasets) {
        my ($code, $out, $err) = $site->control('tables', '--json');
        die "disclosedctl tables: $err" if $code != 0;
        %datasets = map { ($_->{table} => $_->{name}) } grep { !$_->{derived} } Disclosed::JSON->new->utf8->decode($out)->{datasets}->@*;
    }
    return \%datasets;
}

sub translate
{
    my ($self, $site) = @_;
    my (%number, %source, %issuer);
    for my $row ($site->rows("SELECT issuer_id, coalesce(cik::text, party_key, 'nobody') AS name FROM issuer")) {
        $issuer{ $row->{issuer_id} } = $row->{name};
    }
    my $datasets = datasets($site);
    for my $table (sort keys %$datasets) {
        for my $row ($site->rows("SELECT DISTINCT id, replace(src_digest::text, '-', '') AS digest, issuer_id, record_key FROM $table")) {
            # Rows by ticker go from a party to the company that is listed; their source stays.
            $number{ $row->{id} } = $table =~ /^(?:event_notice|short_interest|corporate_action)\z/ ? "$table:$row->{digest}"
                : "$datasets->{$table}:$issuer{ $row->{issuer_id} }:$row->{record_key}";
        }
    }
    # What says when an event is, of now or of before; periodic reports do not.
    for my $row ($site->rows("WITH told AS (SELECT event_id, id, known_at, src_digest FROM filing WHERE form LIKE '8-K%' UNION ALL SELECT event_id, id, known_at, src_digest FROM transcript"
            . " UNION ALL SELECT event_id, id, known_at, src_digest FROM event_notice)"
            . " SELECT DISTINCT ON (e.event_id) e.event_id, e.id FROM (TABLE told UNION ALL SELECT f.event_id, t.id, t.known_at, t.src_digest FROM told t JOIN former_event f ON f.record_id = t.id) e"
            . " WHERE e.event_id IS NOT NULL ORDER BY e.event_id, e.known_at, e.src_digest")) {
        $number{ $row->{event_id} } = "event of $number{ $row->{id} }";
    }
    for my $row ($site->rows("SELECT DISTINCT id, replace(src_digest::text, '-', '') AS digest FROM event")) {
        $source{ $row->{digest} } = $number{ $row->{id} } // 'event of nothing';
    }
    return { number => \%number, source => \%source, issuer => \%issuer };
}

# The text of an answer with what stands for its numbers.
sub normal
{
    my ($self, $names, $text) = @_;
    $text =~ s/,"extracted_at":(?:null|"[^"]*")//g;
    $text =~ s/,"content_hash":(?:null|"[^"]*")//g if !$self->{hash};
    $text =~ s/("issuer_id":)(\d+)/$1 . quoted($names->{issuer}{$2} \/\/ "no issuer $2")/ge;
    $text =~ s/("(?:\w+_)?id":)(\d+)(?=[,}])/$1 . quoted($names->{number}{$2} \/\/ "no record $2")/ge;
    $text =~ s/"filing_ids":\[([\d,]*)\]/'"filing_ids":[' . join(',', sort map { quoted($names->{number}{$_} \/\/ "no record $_") } split m{,}, $1) . ']'/ge;
    $text =~ s/"src_id":"src_event_([0-9a-f]{32})"/'"src_id":' . quoted("src of " . ($names->{source}{$1} \/\/ $1))/ge;
    $text =~ s/"src_id":"src_(institution_holder|institution_flow|fund_exposure)_\w+"/"src_id":"$1"/g;
    return $text;
}

sub with_sorted_children
{
    my ($text) = @_;
    return $text if $text !~ /"bundle":\{/;
    my $item = $json->decode($text);
    $_ = [sort { $json->encode($a) cmp $json->encode($b) } @$_] for grep { defined } @$item{qw(filings documents)};
    return $json->encode($item);
}

sub quoted { return '"' . $_[0] =~ s/(["\\])/\\$1/gr . '"' }

# --- what is asked -------------------------------------------------------------------------------

# Symbols to ask for, listed now or once: of issuers that have any rows, and those that are watched.
sub symbols
{
    my ($self) = @_;
    return $self->{asked_symbols} //= do {
        my $sql = join ' UNION ', map { "SELECT issuer_id FROM $_" } qw(filing insider_transaction insider_holding executive short_interest corporate_action
            beneficial_owner event transcript document fund_exposure);
        my %listed = map { ($_->{record_key} => 1) } $self->{full}->rows("SELECT DISTINCT record_key FROM listing WHERE issuer_id IN ($sql"
                . ' UNION SELECT company_id FROM congress_trade UNION SELECT company_id FROM security_link)');
        delete @listed{ $self->{watched}->@* };
        my @others = sort { sum_of($a) <=> sum_of($b) || $a cmp $b } keys %listed;
        splice @others, $self->{symbols} if @others > $self->{symbols};
        [$self->{watched}->@*, @others];
    };
}

# An order that is the same every time and has nothing to do with the alphabet.
sub sum_of { return unpack '%32C*', $_[0] x 3 . reverse $_[0] }

sub most
{
    my ($self, @values) = @_;
    my %seen;
    @values = grep { defined && !$seen{$_}++ } @values;
    return @values <= $self->{most} ? @values : @values[map { int($_ * @values / $self->{most}) } 0 .. $self->{most} - 1];
}

# Values for a parameter of a path: pairs for the full and the grown one.
sub path_values
{
    my ($self, $name, $names) = @_;
    my $full = $self->{full};
    return map { [$_, $_] } $self->symbols->@* if $name eq 'symbol';
    return map { [$_, $_] } $self->most(map { $_->{v} } $full->rows('SELECT DISTINCT lpad(cik::text, 10, \'0\') AS v FROM institution_report JOIN issuer USING (issuer_id) ORDER BY 1')) if $name eq 'cik';
    return map { [$_, $_] } $self->most(map { $_->{v} } $full->rows("SELECT DISTINCT substr(party_key, 12) AS v FROM issuer WHERE party_key LIKE 'politician/%' ORDER BY 1")) if $name eq 'slug';
    return map { [$_, $_] } $self->most(map { $_->{v} } $full->rows('SELECT accession AS v FROM (SELECT accession, min(part) AS part'
            . ' FROM (SELECT accession, 0 AS part FROM xbrl_linkbase UNION ALL SELECT accession, 1 FROM filing_exhibit UNION ALL SELECT accession, 2 FROM filing_text UNION ALL SELECT accession, 3 FROM filing) a'
            . ' GROUP BY 1) b ORDER BY part, accession')) if $name eq 'accession';
    if ($name eq 'src_id') {
        my @ids;
        my $datasets = datasets($self->{full});
        for my $table (sort keys %$datasets) {
            my $dataset = $datasets->{$table};
            push @ids, map { "src_${dataset}_$_->{v}" } $full->rows("SELECT DISTINCT replace(src_digest::text, '-', '') AS v FROM $table ORDER BY 1 LIMIT $self->{sources}");
        }
        return map { [$_, $_] } @ids;
    }
    return map { [$_, $_] } qw(assets revenue) if $name eq 'canonical_key';
    return map { [$_, $_] } 1, 2 if $name eq 'number';
    return map { [$_, $_] } $self->most(map { $_->{v} } $full->rows('SELECT DISTINCT metric_key AS v FROM kpi_metric ORDER BY 1')) if $name eq 'metric_key';
    my %table = (doc_id => 'document', transcript_id => 'transcript', event_id => 'event');
    my $table = $table{$name} // die "no values for the path parameter $name\n";
    my %grown = map { ($names->{grown}{number}{$_} => $_) } keys $names->{grown}{number}->%*;
    return map { [$_, $grown{ $names->{full}{number}{$_} // '' } // 0] } $self->most(map { $_->{id} } $full->rows("SELECT DISTINCT id FROM $table ORDER BY 1"));
}

# All targets: pairs.
sub targets
{
    my ($self, $names) = @_;
    my $document = $self->{document};
    my @targets;
    for my $path (sort keys $document->{paths}->%*) {
        my $operation = $document->{paths}{$path}{get} or next;
        my %parameter = map { ($_->{name} => $_) } ($operation->{parameters} // [])->@*;
        next if !$parameter{as_of}; # nothing of the data: the OpenAPI document, an account's own webhooks
        my @names = $path =~ /\{(\w+)\}/g;
        my @paths = [$path, $path];
        for my $name (@names) {
            my @values = $self->path_values($name, $names);
            @paths = map { my $pair = $_; map { my $value = $_; [map { $pair->[$_] =~ s/\{\w+\}/$value->[$_]/r } 0, 1] } @values } @paths;
        }
        my @queries = ({});
        @queries = ({ active_only => 'false' }) if $parameter{active_only};
        @queries = ({ current_only => 'false' }, {}) if $parameter{current_only};
        push @queries, map { { symbols => $_ } } $self->most($self->symbols->@*) if $parameter{symbols};
        push @queries, map { { tickers => s/:.*//r } } $self->{watched}->@* if $parameter{tickers};
        push @queries, map { { ticker => s/:.*//r } } $self->most($self->symbols->@*) if $parameter{ticker} && !@names;
        push @queries, map { { q => $_ } } $self->{words}->@* if $parameter{q} && $self->{words};
        for my $pair (@paths) {
            push @targets, map { my $query = $_; { operation => $operation->{operationId}, path => [map { with($_, %$query) } @$pair], paged => $parameter{cursor} } } @queries;
        }
    }
    return @targets;
}

# --- comparing -----------------------------------------------------------------------------------

# An answer: its status, what stands beside the rows, and the rows in an order of their own.
sub answer
{
    my ($self, $which, $target, $path, $as_of) = @_;
    my ($head, @rows, $cursor);
    for my $page (1 .. 1000) {
        $self->{requests}++;
        my $asked = with($path, $as_of ? (as_of => $as_of) : (), $target->{paged} ? (limit => 500) : (), defined $cursor ? (cursor => $cursor) : ());
        my $response = $self->{$which}->get($asked);
        die "$which: $asked: " . $response->describe if $response->error || $response->status !~ /^(?:200|404)$/;
        return ['404'] if $response->status == 404;
        return ['200', $response->body] if !$target->{paged};
        my $more = Disclosed::Lists::rows_of($response);
        push @rows, @$more;
        $head //= $response->body =~ s/"data":\[.*\z//sr;
        my ($next) = $response->body =~ /"next_cursor":(null|"[\w-]+"),"has_more":(?:true|false)\}\}\z/;
        return ['200', $head, @rows] if $next eq 'null';
        $cursor = $next =~ s/"//gr;
    }
    die "$path: no end\n";
}

sub normal_answer
{
    my ($self, $names, $answer) = @_;
    my ($status, @texts) = @$answer;
    my ($head, @rows) = map { with_sorted_children($self->normal($names, $_)) } @texts;
    return ($status, $head // '', sort @rows);
}

# Compares all answers at an instant, or those of the operations `only`. With `alike` both are asked as of it, or now (undef),
# and those of the full one are kept: it does not change. Returns the differences.
sub compare
{
    my ($self, $instant, %option) = @_;
    my %names = (full => $self->{names_full} //= $self->translate($self->{full}), grown => $self->translate($self->{grown}));
    my @different;
    for my $target ($self->targets(\%names)) {
        next if $option{only} && $target->{operation} !~ $option{only};
        my $clock = $target->{operation} eq 'list_calendar';
        my $kept = $option{alike} ? \$self->{kept}{ $instant // '' }{ $target->{path}[0] } : \my $nothing;
        my @full  = ($$kept //= [$self->normal_answer($names{full}, $self->answer('full', $target, $target->{path}[0], $instant))])->@*;
        my @grown = $self->normal_answer($names{grown}, $self->answer('grown', $target, $target->{path}[1], $clock || $option{alike} ? $instant : undef));
        $self->{rows} += @full;
        $self->{cells} += 1 + (() = "@full" =~ /":/g);
        next if "@full" eq "@grown";
        my $told = $self->tell($instant, $target, \@full, \@grown);
        my ($reason) = grep { $told->{text} =~ $_->[0] } $self->{reasons}->@*;
        $self->{excused}{ $reason->[1] }++ if $reason;
        push @different, $told if !$reason;
    }
    push $self->{different}->@*, @different;
    return @different;
}

sub tell
{
    my ($self, $instant, $target, $full, $grown) = @_;
    my (%full, %grown);
    $full{$_}++ for @$full;
    $grown{$_}++ for @$grown;
    my @only_full  = grep { ($grown{$_} // 0) < $full{$_} } sort keys %full;
    my @only_grown = grep { ($full{$_} // 0) < $grown{$_} } sort keys %grown;
    $instant //= 'now';
    my $text = "$target->{operation} $target->{path}[0] as of $instant: " . @only_full . ' texts only there, ' . @only_grown . " only in what was public then\n";
    my $other = $only_grown[0] // '';
    my ($one) = $only_full[0] // '';
    # Begin a little before the first character that differs.
    my $same = 0;
    ($one ^ $other) =~ /^(\0*)/ and $same = length $1;
    my $from = $same > 150 ? $same - 150 : 0;
    $text .= "    as of: " . substr($one, $from, 400) . "\n    then:  " . substr($other, $from, 400) . "\n";
    return { operation => $target->{operation}, target => $target->{path}[0], instant => $instant, text => $text };
}

1;
