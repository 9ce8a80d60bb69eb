import type { Dim } from "@tritype/core";
import { defineEnsemble, fp32, onnx } from "@tritype/dsl";
import { buildModel } from "@tritype/onnx";
import { expect, test } from "vitest";
import { compileInMemory } from "../compile.fixture.ts";

/** An ensemble that calls a model with one image per call, or passes the image through an operator first. */
const detect = (first: "batch" | 1, x: "batch" | 1, maxBatchSize: number | undefined, scaled = false) => {
  const image = fp32(1, 3, 8);
  const file = buildModel(
    { name: "m", inputs: [{ name: "x", type: image }], outputs: [{ name: "y", type: image }] },
    (builder) => ({ y: builder.node("Neg", ["x"])[0] }),
  );
  const type = fp32<Dim[]>(first, 3, 8);
  const m = onnx({ name: "m", file: "m.onnx", inputs: { x: type }, outputs: { y: type } });
  const e = defineEnsemble({
    name: "e",
    ...(maxBatchSize === undefined ? {} : { maxBatchSize }),
    inputs: { x: fp32<Dim[]>(x, 3, 8) },
    run: (given) => m({ x: scaled ? given.x.mul(2) : given.x }),
  });
  return compileInMemory([e], { "m.onnx": file }).diagnostics.map(({ code, help }) => [code, help]);
};

test("the advice on a model whose file fixes the batch leads to a build", () => {
  expect(detect("batch", "batch", 8)).toEqual([
    [
      "onnx/fixed-batch",
      'export the model with a dynamic first axis, or declare its size instead of "batch" and leave `maxBatchSize` out of the ensembles that call the step',
    ],
  ]);
  const either =
    'put "batch" first in the tensors of `m` (an ONNX file needs a dynamic first axis), or leave';
  for (const size of [8, undefined])
    expect(detect(1, "batch", size)).toEqual([
      [
        "shape/wrong-dim",
        `${either} \`maxBatchSize\` out of the ensemble and declare \`x\` as fp32(1, 3, 8)`,
      ],
    ]);
  expect(detect(1, "batch", 8, true)).toEqual([
    [
      "shape/wrong-dim",
      `${either} \`maxBatchSize\` out of the ensemble and declare the literal size where the tensor comes from`,
    ],
  ]);
  for (const scaled of [false, true]) expect(detect(1, 1, undefined, scaled)).toEqual([]);
});

/** A batched model whose file has an input `k` and an output `z` of these shapes. */
const scale = (file: readonly Dim[], declared: readonly Dim[]) => {
  const x = fp32("batch", 4);
  const ports = (names: readonly string[]) =>
    names.map((name) => ({ name, type: /[xy]/.test(name) ? x : fp32<Dim[]>(...file) }));
  const model = buildModel(
    { name: "s", inputs: ports(["x", "k"]), outputs: ports(["y", "z"]) },
    (builder) => ({
      y: builder.node("Mul", ["x", "k"])[0],
      z: builder.node("Neg", ["k"])[0],
    }),
  );
  const k = fp32<Dim[]>(...declared);
  const s = onnx({ name: "s", file: "s.onnx", inputs: { x, k }, outputs: { y: x, z: k } });
  const e = defineEnsemble({
    name: "e",
    maxBatchSize: 8,
    inputs: { x, k: fp32("batch", 1) },
    run: (given) => s(given),
  });
  return compileInMemory([e], { "s.onnx": model }).diagnostics.map(({ code, help }) => [code, help]);
};

test("the advice on scalars in the file of a batched model leads to a build", () => {
  const exported = "export the model with shape [batch, 1] for it";
  expect(scale([], [])).toEqual([
    [
      "shape/scalar",
      `declare what the file has; if it has a scalar, ${exported}, or with its value as a constant`,
    ],
    ["shape/scalar", `declare what the file has; if it has a scalar, ${exported}`],
  ]);
  expect(scale([], ["batch", 1])).toEqual([
    ["onnx/wrong-rank", `${exported}, or with its value as a constant`],
    ["onnx/wrong-rank", exported],
  ]);
  expect(scale(["batch", 1], ["batch", 1])).toEqual([]);
});
