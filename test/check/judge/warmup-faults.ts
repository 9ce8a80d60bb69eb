import type { DataType, ModelConfig, ModelWarmup, ModelWarmupInput } from "@tritype/triton";
import * as fc from "fast-check";
import { addFiles, all, changeModel, clear, type Edit, each, set, setInput } from "./draft.ts";
import type { Fault } from "./fault.ts";
import { legalPython } from "./legal-single.ts";

const sizes: Readonly<Partial<Record<DataType, number>>> = {
  TYPE_UINT8: 1,
  TYPE_INT16: 2,
  TYPE_FP16: 2,
  TYPE_FP32: 4,
  TYPE_INT32: 4,
  TYPE_FP64: 8,
  TYPE_INT64: 8,
};

/** The warmup of a model whose only input is `[-1, width]`. */
interface Warmed {
  readonly data_type: DataType;
  readonly width: number;
  readonly largest: number;
  /** The size of one row of its input. */
  readonly bytes: number;
}

const warmed = ({
  max_batch_size = 0,
  input: [{ data_type = "TYPE_FP32", dims = [] } = {}] = [],
}: ModelConfig): Warmed => {
  const width = dims.at(-1) ?? 1;
  return { data_type, width, largest: max_batch_size, bytes: width * (sizes[data_type] ?? 0) };
};

const batched = fc
  .tuple(
    legalPython,
    fc.integer({ min: 2, max: 9 }),
    fc.constantFrom(...(Object.keys(sizes) as DataType[])),
    fc.integer({ min: 2, max: 7 }),
  )
  .map(([draft, max_batch_size, data_type, width]) =>
    set({ max_batch_size, input: [{ name: "IN0", data_type, dims: [-1, width] }] })(draft),
  );

type SampleInput = (model: Warmed) => ModelWarmupInput;

const zero: SampleInput = ({ data_type, width }) => ({ data_type, dims: [3, width], zero_data: true });
/** Zeros with different dims. */
const zeros =
  (dims: (width: number) => readonly number[]): SampleInput =>
  (model) => ({ ...zero(model), dims: dims(model.width) });
/** One sample of batch 1 with `IN0`; `more` replaces its fields. */
const warm = (input: SampleInput, more: (model: Warmed) => ModelWarmup = () => ({})): Edit =>
  set((config) => {
    const model = warmed(config);
    return { model_warmup: [{ name: "w", batch_size: 1, inputs: { IN0: input(model) }, ...more(model) }] };
  });
const warms = (...inputs: readonly SampleInput[]): readonly Edit[] => inputs.map((input) => warm(input));
/** A sample of one row in a file with the contents that `bytes` makes. */
const data = (file: string, bytes?: (model: Warmed) => Uint8Array): Edit =>
  all(
    warm(({ data_type, width }) => ({ data_type, dims: [1, width], input_data_file: file })),
    changeModel((model) =>
      bytes === undefined ? model : addFile(model, `warmup/${file}`, bytes(warmed(model.config))),
    ),
  );
const addFile = <T extends { readonly files: object }>(model: T, path: string, bytes: Uint8Array): T => ({
  ...model,
  files: { ...model.files, [path]: bytes },
});
const whole = ({ bytes }: Warmed): Uint8Array => new Uint8Array(bytes);
const strings = setInput({ data_type: "TYPE_STRING" });
/** This many byte strings, in the format of warmup files. */
const texts = (...lengths: readonly number[]): Uint8Array =>
  Uint8Array.from(lengths.flatMap((length) => [length, 0, 0, 0, ...Array.from({ length }, () => 97)]));
const repeated =
  (length: number, by = 0) =>
  ({ width }: Warmed): Uint8Array =>
    texts(...Array.from({ length: width + by }, (_, at) => length + at));

