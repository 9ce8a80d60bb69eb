import type { OptionSpec } from "../command.ts";

type Options = Readonly<Record<string, OptionSpec>>;

const port = (name: string, byDefault: string): OptionSpec => ({
  value: "port",
  summary: `${name} port (default: ${byDefault})`,
});

const headerPattern = (what: string): OptionSpec => ({
  value: "regex",
  summary: `as in Triton: ${what} that models get as request parameters: a pattern, which may match any part of their names (default: none)`,
});
const restricted = (what: string, header: string): OptionSpec => ({
  multiple: true,
  value: "names:key=value",
  summary: `as in Triton: a comma-separated list of ${what} that require a value in the ${header}`,
});

/** Where a server listens. */
export const portOptions: Options = {
  "http-port": port("HTTP", "8000"),
  "grpc-port": port("gRPC", "HTTP's port plus 1"),
  "metrics-port": port("metrics", "HTTP's port plus 2"),
};

const host: OptionSpec = { value: "address", summary: "address to listen on (default: 127.0.0.1)" };
const callerOptions: Options = {
  "allowed-host": {
    multiple: true,
    value: "name",
    summary:
      "a host name that requests may use, or '.example.com' with its subdomains; IP addresses and localhost are always allowed",
  },
  "allowed-origin": {
    multiple: true,
    value: "origin",
    summary: "an origin whose web pages may call this server, such as http://localhost:5173 (default: none)",
  },
};

/** Options for the address of a page and for its callers, but not for its port. */
export const pageOptions: Options = { host, ...callerOptions };

/** Options for the callers of the local server, the size of requests, and shutdown. */
export const accessOptions: Options = {
  host,
  ...portOptions,
  ...callerOptions,
  "http-max-input-size": {
    value: "bytes",
    summary:
      "maximum HTTP request body in bytes (default: 67108864, as in Triton since 25.06; for earlier targets 268435456)",
  },
  "grpc-max-message-size": {
    value: "bytes",
    summary: "maximum gRPC request message in bytes (default: 268435456)",
  },
  "http-header-forward-pattern": headerPattern("HTTP headers"),
  "grpc-header-forward-pattern": headerPattern("gRPC metadata"),
  "http-restricted-api": restricted("APIs", "HTTP header"),
  "grpc-restricted-protocol": restricted("protocols", "gRPC metadata (after triton-grpc-protocol-)"),
  "exit-timeout-secs": {
    value: "seconds",
    summary: "time for running requests to finish after Ctrl-C or SIGTERM (default: 30, as in Triton)",
  },
};

/** Options of tritonserver that control how the local server serves: model control, cache, limits, metrics, logs and traces. */
export const servingOptions: Options = {
  "model-control-mode": {
    value: "none|poll|explicit",
    summary: "as in Triton, instead of watching: no changes, at intervals, or on request",
  },
  "repository-poll-secs": {
    value: "seconds",
    summary: "with poll: interval between checks for changes (default: 15)",
  },
  "strict-readiness": {
    value: "true|false",
    summary: "as in Triton: the server is only ready if all models are (default: true)",
  },
  "cache-config": {
    value: "local,size=bytes",
    summary: "as in Triton: a cache for models with response_cache { enable: true } (default: none)",
  },
  "rate-limit": {
    value: "off|execution_count",
    summary:
      "as in Triton: with execution_count, instances wait for the resources in their rate_limiter; those that have run least often come first (default: off)",
  },
  "rate-limit-resource": {
    multiple: true,
    value: "name:count[:device]",
    summary: "as in Triton: available amount of a resource (default: as much of each as one instance needs)",
  },
  "metrics-config": {
    multiple: true,
    value: "setting=value",
    summary:
      "as in Triton: summary_latencies=true, counter_latencies=false or summary_quantiles=0.5:0.05,… (default: counters, no summaries)",
  },
  "metrics-interval-ms": {
    value: "ms",
    summary: "as in Triton: interval between machine measurements (default: 2000)",
  },
  "allow-cpu-metrics": {
    value: "true|false",
    summary: "as in Triton: metrics for the machine's processors and memory (default: true)",
  },
  "allow-gpu-metrics": {
    value: "false",
    summary: "as in Triton: no GPU metrics; the local server does not measure GPUs and refuses true",
  },
  "log-verbose": {
    value: "level|true|false",
    summary: "as in Triton: above 0, prints a line for each request (default: 0)",
  },
  tokenizer: {
    value: "folder",
    path: "folder",
    summary:
      "for models from other repositories: the folder with the chat template for /v1/chat/completions, as in Triton's OpenAI frontend",
  },
  "trace-config": {
    multiple: true,
    value: "[mode,]setting=value",
    summary:
      "as in Triton: request traces, such as triton,file=trace.json or mode=opentelemetry, with level=TIMESTAMPS and rate=1 (default: none)",
  },
  "trace-file": { value: "path", summary: "older form of --trace-config triton,file=path" },
  "trace-level": {
    multiple: true,
    value: "level",
    summary: "older form of --trace-config level=level",
  },
  "trace-rate": { value: "n", summary: "older form of --trace-config rate=n" },
  "trace-count": { value: "n", summary: "older form of --trace-config count=n" },
  "trace-log-frequency": { value: "n", summary: "older form of --trace-config triton,log-frequency=n" },
  "load-model": {
    multiple: true,
    value: "model",
    summary: "with explicit: a model to load at startup; '*' loads all",
  },
};
