import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import v8 from "node:v8";
import { defineConfig, type TestProjectConfiguration } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

const root = fileURLToPath(new URL(".", import.meta.url));
const cores = availableParallelism();
process.env["TRITYPE_CACHE"] ??= `${root}.cache`;
// Tests start about 1,000 Python processes: without its own threads, numpy's OpenBLAS loads in half the time.
process.env["OPENBLAS_NUM_THREADS"] ??= "1";
// The threads of idle ONNX models would keep a processor busy after each request to a Triton.
process.env["TRITYPE_ORT_SPINNING"] ??= "0";
// Images set this. Without compiled modules, each Python process takes three times as long to import numpy.
delete process.env["PYTHONDONTWRITEBYTECODE"];

/** A whole Kubernetes, on demand: `npm run test:cluster`. */
const cluster: readonly Project[] =
  process.env["TRITYPE_CLUSTER"] === undefined
    ? []
    : [{ name: "cluster", files: ["test/cluster/**"], setup: ["cluster"], alone: true }];

/** Test files by what they need, the most demanding first: a file belongs to the first project that lists it. */
const projects: readonly Project[] = [
  ...cluster,
  {
    name: "alone",
    files: [
      "packages/runtime/src/backends/onnx/cuda/probe-cuda.test.ts",
      "test/operators/of-triton-24-10.test.ts",
    ],
    isolate: true,
  },
  {
    name: "triton",
    files: [
      "packages/tritonserver/src/{commands,serve-triton}.test.ts",
      "test/check/judge/**",
      "test/check/faults/failing-*.test.ts",
      "test/cli/{drift,triton}.test.ts",
      "test/client/{streaming-page,triton}.test.ts",
      "test/deploy/live-*.test.ts",
      "test/deploy/storage/**",
      "test/{docker,faults,node,plugin,python-conformance,triton}/**",
      "test/explain/{live,load}-messages.test.ts",
      "test/inspector/triton.test.ts",
      "test/twins/{labels,translations,twins}.test.ts",
      "examples/**",
    ],
    setup: ["python", "triton"],
    waits: true,
  },
  {
    name: "browser",
    files: ["test/client/{browser,foreign-page}.test.ts", "test/inspector/**"],
    setup: ["python"],
    waits: true,
  },
  {
    name: "python",
    files: [
      "packages/runtime/src/{python,service}/**",
      "test/check/faults/compile.test.ts",
      "test/{function,generate,in-process,python-sources,tokenizer,translator,twins}/**",
    ],
    setup: ["python"],
  },
  {
    name: "process",
    files: ["test/{cli,client,deploy,gpu,hub,openai,pipelines,templates}/**"],
    setup: ["python"],
    waits: true,
  },
  {
    name: "compile",
    files: ["test/{api,check,docs,explain,fixtures,golden,operators,types,workspace,wrong}/**"],
  },
  { name: "unit", files: ["packages/*/src/**"], pool: "threads", sources: process.env["CI"] === undefined },
];

interface Project {
  readonly name: string;
  readonly files: readonly string[];
  /** Default: processes, which can change their working folder. */
  readonly pool?: "threads";
  /** Whether each file gets its own worker; by default, files share workers, so that a worker loads each module only once. */
  readonly isolate?: true;
  /** Whether its tests mostly wait for child processes and servers, so that it pays to have more workers than cores. */
  readonly waits?: true;
  /**
   * Whether packages are imported as sources, so that nothing needs to be built, but Vitest transforms them one by one; by default as
   * the modules built by `tsc`, which Node itself loads in a fifth of the time.
   */
  readonly sources?: boolean;
  /** Whether one file runs at a time. */
  readonly alone?: true;
  /** Downloads that must be complete before its first test, and servers that run until its last. */
  readonly setup?: readonly ("cluster" | "python" | "triton")[];
}

const sources = { conditions: ["@tritype/source"] };

/** Like the command on Node 20 (packages/tritype/bin/pipeline.js): V8 only optimizes functions that run often, which saves an eighth of the processor time. */
const rarelyOptimized = process.version.startsWith("v20.") ? ["--interrupt-budget=600000"] : [];
// Threads cannot have their own options of V8, but they have those of the process that starts them.
for (const flag of rarelyOptimized) v8.setFlagsFromString(flag);

/** Tests that only run on demand: they need programs that no registry has, or large downloads. */
const leftOut: readonly string[] = [
  ...(process.env["TRITYPE_EXAMPLES"] === undefined ? ["test/triton/third-party/examples.test.ts"] : []),
  ...(process.env["TRITYPE_FRONTEND"] === undefined ? ["test/triton/third-party/frontend.test.ts"] : []),
  ...(process.env["TRITYPE_PUBLISHED"] === undefined ? ["test/triton/third-party/published.test.ts"] : []),
  ...(process.env["TRITYPE_STORAGE"] === undefined ? ["test/deploy/storage/**"] : []),
];

