-- The load of one measurement. BENCH_REQUESTS has a line for each request to send in turn:
-- path, and behind a tab the ETag for If-None-Match. BENCH_ACCEPT_ENCODING is sent where it is set; BENCH_BODY, JSON, is POSTed to each path.
-- Ends with one line of JSON for the bench.

local body = os.getenv("BENCH_BODY")

local function headers_for(etag)
    local headers = {
        ["Authorization"] = os.getenv("BENCH_AUTHORIZATION"),
        ["Accept"] = "application/json",
        ["Accept-Encoding"] = os.getenv("BENCH_ACCEPT_ENCODING"),
    }
    if body then
        headers["Content-Type"] = "application/json"
    end
    if etag ~= "" then
        headers["If-None-Match"] = etag
    end
    return headers
end

local wanted = {}
for path, etag in os.getenv("BENCH_REQUESTS"):gmatch("([^\t\n]+)\t?([^\n]*)\n") do
    wanted[#wanted + 1] = {path = path, headers = headers_for(etag)}
end

-- One request is sent as wrk does it by itself, without a call into Lua for each.
wrk.path = wanted[1].path
wrk.headers = wanted[1].headers
if body then
    wrk.method = "POST"
    wrk.body = body
end

if #wanted > 1 then
    local formatted = {}
    local turn = 0

    function init()
        for place, one in ipairs(wanted) do
            formatted[place] = wrk.format(wrk.method, one.path, one.headers, body)
        end
    end

    function request()
        turn = turn % #formatted + 1
        return formatted[turn]
    end
end

function done(summary, latency)
    local errors = summary.errors
    io.write(string.format(
        'result {"requests":%d,"microseconds":%d,"bytes":%d,"broken":%d,"refused":%d,'
            .. '"p50":%d,"p99":%d}\n',
        summary.requests, summary.duration, summary.bytes,
        errors.connect + errors.read + errors.write + errors.timeout, errors.status,
        latency:percentile(50), latency:percentile(99)))
end
