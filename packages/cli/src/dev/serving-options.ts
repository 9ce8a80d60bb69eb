import { type OptionSpec, takes } from "../command.ts";

type Options = Readonly<Record<string, OptionSpec>>;

const port = (name: string, byDefault: string): OptionSpec =>
  takes("port", `${name} port (default: ${byDefault})`);
const headerPattern = (what: string): OptionSpec =>
  takes(
    "regex",
    `as in Triton: ${what} that models get as request parameters; the pattern may match any part of a name (default: none)`,
  );
const restricted = (what: string, header: string): OptionSpec =>
  takes(
    "names:key=value",
    `as in Triton: a comma-separated list of ${what} that require a value in the ${header}`,
    { multiple: true },
  );

/** Where a server listens. */
export const portOptions: Options = {
  "http-port": port("HTTP", "8000"),
  "grpc-port": port("gRPC", "the HTTP port plus 1"),
  "metrics-port": port("metrics", "the HTTP port plus 2"),
};

const host = takes("address", "address to listen on (default: 127.0.0.1)");
const callerOptions: Options = {
  "allowed-host": takes(
    "name",
    "a host name that requests may use, or '.example.com' with its subdomains; IP addresses and localhost are always allowed",
    { multiple: true },
  ),
  "allowed-origin": takes(
    "origin",
    "an origin whose web pages may call this server, such as http://localhost:5173 (default: none)",
    { multiple: true },
  ),
};

/** Options for the address of a page and for its callers, but not for its port. */
export const pageOptions: Options = { host, ...callerOptions };

/** Options for the callers of the local server, the size of requests, and shutdown. */
export const accessOptions: Options = {
  host,
  ...portOptions,
  ...callerOptions,
  "http-max-input-size": takes(
    "bytes",
    "maximum HTTP request body in bytes (default: 67108864, as in Triton since 25.06; for earlier targets 268435456)",
  ),
  "grpc-max-message-size": takes("bytes", "maximum gRPC request message in bytes (default: 268435456)"),
  "http-header-forward-pattern": headerPattern("HTTP headers"),
  "grpc-header-forward-pattern": headerPattern("gRPC metadata"),
  "http-restricted-api": restricted("APIs", "HTTP header"),
  "grpc-restricted-protocol": restricted("protocols", "gRPC metadata (after triton-grpc-protocol-)"),
  "exit-timeout-secs": takes(
    "seconds",
    "time for running requests to finish after Ctrl-C or SIGTERM (default: 30, as in Triton)",
  ),
};

/** Options of tritonserver that control how the local server serves: model control, cache, limits, metrics, logs and traces. */
export const servingOptions: Options = {
  "model-control-mode": takes(
    "none|poll|explicit",
    "as in Triton, instead of watching: no changes, at intervals, or on request",
  ),
  "repository-poll-secs": takes("seconds", "with poll: interval between checks for changes (default: 15)"),
  "strict-readiness": takes(
    "true|false",
    "as in Triton: the server is only ready if all models are (default: true)",
  ),
  "cache-config": takes(
    "local,size=bytes",
    "as in Triton: a cache for models with response_cache { enable: true } (default: none)",
  ),
  "rate-limit": takes(
    "off|execution_count",
    "as in Triton: with execution_count, instances wait for the resources in their rate_limiter; those that have run least often come first (default: off)",
  ),
  "rate-limit-resource": takes(
    "name:count[:device]",
    "as in Triton: available amount of a resource (default: as much of each as one instance needs)",
    { multiple: true },
  ),
  "metrics-config": takes(
    "setting=value",
    "as in Triton: summary_latencies=true, counter_latencies=false or summary_quantiles=0.5:0.05,… (default: counters, no summaries)",
    { multiple: true },
  ),
  "metrics-interval-ms": takes("ms", "as in Triton: interval between machine measurements (default: 2000)"),
  "allow-cpu-metrics": takes(
    "true|false",
    "as in Triton: metrics for the machine's processors and memory (default: true)",
  ),
  "allow-gpu-metrics": takes(
    "false",
    "as in Triton: no GPU metrics; the local server does not measure GPUs and refuses true",
  ),
  "log-verbose": takes(
    "level|true|false",
    "as in Triton: above 0, prints a line for each request (default: 0)",
  ),
  tokenizer: takes(
    "folder",
    "for models from other repositories: the folder with the chat template for /v1/chat/completions, as in Triton's OpenAI frontend",
    { path: "folder" },
  ),
  "trace-config": takes(
    "[mode,]setting=value",
    "as in Triton: request traces, such as triton,file=trace.json or mode=opentelemetry, with level=TIMESTAMPS and rate=1 (default: none)",
    { multiple: true },
  ),
  "trace-file": takes("path", "older form of --trace-config triton,file=path"),
  "trace-level": takes("level", "older form of --trace-config level=level", { multiple: true }),
  "trace-rate": takes("n", "older form of --trace-config rate=n"),
  "trace-count": takes("n", "older form of --trace-config count=n"),
  "trace-log-frequency": takes("n", "older form of --trace-config triton,log-frequency=n"),
  "load-model": takes("model", "with explicit: a model to load at startup; '*' loads all", {
    multiple: true,
  }),
};
