import { dtypes, encodeUtf8, invariant, type TensorData, tensorOf, type TensorType } from "@tritype/core";
import type { OnnxAttribute, OnnxBuilder, OnnxValue } from "@tritype/operators";
import { encodeModel } from "./codec.ts";
import { newConstantPool } from "./constant-pool.ts";
import {
  type AttributeProto,
  attributeTypes,
  type DimensionProto,
  type ModelProto,
  type NodeProto,
  type TensorProto,
  type ValueInfoProto,
} from "./model-proto.ts";

/** A name and a type in the signature of a model. */
export interface ModelPort {
  readonly name: string;
  /** The dims: a literal, a name (`dim_param`), or -1 for an unnamed size. */
  readonly type: TensorType;
}
export interface ModelHeader {
  /** Name of the graph. */
  readonly name: string;
  readonly inputs: readonly ModelPort[];
  readonly outputs: readonly ModelPort[];
  /** Version of the default domain; from 18 on, some reductions take their axes in a different form. Default 17. */
  readonly opset?: number;
  /** Default 8. */
  readonly irVersion?: number;
  /** Default `tritype`. */
  readonly producer?: string;
}

/** Adds nodes, and choices between graphs. */
export interface ModelBuilder extends OnnxBuilder {
  /**
   * Adds an If: `condition` (one BOOL) determines which branch's nodes run. A branch may use all values that exist
   * before the If, and must return as many values as the other one. Returns the names of the results.
   */
  choose(
    condition: string,
    whenTrue: () => readonly OnnxValue[],
    whenFalse: () => readonly OnnxValue[],
  ): readonly string[];
}

/** Adds nodes. Returns the ONNX name of the value of every declared output. */
type Build = (builder: ModelBuilder) => Readonly<Record<string, string>>;

/**
 * The bytes of a model whose nodes `build` adds. The same calls give the same bytes.
 * @throws InternalError if an output is missing or has a name that does not exist in the graph.
 */
export const buildModel = (header: ModelHeader, build: Build): Uint8Array =>
  encodeModel(modelOf(header, build));

/** A model as in `buildModel`, before it is encoded. @throws InternalError as `buildModel` does */
export const modelOf = (header: ModelHeader, build: Build): ModelProto => {
  const { name, inputs, outputs, opset = defaultOpset, irVersion = 8, producer = "tritype" } = header;
  const graph = newGraph(
    [...inputs, ...outputs].map((port) => port.name),
    opset,
  );
  const node = finish(graph, header, build(graph.builder));
  const all = withInner(node);
  const used = new Set(all.flatMap((one) => one.input ?? []));
  return {
    irVersion,
    producerName: producer,
    graph: {
      node,
      name,
      initializer: graph.initializers.filter((tensor) => used.has(tensor.name ?? "")),
      input: inputs.map(valueInfo),
      output: outputs.map(valueInfo),
    },
    opsetImport: [
      { domain: "", version: opset },
      ...(all.some(({ domain }) => domain === mlDomain) ? [{ domain: mlDomain, version: mlOpset }] : []),
    ],
  };
};

/** Version of ONNX's own operators in the models that this package builds. */
export const defaultOpset = 17;
const mlDomain = "ai.onnx.ml";
/** The newest version that the ONNX Runtime of every known Triton release loads. */
const mlOpset = 3;

/** From this opset on, no reduction has the attribute `axes`. Source: the changelog of the ONNX operators. */
const axesAsInput = 18;

interface BuiltNode extends NodeProto {
  readonly input: readonly string[];
  readonly output: readonly string[];
}
interface GraphUnderWay {
  readonly builder: ModelBuilder;
  readonly nodes: readonly BuiltNode[];
  readonly initializers: TensorProto[];
  readonly freshName: (base: string) => string;
}

const newGraph = (reserved: readonly string[], opset: number): GraphUnderWay => {
  const taken = new Set(reserved);
  const counts = new Map<string, number>();
  const freshName = (base: string): string => {
    for (let count = counts.get(base) ?? 0; ; count++) {
      const name = count === 0 ? base : `${base}_${count}`;
      if (taken.has(name)) continue;
      taken.add(name);
      counts.set(base, count + 1);
      return name;
    }
  };
  let nodes: BuiltNode[] = [];
  const initializers: TensorProto[] = [];
  const constants = newConstantPool((tensor) => {
    const name = freshName("constant");
    initializers.push(tensorProto(name, tensor));
    return name;
  });
  const add = (
    qualifiedType: string,
    input: readonly string[],
    attribute: readonly AttributeProto[],
    outputs: number,
    label?: string,
  ): readonly [string, ...string[]] => {
    const [opType, domain] = splitDomain(qualifiedType);
    const name = freshName(snakeCase(opType));
    const [first, ...rest] = Array.from({ length: outputs }, (_, index) =>
      index === 0 ? name : freshName(`${name}_out${index}`),
    );
    invariant(first !== undefined, `${opType} needs an output`);
    nodes.push({
      input,
      output: [first, ...rest],
      name: label === undefined ? name : freshName(label),
      opType,
      ...(domain !== undefined && { domain }),
      ...(attribute.length > 0 && { attribute }),
    });
    return [first, ...rest];
  };
  const side = (name: string, build: () => readonly OnnxValue[]) => {
    const outside = nodes;
    nodes = [];
    const made = new Set<string>();
    const output = build().map((value) => {
      const isFree = nodes.some((node) => node.output.includes(value.name)) && !made.has(value.name);
      const own = isFree ? value.name : builder.node("Identity", [value.name])[0];
      made.add(own);
      return valueInfo({ name: own, type: value.type });
    });
    const graph = { name, node: nodes, output };
    nodes = outside;
    return graph;
  };
  const builder: ModelBuilder = {
    node(type, input, attributes = {}, outputs = 1, label) {
      const { axes, ...rest } = attributes;
      if (axes === undefined || !("ints" in axes) || opset < axesAsInput)
        return add(type, input, Object.entries(attributes).map(attributeProto), outputs, label);
      const given = constants(tensorOf("INT64", [axes.ints.length], axes.ints.map(BigInt)));
      return add(type, [...input, given], Object.entries(rest).map(attributeProto), outputs, label);
    },
    constant: constants,
    choose(condition, whenTrue, whenFalse) {
      const graphs = [whenTrue, whenFalse].map((build, at) => side(sideNames[at] ?? "", build));
      const attribute = graphs.map((g) => ({ name: g.name, g, type: attributeTypes.graph }));
      return add("If", [condition], attribute, graphs[0]?.output.length ?? 1);
    },
  };
  return { builder, nodes, initializers, freshName };
};

