import { expect, expectTypeOf, test } from "vitest";
import type { OptionalTensorType, TensorType } from "@tritype/core";
import { generate } from "./generate.ts";

test("the options determine which tensors exist", () => {
  const greedy = generate({ name: "greedy", from: "models/m2m100" });
  expectTypeOf(greedy.outputs).toEqualTypeOf<{
    readonly sequences: TensorType<"INT64", ["batch", "generated"]>;
  }>();
  expect(greedy.outputs).toEqual({ sequences: { dtype: "INT64", dims: ["batch", "generated"] } });
  expect(greedy.inputs).toEqual({
    input_ids: { dtype: "INT64", dims: ["batch", "seq"] },
    attention_mask: { dtype: "INT64", dims: ["batch", "seq"] },
  });

  const beams = generate({
    name: "beams",
    decoder: "models/gpt2/model.onnx",
    search: { kind: "beam", beams: 4, returnSequences: 3, scores: true },
    perRequest: ["max_new_tokens", "repetition_penalty"],
    seq: "source",
    generated: "target",
  });
  expectTypeOf(beams.outputs).toEqualTypeOf<{
    readonly sequences: TensorType<"INT64", ["batch", 3, "target"]>;
    readonly scores: TensorType<"FP32", ["batch", 3]>;
  }>();
  expectTypeOf(beams.inputs.repetition_penalty).toEqualTypeOf<OptionalTensorType<"FP32", ["batch", 1]>>();
  expectTypeOf(beams.inputs.input_ids).toEqualTypeOf<TensorType<"INT64", ["batch", "source"]>>();
  expect(beams.outputs).toEqual({
    sequences: { dtype: "INT64", dims: ["batch", 3, "target"] },
    scores: { dtype: "FP32", dims: ["batch", 3] },
  });
  expect(beams.inputs).toEqual({
    input_ids: { dtype: "INT64", dims: ["batch", "source"] },
    attention_mask: { dtype: "INT64", dims: ["batch", "source"] },
    max_new_tokens: { dtype: "INT64", dims: ["batch", 1], optional: true },
    repetition_penalty: { dtype: "FP32", dims: ["batch", 1], optional: true },
  });
});

test("an invalid option is an error at its property", () => {
  // @ts-expect-error neither `from` nor `decoder`
  generate({ name: "nowhere" });
  // @ts-expect-error a request cannot say how many beams there are
  generate({ name: "beams", from: "models/m2m100", perRequest: ["num_beams"] });
  // @ts-expect-error a greedy search draws nothing
  generate({ name: "greedy", from: "models/m2m100", search: { kind: "greedy", seed: 1 } });
});
