import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import {
  byteLength,
  type BytesTensor,
  decodeUtf8,
  type DType,
  dtypes,
  type NamedTensors,
  PipelineError,
  type TensorData,
  tensorOf,
  valuesOf,
} from "@tritype/core";
import type { InferRequest, InferResponse, ModelMetadata } from "@tritype/protocol";
import { abortSignalOf, Cancellation, type ModelStatus, type Runtime } from "@tritype/runtime";

/** A model implemented by a function. */
export interface MemoryModel {
  readonly name: string;
  readonly maxBatchSize: number;
  /** Without the batch dim; -1 means any size. */
  readonly inputs: Readonly<Record<string, readonly [DType, readonly number[]]>>;
  readonly outputs: Readonly<Record<string, readonly [DType, readonly number[]]>>;
  readonly run: (inputs: NamedTensors) => NamedTensors | Promise<NamedTensors>;
  /** The messages of a decoupled model, instead of `run`. */
  readonly messages?: (inputs: NamedTensors, signal: AbortSignal) => AsyncIterable<MemoryMessage>;
}
export interface MemoryMessage {
  readonly outputs?: NamedTensors;
  readonly error?: PipelineError;
  /** Default false; a last message without outputs follows. */
  readonly final?: true;
}

/** `OUTPUT = INPUT0 + INPUT1`, FP32[-1, 2], batches of up to 4. */
export const adder: MemoryModel = {
  name: "add",
  maxBatchSize: 4,
  inputs: { INPUT0: ["FP32", [2]], INPUT1: ["FP32", [2]] },
  outputs: { OUTPUT: ["FP32", [2]] },
  run: (inputs) => {
    const [a, b] = [inputs.get("INPUT0"), inputs.get("INPUT1")] as [TensorData, TensorData];
    const right = valuesOf(b) as number[];
    const sums = (valuesOf(a) as number[]).map((x, i) => x + (right[i] ?? 0));
    return new Map([["OUTPUT", tensorOf("FP32", a.shape, sums)]]);
  },
};

/** `echo_fp32` and so on, one for each dtype: `OUTPUT = INPUT`, any two dims. */
export const echoes: readonly MemoryModel[] = (Object.keys(dtypes) as DType[]).map((dtype) => ({
  name: `echo_${dtype.toLowerCase()}`,
  maxBatchSize: 0,
  inputs: { INPUT: [dtype, [-1, -1]] },
  outputs: { OUTPUT: [dtype, [-1, -1]] },
  run: (inputs) => new Map([["OUTPUT", inputs.get("INPUT") as TensorData]]),
}));

/** Has one variable dim, so that a raw binary request can be deduced. */
export const rawEcho: MemoryModel = {
  name: "raw_echo",
  maxBatchSize: 0,
  inputs: { INPUT: ["INT32", [-1, 2]] },
  outputs: { OUTPUT: ["INT32", [-1, 2]] },
  run: (inputs) => new Map([["OUTPUT", inputs.get("INPUT") as TensorData]]),
};

export const textEcho: MemoryModel = {
  name: "text_echo",
  maxBatchSize: 0,
  inputs: { INPUT: ["BYTES", [1]] },
  outputs: { OUTPUT: ["BYTES", [1]] },
  run: (inputs) => new Map([["OUTPUT", inputs.get("INPUT") as TensorData]]),
};

/**
 * A decoupled model that does what its request says, word by word: `say x` (a response), `many 3` (a response of three
 * elements), `fail x` (an error), `last x` (a response with the final flag), `wait 5` (milliseconds), `hold x` (while
 * the file x exists), `end` (only the end marker), `repeat 9` (this many responses). If no response is marked as the last one, an end marker follows.
 */
