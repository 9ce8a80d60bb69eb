import { join } from "node:path";
import { halfToNumber, invariant } from "@tritype/core";
import type { Decoder, Scores } from "@tritype/generation";
import type { EmptyCache, ExportedModel, ExportedPart } from "@tritype/manifest";
import type { InferenceSession, Tensor } from "onnxruntime-node";
import type { GenerateStart } from "./generate-messages.ts";

type Ort = typeof import("onnxruntime-node");
/** The sessions by file name; a file that serves two purposes is opened once. */
export type Sessions = ReadonlyMap<string, InferenceSession>;

/** Opens the sessions of a thread's model. */
export const openSessions = async (
  ort: Ort,
  {
    options,
    folder,
    threads,
  }: Pick<GenerateStart, "folder" | "threads"> & {
    readonly options: { readonly exported: ExportedModel };
  },
): Promise<Sessions> => {
  const { encoder, first, next } = options.exported;
  const files = new Set([...(encoder === undefined ? [] : [encoder.file]), first.file, next.file]);
  const opened = [...files].map(async (file) => {
    const session = await ort.InferenceSession.create(join(folder, file), {
      executionProviders: ["cpu"],
      intraOpNumThreads: threads,
      extra: { session: { intra_op: { allow_spinning: "0" } } },
      logSeverityLevel: 4,
    });
    return [file, session] as const;
  });
  return new Map(await Promise.all(opened));
};

/** Waits for runs in progress. */
export const releaseSessions = async (sessions: Sessions): Promise<void> => {
  await Promise.all([...sessions.values()].map((session) => session.release()));
};

/** The state of a decoder between two steps. */
export interface DecoderState {
  /** The inputs that are repeated at every step, by input name. */
  tensors: Map<string, Tensor>;
  /** For a decoder-only model: which positions of the cache are tokens, row by row. */
  mask: readonly (readonly number[])[];
  rows: number;
  /** The prompt that each row belongs to. */
  promptOf: readonly number[];
}

export const emptyState = (): DecoderState => ({ tensors: new Map(), mask: [], rows: 0, promptOf: [] });

/** A decoder that can continue with a selection of its rows. */
export interface OrtDecoder extends Decoder {
  /** Selects rows of the repeated inputs; the beams of one prompt share everything that depends only on the prompt. */
  select(parents: readonly number[]): void;
}

/**
 * A run of an exported model for some rows, like `Decoder` in the emitted `sessions.py`: its cache stays in ONNX
 * Runtime.
 */
