import type { Command, OptionSpec } from "./command.ts";
import { tritonOptions } from "./dev/triton-options.ts";
import { configNameOptions } from "./project/config-name.ts";

const project: OptionSpec = {
  value: "folder",
  summary: "folder of the project (default: the nearest parent folder with pipeline.config.ts)",
};
const python: OptionSpec = {
  summary: "run the emitted Python instead of its native twins",
};
const device = (byDefault: string): OptionSpec => ({
  value: "cpu|cuda|auto",
  summary: `device for ONNX models (default: ${byDefault})`,
});
const tritonUrl: OptionSpec = {
  value: "url",
  summary: "a running Triton (HTTP) instead of our own",
};
const tritonGrpc: OptionSpec = {
  value: "host:port",
  summary: "its gRPC address (default: the HTTP port plus 1)",
};
const port = (name: string, byDefault: string): OptionSpec => ({
  value: "port",
  summary: `${name} port (default: ${byDefault})`,
});

const headerPattern = (what: string): OptionSpec => ({
  value: "regex",
  summary: `as in Triton: ${what} that models get as request parameters, by a pattern for any part of the name (default: none)`,
});
const restricted = (what: string, header: string): OptionSpec => ({
  multiple: true,
  value: "names:key=value",
  summary: `as in Triton: a comma-separated list of ${what} that require a value in the ${header}`,
});

