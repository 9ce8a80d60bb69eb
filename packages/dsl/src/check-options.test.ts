import { expect, test } from "vitest";
import { bytes, fp32, int64 } from "./dtype-name.ts";
import { defineEnsemble } from "./ensemble.ts";
import { concat, lookup, meanPool, where } from "./functions.ts";
import { onnx } from "./onnx.ts";
import { tokenizer } from "./tokenizer.ts";

/** Values that JavaScript allows but the types do not. */
const untyped = <F>(call: F): ((...args: readonly unknown[]) => unknown) => call as never;
const inRun = (run: (x: never) => unknown) => () =>
  defineEnsemble({
    name: "e",
    inputs: { x: fp32("n", 4) },
    run: ({ x }) => ({ y: run(x as never) as never }),
  });
const signature = { inputs: { x: fp32("n", 4) }, outputs: { y: fp32("n", 4) } };
const step = untyped(onnx({ name: "head", file: "h.onnx", ...signature }));

test.each<[string, () => unknown, string]>([
  ["no options", () => untyped(onnx)(), "`onnx` takes an object of options"],
  ["no name", () => untyped(onnx)({ file: "h.onnx", ...signature }), "`onnx` has no `name`"],
  [
    "a misspelt required option",
    () =>
      untyped(onnx)({ name: "head", file: "h.onnx", input: signature.inputs, outputs: signature.outputs }),
    "`head` has no option `input`",
  ],
  ["a misspelt name", () => untyped(onnx)({ nam: "head", ...signature }), "`onnx` has no option `nam`"],
  ["no signature", () => untyped(onnx)({ name: "head", file: "h.onnx" }), "`head` has no `inputs`"],
  [
    "dims without a dtype",
    () => untyped(onnx)({ name: "head", ...signature, inputs: { x: ["batch", 8] } }),
    "`x` of `head` is not a tensor type",
  ],
  [
    "a bigint as a dim",
    () => untyped(onnx)({ name: "head", ...signature, inputs: { x: { dtype: "FP32", dims: [8n] } } }),
    "`x` of `head` is not a tensor type",
  ],
  [
    "a tokenizer without a name",
    () => untyped(tokenizer)({ from: "t", maxLength: 8 }),
    "`tokenizer` has no `name`",
  ],
  [
    "an ensemble without inputs",
    () => untyped(defineEnsemble)({ name: "e", run: () => ({}) }),
    "`e` has no `inputs`",
  ],
  [
    "an ensemble with a misspelt run",
    () => untyped(defineEnsemble)({ name: "e", inputs: { text: bytes(1) }, rn: () => ({}) }),
    "`e` has no option `rn`",
  ],
  [
    "an ensemble without run",
    () => untyped(defineEnsemble)({ name: "e", inputs: { text: bytes(1) } }),
    "ensemble `e` has no `run`",
  ],
  ["a positional call", inRun((x) => step(x)), "`head` was called with a tensor"],
  [
    "swapped arguments",
    inRun((x) => untyped(lookup)(["a", "b"], x)),
    "`labels` of `lookup` must be a plain value, not a tensor",
  ],
  ["tensors that are not a list", inRun((x) => untyped(concat)(x, x, 1)), "`concat` needs a list of tensors"],
  [
    "a misspelt output",
    inRun((x) => untyped(meanPool)(undefined, x)),
    "`meanPool` needs a tensor for `hidden`, got nothing",
  ],
  [
    "a number for a tensor",
    inRun((x) => untyped(where)(x, 1, 0)),
    "`where` needs a tensor for `whenTrue`, got a number",
  ],
])("%s is refused with its name", (_, call, message) => {
  expect(call).toThrow(message);
});

test("the help names the step's own input", () => {
  expect(inRun((x) => step(x))).toThrow(expect.objectContaining({ help: "pass an object: head({ x: … })" }));
  expect(int64("n").dtype).toBe("INT64");
});
