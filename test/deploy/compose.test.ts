import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { DCLinter } from "dclint";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { pipeline } from "../cli/run-pipeline.ts";
import { expectTree } from "../fixtures/expect-tree.ts";
import { type DeployedProject, deployedProject, gpuSource } from "./deployed-project.ts";
import { envoy, haproxy, promtool, runTool } from "./tools.ts";

interface Service {
  readonly command?: readonly string[];
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly image?: string;
  readonly deploy?: object;
}

interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes?: object;
}

/** A file in the folder of the deployment for Compose, as Compose reads it. */
const readCompose = (made: DeployedProject, file = "compose.yaml"): Compose =>
  parse(readFileSync(made.path(`deploy/compose/${file}`), "utf8"), { merge: true }) as Compose;

test("dclint reports nothing, and HAProxy accepts its configuration", async () => {
  const made = await deployedProject("{ replicas: 3 }");
  const path = made.path("deploy/compose/compose.yaml");
  expect(lint(path)).toEqual([]);
  const { services } = readCompose(made);
  expect(Object.keys(services)).toEqual(["haproxy", "triton-1", "triton-2", "triton-3"]);
  const checked = await runTool(
    await haproxy(),
    ["-c", "-f", made.path("deploy/compose/haproxy.cfg")],
    made.root,
  );
  expect(checked).toMatchObject({ ok: true });
});

test("with Envoy, the files are as expected, dclint reports nothing, and Envoy accepts them", async () => {
  const made = await deployedProject('{ proxy: "envoy" }');
  expect(lint(made.path("deploy/compose/compose.yaml"))).toEqual([]);
  expectTree(made.path("deploy/compose"), fileURLToPath(new URL("expected-envoy", import.meta.url)));
  const config = readFileSync(made.path("deploy/compose/envoy.yaml"), "utf8");
  const { resources } = parse(readFileSync(made.path("deploy/compose/clusters.yaml"), "utf8")) as {
    resources: readonly object[];
  };
  // The same as in the container, where the file with the servers is a copy.
  const own = parse(config.replace("/tmp/clusters.yaml", made.path("deploy/compose/clusters.yaml"))) as {
    static_resources: object;
  };
  const clusters = resources.map((cluster) =>
    Object.fromEntries(Object.entries(cluster).filter(([name]) => name !== "@type")),
  );
  made.write("one.json", JSON.stringify({ ...own, static_resources: { ...own.static_resources, clusters } }));
  const validate = ["--mode", "validate", "--log-level", "warning", "--config-path", made.path("one.json")];
  expect(await runTool(await envoy(), validate, made.root)).toEqual({
    ok: true,
    output: expect.stringMatching(/^configuration '.*' OK\n$/),
  });
  made.write("one.json", JSON.stringify({ ...own, static_resources: { clusters: [{ nam: "http" }] } }));
  expect(await runTool(await envoy(), validate, made.root)).toMatchObject({ ok: false });
});

const withEngines = `
const engines = onnx({
  name: "engines",
  file: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  optimization: {
    executionAccelerators: {
      gpuExecutionAccelerator: [
        { name: "tensorrt", parameters: { trt_engine_cache_enable: true, trt_engine_cache_path: "/var/cache/tensorrt" } },
      ],
    },
  },
});
export const built = defineEnsemble({
  name: "built",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ y: engines({ x }).y }),
  warmup: [{ name: "ones", inputs: { x: [[1, 1, 1, 1]] } }],
});
`;

test("the servers share a volume for TensorRT engines, as the chart's values and the image expect", async () => {
  const made = await deployedProject("{}", withEngines);
  const path = made.path("deploy/compose/compose.yaml");
  expect(lint(path)).toEqual([]);
  const { services, volumes } = readCompose(made);
  const mount = "cache-1:/var/cache/tensorrt";
  expect([services["triton-1"]?.volumes, services["triton-2"]?.volumes]).toEqual([[mount], [mount]]);
  expect(volumes).toEqual({ "cache-1": null });
  expect(parse(readFileSync(made.path("deploy/chart/values.yaml"), "utf8"))).toMatchObject({
    volumes: { caches: [{ path: "/var/cache/tensorrt", claim: "" }] },
  });
  expect(lint(made.path("build/compose.yaml"))).toEqual([]);
  expect(readFileSync(made.path("build/Dockerfile"), "utf8")).toContain(
    'RUN ["install", "-d", "-o", "1000", "-g", "1000", "/var/cache/tensorrt"]',
  );
});

test("the name of the project comes from the image or package.json, and never from the build", async () => {
  const made = await deployedProject();
  const name = async (): Promise<string | undefined> => {
    expect(await pipeline(made, ["deploy"])).toMatchObject({ code: 0 });
    return /^name: (.*)$/m.exec(readFileSync(made.path("deploy/compose/compose.yaml"), "utf8"))?.[1];
  };
  expect(await name()).toBe("triton");
  made.write("package.json", '{ "name": "@acme/Text.embed-2" }');
  expect(await name()).toBe("embed-2");
  made.write("package.json", '{ "private": true }');
  expect(await name()).toBe("triton");
  made.write("package.json", '{ "name": "embed" }');
  made.configure('{ image: "registry.example/search" }');
  expect(await name()).toBe("search");
});

