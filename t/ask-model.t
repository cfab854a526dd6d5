# A model that words answers: what it says well is taken, all else is left out, whether it lies, gives orders, is slow, silent or broken.
use v5.24;
use FindBin;
use lib "$FindBin::Bin/lib";
use Disclosed::Process qw(slurp wait_until);
use Disclosed::Shared qw(database register_process);
use Disclosed::Test;
use IO::Select;
use IO::Socket::IP;
use Disclosed::JSON ();
use POSIX ();
use Time::HiRes ();

my $json   = Disclosed::JSON->new->utf8->canonical;
my $folder = File::Temp->newdir;
my $listen = IO::Socket::IP->new(LocalHost => '127.0.0.1', LocalPort => 0, Listen => 16) or die "model: $@";

# The model: what it says is in a file; it writes down what it is asked.
sub write_file { my ($name, $text) = @_; open my $file, '>', "$folder/$name.new" or die $!; print $file $text; close $file; rename "$folder/$name.new", "$folder/$name" or die $! }
my @held;     # connections that are never answered
my $with = 0; # questions that were slow or held
my $pid = fork() // die "fork: $!";
if (!$pid) {
    $SIG{$_} = 'DEFAULT' for qw(INT TERM HUP);
    $SIG{$_} = 'IGNORE' for qw(CHLD PIPE); # clients that have given up are gone when they are responded to
    while (my $client = $listen->accept) {
        my $request = '';
        until ($request =~ /\r\n\r\n/) { sysread $client, $request, 65536, length $request or last }
        my ($length) = $request =~ /^Content-Length: (\d+)/mi;
        my $body = $request =~ s/.*?\r\n\r\n//sr;
        while (length $body < ($length // 0)) { sysread $client, $body, 65536, length $body or last }
        write_file('asked', $request =~ s/\r\n\r\n.*//sr . "\n\n$body");
        my ($mode, $content) = split /\n/, slurp("$folder/mode"), 2;
        if ($mode eq 'never') { push @held, $client; next }
        if ($mode =~ /^(?:slow|held)$/) {
            write_file('with-' . ++$with, '');
            next if fork;
            if ($mode eq 'slow') { Time::HiRes::sleep(0.9) } else { until (-e "$folder/released") { Time::HiRes::sleep(0.02) } }
        }
        my $text = $mode eq 'raw' ? $content : $json->encode({ choices => [{ message => { role => 'assistant', content => $content } }] });
        my $status = $mode =~ /^\d+$/ ? $mode : 200;
        print $client "HTTP/1.1 $status X\r\nContent-Type: application/json\r\nContent-Length: " . length($text) . "\r\nConnection: close\r\n\r\n$text";
        close $client;
        POSIX::_exit(0) if $mode =~ /^(?:slow|held)$/;
    }
    POSIX::_exit(0);
}
register_process($pid);
my $port = $listen->sockport;
write_file('key', "model-token\n");
chmod 0600, "$folder/key";

my $site = site(config => "DisclosedAskModel http://127.0.0.1:$port/v1/chat/completions\nDisclosedAskModelName test-model\nDisclosedAskModelKeyFile $folder/key\nDisclosedAskModelTimeout 1\n");
my $question = "What was Qordra's revenue in fiscal 2024?";
sub ask { return json_of($site->post('/v1/ask', { question => $_[0] // $question })) }
sub says { my (@sentences) = @_; write_file('mode', "say\n" . $json->encode({ sentences => [map { { text => $_->[0], sources => [@$_[1 .. $#$_]] } } @sentences] })) }

says(['Nothing.']);
my $plain = ask();
my ($amount) = $plain->{answer_md} =~ /(USD [\d.]+ million)/;
is($plain->{model_version}, 'built-in-1', 'a sentence without a source is left out: the answer stays');
my $asked = slurp("$folder/asked");
like($asked, qr/^Authorization: Bearer model-token\r?$/m, 'the token is sent');
like($asked, qr/"model":"test-model"/, '... and the name of the model');
like($asked, qr/\Q$amount\E/, '... with what was found');
unlike($asked, qr/passfile|password|dbname/, '... and nothing of the database');

says(["In fiscal 2024 Qordra took $amount.", 1]);
my $good = ask();
is($good->{answer_md}, "In fiscal 2024 Qordra took $amount. [1]", 'what rests on its source is taken');
is($good->{model_version}, 'test-model', '... and says who worded it');
is_deeply($good->{data_points}, $plain->{data_points}, '... the data points are ours');
is_deeply($good->{citations}, $plain->{citations}, '... and the citations');

# Each is left out beside a good sentence.
my @bad = (['It was USD 999 billion.', 1], ["It was $amount.", 2], ["It was $amount.", 0], ["It was $amount.", -1], ["It was $amount."], ['It said "we will be rich".', 1], ['It grew 12%.', 1],
    ["It was " . $amount =~ s/million/billion/r . '.', 1], ['In fiscal 2025 it was more.', 1], ['', 1], ["It was $amount.", 'one'], ["It was $amount.", 1, 7]);
for my $bad (@bad) {
    says(["Revenue was $amount.", 1], $bad);
    is(ask()->{answer_md}, "Revenue was $amount. [1]", 'left out: ' . $json->encode($bad));
}
says(["See [this](http://evil.example) <b>$amount</b> ![x](http://evil.example/p.png) https://evil.example [1]", 1]);
unlike(ask()->{answer_md} =~ s/\\.//gr, qr{\]\(|<|://|!\[|\[1\].*\[1\]}, 'links and markup are escaped');

# Broken, slow and silent models: the answer is ours, and the log says why.
sub fails
{
    my ($mode, $name) = @_;
    write_file('mode', $mode);
    my $began = Time::HiRes::time();
    my $answer = ask();
    is($answer->{answer_md}, $plain->{answer_md}, "$name: the answer is ours");
    cmp_ok(Time::HiRes::time() - $began, '<', 4, '... in time');
}
$site->{log}->permit('DSC0060');
fails("say\nno JSON at all", 'another form');
says(["Revenue was $amount.", 1]); is(ask()->{model_version}, 'test-model', 'one that works ends the row of failures');
fails("raw\n" . q({"choices":[]}), 'no choice');
fails("500\nx", 'an error');
fails("raw\n" . 'x' x 2_000_000, 'an endless response');
fails("never\n", 'a silent one');
fails("raw\n\x00\xff\xfe", 'bytes');
says(["Revenue was $amount.", 1]);
# The processes count for themselves: the one that has failed five times leaves the model alone.
my %by = map { ($_ => 0) } qw(test-model built-in-1);
$by{ ask()->{model_version} }++ for 1 .. 10;
is($by{'test-model'} + $by{'built-in-1'}, 10, "left alone after failures, and answered all the same: $by{'built-in-1'} of 10");
is(ask('Should I buy Qordra?')->{answer_md}, '', 'what is refused is not put to a model');

# Each question that is with the model holds a thread: an account gets a quarter of the places for them, and the others are answered
# at once.
my $other_database = database('demo');
my $patient = site(database => $site->{database}, cluster => $site->{cluster}, processes => 1, threads => 12, pool => 3,
    config => "DisclosedAskModel http://127.0.0.1:$port/v1/chat/completions\nDisclosedAskModelName test-model\nDisclosedAskModelTimeout 60\n<Location /mcp>\nSetHandler disclosed-mcp\n</Location>\n"
        . "<VirtualHost *>\nServerName main.example\n</VirtualHost>\n<VirtualHost *>\nServerName other.example\nDisclosedBaseURL http://other.example\n"
        . "DisclosedDatabase \"@{[ $site->{cluster}->conninfo($other_database, 'disclosed_api') ]}\"\n</VirtualHost>\n"
        . "<VirtualHost *>\nServerName broken.example\nDisclosedBaseURL http://broken.example\nDisclosedAskModel http://127.0.0.1:@{[ Disclosed::Site::free_port() ]}/\n</VirtualHost>\n");
my $content = $json->encode({ sentences => [{ text => "Revenue was $amount.", sources => [1] }] });
$patient->{log}->permit('DSC0060', 'DSC0061');
my ($one, $another) = map { $patient->own_key('enterprise') } 1 .. 2;
my $namesake = $patient->same_account_key($one, $other_database);
my $with_it = sub { return scalar(my @files = glob "$folder/with-*") };
sub begin
{
    my ($key, $host) = @_;
    my $body = $json->encode({ question => $question });
    my $socket = IO::Socket::IP->new(PeerHost => '127.0.0.1', PeerPort => $patient->{port}) or die "connect: $@";
    syswrite $socket, "POST /v1/ask HTTP/1.1\r\nHost: @{[ $host // '127.0.0.1' ]}\r\nAuthorization: Bearer $key\r\nContent-Type: application/json\r\n"
        . 'Content-Length: ' . length($body) . "\r\nConnection: close\r\n\r\n$body";
    return $socket;
}
write_file('mode', "held\n$content");
my @open = map { begin($one) } 1 .. 5;
my $early = IO::Select->new(@open);
ok(wait_until(30, sub { $with_it->() >= 5 || ($with_it->() == 4 && $early->can_read(0)) }), 'five questions of an account');
is($with_it->(), 4, '... of which four are with the model');
push @open, begin($another);
ok(wait_until(30, sub { $with_it->() == 5 }), '... where one of another account finds room');
push @open, begin($namesake, 'other.example');
ok(wait_until(30, sub { $with_it->() == 6 }), '... and the account of another database that has the same id');
write_file('released', '');
my %worded;
$worded{ join('', readline $_) =~ /"model_version":"([^"]+)"/ ? $1 : 'none' }++ for @open;
same_json(\%worded, { 'test-model' => 6, 'built-in-1' => 1 }, '... and all are answered');

# Each model is judged by itself: one that fails takes none from another virtual host.
write_file('mode', "say\n$content");
my %broken = (headers => { Host => 'broken.example' }, described => 0);
is($patient->post('/v1/ask', { question => $question }, key => $another, %broken)->json->{model_version}, 'built-in-1', 'a model that cannot be reached') for 1 .. 6;
is($patient->post('/v1/ask', { question => $question }, key => $another)->json->{model_version}, 'test-model', '... is left alone, and that of another virtual host is not');

# So does a batch of MCP's: after some seconds the rest of it is not carried out.
write_file('mode', "slow\n$content");
my $batch = $patient->post('/mcp', [map { { jsonrpc => '2.0', id => $_, method => 'tools/call', params => { name => 'ask', arguments => { question => $question } } } } 1 .. 20],
    key => $one, headers => { Accept => 'application/json' }, described => 0);
is($batch->status, 200, 'a batch whose calls take their time');
my @outcomes = map { $_->{result} ? 'result' : $_->{error}{message} } @{ $batch->json };
is($outcomes[0], 'result', '... the first ones are carried out');
is($outcomes[19], 'The batch has taken too long: send this message again, by itself.', '... the last ones are not');

kill 'KILL', $pid;
waitpid $pid, 0;
fails("say\n", 'one that is gone');
finish();
