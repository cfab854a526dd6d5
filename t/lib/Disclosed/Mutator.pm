package Disclosed::Mutator;

# Mutants of C: small changes that a test should see. A text is cut into tokens, so that comments, strings and lines of
# the preprocessor stay as they are. A mutant is a hash:
#
#     id          eight hex digits of file name, function, text of the line and change: stays while other lines move
#     path        of the file
#     function    it is in, and the line where that begins; '' for tables and enumerations
#     line, at, length, instead        what is replaced by what
#     operator    relational, logical, arithmetic, constant, statement, return, condition, jump
#     what        the change for a reader

use v5.24;
use warnings;
use Digest::SHA qw(sha1_hex);
use Exporter qw(import);

our @EXPORT_OK = qw(tokens mutants apply choose);

my %relational = ('<' => '<=', '<=' => '<', '>' => '>=', '>=' => '>', '==' => '!=', '!=' => '==');
my %logical    = ('&&' => '||', '||' => '&&');
my %arithmetic = ('+' => '-', '-' => '+', '+=' => '-=', '-=' => '+=', '++' => '--', '--' => '++');
my %jump       = (break => 'continue', continue => 'break');
my %opening    = ('(' => ')', '[' => ']', '{' => '}');
my $type       = qr/^(?:const|static|struct|union|enum|unsigned|signed|char|short|int|long|float|double|void|size_t|extern|volatile|register|_Thread_local|typedef|\w+_t)$/;
my $keyword    = qr/^(?:if|else|for|while|do|switch|case|default|return|break|continue|goto|sizeof)$/;

# [kind, text, offset, line] of each: word, number, string, sign. The rest is no token.
sub tokens
{
    my ($text) = @_;
    my ($line, @found) = (1);
    pos($text) = 0;
    while (pos($text) < length $text) {
        my $at = pos $text;
        my $kind
            = $text =~ /\G(?:\s+|\\\n)/gc                                            ? ''
            : $text =~ m{\G(?:/\*.*?\*/|//[^\n]*)}gcs                                ? ''
            : on_new_line($text, $at) && $text =~ m{\G\#(?:[^\n\\/]|\\\n|\\.|/\*.*?\*/|/)*}gcs ? ''
            : $text =~ /\G(?:u8|[LuU])?(?:"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')/gcs    ? 'string'
            : $text =~ /\G[A-Za-z_]\w*/gc                                            ? 'word'
            : $text =~ /\G\.?\d(?:[eEpP][+-]|[\w.])*/gc                              ? 'number'
            : $text =~ /\G(?:<<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*\/%&|^]=|.)/gcs ? 'sign'
            :                                                                          die 'no C';
        my $token = substr $text, $at, pos($text) - $at;
        push @found, [$kind, $token, $at, $line] if $kind ne '';
        $line += $token =~ tr/\n//;
    }
    return @found;
}

sub on_new_line
{
    my ($text, $at) = @_;
    return 0 if substr($text, $at, 1) ne '#';
    my $begin = rindex(substr($text, 0, $at), "\n") + 1;
    return substr($text, $begin, $at - $begin) !~ /\S/;
}

# For each bracket the place of the other one; for each token the bracket around it, or -1.
sub pair_brackets
{
    my ($tokens) = @_;
    my (@open, @other, @around);
    for my $i (0 .. $#$tokens) {
        my ($kind, $text) = $tokens->[$i]->@*;
        if ($kind eq 'sign' && $text =~ /^[)\]}]$/ && @open) {
            my $begin = pop @open;
            @other[$begin, $i] = ($i, $begin);
        }
        $around[$i] = $open[-1] // -1;
        push @open, $i if $kind eq 'sign' && $opening{$text};
    }
    return (\@other, \@around);
}

# The functions of a file: [name, first token of the body, last].
sub functions
{
    my ($tokens, $other, $around) = @_;
    my @found;
    for my $i (1 .. $#$tokens) {
        next if $tokens->[$i][1] ne '{' || $around->[$i] != -1 || $tokens->[ $i - 1 ][1] ne ')' || !defined $other->[$i];
        my $name = $tokens->[ $other->[ $i - 1 ] - 1 ][1];
        push @found, [$name, $i, $other->[$i]];
    }
    return @found;
}

# --- where a mutation may be ------------------------------------------------------------------

