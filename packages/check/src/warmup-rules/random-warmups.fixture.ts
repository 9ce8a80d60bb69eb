import { dtypeOfConfigName, dtypes } from "@tritype/core";
import { type ModelConfig, type ModelWarmup, type ModelWarmupInput, printModelConfig } from "@tritype/triton";
import fc from "fast-check";
import { stringBytes } from "./string-bytes.fixture.ts";

/** A model with warmup, and its warmup files by name. */
export interface WarmupCase {
  readonly config: ModelConfig;
  readonly warmup: Readonly<Record<string, Uint8Array>>;
  readonly faults: readonly string[];
}

/** The files of a case. */
export const warmupFiles = ({
  config,
  warmup,
}: WarmupCase): Readonly<Record<string, string | Uint8Array>> => ({
  [`${config.name}/config.pbtxt`]: printModelConfig(config),
  [`${config.name}/1/.keep`]: "",
  ...Object.fromEntries(
    Object.entries(warmup).map(([file, bytes]) => [`${config.name}/warmup/${file}`, bytes]),
  ),
});

const tensor = fc.record({
  data_type: fc.constantFrom("TYPE_FP32", "TYPE_INT64", "TYPE_STRING", "TYPE_BOOL", "TYPE_FP16"),
  dims: fc.array(fc.constantFrom(-1, 1, 2, 3), { minLength: 1, maxLength: 3 }),
  optional: fc.boolean(),
  data: fc.constantFrom("zero", "random", "file"),
  size: fc.integer({ min: 0, max: 3 }),
});

type Change = (found: WarmupCase, pick: number) => WarmupCase;

const onSample =
  (change: (sample: ModelWarmup, pick: number) => ModelWarmup): Change =>
  (found, pick) => ({
    ...found,
    config: {
      ...found.config,
      model_warmup: (found.config.model_warmup ?? []).map((sample) => change(sample, pick)),
    },
  });

const onInput = (change: (input: ModelWarmupInput, pick: number) => ModelWarmupInput): Change =>
  onSample(({ inputs = {}, ...sample }, pick) => {
    const names = Object.keys(inputs);
    const name = names[pick % Math.max(1, names.length)] ?? "x0";
    return { ...sample, inputs: { ...inputs, [name]: change(inputs[name] ?? {}, pick) } };
  });

const onFiles =
  (change: (bytes: Uint8Array) => Uint8Array): Change =>
  (found) => ({
    ...found,
    warmup: Object.fromEntries(Object.entries(found.warmup).map(([name, bytes]) => [name, change(bytes)])),
  });

const without = (input: ModelWarmupInput): ModelWarmupInput => {
  const { zero_data: _zero, random_data: _random, input_data_file: _file, ...rest } = input;
  return rest;
};

/** Each fault is named after the closest Triton rule; its name describes the change. The result may still be legal. */
export const warmupFaults: Readonly<Record<string, Change>> = {
  "133 no batch": onSample(({ batch_size: _size, ...sample }) => sample),
  "134 another batch size": onSample((sample, pick) => ({ ...sample, batch_size: pick % 7 })),
  "135 batch axis": onInput(({ dims = [], ...input }) => ({ ...input, dims: [1, ...dims] })),
  "136 open size": onInput(({ dims = [], ...input }) => ({ ...input, dims: [...dims.slice(1), -1] })),
  "137 another datatype": onInput((input) => ({ ...input, data_type: "TYPE_UINT8" })),
  "137 other dims": onInput(({ dims = [], ...input }, pick) => ({
    ...input,
    dims: dims.map((dim) => dim + (pick % 3)),
  })),
  "137 no input": onSample(({ inputs: _inputs, ...sample }) => sample),
  "138 misspelt": onSample(({ inputs = {}, ...sample }) => ({
    ...sample,
    inputs: Object.fromEntries(
      Object.entries(inputs).map(([name, input], i) => [i === 0 ? `${name}s` : name, input]),
    ),
  })),
  "138 one more": onSample(({ inputs = {}, ...sample }) => ({
    ...sample,
    inputs: { ...inputs, more: { data_type: "TYPE_FP32", dims: [1], zero_data: true } },
  })),
  "139 no data": onInput(without),
  "139 no zeros": onInput((input) => ({ ...without(input), zero_data: false })),
  "140 another file": onInput((input) => ({ ...without(input), input_data_file: "none" })),
  "141 shorter files": onFiles((bytes) => bytes.slice(0, -1)),
  "141 longer files": onFiles((bytes) => new Uint8Array([...bytes, 0])),
  "142 another string": onFiles((bytes) => new Uint8Array([...bytes, 0, 0, 0, 0])),
  "144 runs": onSample((sample, pick) => ({ ...sample, count: pick % 3 })),
};

/** Random models with one warmup sample, correct or broken in one or two places. */
export const randomWarmups = (name: string, backend: string): fc.Arbitrary<WarmupCase> =>
  fc
    .record({
      maxBatchSize: fc.constantFrom(0, 1, 4),
      tensors: fc.array(tensor, { minLength: 1, maxLength: 2 }),
      faults: fc.array(fc.tuple(fc.constantFrom(...Object.keys(warmupFaults)), fc.nat(100)), {
        maxLength: 2,
      }),
    })
    .map(({ maxBatchSize, tensors, faults }) => {
      const warmup: Record<string, Uint8Array> = {};
      const inputs = tensors.map(({ data_type, dims, size, data }, i): [string, ModelWarmupInput] => {
        const own = dims.map((dim) => (dim === -1 ? size : dim));
        const count = own.reduce((all, dim) => all * dim, 1);
        if (data === "zero") return [`x${i}`, { data_type, dims: own, zero_data: true }];
        if (data === "random") return [`x${i}`, { data_type, dims: own, random_data: true }];
        const dtype = dtypeOfConfigName(data_type);
        const bytes = (dtype && dtypes[dtype].byteSize) ?? 0;
        warmup[`f${i}`] =
          bytes === 0 ? stringBytes(...Array<string>(count).fill("é")) : new Uint8Array(bytes * count);
        return [`x${i}`, { data_type, dims: own, input_data_file: `f${i}` }];
      });
      const config: ModelConfig = {
        name,
        backend,
        max_batch_size: maxBatchSize,
        input: tensors.map(({ data_type, dims, optional }, i) => ({
          name: `x${i}`,
          data_type,
          dims,
          ...(optional ? { optional } : {}),
        })),
        output: [{ name: "out", data_type: "TYPE_FP32", dims: [1] }],
        model_warmup: [{ name: "w", batch_size: 1, inputs: Object.fromEntries(inputs) }],
      };
      const broken = faults.reduce((found, [fault, pick]) => warmupFaults[fault]?.(found, pick) ?? found, {
        config,
        warmup,
        faults: [],
      } as WarmupCase);
      return { ...broken, faults: faults.map(([fault]) => fault) };
    });
