import type { Command, OptionSpec } from "./command.ts";
import { configNameOptions } from "./project/config-name.ts";

const project: OptionSpec = {
  type: "string",
  value: "folder",
  summary: "folder of the project (default: the nearest upwards with pipeline.config.ts)",
};
const python: OptionSpec = {
  type: "boolean",
  summary: "run the emitted Python in place of its native twins",
};
const device = (byDefault: string): OptionSpec => ({
  type: "string",
  value: "cpu|cuda|auto",
  summary: `where ONNX models run (default: ${byDefault})`,
});
const tritonUrl: OptionSpec = {
  type: "string",
  value: "url",
  summary: "a running Triton (HTTP) in place of our own",
};
const tritonGrpc: OptionSpec = {
  type: "string",
  value: "host:port",
  summary: "its gRPC address (default: the port after the HTTP one)",
};
const port = (name: string, byDefault: string): OptionSpec => ({
  type: "string",
  value: "port",
  summary: `${name} port (default: ${byDefault})`,
});

/** Every command, in the order of help. */
export const commands: readonly Command[] = [
  {
    name: "init",
    positionals: "[template] [folder]",
    summary: "make a project from a template, embedding or classification, that passes its own test",
    options: {
      list: { type: "boolean", summary: "print the templates" },
    },
    load: () => import("./commands/init.ts"),
  },
  {
    name: "init python-step",
    positionals: "[step...]",
    summary: "write the model.py of steps of python() that have none, with types for the editor",
    options: { project },
    load: () => import("./commands/init-python-step.ts"),
  },
  {
    name: "build",
    positionals: "",
    summary: "compile the project to a Triton model repository and typed clients",
    options: {
      project,
      check: {
        type: "boolean",
        summary: "write nothing; exit 1 when the build folder is not what the sources make",
      },
      fresh: {
        type: "boolean",
        summary: "replace all versions that lie in the build folder, where the project appends to them",
      },
    },
    load: () => import("./commands/build.ts"),
  },
  {
    name: "dev",
    positionals: "[repository]",
    summary: "build and serve locally on ONNX Runtime, or serve any model repository",
    options: {
      project,
      host: { type: "string", value: "address", summary: "address to listen on (default: 127.0.0.1)" },
      "http-port": port("HTTP", "8000"),
      "grpc-port": port("gRPC", "the one after HTTP's"),
      "metrics-port": port("metrics", "the second after HTTP's"),
      "allowed-host": {
        type: "string",
        multiple: true,
        value: "name",
        summary:
          "a name that requests may use for this server, '.example.com' with its subdomains; IP addresses and localhost always may",
      },
      "allowed-origin": {
        type: "string",
        multiple: true,
        value: "origin",
        summary:
          "an origin whose web pages may call this server, such as http://localhost:5173 (default: none)",
      },
      "http-max-input-size": {
        type: "string",
        value: "bytes",
        summary:
          "longest HTTP request body (default: 67108864, as Triton since 25.06; for earlier targets 268435456)",
      },
      "grpc-max-message-size": {
        type: "string",
        value: "bytes",
        summary: "longest gRPC message that is received (default: 268435456)",
      },
      "exit-timeout-secs": {
        type: "string",
        value: "seconds",
        summary: "how long running requests may take to end after Ctrl-C or SIGTERM (default: 30, as Triton)",
      },
      device: device("auto, CUDA where it works"),
      ...configNameOptions,
      python,
      "python-timeout": {
        type: "string",
        value: "duration",
        summary:
          "longest execution of a Python model, such as 30s; then its process starts anew (default: none)",
      },
      "no-watch": {
        type: "boolean",
        summary: "serve one build; without it, what changes is built and served again",
      },
      "model-control-mode": {
        type: "string",
        value: "none|poll|explicit",
        summary: "as Triton's, in place of watching: no changes, at intervals, or by request",
      },
      "repository-poll-secs": {
        type: "string",
        value: "seconds",
        summary: "with poll: how often to look for changes (default: 15)",
      },
      "strict-readiness": {
        type: "string",
        value: "true|false",
        summary:
          "as Triton's: whether a model that is not ready keeps the server from being ready (default: true)",
      },
      "load-model": {
        type: "string",
        multiple: true,
        value: "model",
        summary: "with explicit: a model to load at the start, '*' for all",
      },
    },
    load: () => import("./commands/dev.ts"),
  },
  {
    name: "run",
    positionals: "[ensemble] [text…]",
    summary: "send one request and print the answer",
    options: {
      project,
      input: {
        type: "string",
        multiple: true,
        short: "i",
        value: "name=value",
        summary: "an input: text, or JSON for numbers and several rows",
      },
      json: { type: "boolean", summary: "print the whole answer as KServe v2 JSON" },
      url: { type: "string", value: "url", summary: "a running server (HTTP) in place of the project" },
      device: device("cpu"),
      ...configNameOptions,
      python,
    },
    load: () => import("./commands/run.ts"),
  },
  {
    name: "verify",
    positionals: "[ensemble…]",
    summary: "compare local native, local Python and a real Triton on the same requests",
    options: {
      project,
      samples: {
        type: "string",
        value: "file.json",
        summary:
          "requests: a list of { input: values } (default: the ensemble's warmup samples, and some made from the types)",
      },
      "no-generated": { type: "boolean", summary: "send the warmup samples only, none made from the types" },
      "no-triton": { type: "boolean", summary: "compare the local runs only" },
      "no-python": { type: "boolean", summary: "leave out the local Python run" },
      "triton-url": tritonUrl,
      "triton-grpc": tritonGrpc,
      ...configNameOptions,
      tolerance: {
        type: "string",
        value: "number",
        summary: "largest absolute plus relative error (default: 1e-5)",
      },
      json: { type: "boolean", summary: "print the comparison as JSON" },
    },
    load: () => import("./commands/verify.ts"),
  },
  {
    name: "test",
    positionals: "[step…]",
    summary: "compare the functions of step() in Node with their Python on generated requests",
    options: {
      project,
      runs: { type: "string", value: "n", summary: "requests made for each step (default: 200)" },
      seconds: { type: "string", value: "s", summary: "longest time for each step (default: 60)" },
      seed: { type: "string", value: "n", summary: "the requests of another run (default: 1)" },
      json: { type: "boolean", summary: "print the comparison as JSON" },
    },
    load: () => import("./commands/test.ts"),
  },
  {
    name: "add",
    positionals: "[model]",
    summary:
      "bring a model into the project: hf:owner/name, a folder, a file; or all that pipeline.lock.json lists",
    options: {
      project,
      file: {
        type: "string",
        value: "path",
        summary:
          "the ONNX file, of several: its path, its name, or the end of it: fp16 (default: model.onnx)",
      },
      revision: {
        type: "string",
        value: "revision",
        summary: "branch, tag or commit of the hub's repository, as hf:owner/name@revision (default: main)",
      },
      name: { type: "string", value: "name", summary: "what to call it (default: as it is called there)" },
      "dry-run": { type: "boolean", summary: "say what would come and where it would lie; write nothing" },
      force: { type: "boolean", summary: "write over files that `pipeline add` did not write" },
    },
    load: () => import("./commands/add.ts"),
  },
  {
    name: "bench",
    positionals: "[ensemble, or two results…]",
    summary: "load test: requests a second, latency and batch sizes, over HTTP and gRPC",
    options: {
      project,
      clients: {
        type: "string",
        value: "n,n…",
        summary: "clients that send one request after the other (default: 1,4,16)",
      },
      rate: {
        type: "string",
        value: "n/s,n/s…",
        summary: "requests a second at random times, whatever the server does",
      },
      protocol: { type: "string", value: "http|grpc", summary: "one of them (default: both)" },
      seconds: { type: "string", value: "s", summary: "how long each case is measured (default: 10)" },
      warm: { type: "string", value: "s", summary: "how long each case runs before that (default: 2)" },
      timeout: { type: "string", value: "s", summary: "how long an answer may take (default: 30)" },
      seed: { type: "string", value: "n", summary: "of the order and the times of requests (default: 1)" },
      requests: {
        type: "string",
        value: "file.jsonl",
        summary:
          "requests, one { input: values } a line (default: the ensemble's warmup samples, else some made from the types)",
      },
      triton: { type: "boolean", summary: "serve with a real Triton in place of our own server" },
      url: { type: "string", value: "url", summary: "a running server (HTTP) in place of the project" },
      "grpc-url": { type: "string", value: "host:port", summary: "its gRPC address" },
      device: device("cpu"),
      python,
      ...configNameOptions,
      html: { type: "string", value: "file.html", summary: "write a report with plots, one file" },
      json: { type: "boolean", summary: "print the result as JSON, for --compare" },
      compare: { type: "boolean", summary: "compare two results: --compare a.json b.json" },
      "perf-analyzer-input": {
        type: "string",
        value: "file.json",
        summary: "also write the requests for perf_analyzer's --input-data",
      },
    },
    load: () => import("./commands/bench.ts"),
  },
  {
    name: "drift",
    positionals: "[reference] [candidate]",
    summary:
      "measure how far the answers of two variants are apart: projects, builds, ONNX files, servers; exit 1 beyond limits",
    options: {
      project,
      model: {
        type: "string",
        multiple: true,
        value: "name",
        summary: "an ensemble or model to compare (default: the ensembles that both have)",
      },
      dataset: {
        type: "string",
        value: "file",
        summary: "requests: .jsonl, .json or lines of .txt (default: the samples of the ensemble's warmup)",
      },
      make: {
        type: "string",
        value: "fp16|int8",
        summary: "the candidate: the reference with its ONNX models made smaller by onnxruntime's tools",
      },
      step: {
        type: "string",
        multiple: true,
        value: "name",
        summary: "with --make: a model to make smaller (default: every ONNX step)",
      },
      replace: {
        type: "string",
        multiple: true,
        value: "model=file.onnx",
        summary: "the candidate: the project with this file in the model",
      },
      limit: {
        type: "string",
        multiple: true,
        value: "output.name=number",
        summary: "what an output must keep to, such as embedding.cosine=0.999 or top1=1",
      },
      "batch-size": {
        type: "string",
        value: "rows",
        summary: "send requests of one shape together, up to so many rows (default: 8)",
      },
      out: {
        type: "string",
        short: "o",
        value: "folder",
        summary: "write drift.html, drift.json and the models that --make made",
      },
      json: { type: "boolean", summary: "print the report as JSON" },
    },
    load: () => import("./commands/drift.ts"),
  },
  {
    name: "types",
    positionals: "<model.onnx>",
    summary: "write a typed signature module from an ONNX file",
    options: {
      project,
      out: { type: "string", short: "o", value: "file.ts", summary: "file to write (default: print)" },
      name: { type: "string", value: "name", summary: "name of the export (default: from the file)" },
    },
    load: () => import("./commands/types.ts"),
  },
  {
    name: "check",
    positionals: "<folder or config.pbtxt…>",
    summary: "find what Triton refuses in model repositories, and what it loads and gets wrong",
    options: {
      "configs-only": {
        type: "boolean",
        summary: "judge the configurations alone: version folders and model files may be missing",
      },
      strict: { type: "boolean", summary: "as Triton with --disable-auto-complete-config" },
      ...configNameOptions,
      target: {
        type: "string",
        value: "release",
        summary: "Triton release, such as 25.03 (default: 24.10)",
      },
      json: { type: "boolean", summary: "print the findings as JSON" },
      sarif: { type: "boolean", summary: "print the findings as SARIF 2.1.0" },
      github: { type: "boolean", summary: "print the findings as GitHub annotations" },
    },
    load: () => import("./commands/check.ts"),
  },
  {
    name: "explain",
    positionals: "[code or line…]",
    summary: "say what a code means, or a line of Triton's log or a client's error (- reads stdin)",
    options: {
      repository: {
        type: "string",
        value: "folder",
        summary: "model repository that a message is about (default: the project's last build)",
      },
      json: { type: "boolean", summary: "print the explanation as JSON" },
    },
    load: () => import("./commands/explain.ts"),
  },
  {
    name: "gpu install",
    positionals: "",
    summary:
      "put ONNX Runtime's CUDA libraries into the cache (Linux x86-64; 1.6 GB to fetch, 2.5 GB on disk)",
    options: {
      force: { type: "boolean", summary: "make a complete installation anew" },
      remove: { type: "boolean", summary: "delete the CUDA libraries from the cache" },
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
      "grpc-port": port("gRPC", "the one after HTTP's"),
      "metrics-port": port("metrics", "the second after HTTP's"),
      ...configNameOptions,
    },
    load: () => import("./commands/triton-serve.ts"),
  },
];