# A sign with a value to its left is binary.
sub is_binary
{
    my ($before) = @_;
    return 0 if !$before || $before->[0] eq 'string';
    return $before->[0] eq 'number' || ($before->[0] eq 'word' && $before->[1] !~ $keyword) || $before->[1] =~ /^[)\]]$/;
}

# [operator, first token, last token, instead] of what one token gives.
sub of_token
{
    my ($tokens, $i, $in_function) = @_;
    my ($kind, $text) = $tokens->[$i]->@*;
    my ($before, $after) = ($i > 0 ? $tokens->[ $i - 1 ] : undef, $tokens->[ $i + 1 ]);
    if ($kind eq 'number') {
        return () if $before && $before->[1] eq '[' && !$in_function;
        return of_number($text, $i);
    }
    return () if !$in_function;
    if ($kind eq 'sign') {
        return ['relational', $i, $i, $relational{$text}] if $relational{$text};
        return ['logical', $i, $i, $logical{$text}] if $logical{$text};
        return ['logical', $i, $i, ''] if $text eq '!';
        return ['arithmetic', $i, $i, $arithmetic{$text}] if $text =~ /^(?:[-+]=|\+\+|--)$/ || ($text =~ /^[-+]$/ && is_binary($before));
        return ['arithmetic', $i, $i, '*'] if $text eq '/';
    }
    return ['jump', $i, $i, $jump{$text}] if $jump{$text} && $after && $after->[1] eq ';';
    return ();
}

sub of_number
{
    my ($text, $i) = @_;
    my ($digits, $suffix) = $text =~ /^(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)$/ or return ();
    my $hex = $digits =~ /^0[xX]/;
    my $value = $hex ? hex $digits : $digits =~ /^0\d/ ? oct $digits : $digits;
    return () if $value >= 2**62;
    my $other = $value eq '0' ? 1 : $value eq '1' ? 0 : $hex ? sprintf('0x%x', $value + 1) : $value + 1;
    return ['constant', $i, $i, "$other$suffix"];
}

# Conditions of if, while and ?:, forced.
sub of_conditions
{
    my ($tokens, $other, $first, $last) = @_;
    my @found;
    for my $i ($first .. $last) {
        my $word = $tokens->[$i][1];
        next if $tokens->[$i][0] ne 'word' || $word !~ /^(?:if|while)$/ || $tokens->[ $i + 1 ][1] ne '(';
        my ($begin, $end) = ($i + 2, $other->[ $i + 1 ] - 1);
        push @found, ['condition', $begin, $end, sub { "($_[0]) && 0" }];
        push @found, ['condition', $begin, $end, sub { "($_[0]) || 1" }] if $word eq 'if';
    }
    return @found;
}

sub of_returns
{
    my ($tokens, $around, $first, $last) = @_;
    my @found;
    for my $i ($first .. $last) {
        next if $tokens->[$i][1] ne 'return' || $tokens->[ $i + 1 ][1] eq ';';
        my $end = $i + 1;
        $end++ while $tokens->[ $end + 1 ][1] ne ';' || $around->[ $end + 1 ] != $around->[$i];
        my $value = $end == $i + 1 ? $tokens->[$end][1] : '';
        next if $value eq 'NULL' || $value eq '1';    # "1" is a constant already
        push @found, ['return', $i + 1, $end, $value eq 'APR_SUCCESS' ? 'APR_EGENERAL' : 0] if $value ne '0';
    }
    return @found;
}

# Statements that are a call or an assignment; declarations are none.
sub of_statements
{
    my ($tokens, $other, $around, $first, $last) = @_;
    my @found;
    for my $i ($first + 1 .. $last) {
        next if $tokens->[$i][0] eq 'string' || $tokens->[$i][1] =~ $keyword || $tokens->[$i][1] =~ $type || $tokens->[$i][1] =~ /^[][){};]$/;
        next if !begins_statement($tokens, $other, $i) || !is_block($tokens, $around->[$i]);
        my $end = $i;
        $end++ while $end < $last && ($tokens->[$end][1] ne ';' || $around->[$end] != $around->[$i]);
        my @words = map { $_->[1] } $tokens->@[$i .. $end];
        next if $words[0] =~ /^\w+$/ && "@words" =~ /^\w+ (?:\* )*(?:const )?\w+ (?:[=;,\[])/;
        next if grep { $_ eq '{' } @words or "@words" =~ /^\( void \)/;
        next if !grep { /^(?:[-+*\/%&|^]?=|<<=|>>=|\()$/ } @words;
        push @found, ['statement', $i, $end - 1, ''];
    }
    return @found;
}

# Enumerations and initialisers have braces, too.
sub is_block
{
    my ($tokens, $brace) = @_;
    return $tokens->[$brace][1] eq '{' && $tokens->[ $brace - 1 ][1] =~ /^(?:[);{}:]|else|do)$/;
}

