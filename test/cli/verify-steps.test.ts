import { cpSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { type Ended, pipeline } from "./run-pipeline.ts";
import { stepsFiles, stepsSource, times, withNumber } from "./step-models.ts";

let env: Readonly<Record<string, string>>;
let made: ProjectFixture;
beforeAll(async () => {
  env = { TRITYPE_PYTHON: await pythonWithNumpy() };
  made = makeProject({
    ...stepsFiles,
    "pipeline.config.ts":
      'import { defineConfig } from "tritype";\nexport default defineConfig({ profiles: { wide: {} } });\n',
    "pipeline.ts": `${stepsSource.replace(
      'name: "shift",',
      'name: "shift", profiles: { wide: { instanceGroup: [{ kind: "cpu", count: 2 }] } },',
    )}
export const regrown = defineEnsemble({
  name: "regrown",
  maxBatchSize: 8,
  inputs: { x: row },
  run: ({ x }) => ({ y: grow({ x }).y }),
});

export const both = defineEnsemble({
  name: "both",
  maxBatchSize: 8,
  inputs: { x: row },
  run: ({ x }) => ({ y: regrown({ x: grown({ x }).y }).y }),
  warmup: [{ name: "counting", inputs: { x: [[0, 1, 1, 2]] } }],
});
`,
  });
  expect(await pipeline(made, ["build"], { env })).toMatchObject({ code: 0 });
});
afterAll(() => made?.remove());

const verify = (...args: readonly string[]): Promise<Ended> =>
  pipeline(made, ["verify", "--no-triton", "--no-generated", "--steps", ...args], { env });

/** A copy of the repository in which some files are replaced. */
const writeOther = (files: Readonly<Record<string, string | Uint8Array>>): void => {
  cpSync(made.path("build/model_repository"), made.path("other"), { recursive: true });
  for (const [path, content] of Object.entries(files)) made.write(`other/${path}`, content);
};

test("every step of the local runs agrees", async () => {
  const { code, out, err } = await verify("steps");
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(out.split("\n").slice(0, 2)).toEqual([
    "steps of steps, local python: 4 outputs of 4 steps in 1 requests agree, max abs 0.0e+0",
    "",
  ]);
});

test("a step of another build that deviates is named first, and the fault is attributed to it", async () => {
  writeOther({ "halve/1/model.py": times(0.25) });
  const { code, out } = await verify("steps", "--no-python", "--against", "other");
  expect(code).toBe(1);
  expect(out.split("\n\n")[0]?.split("\n")).toEqual([
    "steps of steps, other: `halve` differs first, in request 1 (sample `counting`)",
    "  y FP32[1, 4]; max abs 6.3e+0, tolerance 0.00001; its inputs are equal, so it causes the difference itself",
    "    step       output          own     carried",
    "    shift      y FP32[1, 4]    0       0",
    "    grow       y FP32[1, 4]    0       0",
    "  ✗ halve      y FP32[1, 4]    6.3e+0  6.3e+0",
    "    steps_sum  sum FP32[1, 1]  0       1.4e+1",
    "own: the step alone, with its inputs from the local native run",
    "carried: with the answers of the steps before it in the other run",
  ]);
});

test("calls from code are steps, too", async () => {
  writeOther({ "shift/1/model.onnx": withNumber("Add", 2) });
  const { code, out } = await verify("walk", "--against", "other");
  expect(code).toBe(1);
  expect(out.split("\n").slice(0, 7)).toEqual([
    "steps of walk, local python: 3 outputs of 3 steps in 1 requests agree, max abs 0.0e+0",
    "steps of walk, other: `shift` differs first, in request 1 (sample `counting`)",
    "  y FP32[1, 4]; max abs 1.0e+0, tolerance 0.00001; its inputs are equal, so it causes the difference itself",
    "    step   output            own     carried",
    "  ✗ shift  y FP32[1, 4]      1.0e+0  1.0e+0",
    "    grow   y FP32[1, 4]      0       1.1e+1",
    "    walk   first FP32[1, 1]  5.0e+0  5.0e+0",
  ]);
});

test("a step that several callers use is named with its caller", async () => {
  writeOther({ "grow/1/model.onnx": withNumber("Pow", 3) });
  const { code, out } = await verify("both", "--no-python", "--against", "other");
  expect(code).toBe(1);
  expect(out.split("\n").slice(0, 5)).toEqual([
    "steps of both, other: `grown → grow` differs first, in request 1 (sample `counting`)",
    "  y FP32[1, 4]; max abs 4.0e+0, tolerance 0.00001; its inputs are equal, so it causes the difference itself",
    "    step            output        own     carried",
    "  ✗ grown → grow    y FP32[1, 4]  4.0e+0  4.0e+0",
    "    regrown → grow  y FP32[1, 4]  4.8e+1  5.0e+2",
  ]);
});

test("a step that amplifies a difference within the tolerance is not blamed for it", async () => {
  writeOther({ "shift/1/model.onnx": withNumber("Add", 1.000025) });
  const { code, out } = await verify("steps", "--no-python", "--against", "other");
  expect(code).toBe(1);
  expect(out).toContain("`grow` differs first");
  expect(out).toMatch(
    /its inputs differ by at most 2\.5e-5; it agrees when its inputs are equal, so it amplifies a difference that came from earlier steps/,
  );
});

test("a step that fails in the other run is reported in JSON", async () => {
  const failing = times(0.5).replace(
    "def answer(self, x):",
    'def answer(self, x):\n        if x.max() > 1000:\n            raise ValueError("too large")',
  );
  writeOther({ "halve/1/model.py": failing });
  made.write("large.json", '[{ "x": [1, 2, 3, 4] }, { "x": [1, 2, 3, 400] }]');
  const { code, out, err } = await verify(
    "steps",
    "--no-python",
    "--against",
    "other",
    "--samples",
    "large.json",
    "--json",
  );
  expect({ code, err }).toMatchObject({ code: 1 });
  const { steps } = JSON.parse(out) as { readonly steps: readonly { readonly first: object }[] };
  expect(steps).toMatchObject([
    { request: 1 },
    {
      model: "steps",
      check: "other",
      request: 2,
      first: {
        step: "halve",
        output: "y FP32[1, 4]",
        inputs: 0,
        own: { problem: expect.stringMatching(/^no answer: .*ValueError: too large/) },
        carried: { problem: "failed only in other" },
      },
    },
  ]);
});

test("another profile of the build is compared too", async () => {
  const { code, out, err } = await verify("steps", "--no-python", "--against-profile", "wide");
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(out).toContain("steps of steps, profile wide: 4 outputs of 4 steps in 1 requests agree");
  expect((await verify("steps", "--against-profile", "narrow")).code).toBe(2);
});
