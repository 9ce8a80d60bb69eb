import type { JoiningDecoder } from "@tritype/generation";
import type { ExportedModel } from "@tritype/manifest";
import type { Tensor } from "onnxruntime-node";
import { type DecoderState, emptyState, ortDecoder, type Sessions } from "../generate/ort-decoder.ts";

type Ort = typeof import("onnxruntime-node");

/** A decoder with the state that another one reads to join it. */
interface Joining extends JoiningDecoder {
  readonly state: DecoderState;
}

/** A decoder in ONNX Runtime that others can join, like `JoiningDecoder` in the emitted `loop.py`. */
export const joiningDecoder = (
  ort: Ort,
  exported: ExportedModel,
  sessions: Sessions,
  pad: number,
  state: DecoderState = emptyState(),
  stepsBefore = 0,
): JoiningDecoder => {
  const { encoder, padded } = exported;
  const decoder = ortDecoder(ort, exported, sessions, pad, state);
  const axes = new Map(exported.caches.map(({ past, axis }) => [past, axis]));
  let steps = stepsBefore;
  const resize = (name: string, tensor: Tensor, size: number): Tensor =>
    resized(ort, tensor, axes.get(name) ?? 1, size, encoder !== undefined);
  const select = (rows: readonly number[]): void => {
    decoder.select(rows);
    const width = state.mask[0]?.length ?? 0;
    const unused = Math.min(width, ...state.mask.map((row) => row.indexOf(1)));
    if (encoder !== undefined || rows.length === 0 || unused <= 0) return;
    state.mask = state.mask.map((row) => row.slice(unused));
    for (const [name, tensor] of state.tensors) {
      const size = tensor.dims[axes.get(name) ?? 1] ?? 0;
      state.tensors.set(name, resize(name, tensor, size - unused));
    }
  };
  const joining: Joining = {
    state,
    async start(prompts) {
      const scores = await decoder.start(prompts);
      if (encoder !== undefined) state.mask = [];
      steps++;
      return scores;
    },
    async advance(parents, tokens) {
      const { mask } = state;
      try {
        const scores = await decoder.advance(parents, tokens);
        steps++;
        return scores;
      } catch (error) {
        state.mask = mask;
        throw error;
      }
    },
    place: () => (encoder === undefined ? (padded ? 0 : (state.mask[0]?.length ?? 0)) : steps),
    select,
    pick(row) {
      const own = { ...state, tensors: new Map(state.tensors) };
      const picked = joiningDecoder(ort, exported, sessions, pad, own, steps);
      picked.select([row]);
      return picked;
    },
    join(other) {
      const { state: theirs } = other as Joining;
      const all = ({ rows }: DecoderState): readonly number[] =>
        Array.from({ length: rows }, (_, row) => row);
      select(all(state));
      other.select(all(theirs));
      for (const [name, tensor] of state.tensors) {
        const added = theirs.tensors.get(name) ?? tensor;
        const axis = axes.get(name) ?? 1;
        const size = Math.max(tensor.dims[axis] ?? 0, added.dims[axis] ?? 0);
        state.tensors.set(name, stacked(ort, resize(name, tensor, size), resize(name, added, size)));
      }
      const width = Math.max(state.mask[0]?.length ?? 0, theirs.mask[0]?.length ?? 0);
      state.mask = [...state.mask, ...theirs.mask].map((row) => [
        ...Array<number>(width - row.length).fill(0),
        ...row,
      ]);
      state.rows += theirs.rows;
      state.promptOf = all(state);
    },
  };
  return joining;
};

type Elements = Float32Array;
const like = (data: Tensor["data"], size: number): Elements =>
  new (data.constructor as Float32ArrayConstructor)(size);

/** The tensor with zeros added or positions removed along `axis`, at the end or at the start. */
const resized = (ort: Ort, tensor: Tensor, axis: number, size: number, atEnd: boolean): Tensor => {
  const { dims, type } = tensor;
  const before = dims[axis] ?? 0;
  if (before === size) return tensor;
  const data = tensor.data as Elements;
  const inner = dims.slice(axis + 1).reduce((a, b) => a * b, 1);
  const outer = dims.slice(0, axis).reduce((a, b) => a * b, 1);
  const made = like(data, outer * size * inner);
  const both = Math.min(before, size);
  for (let at = 0; at < outer; at++) {
    const from = (at * before + (atEnd ? 0 : before - both)) * inner;
    const to = (at * size + (atEnd ? 0 : size - both)) * inner;
    made.set(data.subarray(from, from + both * inner), to);
  }
  return new ort.Tensor(
    type as "float32",
    made,
    dims.map((dim, at) => (at === axis ? size : dim)),
  );
};

/** The rows of both tensors in one tensor. */
const stacked = (ort: Ort, first: Tensor, second: Tensor): Tensor => {
  const [data, more] = [first.data as Elements, second.data as Elements];
  const made = like(data, data.length + more.length);
  made.set(data);
  made.set(more, data.length);
  const [rows = 0, ...rest] = first.dims;
  return new ort.Tensor(first.type as "float32", made, [rows + (second.dims[0] ?? 0), ...rest]);
};
