import type { CollatedEnsemble, EnsembleSample } from "@tritype/compiler";
import { type NamedTensors, tensorOf } from "@tritype/core";
import type { CollateTwinOptions } from "@tritype/manifest";
import type { InferRequest } from "@tritype/runtime";
import { expect, test } from "vitest";
import { measurePadding } from "./measure-padding.ts";

const pad = { side: "right", id: 0, typeId: 0 } as const;
const options = { behind: "behind", maxBatchSize: 8, maxLength: 16, padding: "longest", pad };
const collated: CollatedEnsemble = {
  ensemble: "e",
  collate: "collate",
  options: options as unknown as CollateTwinOptions,
  tolerance: 1e-3,
  labels: [],
};
const sampleOf = (text: string): EnsembleSample => ({
  ensemble: "e",
  name: text,
  inputs: new Map([["text", tensorOf("BYTES", [1, 1], [text])]]),
  row: 0,
  batchSize: 1,
  count: 1,
  opt: false,
  labels: [],
});

/** An ensemble with one token for each character, whose answer depends on the number of tokens. */
const servedWith = (textOf: (tokens: number) => string) => {
  const calls: InferRequest[] = [];
  const behind = ([rows = 0, length = 0]: readonly number[]): NamedTensors =>
    new Map([["label", tensorOf("BYTES", [rows, 1], Array<string>(rows).fill(textOf(length)))]]);
  return {
    takeModelCalls: () => calls.splice(0),
    infer: async (model: string, inputs: NamedTensors): Promise<NamedTensors> => {
      const [tensor] = inputs.values();
      if (model === "behind") return behind(tensor?.shape ?? []);
      const shape = [1, tensor?.dtype === "BYTES" ? (tensor.data[0]?.length ?? 0) : 0];
      const ids = tensorOf("INT64", shape, Array<bigint>(shape[1] ?? 0).fill(1n));
      calls.push({ model: "behind", id: "", inputs: new Map([["input_ids", ids]]) });
      return behind(shape);
    },
  };
};

test.each<[string, (tokens: number) => string, number]>([
  ["the same text", () => "same", 0],
  ["another text", (tokens) => (tokens > 3 ? "long" : "short"), 1],
  ["another number as text", (tokens) => String(tokens), 1],
  ["JSON with another number", (tokens) => `{ "score": ${0.5 + tokens / 1024} }`, 10 / 1024],
  ["JSON with another text", (tokens) => `{ "label": "${tokens > 3 ? "long" : "short"}" }`, 1],
])("with padding, the answer is %s", async (_, textOf, maxDifference) => {
  const measured = await measurePadding(servedWith(textOf), [collated], ["ab", "abcdef"].map(sampleOf));
  expect(measured).toEqual([{ collated, rows: 2, paddedTo: 12, maxDifference, output: "label" }]);
});
