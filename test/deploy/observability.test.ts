import { writeFileSync } from "node:fs";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { deployedProject, flowSource, rulesOf } from "./deployed-project.ts";
import { promtool, runTool } from "./tools.ts";

/** Two ensembles without common members. */
const similarSource = ["my-total", "my_total"]
  .map(
    (name, index) => `
const own${index} = onnx({
  name: "own${index}",
  file: "models/double.onnx",
  inputs: { x: fp32("batch", 4) },
  outputs: { y: fp32("batch", 4) },
  fuse: false,
});
export const similar${index} = defineEnsemble({
  name: "${name}",
  maxBatchSize: 8,
  inputs: { x: fp32("batch", 4) },
  run: ({ x }) => ({ y: own${index}({ x }).y }),
  warmup: [{ name: "ones", inputs: { x: [[1, 1, 1, 1]] } }],
});
`,
  )
  .join("");

test.each([
  ["of ensembles", ""],
  ["of a flow that calls ensembles", flowSource],
  ["of ensembles whose names only differ in punctuation", similarSource],
])("promtool accepts the rules %s, and their unit tests pass", async (_, more) => {
  const made = await deployedProject("{}", more);
  const folder = made.path("deploy/observability");
  const tool = await promtool();
  expect(await runTool(tool, ["check", "rules", "rules.yaml"], folder)).toMatchObject({ ok: true });
  const tested = await runTool(tool, ["test", "rules", "rules.test.yaml"], folder);
  expect(tested).toMatchObject({ ok: true, output: expect.stringContaining("SUCCESS") });
  // Outside Kubernetes, only the address tells servers apart.
  const unitTests = readFileSync(`${folder}/rules.test.yaml`, "utf8");
  const outside = unitTests
    .replaceAll(/namespace="default", ?pod="(?:busy|idle)", ?/g, "")
    .replaceAll(/^ *(?:namespace: default|pod: busy)\n/gm, "");
  expect(outside).not.toMatch(/namespace|pod[:=]/);
  writeFileSync(`${folder}/outside.test.yaml`, outside);
  expect(await runTool(tool, ["test", "rules", "outside.test.yaml"], folder)).toMatchObject({ ok: true });
  const { tests } = parse(unitTests) as {
    tests: readonly { name: string; alert_rule_test?: readonly { alertname: string }[] }[];
  };
  const alerts = rulesOf(made).flatMap(({ alert }) => alert ?? []);
  const covered = tests.flatMap(({ alert_rule_test: checks = [] }) =>
    checks.map(({ alertname }) => alertname),
  );
  expect(new Set(covered)).toEqual(new Set(alerts));
});

test("the unit tests fail if a rule is wrong", async () => {
  const made = await deployedProject();
  const rules = made.path("deploy/observability/rules.yaml");
  const text = readFileSync(rules, "utf8");
  const tool = await promtool();
  for (const [right, wrong] of [
    ["nv_inference_queue_duration_us", "nv_inference_request_duration_us"],
    ["> 0.01", "> 0.9"],
    ["< 1.1", "< 0.1"],
    ["up == 0 and", "up == 2 and"],
    [" or absent(", " and absent("],
    [" unless on (namespace, pod, instance) (", " and on (namespace, pod, instance) ("],
    [' unless on (namespace, pod, instance) nv_inference_request_success{model=~"ids|total|twice"}', ""],
  ] as const) {
    expect(text).toContain(right);
    writeFileSync(rules, text.replaceAll(right, wrong));
    const { ok } = await runTool(
      tool,
      ["test", "rules", "rules.test.yaml"],
      made.path("deploy/observability"),
    );
    expect(ok, wrong).toBe(false);
  }
});

test("failures that a flow may handle do not raise the critical alert", async () => {
  const made = await deployedProject("{}", flowSource);
  const failures = rulesOf(made).flatMap(({ alert, expr, labels }) =>
    alert?.endsWith("Failures")
      ? [[alert, ...new Set(Array.from(expr.matchAll(/model=~"(.*?)"/g), ([, models]) => models)), labels]]
      : [],
  );
  expect(failures).toEqual([
    ["TritonFailures", "fallback|twice|ids", { severity: "critical" }],
    ["TritonCalleeFailures", "picky|total", { severity: "warning" }],
  ]);
});
