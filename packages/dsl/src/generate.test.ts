import { expect, expectTypeOf, test } from "vitest";
import type { OptionalTensorType, StreamTensorType, TensorType } from "@tritype/core";
import { detokenizer } from "./detokenizer.ts";
import { int64 } from "./dtype-name.ts";
import { defineEnsemble } from "./ensemble.ts";
import { generate } from "./generate.ts";

test("the options determine which tensors the step has", () => {
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

test("a streaming step's outputs are streams, even after other steps and in an ensemble", () => {
  const speak = generate({
    name: "speak",
    from: "models/gpt2",
    stream: true,
    text: { from: "models/gpt2" },
    perRequest: ["stop"],
  });
  expectTypeOf(speak.outputs).toEqualTypeOf<{
    readonly sequences: StreamTensorType<"INT64", ["batch", "generated"]>;
    readonly text: StreamTensorType<"BYTES", ["batch", 1]>;
    readonly finish_reason: StreamTensorType<"BYTES", ["batch", 1]>;
  }>();
  expect(Object.keys(speak.outputs)).toEqual(["sequences", "text", "finish_reason"]);
  expectTypeOf(speak.inputs.stop).toEqualTypeOf<OptionalTensorType<"BYTES", ["batch", "stops"]>>();
  expect(speak.inputs.stop).toEqual({ dtype: "BYTES", dims: ["batch", "stops"], optional: true });
  const spell = detokenizer({ name: "spell", from: "models/gpt2" });
  const chat = defineEnsemble({
    name: "chat",
    maxBatchSize: 1,
    inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
    run(given) {
      const { sequences, text } = speak(given);
      return { text, again: spell({ ids: sequences }).text, copy: given.input_ids };
    },
  });
  expectTypeOf(chat.outputs).toEqualTypeOf<{
    readonly text: StreamTensorType<"BYTES", ["batch", 1]>;
    readonly again: StreamTensorType<"BYTES", ["batch", 1]>;
    readonly copy: TensorType<"INT64", ["batch", "seq"]>;
  }>();
  expect(chat.outputs).toEqual({
    text: { dtype: "BYTES", dims: ["batch", 1], stream: true },
    again: { dtype: "BYTES", dims: ["batch", 1], stream: true },
    copy: { dtype: "INT64", dims: ["batch", "seq"] },
  });
});

test("an invalid option is reported at its property", () => {
  // @ts-expect-error neither `from` nor `decoder`
  generate({ name: "nowhere" });
  // @ts-expect-error a request cannot set the number of beams
  generate({ name: "beams", from: "models/m2m100", perRequest: ["num_beams"] });
  // @ts-expect-error beams cannot stream
  generate({ name: "beams", from: "models/m2m100", stream: true, search: { kind: "beam", beams: 4 } });
  // @ts-expect-error only a streaming step produces text
  generate({ name: "text", from: "models/m2m100", text: { from: "models/m2m100" } });
  // @ts-expect-error stop strings require text
  generate({ name: "stop", from: "models/m2m100", stream: true, stop: ["."] });
  // @ts-expect-error a greedy search does not sample
  generate({ name: "greedy", from: "models/m2m100", search: { kind: "greedy", seed: 1 } });
});
