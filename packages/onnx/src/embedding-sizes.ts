import { dtypeOfOnnxType, valuesOf } from "@tritype/core";
import type { GraphProto, NodeProto, TensorProto } from "./model-proto.ts";

/** The sizes of the tables in which a model looks up token ids and positions. */
export interface EmbeddingSizes {
  /** The number of rows, by the graph input that receives the ids. */
  readonly tokens: ReadonlyMap<string, number>;
  /**
   * The largest number of tokens that have a position.
   * @param before The number of positions before the first token's, for a graph that does not show it
   */
  readonly positions: (before: number) => number | undefined;
}

/**
 * The tables in a graph that can be identified by a Gather on an input, by a Gather on a Range up to the size of a
 * tensor, or by the name that exporters give to positions.
 */
export const embeddingSizes = (graph: GraphProto): EmbeddingSizes => {
  const tables = new Map(
    (graph.initializer ?? []).flatMap(({ name = "", dims = [] }) =>
      dims.length === 2 ? [[name, Number(dims[0])] as const] : [],
    ),
  );
  const inputs = new Map((graph.input ?? []).map(({ name = "" }) => [name, name]));
  const offsets = countedPositions(graph);
  const tokens = new Map<string, number>();
  let named: number | undefined;
  let counted: number | undefined;
  for (const { opType, input = [], output = [], attribute = [] } of graph.node ?? []) {
    const [first = "", second = ""] = input;
    const source = inputs.get(first);
    if ((opType === "Cast" || opType === "Identity") && source !== undefined && output[0])
      inputs.set(output[0], source);
    const rows =
      opType === "Gather" && attribute.every(({ i = 0 }) => Number(i) === 0) ? tables.get(first) : undefined;
    if (rows === undefined) continue;
    const ids = inputs.get(second);
    const offset = offsets.get(second);
    if (ids !== undefined) tokens.set(ids, Math.min(rows, tokens.get(ids) ?? rows));
    else if (offset !== undefined) counted = Math.min(rows - offset, counted ?? rows);
    else if (/(?:^|[./])(?:position_embeddings?|wpe|embed_positions)(?:\.weight)?$/.test(first)) named = rows;
  }
  return { tokens, positions: (before) => counted ?? (named === undefined ? undefined : named - before) };
};

/** Operators whose results have the values of their first input. */
const sameValues: ReadonlySet<string> = new Set([
  "Cast",
  "Expand",
  "Identity",
  "Reshape",
  "Squeeze",
  "Unsqueeze",
]);

/** Values that count from 0 up to the size of a tensor, each with the number that was then added to them. */
const countedPositions = ({ initializer = [], node = [] }: GraphProto): ReadonlyMap<string, number> => {
  const numbers = new Map(initializer.map((tensor) => [tensor.name ?? "", numberIn(tensor)]));
  const sizes = new Set<string>();
  const offsets = new Map<string, number>();
  for (const one of node) {
    const { opType = "", input: [first = "", second = "", third = ""] = [], output: [made = ""] = [] } = one;
    const keeps = sameValues.has(opType);
    if (opType === "Constant") numbers.set(made, constantIn(one));
    if (keeps) numbers.set(made, numbers.get(first));
    if (opType === "Shape" || ((keeps || opType === "Gather" || opType === "Slice") && sizes.has(first)))
      sizes.add(made);
    const isCount =
      opType === "Range" && sizes.has(second) && numbers.get(first) === 0 && numbers.get(third) === 1;
    const added =
      sum(offsets.get(first), numbers.get(second)) ?? sum(offsets.get(second), numbers.get(first));
    const offset = isCount ? 0 : keeps ? offsets.get(first) : opType === "Add" ? added : undefined;
    if (offset !== undefined) offsets.set(made, offset);
  }
  return offsets;
};

const sum = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a + b;

/** The value of a Constant node with one integer. */
const constantIn = ({ attribute = [] }: NodeProto): number | undefined => {
  const [{ t, i } = {}] = attribute;
  return t === undefined ? (i === undefined ? undefined : Number(i)) : numberIn(t);
};

/** The element of an INT32 or INT64 tensor with one element; undefined for any other tensor. */
const numberIn = (tensor: TensorProto): number | undefined => {
  const { dims = [], dataType, rawData, int32Data = [], int64Data = [] } = tensor;
  const dtype = dtypeOfOnnxType(dataType ?? 0);
  if ((dtype !== "INT64" && dtype !== "INT32") || dims.some((dim) => Number(dim) !== 1)) return undefined;
  const [given] =
    rawData === undefined ? [...int32Data, ...int64Data] : valuesOf({ dtype, shape: [], data: rawData });
  return given === undefined ? undefined : Number(given);
};
