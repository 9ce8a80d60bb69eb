import { cpSync } from "node:fs";
import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pipeline } from "../cli/run-pipeline.ts";
import { stepsFiles, times, withNumber } from "../cli/step-models.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { installJudge, installTime, killTriton } from "./judge.ts";

let made: ProjectFixture;
let env: Readonly<Record<string, string>>;
let triton: TritonServer;
beforeAll(async () => {
  const installation = await installJudge();
  env = { TRITYPE_PYTHON: installation.python };
  made = makeProject(stepsFiles);
  expect(await pipeline(made, ["build"], { env })).toMatchObject({ code: 0 });
  cpSync(made.path("build/model_repository"), made.path("served"), { recursive: true });
  triton = await serveTriton(installation, {
    repository: made.path("served"),
    extraArguments: ["--model-control-mode=explicit", "--load-model=*"],
  });
  await triton.waitReady();
}, installTime);
afterAll(async () => {
  await killTriton(triton);
  made?.remove();
});

/** The served models that differ from the build. */
let changed: readonly string[] = [];

/** Serves a copy of the build in which some files are replaced, and compares it with the build. */
const verify = async (
  model: string,
  files: Readonly<Record<string, string | Uint8Array>>,
  ...args: readonly string[]
): Promise<{ readonly code: number | null; readonly out: string; readonly err: string }> => {
  const { httpUrl, grpcAddress } = triton;
  const before = changed;
  changed = Object.keys(files).flatMap((path) => path.split("/", 1));
  for (const name of before)
    cpSync(made.path(`build/model_repository/${name}`), made.path(`served/${name}`), { recursive: true });
  for (const [path, content] of Object.entries(files)) made.write(`served/${path}`, content);
  for (const name of [...before, ...changed]) {
    const { status } = await fetch(`${httpUrl}/v2/repository/models/${name}/load`, { method: "POST" });
    expect([name, status]).toEqual([name, 200]);
  }
  return pipeline(
    made,
    ["verify", model, "--steps", "--triton-url", httpUrl, "--triton-grpc", grpcAddress, ...args],
    { env },
  );
};

test("the same build in a real Triton agrees at every step", async () => {
  const { code, out, err } = await verify("steps", {}, "--no-generated");
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(out.split("\n\n")[0]?.split("\n")).toEqual([
    "steps of steps, local python: 4 outputs of 4 steps in 1 requests agree, max abs 0.0e+0",
    "steps of steps, triton grpc: 4 outputs of 4 steps in 1 requests agree, max abs 0.0e+0",
  ]);
}, 120_000);

test.each([
  ["the number of an ONNX model", "shift", { "shift/1/model.onnx": withNumber("Add", 1.5) }],
  ["a model inside a nested ensemble", "grow", { "grow/1/model.onnx": withNumber("Pow", 3) }],
  ["a Python model", "halve", { "halve/1/model.py": times(0.25) }],
])(
  "%s that differs in a real Triton is named first",
  async (_, step, files) => {
    const { code, out } = await verify("steps", files, "--no-python");
    expect(code).toBe(1);
    expect(out).toContain(
      `steps of steps, triton grpc: \`${step}\` differs first, in request 1 (sample \`counting\`)`,
    );
    expect(out).toMatch(
      /^ {2}y FP32\[1, 4\]; max abs \S+, tolerance 0\.00001; its inputs are equal, so it causes the difference itself$/m,
    );
    const rows = out.split("\n").filter((line) => /^ {2}[ ✗] \w+ +(?:y|sum) FP32/.test(line));
    expect(rows.map((line) => line.trim().split(/ +/).at(-2))).toEqual(
      ["shift", "grow", "halve", "steps_sum"].map((name) =>
        name === step ? expect.not.stringMatching(/^0$/) : "0",
      ),
    );
  },
  120_000,
);

test("calls from code, which Triton does not show, are compared separately", async () => {
  const { code, out } = await verify("walk", { "grow/1/model.onnx": withNumber("Pow", 3) }, "--no-python");
  expect(code).toBe(1);
  expect(out.split("\n").slice(0, 6)).toEqual([
    "steps of walk, triton grpc: `grow` differs first, in request 1 (sample `counting`)",
    "  y FP32[1, 4]; max abs 1.0e+2, tolerance 0.00001; with its inputs from the local native run, so it causes the difference itself",
    "    step   output            own     carried",
    "    shift  y FP32[1, 4]      0       –",
    "  ✗ grow   y FP32[1, 4]      1.0e+2  –",
    "    walk   first FP32[1, 1]  4.0e+0  4.0e+0",
  ]);
}, 120_000);
