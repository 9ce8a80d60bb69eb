import type { Command, OptionSpec } from "./command.ts";
import { headerOption, headersOf } from "./given-headers.ts";
import { accessOptions, pageOptions, portOptions, servingOptions } from "./dev/serving-options.ts";
import { tritonOptions } from "./dev/triton-options.ts";
import { compareOptions, editorOption } from "./inspector/page-options.ts";
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
const tritonUrl: OptionSpec = { value: "url", summary: "a running Triton (HTTP) instead of our own" };
const tritonGrpc: OptionSpec = {
  value: "host:port",
  summary: "its gRPC address (default: the HTTP port plus 1)",
};
const timeout: OptionSpec = {
  value: "s",
  summary: "maximum time to wait for an answer (default: 30)",
};
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
    summary: "write a model.py for python() steps that do not have one, with types for the editor",
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
          "print which engine runs each function step in Triton, which models contain tensor math or other steps, and why",
      },
    },
    load: () => import("./commands/build.ts"),
  },
  {
    name: "deploy",
    positionals: "",
    summary:
      "write a Helm chart, a Compose file, rules and dashboards for the last build, without applying them",
    options: {
      project,
      models: {
        value: "url",
        summary:
          "where servers find the models: image, s3://…, gs://…, as://…, pvc://… or oci://… (default: as in the last run, or else image)",
      },
      check: { summary: "write nothing; exit with 1 if the files are out of date" },
    },
    load: () => import("./commands/deploy.ts"),
  },
  {
    name: "dev",
    positionals: "[repository]",
    summary: "build and serve locally on ONNX Runtime, or serve any model repository",
    options: {
      project,
      ...accessOptions,
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
      editor: editorOption,
      ...compareOptions,
      ...servingOptions,
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
        summary:
          "an input: text, or JSON for numbers or several rows; for json<T>(), the JSON of one row, repeated for more",
      },
      json: { summary: "print the whole answer as KServe v2 JSON" },
      url: { value: "url", summary: "a running server (HTTP) instead of the project" },
      header: headerOption("url"),
      timeout: { ...timeout, needs: ["url"] },
      device: device("cpu"),
      ...configNameOptions,
      python,
    },
    load: () => import("./commands/run.ts"),
  },
  {
    name: "inspect",
    positionals: "",
    summary: "open the inspector's page for a running Triton, or another KServe v2 server",
    options: {
      url: { value: "url", summary: "the server (HTTP)" },
      header: headerOption("url", "grpc-url"),
      "grpc-url": { value: "host:port", summary: "its gRPC address, for requests to models that stream" },
      "metrics-url": {
        value: "url",
        summary: "its metrics, for waiting requests and the machine's statistics",
      },
      model: {
        multiple: true,
        value: "name",
        summary: "a model to show, if the server does not list its models",
      },
      ...compareOptions,
      port: { value: "port", summary: "port of the page (default: 8010)" },
      ...pageOptions,
    },
    load: () => import("./commands/inspect.ts"),
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
        summary:
          "an input: text, or JSON for numbers or several rows; for json<T>(), the JSON of one row, repeated for more",
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
    summary: "compare the local native code, local Python and a real Triton on the same requests",
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
      against: { value: "folder", summary: "also compare the model repository of another build" },
      "against-profile": { value: "name", summary: "also compare another profile of this build" },
      steps: {
        summary: "also compare every tensor between the steps, and report the first step that differs",
      },
      "triton-url": tritonUrl,
      "triton-grpc": { ...tritonGrpc, needs: ["triton-url"] },
      header: headerOption("triton-url"),
      timeout,
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
      "send the build's samples to a deployed server, and check readiness, contract, warmup, answers and latency",
    options: {
      project,
      url: { value: "url", summary: "the server (HTTP)" },
      header: headerOption("url"),
      tolerance: { value: "number", summary: "maximum absolute plus relative error (default: 1e-3)" },
      repeats: {
        value: "n",
        summary: "how many times each sample is sent to measure the latency (default: 20)",
      },
      timeout,
      limit: { value: "p99<200ms", summary: "fail if the latency is above this limit (default: no limit)" },
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
          "the ONNX file, if there are several: its path, its name, or the end of its name, such as fp16 (default: model.onnx)",
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
      protocol: { value: "http|grpc", summary: "use only one protocol (default: both)" },
      seconds: { value: "s", summary: "how long to measure each case (default: 10)" },
      warm: { value: "s", summary: "warmup before each case (default: 2)" },
      timeout,
      seed: { value: "n", summary: "seed for the order and times of requests (default: 1)" },
      requests: {
        value: "file.jsonl",
        summary:
          "requests, one { input: values } per line (default: the ensemble's warmup samples, or else generated ones)",
      },
      triton: { summary: "serve with a real Triton instead of our own server" },
      url: { value: "url", summary: "a running server (HTTP) instead of the project" },
      "grpc-url": { value: "host:port", summary: "its gRPC address" },
      header: headerOption("url", "grpc-url"),
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
      header: headerOption("url"),
      cores: {
        value: "n",
        summary: "the server's processors (default: `cores` of the profile, or else this machine's)",
      },
      runs: { value: "n", summary: "maximum number of candidates to measure (default: 24)" },
      seconds: { value: "s", summary: "how long to measure each slice (default: 1)" },
      fresh: { summary: "measure everything again instead of continuing where an earlier run stopped" },
      device: device("cpu"),
      python,
      html: { value: "file.html", summary: "write a report with plots as a single file" },
    },
    load: () => import("./commands/tune.ts"),
  },
  {
    name: "plan",
    positionals: "[ensemble]",
    summary:
      "simulate an ensemble under load: how many servers it needs, what they cost, and what limits them",
    options: {
      project,
      rate: { value: "n/s", summary: "requests per second to all servers together, at random times" },
      p99: { value: "duration", summary: "the time within which 99 % of the requests are answered: 100ms" },
      price: { value: "number", summary: "price of one server for an hour, in any currency" },
      from: { value: "file.json", summary: "use times that --save wrote, instead of measuring" },
      save: { value: "file.json", summary: "write the measured times, for --from" },
      requests: {
        value: "file.jsonl",
        summary:
          "requests, one { input: values } per line (default: the ensemble's warmup samples, or else generated ones)",
      },
      triton: { summary: "measure in a real Triton instead of the local runtime" },
      device: device("cpu"),
      python,
      ...configNameOptions,
      seconds: { value: "s", summary: "how long to measure each number of rows (default: 0.3)" },
      seed: { value: "n", summary: "seed for the simulated arrivals (default: 1)" },
      json: { summary: "print the plan as JSON" },
    },
    load: () => import("./commands/plan.ts"),
  },
  {
    name: "drift",
    positionals: "[reference] [candidate]",
    summary:
      "measure how much the answers of two variants (projects, builds, ONNX files, servers) differ; exit with 1 if a limit is exceeded",
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
      "reference-header": headersOf("a reference that is a server"),
      "candidate-header": headersOf("a candidate that is a server"),
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
      server: {
        value: "folder",
        summary:
          "a Triton's folder, such as /opt/tritonserver: report backends, agents and libraries that it lacks",
      },
      gpus: { value: "count", summary: "number of GPUs of the server: report instances that need others" },
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
      "put ONNX Runtime's CUDA libraries into the cache (Linux x86-64; 1.6 GB download, 2.5 GB on disk)",
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
      ...portOptions,
      ...configNameOptions,
    },
    load: () => import("./commands/triton-serve.ts"),
  },
];
