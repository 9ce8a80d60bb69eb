import { decodeUtf8 } from "@tritype/core";
import { encodeModel } from "./codec.ts";
import { graphsIn } from "./graphs-in.ts";
import { type FieldPlace, fieldAt, type ReadAt, type Source, varint, windowed } from "./model-outline.ts";
import type {
  AttributeProto,
  GraphProto,
  ModelProto,
  NodeProto,
  OperatorSetIdProto,
  ValueInfoProto,
} from "./model-proto.ts";

/** The additions to a model file, and the entries of its signature that are dropped. */
export interface Splice {
  /** Nodes that run before the file's own, and their initializers. */
  readonly before: GraphProto;
  /** Nodes that run after the file's own, and their initializers. */
  readonly after: GraphProto;
  /** Inputs of the file that a node in `before` computes. */
  readonly droppedInputs: ReadonlySet<string>;
  readonly inputs: readonly ValueInfoProto[];
  /** Outputs of the file that are returned as before; the others are dropped. */
  readonly keptOutputs: ReadonlySet<string>;
  readonly outputs: readonly ValueInfoProto[];
  /** Operator sets that the file does not import. */
  readonly opsets: readonly OperatorSetIdProto[];
}

/** Bytes in a spliced file: new ones, or the file's bytes from `start` to `end`. */
export type SplicedPart = Uint8Array | { readonly start: number; readonly end: number };

/**
 * The parts of a model file with other nodes before and after its own. Everything else (initializers, names, functions,
 * metadata) is copied unchanged, so that weights are never read. undefined if the file is not a model with exactly one
 * graph.
 */
export const spliceModel = (
  size: number,
  readAt: ReadAt,
  splice: Splice,
): readonly SplicedPart[] | undefined => {
  const source = windowed(size, readAt);
  const fields = fieldsOf(source, 0, size);
  const graphs = fields.filter(({ number }) => number === graphField);
  const [graph] = graphs;
  if (graph === undefined || graphs.length > 1) return undefined;
  const inside = splicedGraph(source, graph, splice);
  const length = inside.reduce((sum, part) => sum + sizeOf(part), 0);
  const opsets = encodeModel({ opsetImport: splice.opsets });
  return [
    { start: 0, end: graph.start },
    Uint8Array.from([...varint(graphField * 8 + 2), ...varint(length)]),
    ...inside,
    { start: graph.next, end: size },
    opsets,
  ].filter((part) => sizeOf(part) > 0);
};

/** Bytes. */
export const sizeOf = (part: SplicedPart): number =>
  part instanceof Uint8Array ? part.byteLength : part.end - part.start;

const graphField = 7;
const [inputField, outputField] = [11, 12];

const splicedGraph = (source: Source, graph: FieldPlace, splice: Splice): readonly SplicedPart[] => {
  const parts: SplicedPart[] = [graphBytes({ node: splice.before.node ?? [] })];
  let run = graph.body;
  for (const field of fieldsOf(source, graph.body, graph.next)) {
    const name = nameIn(source, field);
    const isDropped =
      (field.number === inputField && splice.droppedInputs.has(name ?? "")) ||
      (field.number === outputField && !splice.keptOutputs.has(name ?? ""));
    if (!isDropped) continue;
    parts.push({ start: run, end: field.start });
    run = field.next;
  }
  parts.push(
    { start: run, end: graph.next },
    graphBytes({
      node: splice.after.node ?? [],
      initializer: [...(splice.before.initializer ?? []), ...(splice.after.initializer ?? [])],
      input: splice.inputs,
      output: splice.outputs,
    }),
  );
  return parts.filter((part) => sizeOf(part) > 0);
};

/** The fields of a graph, without its own tag and length. */
const graphBytes = (graph: GraphProto): Uint8Array => {
  const model = encodeModel({ graph });
  const [field] = fieldsOf(
    windowed(model.length, (at, length) => model.subarray(at, at + length)),
    0,
    model.length,
  );
  return field === undefined ? new Uint8Array() : model.slice(field.body, field.next);
};