sub begins_statement
{
    my ($tokens, $other, $i) = @_;
    my $before = $tokens->[ $i - 1 ][1];
    return 1 if $before =~ /^(?:[;{}]|else|do)$/;
    return 1 if $before eq ':' && grep { $_->[1] =~ /^(?:case|default)$/ } $tokens->@[ $i - 2, $i - 3 ];
    return 0 if $before ne ')';
    my $open = $other->[ $i - 1 ] // return 0;
    return $tokens->[ $open - 1 ][1] =~ /^(?:if|for|while)$/;
}

# --- mutants of a file -------------------------------------------------------------------------

sub mutants
{
    my ($path, $text) = @_;
    my @tokens = tokens($text);
    my ($other, $around) = pair_brackets(\@tokens);
    my (@function_of, @raw);
    for my $function (functions(\@tokens, $other, $around)) {
        my ($name, $first, $last) = @$function;
        @function_of[$first .. $last] = ([$name, $tokens[$first][3]]) x ($last - $first + 1);
        push @raw, of_conditions(\@tokens, $other, $first, $last), of_returns(\@tokens, $around, $first, $last),
            of_statements(\@tokens, $other, $around, $first, $last);
    }
    push @raw, map { of_token(\@tokens, $_, defined $function_of[$_]) } 0 .. $#tokens;
    my @lines = split /\n/, $text, -1;
    my %times;
    my @mutants = map { describe($path, $text, \@lines, \@tokens, $function_of[ $_->[1] ] // ['', 1], \%times, $_) } @raw;
    return sort { $a->{at} <=> $b->{at} || $a->{operator} cmp $b->{operator} || $a->{instead} cmp $b->{instead} } @mutants;
}

sub describe
{
    my ($path, $text, $lines, $tokens, $in, $times, $raw) = @_;
    my ($function, $begins) = @$in;
    my ($operator, $first, $last, $instead) = @$raw;
    my ($at, $line) = $tokens->[$first]->@[2, 3];
    my $length = $tokens->[$last][2] + length($tokens->[$last][1]) - $at;
    my $old = substr $text, $at, $length;
    $instead = $instead->($old) if ref $instead;
    my $column = $at - (rindex($text, "\n", $at - 1) + 1);
    my ($indent) = $lines->[ $line - 1 ] =~ /^(\s*)/;
    my $key = join "\0", $path =~ s{.*/}{}r, $function, $lines->[ $line - 1 ] =~ s/^\s+|\s+$//gr, $operator, $column - length $indent, $old, $instead;
    my $what = $operator eq 'statement' ? "without $old" : "$old -> " . ($instead eq '' ? 'nothing' : $instead);
    return {
        id => substr(sha1_hex($key . "\0" . $times->{$key}++), 0, 8), path => $path, function => $function, begins => $begins, line => $line,
        at => $at, length => $length, instead => $instead, operator => $operator, what => $what =~ s/\s+/ /gr,
    };
}

sub apply
{
    my ($text, $mutant) = @_;
    substr($text, $mutant->{at}, $mutant->{length}) = $mutant->{instead};
    return $text;
}

# All mutants in an order of chance: an area by how many it has, then an operator that has any left, then one of these.
sub choose
{
    my ($seed, %by_area) = @_;
    srand $seed;
    my (%left, %count, @order);
    for my $area (sort keys %by_area) {
        $count{$area} = $by_area{$area}->@*;
        push $left{$area}{ $_->{operator} }->@*, $_ for $by_area{$area}->@*;
    }
    while (my @areas = sort keys %left) {
        my $total = 0;
        $total += $count{$_} for @areas;
        my ($point, $area) = (rand $total);
        for (@areas) { $area = $_; last if ($point -= $count{$_}) < 0 }
        my @operators = sort keys $left{$area}->%*;
        my $operator = $operators[ rand @operators ];
        my $list = $left{$area}{$operator};
        push @order, { splice(@$list, rand @$list, 1)->%*, area => $area };
        delete $left{$area}{$operator} if !@$list;
        delete $left{$area} if !keys $left{$area}->%*;
    }
    return @order;
}

1;
