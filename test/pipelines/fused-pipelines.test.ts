import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tensorOf } from "@tritype/core";
import { writeBuild } from "@tritype/project";
import { startRuntime } from "@tritype/runtime";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import { doubleModel, scaleModel } from "../fixtures/models.ts";
import { compileFixture, makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { outcome } from "../triton/same-answers.ts";

/** `TRITYPE_PIPELINES=long` runs many more of them. */
const long = process.env["TRITYPE_PIPELINES"] === "long";
const count = long ? 200 : 6;

/** FP32[batch, 4] → the same; `a` and `b` are inputs of the ensemble. */
const steps: readonly string[] = [
  "mul(b)",
  "softmax(-1)",
  "sub(a)",
  "relu()",
  "abs().add(1).log()",
  "div(a.abs().add(1))",
  "sub(a.max(-1, { keepDims: true }))",
  "tanh()",
];
/** The end of an ensemble, applied to its last tensor. */
const ends: readonly string[] = [
  "",
  ".sum(-1, { keepDims: true })",
  ".argmax(-1).unsqueeze(-1)",
  ".max(-1, { keepDims: true })",
];

const chain = fc
  .array(fc.constantFrom(...steps), { maxLength: 3 })
  .map((all) => all.map((one) => `.${one}`).join(""));

/** An ensemble of two models with math before, between and after them, some of which it returns too. */
const arbitraryEnsemble: fc.Arbitrary<RandomEnsemble> = fc.record({
  before: chain,
  between: chain,
  after: chain,
  end: fc.constantFrom(...ends),
  returned: fc.subarray(["first", "middle", "second"]),
});

interface RandomEnsemble {
  readonly before: string;
  readonly between: string;
  readonly after: string;
  readonly end: string;
  readonly returned: readonly string[];
}

const sourceOf = (ensembles: readonly RandomEnsemble[], fuse: boolean): string => `
import { defineEnsemble, fp32, onnx } from "tritype";
const x = fp32("batch", 4);
${ensembles
  .map(
    ({ before, between, after, end, returned }, index) => `
const double${index} = onnx({ name: "double${index}", file: "models/double.onnx", inputs: { x }, outputs: { y: x }, fuse: ${fuse} });
const scale${index} = onnx({ name: "scale${index}", file: "models/scale.onnx", inputs: { x }, outputs: { y: x }, fuse: ${fuse} });
export const e${index} = defineEnsemble({
  name: "e${index}",
  maxBatchSize: 8,
  inputs: { a: x, b: fp32("batch", 1) },
  run({ a, b }) {
    const first = double${index}({ x: a${before}.mul(b) }).y;
    const middle = first${between};
    const second = scale${index}({ x: middle }).y;
    return { last: second${after}${end}.mul(1), ${returned.join(", ")} };
  },
});
`,
  )
  .join("")}`;

const serve = async (project: ProjectFixture) => {
  const { compilation } = await compileFixture(project);
  const found = compilation.diagnostics.filter(({ code }) => code !== "model/not-fused");
  expect(found.map(({ code, message }) => `${code}: ${message}`)).toEqual([]);
  const folder = mkdtempSync(join(tmpdir(), "fused-"));
  writeBuild(folder, compilation.build?.tree ?? new Map());
  const repository = join(folder, "model_repository");
  const runtime = await startRuntime({ repository, device: "cpu", python: "twin", notice: () => {} });
  onTestFinished(async () => {
    await runtime.close();
    rmSync(folder, { recursive: true });
  });
  return { runtime, models: compilation.build?.manifest.models ?? [] };
};

test("random ensembles give the same answers as without fusion, bit for bit", async () => {
  const ensembles = fc.sample(arbitraryEnsemble, { numRuns: count, seed: long ? Date.now() : 11 });
  const files = { "models/double.onnx": doubleModel(), "models/scale.onnx": scaleModel(3) };
  const project = makeProject({ ...files, "pipeline.ts": sourceOf(ensembles, true) });
  onTestFinished(() => project.remove());
  const fused = await serve(project);
  project.write("pipeline.ts", sourceOf(ensembles, false));
  const apart = await serve(project);
  const [few, many] = [fused, apart].map(({ models }) => models.length);
  expect(few).toBeLessThan((many ?? 0) - count);
  const reasons = fused.models.flatMap(({ notFused = [] }) => notFused);
  expect(apart.models.some(({ fused: parts }) => parts !== undefined)).toBe(false);
  expect(reasons.filter((reason) => reason.includes("fuse: true"))).toEqual([]);
  const rows = 3;
  const inputs = new Map([
    ["a", tensorOf("FP32", [rows, 4], [0.5, -1.25, 3, 7, -0.1, 0, 2.5, -4, 1e-3, 12, -6, 0.75])],
    ["b", tensorOf("FP32", [rows, 1], [1.5, -2, 0.3])],
  ]);
  for (const [index, ensemble] of ensembles.entries()) {
    const [answer, expected] = await Promise.all(
      [fused, apart].map(({ runtime }) => outcome(runtime, { model: `e${index}`, inputs })),
    );
    expect(expected).not.toHaveProperty("error");
    expect(answer, JSON.stringify(ensemble)).toEqual(expected);
  }
}, 600_000);
