import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { filesBelow } from "../fixtures/expect-tree.ts";
import { deployedProject } from "./deployed-project.ts";
import { image, promtool, renderChart, rendered, runTool, validateKubernetes } from "./tools.ts";

const megabyte = 2 ** 20;

/** Ensembles whose names Kubernetes would not accept. */
const hundred = Array.from(
  { length: 100 },
  (_, index) => `
export const many${index} = defineEnsemble({
  name: "Scaled_by.${index + 2}",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ y: double({ x }).y.mul(${index + 2}) }),
});
`,
).join("");

test("a hundred ensembles fit into the objects of Kubernetes and into a release of Helm", async () => {
  const made = await deployedProject("{}", hundred);
  const chart = made.path("deploy/chart");
  const [answer] = await renderChart(chart, [
    { image, autoscaling: { kind: "hpa" }, monitoring: { rules: true, dashboards: true } },
  ]);
  const { lint, objects } = rendered(answer);
  expect(lint).toEqual([]);
  const all = Object.values(objects);
  const builtIn = all.filter(({ kind }) => kind !== "PrometheusRule");
  expect(await validateKubernetes(builtIn, "1.34")).toBe("");
  expect(all.filter(({ kind }) => kind === "ConfigMap")).toHaveLength(103);
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
    ["test", "rules", made.path("deploy/observability/rules.test.yaml")],
    made.root,
  );
  expect(tested).toMatchObject({ ok: true });
}, 300_000);
