import { type DType, type NamedTensors, tensorOf } from "@tritype/core";
import type { ModelConfig } from "@tritype/triton";
import { expect, test } from "vitest";
import { type DeclaredTypes, misfitsOf, refuseMisfit } from "./declared-types.ts";

const zeros = (dtype: DType, ...shape: readonly number[]) =>
  tensorOf(
    dtype,
    shape,
    Array.from({ length: shape.reduce((count, size) => count * size, 1) }, () => 0),
  );
const tensors = (given: Readonly<Record<string, ReturnType<typeof zeros>>>): NamedTensors =>
  new Map(Object.entries(given));

/** `outer` calls `inner`, which calls `score` and then `scale`. */
const configs: Readonly<Record<string, ModelConfig>> = {
  outer: {
    ensemble_scheduling: { step: [{ model_name: "inner", output_map: { a: "y", b: "z" } }] },
  },
  inner: {
    ensemble_scheduling: {
      step: [
        { model_name: "score", output_map: { s: "t" } },
        { model_name: "scale", output_map: { out: "a", other: "b" } },
      ],
    },
  },
  scale: {},
};
const endpoint = {
  config: (model: string) => {
    const config = configs[model];
    return config === undefined ? Promise.reject(new Error("no configurations")) : Promise.resolve(config);
  },
};

const declared: DeclaredTypes = {
  inputs: { x: { dtype: "FP32", dims: ["batch", "n"] } },
  outputs: {
    y: { dtype: "FP32", dims: ["batch", 3] },
    z: { dtype: "INT64", dims: ["batch", "n", "m#2"] },
    w: { dtype: "FP32", dims: [-1, "m#2"] },
    one: { dtype: "FP32", dims: ["batch"] },
  },
};
const inputs = tensors({ x: zeros("FP32", 2, 5) });

const fitting = {
  y: zeros("FP32", 2, 3),
  z: zeros("INT64", 2, 5, 7),
  w: zeros("FP32", 9, 7),
  one: zeros("FP32", 2, 1),
};

test.each<[string, Readonly<Record<string, ReturnType<typeof zeros>>>, readonly string[]]>([
  ["fits", {}, []],
  ["has an undeclared output", { other: zeros("FP32", 1) }, []],
  ["has another size", { y: zeros("FP32", 2, 4) }, ["y is declared as FP32[batch, 3], but is FP32[2, 4]"]],
  ["has another rank", { y: zeros("FP32", 6) }, ["y is declared as FP32[batch, 3], but is FP32[6]"]],
  ["has another dtype", { y: zeros("FP64", 2, 3) }, ["y is declared as FP32[batch, 3], but is FP64[2, 3]"]],
  [
    "has other rows than the request",
    { y: zeros("FP32", 1, 3) },
    ["y is declared as FP32[batch, 3], but is FP32[1, 3]: `batch` is 2 in `x`"],
  ],
  [
    "has one name with two sizes",
    { w: zeros("FP32", 1, 8) },
    ["w is declared as FP32[-1, m], but is FP32[1, 8]: `m` is 7 in `z`"],
  ],
  [
    "has two misfits",
    { y: zeros("FP32", 1, 4), one: zeros("FP32", 2) },
    [
      "y is declared as FP32[batch, 3], but is FP32[1, 4]",
      "one is declared as FP32[batch, 1], but is FP32[2]",
    ],
  ],
])("an answer that %s", async (_, changed, expected) => {
  const answer = tensors({ ...fitting, ...changed });
  const found = await misfitsOf(endpoint, { model: "scale", declared, inputs }, answer);
  expect(found.map(({ output, problem }) => `${output} ${problem}`)).toEqual(expected);
});

test("an output that an answer lacks is reported, unless answers may lack outputs", async () => {
  const { z: _, ...others } = fitting;
  const asked = { model: "outer", declared, inputs };
  expect(await misfitsOf(endpoint, asked, tensors(others))).toEqual([
    { output: "z", problem: "is declared as INT64[batch, n, m], but is missing", maker: "scale" },
  ]);
  expect(await misfitsOf(endpoint, { ...asked, mayLack: true }, tensors(others))).toEqual([]);
});

test("the error names the member that returned the output, in ensembles within ensembles too", async () => {
  const answer = tensors({ y: zeros("FP32", 1, 4) });
  await expect(refuseMisfit(endpoint, { model: "outer", declared, inputs }, answer)).rejects.toMatchObject({
    code: "model/failed",
    reason: "model/wrong-answer",
    message:
      "the answer of `outer` does not have its type: `y` is declared as FP32[batch, 3], but is FP32[1, 4]",
    help: expect.stringContaining("`scale` produces this output"),
  });
  await expect(refuseMisfit(endpoint, { model: "gone", declared, inputs }, answer)).rejects.toMatchObject({
    help: expect.stringContaining("`gone` produces this output"),
  });
});