/** A stub never answers: refused models do not get that far. */
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
      warm(
        zeros(() => [1, 1, 1]),
        () => ({ batch_size: 0 }),
      ),
    ),
  },
  {
    rule: "134",
    about: "a batch over the maximum",
    on: batched,
    costly: true,
    says: /failed to run warmup sample|max allowed is/,
    refused: each(1, 5).map((over) => warm(zero, ({ largest }) => ({ batch_size: largest + over }))),
    accepted: each(
      warm(zero),
      warm(zero, ({ largest }) => ({ batch_size: largest })),
    ),
  },
  {
    rule: "135",
    about: "dims with the batch",
    on: batched,
    refusedOn: stubbed,
    costly: true,
    says: /unexpected shape for input/,
    refused: warms(
      zeros((width) => [1, 3, width]),
      zeros(() => [3]),
    ),
    accepted: warms(
      zero,
      zeros((width) => [1, width]),
    ),
  },
  {
    rule: "136",
    about: "open dims",
    on: batched,
    refusedOn: stubbed,
    costly: true,
    says: /warmup setting expects all variable-size dimensions are specified/,
    refused: warms(
      zeros((width) => [-1, width]),
      zeros(() => [-1, -1]),
    ),
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
      (model) => ({
        ...zero(model),
        data_type: model.data_type === "TYPE_INT32" ? "TYPE_INT64" : "TYPE_INT32",
      }),
      ({ width }) => ({ dims: [3, width], zero_data: true }),
      zeros((width) => [3, width + 1]),
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
      warm(zero, (model) => ({ inputs: { in0: zero(model) } })),
      set({ model_warmup: [{ name: "w", batch_size: 1 }] }),
    ),
    accepted: each(warm(zero, (model) => ({ inputs: { IN0: zero(model), more: zero(model) } }))),
  },
  {
    rule: "139",
    about: "no data",
    on: batched,
    refusedOn: stubbed,
    costly: true,
    says: /to have input_data_type set/,
    refused: warms(({ data_type, width }) => ({ data_type, dims: [3, width] })),
    accepted: warms(
      (model) => ({ ...zero(model), zero_data: false }),
      ({ data_type, width }) => ({ data_type, dims: [1, width], random_data: true }),
    ),
  },
  {
    rule: "140",
    about: "a file that is missing",
    on: batched,
    refusedOn: stubbed,
    costly: true,
    says: /failed to open text file/,
    refused: each(data("nope"), all(data("x"), addFiles({ x: new Uint8Array(8) }))),
    accepted: each(data("x", whole)),
  },
  {
    rule: "141",
    about: "a file that is too short",
    on: batched,
    refusedOn: stubbed,
    costly: true,
    says: /warmup setting expects \d+ bytes/,
    refused: each(
      data("x", () => new Uint8Array()),
      data("x", ({ bytes }) => new Uint8Array(bytes - 1)),
    ),
    accepted: each(
      data("x", whole),
      data("x", ({ bytes }) => new Uint8Array(bytes + 92)),
    ),
  },
  {
    rule: "142",
    about: "strings that are no strings",
    on: batched.map(strings),
    refusedOn: stubbed.map(strings),
    costly: true,
    says: /string elements|incomplete string|string/,
    refused: each(
      data("x", repeated(1, -1)),
      data("x", repeated(1, 1)),
      data("x", () => new Uint8Array([9, 0, 0, 0, 1])),
      data("x", () => new Uint8Array([1, 0])),
    ),
    accepted: each(data("x", repeated(0)), data("x", repeated(3))),
  },
  {
    rule: "143",
    about: "made-up strings",
    on: batched.map(strings),
    costly: true,
    accepted: warms(zero, ({ data_type, width }) => ({ data_type, dims: [1, width], random_data: true })),
  },
  {
    rule: "144",
    about: "counts and names",
    on: batched.map(clear("optimization")),
    costly: true,
    accepted: each(
      warm(zero, () => ({ count: 2 })),
      warm(zero, () => ({ name: "" })),
    ),
  },
];
