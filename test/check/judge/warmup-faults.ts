import type { ModelWarmup, ModelWarmupInput } from "@tritype/triton";
import { addFiles, all, changeConfig, clear, type Edit, each, set } from "./draft.ts";
import type { Fault } from "./fault.ts";
import { legalPython } from "./legal-single.ts";

const batched = legalPython.map(
  set({ max_batch_size: 4, input: [{ name: "IN0", data_type: "TYPE_FP32", dims: [-1, 2] }] }),
);
const zero: ModelWarmupInput = { data_type: "TYPE_FP32", dims: [3, 2], zero_data: true };
const warm = (input: ModelWarmupInput, sample: ModelWarmup = {}): Edit =>
  set({ model_warmup: [{ name: "w", batch_size: 1, inputs: { IN0: input }, ...sample }] });
const warms = (...inputs: readonly ModelWarmupInput[]): readonly Edit[] => inputs.map((input) => warm(input));
const data = (
  file: string,
  bytes: Uint8Array | undefined,
  dtype: "TYPE_FP32" | "TYPE_STRING" = "TYPE_FP32",
): Edit =>
  all(
    changeConfig((config) => ({ ...config, input: [{ name: "IN0", data_type: dtype, dims: [-1, 2] }] })),
    warm({ data_type: dtype, dims: [1, 2], input_data_file: file }),
    addFiles(bytes === undefined ? {} : { [`warmup/${file}`]: bytes }),
  );
const texts = (...lengths: readonly number[]): Uint8Array =>
  Uint8Array.from(lengths.flatMap((length) => [length, 0, 0, 0, ...Array.from({ length }, () => 97)]));

/** A stub never answers: what is refused does not come that far. */
const stubbed = batched.map(set({ backend: "fil" }));

/** Rules 133 to 144: warmup, with the real python backend. */
export const warmupFaults: readonly Fault[] = [
  {
    rule: "133",
    about: "samples without a batch are skipped",
    on: batched,
    costly: true,
    accepted: each(
      set({ model_warmup: [{ name: "w", inputs: { nope: {} } }] }),
      warm({ ...zero, dims: [1, 1, 1] }, { batch_size: 0 }),
    ),
  },
  {
    rule: "134",
    about: "a batch over the maximum",
    on: batched,
    costly: true,
    says: /failed to run warmup sample|max allowed is/,
    refused: each(5, 9).map((batch_size) => warm(zero, { batch_size })),
    accepted: each(1, 4).map((batch_size) => warm(zero, { batch_size })),
  },
  {
    rule: "135",
    about: "dims with the batch",
    on: batched,
    refusedOn: stubbed,
    costly: true,
    says: /unexpected shape for input/,
    refused: warms({ ...zero, dims: [1, 3, 2] }, { ...zero, dims: [3] }),
    accepted: warms(zero, { ...zero, dims: [1, 2] }),
  },
  {
    rule: "136",
    about: "open dims",
    on: batched,
    refusedOn: stubbed,
    costly: true,
    says: /warmup setting expects all variable-size dimensions are specified/,
    refused: warms({ ...zero, dims: [-1, 2] }, { ...zero, dims: [-1, -1] }),
    accepted: warms(zero),
  },
  {
    rule: "137",
    about: "inputs that requests could not have",
    on: batched,
    refusedOn: stubbed,
    costly: true,
    says: /failed to run warmup sample|unexpected shape|data-type is|expected \d+ inputs/,
    refused: warms(
      { ...zero, data_type: "TYPE_INT32" },
      { dims: [3, 2], zero_data: true },
      { ...zero, dims: [3, 3] },
    ),
    accepted: warms(zero),
  },
  {
    rule: "138",
    about: "an input that is none",
    on: batched,
    refusedOn: stubbed,
    costly: true,
    says: /expected 1 inputs but got 0/,
    refused: each(
      set({ model_warmup: [{ name: "w", batch_size: 1, inputs: { in0: zero } }] }),
      set({ model_warmup: [{ name: "w", batch_size: 1 }] }),
    ),
    accepted: each(set({ model_warmup: [{ name: "w", batch_size: 1, inputs: { IN0: zero, more: zero } }] })),
  },
  {
    rule: "139",
    about: "no data",
    on: batched,
    refusedOn: stubbed,
    costly: true,
    says: /to have input_data_type set/,
    refused: warms({ data_type: "TYPE_FP32", dims: [3, 2] }),
    accepted: warms(
      { ...zero, zero_data: false },
      { data_type: "TYPE_FP32", dims: [1, 2], random_data: true },
    ),
  },
  {
    rule: "140",
    about: "a file that is missing",
    on: batched,
    refusedOn: stubbed,
    costly: true,
    says: /failed to open text file/,
    refused: each(data("nope", undefined), all(data("x", undefined), addFiles({ x: new Uint8Array(8) }))),
    accepted: each(data("x", new Uint8Array(8))),
  },
  {
    rule: "141",
    about: "a file that is too short",
    on: batched,
    refusedOn: stubbed,
    costly: true,
    says: /warmup setting expects 8 bytes/,
    refused: each(0, 7).map((bytes) => data("x", new Uint8Array(bytes))),
    accepted: each(8, 100).map((bytes) => data("x", new Uint8Array(bytes))),
  },
  {
    rule: "142",
    about: "strings that are no strings",
    on: batched,
    refusedOn: stubbed,
    costly: true,
    says: /string elements|incomplete string|string/,
    refused: each(texts(1), texts(1, 2, 3), new Uint8Array([9, 0, 0, 0, 1]), new Uint8Array([1, 0])).map(
      (bytes) => data("x", bytes, "TYPE_STRING"),
    ),
    accepted: each(texts(0, 0), texts(3, 1)).map((bytes) => data("x", bytes, "TYPE_STRING")),
  },
  {
    rule: "143",
    about: "made-up strings",
    on: batched.map(set({ input: [{ name: "IN0", data_type: "TYPE_STRING", dims: [2] }] })),
    costly: true,
    accepted: warms(
      { data_type: "TYPE_STRING", dims: [2], zero_data: true },
      { data_type: "TYPE_STRING", dims: [2], random_data: true },
    ),
  },
  {
    rule: "144",
    about: "counts and names",
    on: batched.map(clear("optimization")),
    costly: true,
    accepted: each(warm(zero, { count: 2 }), warm(zero, { name: "" })),
  },
];