const testProject = (project: Project, index: number): TestProjectConfiguration => ({
  ...(project.sources === true ? { resolve: sources, ssr: { resolve: sources } } : {}),
  test: {
    name: project.name,
    server: { deps: { external: [/\/packages\/[^/]+\/dist\//] } },
    include: project.files.map((pattern) => pattern.replace(/\*\*$/, "**/*.test.ts")),
    exclude: [
      "**/node_modules/**",
      "**/dist/**",
      ...leftOut,
      ...projects.slice(0, index).flatMap(({ files }) => files),
    ],
    pool: project.pool ?? "forks",
    execArgv: project.pool === "threads" ? [] : rarelyOptimized,
    isolate: project.isolate ?? false,
    // Tests that wait come first: the checks that `.ci/run` starts together with them use the idle time.
    sequence: { groupOrder: project.waits === true ? 0 : 1 },
    maxWorkers: project.alone === true ? 1 : project.waits === true ? cores + 2 : cores,
    globalSetup: [...(project.sources === true ? [] : ["build" as const]), ...(project.setup ?? [])].map(
      (name) => `test/${name === "cluster" ? "cluster" : "environment"}/${name}-setup.ts`,
    ),
    // Only a test that hangs takes this long; speed is measured in test/bench.
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // `expect.poll` gives up after one second by default, which is too short on a busy machine.
    expect: { poll: { timeout: 20_000 } },
    // Tests that start and kill processes share two cores with the others; the report names those that needed a retry.
    retry: process.env["CI"] === undefined ? 0 : 2,
    env: { TRITYPE_CACHE: process.env["TRITYPE_CACHE"] ?? "" },
  },
});

/** The files that take longest, which start first in their project, so that no worker ends up alone with one of them. */
const longest = [
  "test/inspector/inspector.test.ts",
  "test/cli/tune.test.ts",
  "test/cli/tune-servers.test.ts",
  "test/deploy/kubeconform.test.ts",
  "test/cli/interrupted-build.test.ts",
  "test/deploy/smoke-script.test.ts",
  "test/triton/tune.test.ts",
  "test/triton/control-differential.test.ts",
  "test/triton/third-party/third-party.test.ts",
  "test/triton/refused-configurations.test.ts",
  "test/deploy/live-metrics.test.ts",
  "test/deploy/live-rollout.test.ts",
  "test/triton/rate-limit.test.ts",
  "test/triton/traces/spans.test.ts",
  "test/explain/live-messages.test.ts",
  "test/triton/repositories.test.ts",
  "test/triton/streaming-client.test.ts",
  "test/triton/node.test.ts",
  "test/triton/traces/traces.test.ts",
  "test/python-conformance/conformance.test.ts",
  "test/cli/drift.test.ts",
  "test/templates/templates.test.ts",
  "test/cli/dev.test.ts",
  "test/check/judge/judge.test.ts",
  "test/check/faults/failing-requests.test.ts",
  "test/cli/test.test.ts",
  "test/node/same-functions.test.ts",
  "test/inspector/programs.test.ts",
  "test/inspector/examples.test.ts",
  "test/cli/plan.test.ts",
  "test/triton/emitted.test.ts",
  "test/cli/hot-reload.test.ts",
  "test/triton/sequences.test.ts",
  "test/docs/diagnostics.test.ts",
  "test/translator/functions.test.ts",
  "packages/wheels/src/install-libraries.test.ts",
  "test/types/misspelt-options.test.ts",
  "test/function/node-python.test.ts",
  "test/docs/fences.test.ts",
  "test/tokenizer/kinds.test.ts",
];

/**
 * The order of test files: project by project, because a worker ends when the next file belongs to another project. In each, the
 * longest first, then Vitest's own order.
 */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ project }: TestSpecification): number =>
      projects.findIndex(({ name }) => name === project.name);
    const rank = ({ moduleId }: TestSpecification): number => {
      const at = longest.findIndex((path) => moduleId.endsWith(path));
      return at < 0 ? longest.length : at;
    };
    // oxlint-disable-next-line unicorn/no-array-sort -- a sequencer, not an array
    const usual = await super.sort(files);
    return usual.toSorted((a, b) => place(a) - place(b) || rank(a) - rank(b));
  }
}

export default defineConfig({
  root,
  test: {
    projects: projects.map(testProject),
    sequence: { sequencer: LongestFirst },
  },
});