test("the server's command has a name if the image says which build it contains, and the arguments for traces and for a profile only if they are set", async () => {
  const made = await deployedProject();
  // Compose writes $ as $$.
  const [sh = "", ...args] = (readCompose(made).services["triton-1"]?.command ?? []).map((one) =>
    one.replaceAll("$$", "$"),
  );
  mkdirSync(made.path("bin"));
  writeFileSync(made.path("bin/tritonserver"), '#!/bin/sh\nprintf "%s\\n" "$@"\n');
  chmodSync(made.path("bin/tritonserver"), 0o755);
  const PATH = `${made.path("bin")}:${process.env["PATH"] ?? ""}`;
  const started = async (env: object, command: readonly string[] = args): Promise<readonly string[]> => {
    const { output } = await runTool({ program: sh, env: { PATH, ...env } }, command, made.root);
    return output.trimEnd().split("\n");
  };
  const always = [
    "--model-repository=/models",
    "--disable-auto-complete-config",
    "--model-control-mode=none",
    "--exit-timeout-secs=30",
    "--cache-config=local,size=268435456",
  ];
  expect(await started({})).toEqual(always);
  const manifest = made.path("build/manifest.json");
  const hash = createHash("sha256").update(readFileSync(manifest)).digest("hex").slice(0, 12);
  const inImage = args.map((one) => one.replace("/opt/manifest.json", manifest));
  expect(await started({}, inImage)).toEqual([...always, `--id=ids-and-2-more-${hash}`]);
  const url = "http://collector:4318/v1/traces";
  expect(await started({ TRITON_TRACES: url, TRITON_PROFILE: "gpu" })).toEqual([
    ...always,
    "--model-config-name=gpu",
    "--trace-config=mode=opentelemetry",
    "--trace-config=level=TIMESTAMPS",
    "--trace-config=rate=100",
    `--trace-config=opentelemetry,url=${url}`,
    "--trace-config=opentelemetry,resource=service.name=ids-and-2-more",
  ]);
});

test("the file of a profile adds the profile and its GPUs to every server", async () => {
  const made = await deployedProject();
  for (const [profile, devices] of [
    ["gpu", [{ driver: "nvidia", count: "all", capabilities: ["gpu"] }]],
    ["cpu", undefined],
  ] as const) {
    const { services } = readCompose(made, `compose-${profile}.yaml`);
    expect(Object.keys(services)).toEqual(["triton-1", "triton-2"]);
    for (const service of Object.values(services)) {
      expect(service).toMatchObject({ environment: [`TRITON_PROFILE=${profile}`], shm_size: "256mb" });
      expect(service.deploy).toEqual(devices && { resources: { reservations: { devices } } });
    }
  }
});

test("the file of a profile without a GPU takes back the GPUs of compose.yaml", async () => {
  const made = await deployedProject("{}", gpuSource);
  expect(readFileSync(made.path("deploy/compose/compose.yaml"), "utf8")).toContain("driver: nvidia");
  const text = readFileSync(made.path("deploy/compose/compose-cpu.yaml"), "utf8");
  // A tag of Compose.
  expect(text.match(/^ {4}deploy: !reset null$/gm)).toHaveLength(2);
  expect(readFileSync(made.path("deploy/compose/compose-gpu.yaml"), "utf8")).toContain("driver: nvidia");
});

test("Prometheus reaches each server, and not through the proxy", async () => {
  const made = await deployedProject("{ replicas: 3 }");
  const { haproxy: proxy, ...servers } = readCompose(made).services;
  expect(Object.values(servers).map(({ ports }) => ports)).toEqual(
    [8002, 8003, 8004].map((port) => [`\${TRITON_METRICS_ADDRESS:-127.0.0.1}:${port}:8002`]),
  );
  expect(proxy?.ports?.join()).not.toContain("8002");
  const file = made.path("deploy/compose/prometheus.yaml");
  expect(parse(readFileSync(file, "utf8"))).toMatchObject({
    scrape_configs: [
      { static_configs: [{ targets: ["127.0.0.1:8002", "127.0.0.1:8003", "127.0.0.1:8004"] }] },
    ],
  });
  const { ok, output } = await runTool(await promtool(), ["check", "config", file], made.root);
  expect({ ok, output }).toEqual({ ok: true, output: expect.stringMatching(/SUCCESS: \d+ rules found/) });
});

test.each(["haproxy", "envoy"])(
  "the image of %s has a full version, and can be set with a digest",
  async (proxy) => {
    const made = await deployedProject(`{ proxy: "${proxy}" }`);
    const variable = `${proxy.toUpperCase()}_IMAGE`;
    expect(readCompose(made).services[proxy]?.image).toMatch(
      new RegExp(String.raw`^\$\{${variable}:-[\w/]+:v?\d+\.\d+\.\d+(-alpine)?\}$`),
    );
  },
);

/** The findings of dclint. The proxy publishes the ports of both protocols, on an address that the user chooses. */
const lint = (path: string): readonly string[] => {
  const off = { "no-duplicate-exported-ports": 0, "no-unbound-port-interfaces": 0 } as const;
  const linter = new DCLinter({ rules: off, quiet: true, debug: false, exclude: [] });
  const results: readonly {
    readonly messages: readonly { readonly line: number; readonly message: string }[];
  }[] = linter.lintFiles([path], false);
  return results.flatMap(({ messages }) => messages.map(({ line, message }) => `${line}: ${message}`));
};