export const ortDecoder = (
  ort: Ort,
  exported: ExportedModel,
  sessions: Sessions,
  pad: number,
  state: DecoderState = emptyState(),
): OrtDecoder => {
  const { encoder, first, next, start } = exported;
  const changing = new Set(next.keeps.map(({ past }) => past));

  const integers = (values: readonly (readonly number[])[]): Tensor =>
    new ort.Tensor("int64", BigInt64Array.from(values.flat(), BigInt), [
      values.length,
      values[0]?.length ?? 0,
    ]);
  const runFile = async (
    file: string,
    inputs: readonly string[],
    feed: (name: string) => Tensor,
    outputs: readonly string[],
  ): Promise<readonly Tensor[]> => {
    const session = sessions.get(file);
    invariant(session !== undefined, `${file} was not opened`);
    const made = await session.run(Object.fromEntries(inputs.map((name) => [name, feed(name)])), outputs);
    return outputs.map((name) => made[name] as Tensor);
  };
  const run = async (part: ExportedPart, ids: readonly (readonly number[])[]): Promise<Scores> => {
    state.rows = ids.length;
    const feed = (name: string): Tensor => {
      if (name === "input_ids") return integers(ids);
      if (name === "attention_mask") return integers(state.mask);
      if (name === "position_ids")
        return integers(state.mask.map((row) => positionsOf(row).slice(-(ids[0]?.length ?? 0))));
      if (name === "use_cache_branch") return new ort.Tensor("bool", [part === next], [1]);
      const known = state.tensors.get(name) ?? emptyCache(ort, state.rows, part, cacheOf(exported, name));
      state.tensors.set(name, known);
      return known;
    };
    const outputs = ["logits", ...part.keeps.map(({ present }) => present)];
    const [logits, ...kept] = await runFile(part.file, part.inputs, feed, outputs);
    part.keeps.forEach(({ past }, index) => state.tensors.set(past, kept[index] as Tensor));
    return lastScores(logits as Tensor);
  };

  const select = (parents: readonly number[]): void => {
    const { promptOf, rows, mask } = state;
    const from = parents.map((parent) => promptOf[parent] ?? 0);
    const isMoved = parents.length !== rows || parents.some((parent, row) => parent !== row);
    const isOther = parents.length !== rows || from.some((prompt, row) => prompt !== promptOf[row]);
    state.tensors = new Map(
      [...state.tensors]
        .filter(([name]) => next.inputs.includes(name))
        .map(([name, tensor]) => [
          name,
          (changing.has(name) ? isMoved : isOther) ? selectRows(ort, tensor, parents) : tensor,
        ]),
    );
    state.mask = parents.map((parent) => mask[parent] ?? []);
    state.promptOf = from;
    state.rows = parents.length;
  };

  return {
    select,
    async start(prompts) {
      state.promptOf = prompts.map((_, prompt) => prompt);
      const width = prompts.reduce((most, { length }) => Math.max(most, length), 0);
      const filled = (value: (token: number) => number, fill: number): readonly (readonly number[])[] =>
        prompts.map((prompt) => {
          const rest = Array<number>(width - prompt.length).fill(fill);
          return encoder === undefined ? [...rest, ...prompt.map(value)] : [...prompt.map(value), ...rest];
        });
      const ids = filled((token) => token, pad);
      state.mask = filled(() => 1, 0);
      if (encoder === undefined) return run(first, ids);
      const given = new Map([
        ["input_ids", integers(ids)],
        ["attention_mask", integers(state.mask)],
      ]);
      const [hidden] = await runFile(encoder.file, encoder.inputs, (name) => given.get(name) as Tensor, [
        "last_hidden_state",
      ]);
      state.tensors = new Map([
        ["encoder_hidden_states", hidden as Tensor],
        ["encoder_attention_mask", integers(state.mask)],
      ]);
      return run(
        first,
        prompts.map(() => [start ?? 0]),
      );
    },
    advance(parents, tokens) {
      select(parents);
      if (encoder === undefined) state.mask = state.mask.map((row) => [...row, 1]);
      return run(
        next,
        tokens.map((token) => [token]),
      );
    },
  };
};

const positionsOf = (mask: readonly number[]): readonly number[] => {
  let seen = 0;
  return mask.map((one) => Math.max(0, (seen += one) - 1));
};

const cacheOf = ({ caches }: ExportedModel, name: string): EmptyCache => {
  const cache = caches.find(({ past }) => past === name);
  invariant(cache !== undefined, `the input ${name} is unknown`);
  return cache;
};

/** A cache without tokens. A merged decoder that has not used its cache yet requires one position, which it ignores. */
const emptyCache = (
  ort: Ort,
  rows: number,
  part: ExportedPart,
  { shape, axis, dtype }: EmptyCache,
): Tensor => {
  const places = part.inputs.includes("use_cache_branch") ? 1 : 0;
  const dims = [rows, ...shape].map((size, at) => (at === axis ? places : size));
  const count = dims.reduce((a, b) => a * b, 1);
  return dtype === "FP16"
    ? new ort.Tensor("float16", new Uint16Array(count), dims)
    : new ort.Tensor("float32", new Float32Array(count), dims);
};

const selectRows = (ort: Ort, tensor: Tensor, rows: readonly number[]): Tensor => {
  const data = tensor.data as Float32Array;
  const size = data.length / (tensor.dims[0] ?? 1);
  const selected = new (data.constructor as Float32ArrayConstructor)(rows.length * size);
  rows.forEach((row, at) => selected.set(data.subarray(row * size, (row + 1) * size), at * size));
  return new ort.Tensor(tensor.type as "float32", selected, [rows.length, ...tensor.dims.slice(1)]);
};

/** The last token's logits from [rows, tokens, vocabulary]. */
const lastScores = ({ data, dims, type }: Tensor): Scores => {
  const [rows = 0, tokens = 0, vocabulary = 0] = dims;
  const all =
    type === "float16" ? Float32Array.from(data as Uint16Array, halfToNumber) : (data as Float32Array);
  if (tokens === 1) return { data: all, vocabulary };
  const last = new Float32Array(rows * vocabulary);
  for (let row = 0; row < rows; row++) {
    const from = (row * tokens + tokens - 1) * vocabulary;
    last.set(all.subarray(from, from + vocabulary), row * vocabulary);
  }
  return { data: last, vocabulary };
};
