#!/usr/bin/env perl
# How long something takes, and until when it may, is told by the monotonic clock: the time of day steps. Who reads the latter is listed, and why.
use strict;
use warnings;

use FindBin;
use lib $FindBin::Bin;
use Guard;
use Test::More;

my %reads = (
    'engine/calendar.c' => 'today',
    'follow/fetch.c' => 'times in HTTP headers',
    'follow/keep.c' => 'the age of a file by its own time',
    'follow/folder.c' => 'the age of a file by its own time',
    'loader/correction.c' => 'this year',
    'module/client.c' => 'the day of a quota; both clocks for the limits',
    'module/count_flushes.c' => 'both clocks for the limits',
    'module/handler.c' => 'a seed',
    'module/observe.c' => "httpd's own r->request_time; the day of a count",
    'module/report_follow.c' => 'ages of what the database has times of',
    'module/response_cache.c' => 'the expiry of ap_socache',
    'sources/congress/congress_date.c' => 'today',
    'sources/sec_submissions/submissions_issuer.c' => 'today',
    'sources/sec_submissions/submissions_row.c' => 'today',
    'webhook/delivery_notes.c' => 'when the next attempt is due, in the database',
    'webhook/delivery_obstacles.c' => 'since when, for metrics',
    'webhook/endpoints.c' => 'times in the database',
    'webhook/service.c' => 'the timestamp of a signature',
);
my @readers = grep { without_comments(slurp($_)) =~ /\b(?:apr_time_now\s*\(|time\s*\(\s*(?:NULL|0)\s*\)|gettimeofday\s*\(|CLOCK_REALTIME\b)/ } tree(qr/\.[ch]$/, 'mod_disclosed');
looked_at(scalar @readers, 15, 'files');
same_set([map { s{^mod_disclosed/}{}r } @readers], [keys %reads], 'who reads the time of day');
done_testing;