/** Every command, in the order in which help lists them. */
export const commands: readonly Command[] = [
  {
    name: "init",
    positionals: "[template] [folder]",
    summary: "create a project from a template: embedding or classification",
    options: {
      list: { summary: "print the templates" },
    },
    load: () => import("./commands/init.ts"),
  },
  {
    name: "init python-step",
    positionals: "[step...]",
    summary: "write a model.py for python() steps that have none, with types for the editor",
    options: { project },
    load: () => import("./commands/init-python-step.ts"),
  },
  {
    name: "build",
    positionals: "",
    summary: "compile the project to a Triton model repository with typed clients",
    options: {
      project,
      check: { summary: "write nothing; exit with 1 if the build folder is out of date" },
      fresh: { summary: "replace all versions in the build folder of a project that appends versions" },
      explain: {
        summary:
          "print which engine runs each function step in Triton, which models contain tensor math, and why",
      },
    },
    load: () => import("./commands/build.ts"),
  },
  {
    name: "deploy",
    positionals: "",
    summary: "write a Helm chart, a Compose file, rules and dashboards for the last build; apply nothing",
    options: {
      project,
      check: { summary: "write nothing; exit 1 if the files are out of date" },
    },
    load: () => import("./commands/deploy.ts"),
  },
  {
    name: "dev",
    positionals: "[repository]",
    summary: "build and serve locally on ONNX Runtime, or serve any model repository",
    options: {
      project,
      host: { value: "address", summary: "address to listen on (default: 127.0.0.1)" },
      "http-port": port("HTTP", "8000"),
      "grpc-port": port("gRPC", "HTTP's port plus 1"),
      "metrics-port": port("metrics", "HTTP's port plus 2"),
      "allowed-host": {
        multiple: true,
        value: "name",
        summary:
          "a host name that requests may use, or '.example.com' with its subdomains; IP addresses and localhost are always allowed",
      },
      "allowed-origin": {
        multiple: true,
        value: "origin",
        summary:
          "an origin whose web pages may call this server, such as http://localhost:5173 (default: none)",
      },
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
      device: device("auto: CUDA if it works"),
      ...configNameOptions,
      python,
      "python-timeout": {
        value: "duration",
        summary:
          "maximum execution time of a Python model, such as 30s, after which its process is restarted (default: none)",
      },
      "no-watch": { summary: "serve one build without watching for changes" },
      "no-inspector": { summary: "do not serve the inspector, the page at /inspector" },
      "no-tensors": { summary: "the inspector does not record the tensors between models" },
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
          "as in Triton: with execution_count, instances wait for the resources in their rate_limiter; those that have run least come first (default: off)",
      },
      "rate-limit-resource": {
        multiple: true,
        value: "name:count[:device]",
        summary:
          "as in Triton: available amount of a resource (default: as much of each as one instance needs)",
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
        value: "level",
        summary: "as in Triton: above 0, prints a line for each request (default: 0)",
      },
      tokenizer: {
        value: "folder",
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
    },
    missing: tritonOptions,
    load: () => import("./commands/dev.ts"),
  },
  {
    name: "run",
    positionals: "[ensemble] [text…]",
    summary: "send one request and print the answer",
    options: {
      project,
      input: {
        multiple: true,
        short: "i",
        value: "name=value",
        summary: "an input: text, or JSON for numbers or several rows",
      },
      json: { summary: "print the whole answer as KServe v2 JSON" },
      url: { value: "url", summary: "a running server (HTTP) instead of the project" },
      device: device("cpu"),
      ...configNameOptions,
      python,
    },
    load: () => import("./commands/run.ts"),
  },
  {
    name: "trace",
    positionals: "[ensemble] [text…]",
    summary: "send one request and show its time and its tensors at every step",
    options: {
      project,
      repository: { value: "folder", summary: "a model repository instead of the project" },
      input: {
        multiple: true,
        short: "i",
        value: "name=value",
        summary: "an input: text, or JSON for numbers or several rows",
      },
      json: { summary: "print the recording as JSON" },
      device: device("cpu"),
      ...configNameOptions,
      python,
    },
    load: () => import("./commands/trace.ts"),
  },
  {
    name: "verify",
    positionals: "[ensemble…]",
    summary: "compare local native, local Python and a real Triton on the same requests",
    options: {
      project,
      samples: {
        value: "file.json",
        summary:
          "requests: a list of { input: values } (default: the ensemble's warmup samples, and some generated from the types)",
      },
      "no-generated": { summary: "send only the warmup samples" },
      "no-triton": { summary: "compare only the local runs" },
      "no-python": { summary: "skip the local Python run" },
      "triton-url": tritonUrl,
      "triton-grpc": tritonGrpc,
      ...configNameOptions,
      tolerance: { value: "number", summary: "maximum absolute plus relative error (default: 1e-5)" },
      json: { summary: "print the comparison as JSON" },
    },
    load: () => import("./commands/verify.ts"),
  },
  {
    name: "smoke",
    positionals: "[ensemble…]",
    summary:
      "send the samples of the build to a deployed server: readiness, contract, warmup, answers, latency",
    options: {
      project,
      url: { value: "url", summary: "the server (HTTP)" },
      tolerance: { value: "number", summary: "maximum absolute plus relative error (default: 1e-3)" },
      repeats: { value: "n", summary: "how often each sample is sent for the latency (default: 20)" },
      limit: { value: "p99<200ms", summary: "fail if the latency is above this (default: no limit)" },
      json: { summary: "print the checks as JSON" },
    },
    load: () => import("./commands/smoke.ts"),
  },
  {
    name: "test",
    positionals: "[step…]",
    summary: "compare step() functions in Node with their Python translation on generated requests",
    options: {
      project,
      runs: { value: "n", summary: "requests generated for each step (default: 200)" },
      seconds: { value: "s", summary: "maximum time for each step (default: 60)" },
      seed: { value: "n", summary: "seed for the generated requests (default: 1)" },
      json: { summary: "print the comparison as JSON" },
    },
    load: () => import("./commands/test.ts"),
  },
  {
    name: "add",
    positionals: "[model]",
    summary:
      "add a model to the project: hf:owner/name, a folder or a file; or restore everything in pipeline.lock.json",
    options: {
      project,
      file: {
        value: "path",
        summary:
          "which of several ONNX files: its path, its name, or the end of its name, such as fp16 (default: model.onnx)",
      },
      revision: {
        value: "revision",
        summary:
          "branch, tag or commit of the hub repository, same as hf:owner/name@revision (default: main)",
      },
      name: { value: "name", summary: "name of the model (default: its name in the source)" },
      "dry-run": { summary: "show what would be downloaded and where; write nothing" },
      force: { summary: "overwrite files that `pipeline add` did not write" },
    },
    load: () => import("./commands/add.ts"),
  },
  {
    name: "bench",
    positionals: "[ensemble, or two results…]",
    summary: "run a load test over HTTP and gRPC: requests per second, latency and batch sizes",
    options: {
      project,
      clients: {
        value: "n,n…",
        summary: "number of clients, each sending one request at a time (default: 1,4,16)",
      },
      rate: {
        value: "n/s,n/s…",
        summary: "requests per second, sent at random times regardless of the server",
      },
      protocol: { value: "http|grpc", summary: "one of them (default: both)" },
      seconds: { value: "s", summary: "how long each case is measured (default: 10)" },
      warm: { value: "s", summary: "warmup before each case (default: 2)" },
      timeout: { value: "s", summary: "maximum time to wait for an answer (default: 30)" },
      seed: { value: "n", summary: "seed for the order and times of requests (default: 1)" },
      requests: {
        value: "file.jsonl",
        summary:
          "requests, one { input: values } per line (default: the ensemble's warmup samples, or else generated ones)",
      },
      triton: { summary: "serve with a real Triton instead of our own server" },
      url: { value: "url", summary: "a running server (HTTP) instead of the project" },
      "grpc-url": { value: "host:port", summary: "its gRPC address" },
      device: device("cpu"),
      python,
      ...configNameOptions,
      "by-step": { summary: "also print where the time goes: queue, input, compute, output of each step" },
      html: { value: "file.html", summary: "write a report with plots as a single file" },
      json: { summary: "print the result as JSON, for --compare" },
      compare: { summary: "compare two results: --compare a.json b.json" },
      "perf-analyzer-input": {
        value: "file.json",
        summary: "also write the requests for perf_analyzer's --input-data",
      },
    },
    load: () => import("./commands/bench.ts"),
  },
  {
    name: "tune",
    positionals: "[ensemble]",
    summary: "find the settings that make an ensemble fastest: instances, threads, batching, padding",
    options: {
      project,
      target: {
        value: "throughput|latency|limit",
        summary:
          'what to optimize; with a limit, such as "p99<50ms", as many requests per second as possible within it',
      },
      clients: {
        value: "n",
        summary: "number of clients, each sending one request at a time (default: 16; 1 for latency)",
      },
      rate: {
        value: "n/s",
        summary: "with latency: requests per second, sent at random times, instead of clients",
      },
      requests: {
        value: "file.jsonl",
        summary:
          "requests, one { input: values } per line (default: the ensemble's warmup samples, or else generated ones)",
      },
      profile: {
        value: "name",
        summary: "the profile to start from (default: the settings without a profile)",
      },
      name: { value: "name", summary: "name of the profile that gets the settings (default: tuned)" },
      "profile-only": { summary: "try only settings that a profile can change: neither padding nor batchBy" },
      write: { summary: "write the settings into the project's TypeScript (default: only show them)" },
      triton: { summary: "serve with a real Triton instead of our own server" },
      url: { value: "url", summary: "a running server (HTTP) with model control; implies --profile-only" },
      cores: { value: "n", summary: "the server's processors (default: this machine's)" },
      runs: { value: "n", summary: "maximum number of candidates to measure (default: 24)" },
      seconds: { value: "s", summary: "how long each slice is measured (default: 1)" },
      fresh: { summary: "measure everything again instead of continuing where an earlier run stopped" },
      device: device("cpu"),
      python,
      html: { value: "file.html", summary: "write a report with plots as a single file" },
    },
    load: () => import("./commands/tune.ts"),
  },
  {
    name: "drift",
    positionals: "[reference] [candidate]",
    summary:
      "measure how much the answers of two variants (projects, builds, ONNX files, servers) differ; exit 1 if a limit is exceeded",
    options: {
      project,
      model: {
        multiple: true,
        value: "name",
        summary: "an ensemble or model to compare (default: all common ensembles)",
      },
      dataset: {
        value: "file",
        summary: "requests: .jsonl, .json or lines of .txt (default: the ensemble's warmup samples)",
      },
      make: {
        value: "fp16|int8",
        summary: "the candidate: the reference with its ONNX models converted by onnxruntime's tools",
      },
      step: {
        multiple: true,
        value: "name",
        summary: "with --make: a model to convert (default: every ONNX step)",
      },
      replace: {
        multiple: true,
        value: "model=file.onnx",
        summary: "the candidate: the project with this file for the model",
      },
      limit: {
        multiple: true,
        value: "output.name=number",
        summary: "a limit, such as embedding.cosine=0.999 or top1=1",
      },
      "batch-size": {
        value: "rows",
        summary: "maximum rows of equal shape that are sent together (default: 8)",
      },
      out: {
        short: "o",
        value: "folder",
        summary: "write drift.html, drift.json and the models from --make",
      },
      json: { summary: "print the report as JSON" },
    },
    load: () => import("./commands/drift.ts"),
  },
  {
    name: "types",
    positionals: "<model.onnx>",
    summary: "write a typed signature module from an ONNX file",
    options: {
      project,
      out: { short: "o", value: "file.ts", summary: "file to write (default: print)" },
      name: { value: "name", summary: "name of the export (default: derived from the file)" },
    },
    load: () => import("./commands/types.ts"),
  },
  {
    name: "check",
    positionals: "<folder or config.pbtxt…>",
    summary:
      "find mistakes in model repositories: those that Triton refuses, and those that it loads but that make models misbehave",
    options: {
      "configs-only": {
        summary: "check only the configurations: version folders and model files may be missing",
      },
      strict: { summary: "check as Triton does with --disable-auto-complete-config" },
      ...configNameOptions,
      target: { value: "release", summary: "Triton release, such as 25.03 (default: 24.10)" },
      json: { summary: "print the findings as JSON" },
      sarif: { summary: "print the findings as SARIF 2.1.0" },
      github: { summary: "print the findings as GitHub annotations" },
    },
    load: () => import("./commands/check.ts"),
  },
  {
    name: "explain",
    positionals: "[code or line…]",
    summary: "explain a code, or a line from Triton's log or from a client's error (- reads stdin)",
    options: {
      repository: {
        value: "folder",
        summary: "model repository that a message refers to (default: the project's last build)",
      },
      json: { summary: "print the explanation as JSON" },
    },
    load: () => import("./commands/explain.ts"),
  },
  {
    name: "gpu install",
    positionals: "",
    summary:
      "put ONNX Runtime's CUDA libraries into the cache (Linux x86-64; 1.6 GB to fetch, 2.5 GB on disk)",
    options: {
      force: { summary: "install everything again" },
      remove: { summary: "delete the CUDA libraries from the cache" },
    },
    load: () => import("./commands/gpu-install.ts"),
  },
  {
    name: "triton install",
    positionals: "",
    summary: "install a real Triton from PyPI into the cache (Linux x86-64, about 480 MB)",
    options: {},
    load: () => import("./commands/triton-install.ts"),
  },
  {
    name: "triton serve",
    positionals: "[repository]",
    summary: "build and serve with a real Triton",
    options: {
      project,
      "http-port": port("HTTP", "8000"),
      "grpc-port": port("gRPC", "HTTP's port plus 1"),
      "metrics-port": port("metrics", "HTTP's port plus 2"),
      ...configNameOptions,
    },
    load: () => import("./commands/triton-serve.ts"),
  },
];
