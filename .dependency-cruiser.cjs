/** Which package may import which: imports go down only (docs/architecture.md). */
const levels = {
  core: [],
  operators: ["core"],
  dsl: ["core", "operators"],
  onnx: ["core", "operators"],
  triton: ["core"],
  protocol: ["core"],
  manifest: ["core"],
  report: [],
  "load-test": ["core", "protocol"],
  drift: ["core"],
  translator: ["core"],
  generation: [],
  compiler: ["core", "operators", "dsl", "onnx", "triton", "manifest"],
  check: ["core", "onnx", "triton"],
  client: ["core", "protocol"],
  "typed-client": ["core", "operators", "dsl"],
  wheels: ["core"],
  tritonserver: ["core", "wheels"],
  runtime: ["core", "check", "generation", "onnx", "triton", "manifest", "protocol", "wheels"],
  hub: ["core"],
  server: ["core", "protocol", "runtime"],
  "create-tritype": ["core"],
  cli: [
    "core",
    "create-tritype",
    "dsl",
    "onnx",
    "triton",
    "manifest",
    "compiler",
    "check",
    "drift",
    "protocol",
    "runtime",
    "server",
    "client",
    "tritonserver",
    "wheels",
    "hub",
    "report",
    "load-test",
    "drift",
    "translator",
  ],
  "in-process": ["core", "dsl", "compiler", "protocol", "runtime", "server", "cli"],
  tritype: ["core", "dsl", "compiler", "triton", "cli", "in-process", "typed-client"],
};
const pure =
  "^packages/(core|operators|dsl|onnx|triton|compiler|protocol|manifest|check|report|drift|generation)/src";
const testFile = "\\.(test|fixture|cases|arbitrary)\\.ts$|/fixtures/";

/** @type {import("dependency-cruiser").IConfiguration} */
module.exports = {
  forbidden: [
    {
      name: "typed-client-imports-nothing",
      severity: "error",
      from: { path: "^packages/typed-client/src", pathNot: `(${testFile}|/grpc)` },
      to: { dependencyTypesNot: ["local", "type-only", "pre-compilation-only"] },
    },
    { name: "no-cycles", severity: "error", from: {}, to: { circular: true } },
    {
      name: "pure-packages-touch-no-node",
      severity: "error",
      from: { path: pure, pathNot: testFile },
      to: { dependencyTypes: ["core"] },
    },
    {
      name: "no-deep-imports",
      severity: "error",
      from: { path: "^packages/([^/]+)/", pathNot: testFile },
      to: {
        path: "^packages/([^/]+)/src/(?!index\\.ts$|plugin\\.ts$|bin\\.ts$|grpc\\.ts$|packages\\.ts$|refusals\\.ts$)",
        pathNot: "^packages/$1/",
      },
    },
    ...Object.entries(levels).map(([name, below]) => ({
      name: `levels-${name}`,
      severity: "error",
      from: { path: `^packages/${name}/src`, pathNot: testFile },
      to: { path: "^packages/", pathNot: `^packages/(${[name, ...below].join("|")})/` },
    })),
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    exclude: { path: "(/dist/|/build/|test/\\.projects|\\.cache/)" },
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      conditionNames: ["@tritype/source", "import", "types"],
      exportsFields: ["exports"],
    },
  },
};