/** The attributes of If; their graphs have the same names. */
const sideNames = ["then_branch", "else_branch"];

/** The nodes, including those in nested graphs. */
const withInner = (nodes: readonly NodeProto[]): readonly NodeProto[] =>
  nodes.flatMap((node) => [
    node,
    ...(node.attribute ?? []).flatMap(({ g }) => (g === undefined ? [] : withInner(g.node ?? []))),
  ]);

/** Gives the returned values their declared names; adds an Identity if a value cannot be renamed. */
const finish = (
  graph: GraphUnderWay,
  header: ModelHeader,
  returned: Readonly<Record<string, string>>,
): readonly NodeProto[] => {
  const produced = new Set(graph.nodes.flatMap((node) => node.output));
  const known = new Set([
    ...produced,
    ...header.inputs.map((port) => port.name),
    ...graph.initializers.map((tensor) => tensor.name),
  ]);
  const renamed = new Map<string, string>();
  const identities: NodeProto[] = [];
  for (const { name } of header.outputs) {
    const value = returned[name];
    invariant(
      value !== undefined && known.has(value),
      `output "${name}" is "${value}", which the graph does not have`,
    );
    if (produced.has(value) && !renamed.has(value)) renamed.set(value, name);
    else
      identities.push({
        input: [value],
        output: [name],
        name: graph.freshName("identity"),
        opType: "Identity",
      });
  }
  const rename = (name: string): string => renamed.get(name) ?? name;
  return [...graph.nodes, ...identities].map((node) => renameIn(node, rename));
};

const renameIn = (node: NodeProto, rename: (name: string) => string): NodeProto => ({
  ...node,
  input: (node.input ?? []).map(rename),
  output: (node.output ?? []).map(rename),
  ...(node.attribute !== undefined && {
    attribute: node.attribute.map((one) =>
      one.g === undefined
        ? one
        : { ...one, g: { ...one.g, node: (one.g.node ?? []).map((inner) => renameIn(inner, rename)) } },
    ),
  }),
});

/** `ai.onnx.ml.LabelEncoder` → its name and its domain; undefined for the default domain. */
const splitDomain = (qualifiedType: string): readonly [opType: string, domain: string | undefined] =>
  qualifiedType.startsWith(`${mlDomain}.`)
    ? [qualifiedType.slice(mlDomain.length + 1), mlDomain]
    : [qualifiedType, undefined];

/** `ReduceMean` → `reduce_mean`, `MatMul` → `mat_mul`. */
const snakeCase = (opType: string): string => opType.replaceAll(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase();

const attributeProto = ([name, attribute]: [string, OnnxAttribute]): AttributeProto => {
  if ("int" in attribute) return { name, i: attribute.int, type: attributeTypes.int };
  if ("ints" in attribute) return { name, ints: attribute.ints, type: attributeTypes.ints };
  if ("float" in attribute) return { name, f: attribute.float, type: attributeTypes.float };
  if ("floats" in attribute) return { name, floats: attribute.floats, type: attributeTypes.floats };
  if ("texts" in attribute)
    return { name, strings: attribute.texts.map(encodeUtf8), type: attributeTypes.texts };
  return { name, s: encodeUtf8(attribute.text), type: attributeTypes.text };
};

const tensorProto = (name: string, tensor: TensorData): TensorProto => ({
  dims: tensor.shape,
  dataType: dtypes[tensor.dtype].onnxType,
  ...(tensor.dtype === "BYTES" ? { stringData: tensor.data } : { rawData: tensor.data }),
  name,
});

/** An entry of the signature of a model. */
export const valueInfo = ({ name, type }: ModelPort): ValueInfoProto => ({
  name,
  type: {
    tensorType: { elemType: dtypes[type.dtype].onnxType, shape: { dim: type.dims.map(dimensionProto) } },
  },
});

const dimensionProto = (dim: string | number): DimensionProto => {
  if (typeof dim === "string") return { dimParam: dim };
  return dim < 0 ? {} : { dimValue: dim };
};