export const teller: MemoryModel = {
  name: "teller",
  maxBatchSize: 0,
  inputs: { ASK: ["BYTES", [-1]] },
  outputs: { TEXT: ["BYTES", [-1]] },
  run: () => new Map(),
  messages: async function* (inputs) {
    const text = (...texts: readonly string[]): NamedTensors =>
      new Map([["TEXT", tensorOf("BYTES", [texts.length], texts)]]);
    for (const line of (inputs.get("ASK") as BytesTensor).data.map(decodeUtf8)) {
      const word = line.split(" ", 1)[0] ?? "";
      const rest = line.slice(word.length + 1);
      if (word === "say") yield { outputs: text(rest) };
      else if (word === "many")
        yield { outputs: text(...Array.from({ length: Number(rest) }, (_, i) => String(i))) };
      else if (word === "repeat") for (let i = 0; i < Number(rest); i++) yield { outputs: text(String(i)) };
      else if (word === "fail") yield { error: new PipelineError("model/not-found", rest) };
      else if (word === "last") yield { outputs: text(rest), final: true };
      else if (word === "wait") await sleep(Number(rest));
      else if (word === "hold") while (existsSync(rest)) await sleep(5);
      else yield { final: true };
    }
  },
};

/** `copies_int32` and so on, one for each dtype: two responses to each request, both `OUTPUT` = `INPUT`, [-1, 2]. */
export const copies: readonly MemoryModel[] = (Object.keys(dtypes) as DType[]).map((dtype) => ({
  name: `copies_${dtype.toLowerCase()}`,
  maxBatchSize: 4,
  inputs: { INPUT: [dtype, [2]] },
  outputs: { OUTPUT: [dtype, [2]] },
  run: () => new Map(),
  messages: async function* (inputs) {
    const outputs = new Map([["OUTPUT", inputs.get("INPUT") as TensorData]]);
    yield { outputs };
    yield { outputs };
  },
}));

/** Serves functions as version 1 of models. Checks names, counts, dtypes, shapes and sizes, with Triton's messages. */
export const memoryRuntime = (models: readonly MemoryModel[]): Runtime => {
  const byName = new Map(models.map((model) => [model.name, model]));
  const find = (name: string, version?: string): MemoryModel => {
    const model = byName.get(name);
    const asked = version === undefined ? "" : ` version ${version}`;
    if (model === undefined || (version !== undefined && version !== "1"))
      throw new PipelineError("model/not-found", `Request for unknown model: '${name}'${asked} is not found`);
    return model;
  };
  return {
    live: true,
    ready: true,
    serverMetadata: () => ({ name: "tritype", version: "0.1.0", extensions: ["binary_tensor_data"] }),
    models: () => models.map(ready),
    index: async () => models.map(ready),
    load: notExplicit,
    unload: notExplicit,
    modelReady: (name, version) => byName.has(name) && (version === undefined || version === "1"),
    modelMetadata: (name, version) => metadataOf(find(name, version)),
    loadedFiles: () => undefined,
    modelConfig: (name, version) => configOf(find(name, version)),
    decoupled: (name, version) => find(name, version).messages !== undefined,
    statistics: () => [],
    recentLatencies: () => [],
    processes: () => [],
    cacheCounts: () => undefined,
    customMetrics: () => [],
    infer: async (request, _, accepted) => answer(find(request.model, request.version), request, accepted),
    stream: async function* (request, signal = new Cancellation(), accepted) {
      const model = find(request.model, request.version);
      if (model.messages === undefined) {
        yield { response: await answer(model, request, accepted), final: true };
        return;
      }
      requireInputs(model, request);
      accepted?.();
      const { id } = request;
      for await (const { outputs, error, final = false } of model.messages(
        request.inputs,
        abortSignalOf(signal),
      )) {
        if (outputs !== undefined)
          yield { response: { model: model.name, version: "1", id, outputs }, final };
        else yield error === undefined ? { final } : { error, final };
        if (final) return;
      }
      yield { final: true };
    },
    reload: async () => ({ loaded: [], unloaded: [], unchanged: [...byName.keys()], failed: [] }),
    close: async () => undefined,
  };
};