const fieldsOf = (source: Source, start: number, end: number): readonly FieldPlace[] => {
  const fields: FieldPlace[] = [];
  for (let at = start; at < end; at = fields.at(-1)?.next ?? end) fields.push(fieldAt(source, at, end));
  return fields;
};

/** The name of an entry in the signature, which is its field 1. */
const nameIn = (source: Source, { number, body, next }: FieldPlace): string | undefined => {
  if (number !== inputField && number !== outputField) return undefined;
  const name = fieldsOf(source, body, next).find((field) => field.number === 1);
  return name && decodeUtf8(source.bytes(name.body, name.next));
};

/** Every name in a model: of values, nodes and graphs, in subgraphs too. */
export const namesIn = ({ graph = {} }: ModelProto): ReadonlySet<string> => {
  const names = new Set<string>();
  const visit = (inner: GraphProto): void => {
    const infos = [...(inner.input ?? []), ...(inner.output ?? []), ...(inner.valueInfo ?? [])];
    for (const { name = "" } of [...infos, ...(inner.initializer ?? [])]) names.add(name);
    for (const { values } of inner.sparseInitializer ?? []) names.add(values?.name ?? "");
    for (const node of inner.node ?? []) {
      const { name = "", input = [], output = [] } = node;
      for (const value of [name, ...input, ...output]) names.add(value);
      graphsIn(node).forEach(visit);
    }
  };
  visit(graph);
  return names;
};

/** A graph whose values and nodes have been renamed, in subgraphs too; an omitted input stays omitted. */
export const renameGraph = (graph: GraphProto, rename: (name: string) => string): GraphProto => {
  const named = (name: string | undefined): string => (name === undefined || name === "" ? "" : rename(name));
  const attributeOf = (one: AttributeProto): AttributeProto =>
    one.g === undefined ? one : { ...one, g: renameGraph(one.g, rename) };
  const infos = (all: readonly ValueInfoProto[]): readonly ValueInfoProto[] =>
    all.map((info) => ({ ...info, name: named(info.name) }));
  return {
    ...graph,
    node: (graph.node ?? []).map((node) => ({
      ...node,
      name: named(node.name),
      input: (node.input ?? []).map(named),
      output: (node.output ?? []).map(named),
      ...(node.attribute === undefined ? {} : { attribute: node.attribute.map(attributeOf) }),
    })),
    initializer: (graph.initializer ?? []).map((tensor) => ({ ...tensor, name: named(tensor.name) })),
    input: infos(graph.input ?? []),
    output: infos(graph.output ?? []),
  };
};

/** The opsets for which `buildModel` can add certain nodes. Source: the changelog of the ONNX operators. */
export interface OpsetRange {
  readonly lowest: number;
  /** Infinity means that no version changes the nodes' meaning. */
  readonly highest: number;
}

export const opsetsOf = ({ node = [] }: GraphProto): OpsetRange => {
  const all = [any, ...node.flatMap(opsetsOfNode)];
  return {
    lowest: Math.max(...all.map(({ lowest }) => lowest)),
    highest: Math.min(...all.map(({ highest }) => highest)),
  };
};

const any: OpsetRange = { lowest: 13, highest: Number.POSITIVE_INFINITY };

const opsetsOfNode = ({ opType, input = [], attribute = [] }: NodeProto): readonly OpsetRange[] => {
  const has = (name: string): boolean => attribute.some((one) => one.name === name);
  const inner = attribute.flatMap(({ g }) => (g === undefined ? [] : [opsetsOf(g)]));
  if (opType === "LayerNormalization") return [{ ...any, lowest: 17 }];
  if (opType === "Shape" && has("start")) return [{ ...any, lowest: 15 }];
  if (opType === "Reshape" && has("allowzero")) return [{ ...any, lowest: 14 }];
  // From opset 18 on, parts without given sizes may be unequal.
  return opType === "Split" && input.length === 1 ? [{ ...any, highest: 17 }] : inner;
};
