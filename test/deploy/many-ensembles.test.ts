import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { type DeployedBuild, emitDeployment } from "@tritype/deploy";
import { deploySettings } from "@tritype/deploy/diagnostics";
import { expect, onTestFinished, test } from "vitest";
import { filesBelow } from "../fixtures/expect-tree.ts";
import { makeProject } from "../fixtures/project.ts";
import { image, promtool, renderChart, rendered, runTool, validateKubernetes } from "./tools.ts";

const megabyte = 2 ** 20;
const hash = "0".repeat(64);

/** Ensembles that share a member; Kubernetes would not accept their names. */
const names = Array.from({ length: 100 }, (_, index) => `Scaled_by.${index + 3}`);
const models = [
  { name: "double", kind: "onnx", config: { dynamic_batching: { max_queue_delay_microseconds: 300 } } },
  ...names.map((name) => ({
    name,
    kind: "ensemble",
    config: { ensemble_scheduling: { step: [{ model_name: "double" }] } },
  })),
];
const build = {
  hash,
  profiles: [],
  models: models.map(({ name, config }) => ({ name, config, profiles: {}, bytes: 1, storedBytes: 1 })),
  manifest: {
    target: "24.10",
    models: models.map(({ name, kind }) => ({ name, kind })),
    ensembles: names.map((name) => ({ name, contractHash: hash })),
  },
} as unknown as DeployedBuild;

test("a hundred ensembles fit into the objects of Kubernetes and into a release of Helm", async () => {
  const made = makeProject(Object.fromEntries(emitDeployment(build, deploySettings(), {})));
  onTestFinished(made.remove);
  const chart = made.path("chart");
  const [answer] = await renderChart(chart, [
    { image, autoscaling: { kind: "hpa" }, monitoring: { rules: true, dashboards: true } },
  ]);
  const { lint, objects } = rendered(answer);
  expect(lint).toEqual([]);
  const all = Object.values(objects);
  const builtIn = all.filter(({ kind }) => kind !== "PrometheusRule");
  expect(await validateKubernetes(builtIn, "1.34")).toBe("");
  // One for each dashboard, and one for `helm test`.
  expect(all.filter(({ kind }) => kind === "ConfigMap")).toHaveLength(names.length + 1);
  for (const object of all) {
    expect(object.metadata.name).toMatch(/^[a-z\d]([-a-z\d]*[a-z\d])?$/);
    expect(JSON.stringify(object).length).toBeLessThan(megabyte);
  }
  // A release is a Secret with the files of the chart and the objects.
  const files = filesBelow(chart).map((path) => readFileSync(`${chart}/${path}`, "base64"));
  const release = gzipSync(JSON.stringify({ files, manifest: JSON.stringify(all) }));
  expect(release.toString("base64").length).toBeLessThan(megabyte);
  const tested = await runTool(
    await promtool(),
    ["test", "rules", made.path("observability/rules.test.yaml")],
    made.root,
  );
  expect(tested).toEqual({ ok: true, output: expect.stringContaining("SUCCESS") });
}, 300_000);
