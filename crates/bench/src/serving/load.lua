-- Asks for the paths that stand after `--`, in turn, and each thread from another one on.
local threads = 0

function setup(thread)
  thread:set("first", threads * 1000)
  threads = threads + 1
end

function init(paths)
  requests = {}
  for i, path in ipairs(paths) do
    requests[i] = wrk.format("GET", path)
  end
  turn = first
end

function request()
  turn = turn + 1
  return requests[turn % #requests + 1]
end

function done(summary, latency)
  local errors = summary.errors
  io.write(string.format(
    '{"per_second":%.3f,"p50_ms":%.6f,"p99_ms":%.6f,"refused":%d,"broken":%d,"answered":%d}\n',
    summary.requests / (summary.duration / 1e6),
    latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3,
    errors.status,
    errors.connect + errors.read + errors.write + errors.timeout,
    summary.requests
  ))
end
