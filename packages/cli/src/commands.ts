import { type Command, type OptionSpec, takes } from "./command.ts";
import { headerOption, headersOf } from "./given-headers.ts";
import { accessOptions, pageOptions, portOptions, servingOptions } from "./dev/serving-options.ts";
import { tritonOptions } from "./dev/triton-options.ts";
import { compareOptions, editorOption } from "./inspector/page-options.ts";
import { configNameOptions } from "./project/config-name.ts";

const project = takes(
  "folder",
  "folder of the project (default: the nearest parent folder with pipeline.config.ts)",
  { path: "folder" },
);
const python: OptionSpec = { summary: "run the emitted Python instead of its native twins" };
const device = (byDefault: string): OptionSpec =>
  takes("cpu|cuda|auto", `device for ONNX models (default: ${byDefault})`);
const timeout = takes("s", "maximum time to wait for an answer (default: 30)");
const requests = takes(
  "file.jsonl",
  "requests, one { input: values } per line (default: the ensemble's warmup samples, or else generated ones)",
  { path: "file" },
);
const input = takes(
  "name=value",
  "an input: text, or JSON for numbers or several rows; for json<T>(), the JSON of one row, repeated for more",
  { multiple: true, short: "i" },
);

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
      models: takes(
        "url",
        "where servers find the models: image, s3://…, gs://…, as://…, pvc://… or oci://… (default: as in the last run, or else image)",
      ),
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
      "python-timeout": takes(
        "duration",
        "maximum execution time of a Python model, such as 30s, after which its process is restarted (default: none)",
      ),
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
      input,
      json: { summary: "print the whole answer as KServe v2 JSON" },
      url: takes("url", "a running server (HTTP) instead of the project"),
      header: headerOption("url"),
      timeout: { ...timeout, summary: `with --url: ${timeout.summary}`, needs: ["url"] },
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
      url: takes("url", "the server (HTTP)"),
      header: headerOption("url", "grpc-url"),
      "grpc-url": takes("host:port", "its gRPC address, for requests to models that stream"),
      "metrics-url": takes("url", "its metrics, for waiting requests and the machine's statistics"),
      model: takes("name", "a model to show, if the server does not list its models", { multiple: true }),
      ...compareOptions,
      port: takes("port", "port of the page (default: 8010)"),
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
      repository: takes("folder", "a model repository instead of the project", { path: "folder" }),
      input,
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
      samples: takes(
        "file.json",
        "requests: a list of { input: values } (default: the ensemble's warmup samples, and some generated from the types)",
        { path: "file" },
      ),
      "no-generated": { summary: "send only the warmup samples" },
      "no-triton": { summary: "compare only the local runs" },
      "no-python": { summary: "skip the local Python run" },
      against: takes("folder", "also compare the model repository of another build", { path: "folder" }),
      "against-profile": takes("name", "also compare another profile of this build"),
      steps: {
        summary: "also compare every tensor between the steps, and report the first step that differs",
      },
      "triton-url": takes("url", "a running Triton (HTTP) instead of our own"),
      "triton-grpc": takes("host:port", "its gRPC address (default: the HTTP port plus 1)", {
        needs: ["triton-url"],
      }),
      header: headerOption("triton-url"),
      timeout,
      ...configNameOptions,
      tolerance: takes("number", "maximum absolute plus relative error (default: 1e-5)"),
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
      url: takes("url", "the server (HTTP)"),
      header: headerOption("url"),
      tolerance: takes("number", "maximum absolute plus relative error (default: 1e-3)"),
      repeats: takes("n", "how many times each sample is sent to measure the latency (default: 20)"),
      timeout,
      limit: takes(
        "p99<200ms",
        "fail if the latency is above this limit (default: a median of 10 times that of the build in the local runtime, plus 100 ms)",
      ),
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
      runs: takes("n", "requests generated for each step (default: 200)"),
      seconds: takes("s", "maximum time for each step (default: 60)"),
      seed: takes("n", "seed for the generated requests (default: 1)"),
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
      file: takes(
        "path",
        "the ONNX file, if there are several: its path, its name, or the end of its name, such as fp16 (default: model.onnx)",
      ),
      revision: takes(
        "revision",
        "branch, tag or commit of the hub repository, same as hf:owner/name@revision (default: main)",
      ),
      name: takes("name", "name of the model (default: its name in the source)"),
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
      clients: takes("n,n…", "number of clients, each sending one request at a time (default: 1,4,16)"),
      rate: takes("n/s,n/s…", "requests per second, sent at random times regardless of the server"),
      protocol: takes("http|grpc", "use only one protocol (default: both)"),
      seconds: takes("s", "how long to measure each case (default: 10)"),
      warm: takes("s", "warmup before each case (default: 2)"),
      timeout,
      seed: takes("n", "seed for the order and times of requests (default: 1)"),
      requests,
      triton: { summary: "serve with a real Triton instead of our own server" },
      url: takes("url", "a running server (HTTP) instead of the project"),
      "grpc-url": takes("host:port", "its gRPC address"),
      header: headerOption("url", "grpc-url"),
      device: device("cpu"),
      python,
      ...configNameOptions,
      "by-step": { summary: "also print where the time goes: queue, input, compute, output of each step" },
      html: takes("file.html", "write a report with plots as a single file", { path: "output" }),
      json: { summary: "print the result as JSON, for --compare" },
      compare: { summary: "compare two results: --compare a.json b.json" },
      "perf-analyzer-input": takes("file.json", "also write the requests for perf_analyzer's --input-data", {
        path: "output",
      }),
    },
    load: () => import("./commands/bench.ts"),
  },
  {
    name: "tune",
    positionals: "[ensemble]",
    summary: "find the settings that make an ensemble fastest: instances, threads, batching, padding",
    options: {
      project,
      target: takes(
        "throughput|latency|limit",
        'what to optimize; a limit such as "p99<50ms" maximizes requests per second within this limit',
      ),
      clients: takes(
        "n",
        "number of clients, each sending one request at a time (default: 16; 1 for latency)",
      ),
      rate: takes("n/s", "with latency: requests per second, sent at random times, instead of clients"),
      requests,
      profile: takes("name", "the profile to start from (default: the settings without a profile)"),
      name: takes("name", "name of the profile that gets the settings (default: tuned)"),
      "profile-only": {
        summary: "try only settings that a profile can change: not padding, batchBy or fuse",
      },
      write: { summary: "write the settings into the project's TypeScript (default: only show them)" },
      triton: { summary: "serve with a real Triton instead of our own server" },
      url: takes("url", "a running server (HTTP) with model control; implies --profile-only"),
      header: headerOption("url"),
      cores: takes("n", "the server's processors (default: `cores` of the profile, or else this machine's)"),
      runs: takes("n", "maximum number of candidates to measure (default: 24)"),
      seconds: takes("s", "how long each measurement takes (default: 1)"),
      fresh: { summary: "measure everything again instead of continuing where an earlier run stopped" },
      device: device("cpu"),
      python,
      html: takes("file.html", "write a report with plots as a single file", { path: "output" }),
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
      rate: takes("n/s", "requests per second to all servers together, at random times"),
      p99: takes("duration", "the time within which 99 % of the requests are answered: 100ms"),
      price: takes("number", "price of one server for an hour, in any currency"),
      from: takes("file.json", "use times that --save wrote, instead of measuring", { path: "file" }),
      save: takes("file.json", "write the measured times, for --from", { path: "output" }),
      requests,
      triton: { summary: "measure in a real Triton instead of the local runtime" },
      device: device("cpu"),
      python,
      ...configNameOptions,
      seconds: takes("s", "how long to measure each number of rows (default: 0.3)"),
      seed: takes("n", "seed for the simulated arrivals (default: 1)"),
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
      model: takes("name", "an ensemble or model to compare (default: all common ensembles)", {
        multiple: true,
      }),
      dataset: takes(
        "file",
        "requests: .jsonl, .json or lines of .txt (default: the ensemble's warmup samples)",
        { path: "file" },
      ),
      make: takes(
        "fp16|int8",
        "the candidate: the reference with its ONNX models converted by onnxruntime's tools",
      ),
      step: takes("name", "with --make: a model to convert (default: every ONNX step)", {
        multiple: true,
        needs: ["make"],
      }),
      replace: takes("model=file.onnx", "the candidate: the project with this file for the model", {
        multiple: true,
      }),
      limit: takes("output.name=number", "a limit, such as embedding.cosine=0.999 or top1=1", {
        multiple: true,
      }),
      "batch-size": takes("rows", "maximum rows of equal shape that are sent together (default: 8)"),
      "reference-header": headersOf("a reference that is a server"),
      "candidate-header": headersOf("a candidate that is a server"),
      out: takes("folder", "write drift.html, drift.json and the models from --make", { short: "o" }),
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
      out: takes("file.ts", "file to write (default: print)", { short: "o" }),
      name: takes("name", "name of the export (default: derived from the file)"),
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
      target: takes("release", "Triton release, such as 25.03 (default: 24.10)"),
      server: takes(
        "folder",
        "a Triton's folder, such as /opt/tritonserver: report backends, agents and libraries that it lacks",
        { path: "folder" },
      ),
      gpus: takes("count", "number of GPUs in the server: report instances that need GPUs it does not have"),
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
      repository: takes(
        "folder",
        "model repository that a message refers to (default: the project's last build)",
        { path: "folder" },
      ),
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