const ready = ({ name }: MemoryModel): ModelStatus => ({ name, version: "1", state: "READY" });
const notExplicit = (): Promise<never> =>
  Promise.reject(
    new PipelineError(
      "model/unavailable",
      "explicit model load / unload is not allowed if polling is enabled",
    ),
  );

const answer = async (
  model: MemoryModel,
  request: InferRequest,
  accepted?: () => void,
): Promise<InferResponse> => {
  requireInputs(model, request);
  for (const name of request.outputs ?? [])
    if (!Object.hasOwn(model.outputs, name))
      throw refuse(`unexpected inference output '${name}' for model '${model.name}'`);
  accepted?.();
  const outputs = [...(await model.run(request.inputs))].filter(
    ([name]) => request.outputs === undefined || request.outputs.includes(name),
  );
  return { model: model.name, version: "1", id: request.id, outputs: new Map(outputs) };
};

const requireInputs = (model: MemoryModel, { id, inputs }: InferRequest): void => {
  const names = Object.keys(model.inputs);
  const prefix = `[request id: ${id === "" ? "<id_unknown>" : id}] `;
  if (inputs.size !== names.length)
    throw refuse(
      `${prefix}expected ${names.length} inputs but got ${inputs.size} inputs for model '${model.name}'. Got input(s) [${quote([...inputs.keys()])}], but missing required input(s) [${quote(names.filter((name) => !inputs.has(name)))}]. Please provide all required input(s).`,
    );
  for (const [name, tensor] of inputs) {
    const declared = model.inputs[name];
    if (declared === undefined)
      throw refuse(`unexpected inference input '${name}' for model '${model.name}'`);
    const [dtype, dims] = declared;
    if (tensor.dtype !== dtype)
      throw refuse(
        `${prefix}inference input '${name}' data-type is '${tensor.dtype}', but model '${model.name}' expects '${dtype}'`,
      );
    const full = fullDims(model, dims);
    if (full.length !== tensor.shape.length || full.some((dim, i) => dim !== -1 && dim !== tensor.shape[i]))
      throw refuse(
        `${prefix}unexpected shape for input '${name}' for model '${model.name}'. Expected [${full.join(",")}], got [${tensor.shape.join(",")}]. `,
      );
    if (tensor.dtype === "BYTES") continue;
    const [size, got] = [byteLength(tensor.dtype, tensor.shape), tensor.data.byteLength];
    if (got !== size)
      throw refuse(
        `${prefix}input byte size mismatch for input '${name}' for model '${model.name}'. Expected ${size}, got ${got}`,
      );
  }
};

const quote = (names: readonly string[]): string => names.map((name) => `'${name}'`).join(",");
const refuse = (text: string): PipelineError => new PipelineError("request/invalid", text);
const fullDims = (model: MemoryModel, dims: readonly number[]): readonly number[] =>
  model.maxBatchSize > 0 ? [-1, ...dims] : dims;

const metadataOf = (model: MemoryModel): ModelMetadata => {
  const tensors = (side: MemoryModel["inputs"]): ModelMetadata["inputs"] =>
    Object.entries(side).map(([name, [datatype, dims]]) => ({
      name,
      datatype,
      shape: fullDims(model, dims),
    }));
  return {
    name: model.name,
    versions: ["1"],
    platform: "memory",
    inputs: tensors(model.inputs),
    outputs: tensors(model.outputs),
  };
};

const configOf = (model: MemoryModel): object => {
  const tensors = (side: MemoryModel["inputs"]): object[] =>
    Object.entries(side).map(([name, [dtype, dims]]) => ({
      name,
      data_type: dtypes[dtype].configName,
      dims,
    }));
  return {
    name: model.name,
    max_batch_size: model.maxBatchSize,
    input: tensors(model.inputs),
    output: tensors(model.outputs),
    ...(model.messages === undefined ? {} : { model_transaction_policy: { decoupled: true } }),
  };
};
