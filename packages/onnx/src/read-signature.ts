import { type Dim, type DType, decodeUtf8, dtypeOfOnnxType } from "@tritype/core";
import { decodeModel } from "./codec.ts";
import { graphsIn } from "./graphs-in.ts";
import type {
  DimensionProto,
  GraphProto,
  ModelProto,
  NodeProto,
  TensorProto,
  ValueInfoProto,
} from "./model-proto.ts";
import { opsetVersions } from "./opset-versions.ts";

/** One input or output of a model, as the file declares it. */
export interface OnnxPort {
  readonly name: string;
  readonly kind: "tensor" | "sparse-tensor" | "sequence" | "map" | "optional" | "unknown";
  /** undefined if it is not a tensor, or if the protocol does not support its element type (complex, FP8, …). */
  readonly dtype: DType | undefined;
  /** `TensorProto.DataType`; 0 if it is not a tensor or not declared. */
  readonly onnxType: number;
  /** A literal, a name, or -1 for an unnamed size; undefined if the rank is unknown or it is not a tensor. */
  readonly dims: readonly Dim[] | undefined;
  /** The operator that creates it; undefined for inputs and for tensors. */
  readonly madeBy?: string;
}

/** The signature and metadata of a model file. */
export interface OnnxSignature {
  /** The inputs without the initializers that older files repeat among them. */
  readonly inputs: readonly OnnxPort[];
  readonly outputs: readonly OnnxPort[];
  /** Inputs that have a default: initializers repeated among the inputs. */
  readonly overridable: readonly string[];
  /** The same inputs with their declared types. Before IR version 4 they cannot be overridden. */
  readonly overridablePorts: readonly OnnxPort[];
  /** Version of the default domain; 0 if the file only imports other domains. */
  readonly opset: number;
  /** Version of every domain; the default domain is `""`. */
  readonly opsets: Readonly<Record<string, number>>;
  readonly irVersion: number;
  /** Name and version of the tool that wrote the file; empty if the file does not say. */
  readonly producer: string;
  /** Files with external tensor data, relative to the model's folder; sorted, without duplicates. */
  readonly externalFiles: readonly string[];
  readonly problem?: undefined;
}

/** A file that is not a model. */
export interface BrokenOnnx {
  /** A sentence about the file, without its name. */
  readonly problem: string;
  /** The file is only a Git LFS pointer; the actual file was not fetched. */
  readonly gitLfs?: true;
}

/**
 * Reads names and types from the bytes of a model file; weights are not copied. For a broken file, returns a sentence
 * about it, without its name.
 */
export const readOnnxSignature = (bytes: Uint8Array): OnnxSignature | BrokenOnnx => {
  const model = readOnnxModel(bytes);
  return "problem" in model ? model : onnxSignature(model);
};

/** A model that has a graph and imports operators. */
export interface WholeModel extends ModelProto {
  readonly graph: GraphProto;
}

/** Decodes a model file; weights are not copied. For a broken file, returns a sentence about it, without its name. */
export const readOnnxModel = (bytes: Uint8Array): WholeModel | BrokenOnnx => {
  if (bytes.length === 0) return { problem: "the file is empty" };
  if (decodeUtf8(bytes.subarray(0, lfsHeader.length)) === lfsHeader)
    return { problem: "the file is a Git LFS pointer, not the model: run `git lfs pull`", gitLfs: true };
  let model: ModelProto;
  try {
    model = decodeModel(bytes);
  } catch (error) {
    return { problem: explain(error, bytes) };
  }
  const { graph } = model;
  if (graph === undefined)
    return {
      problem: startsLikeModel(bytes)
        ? "the file contains no graph: it is truncated, or it is not an ONNX model"
        : notOnnx,
    };
  if ((model.opsetImport ?? []).length === 0)
    return { problem: "the file imports no operator set: it is truncated, or it is not an ONNX model" };
  return { ...model, graph };
};

const lfsHeader = "version https://git-lfs.github.com/spec/";
const notOnnx = "the file is not an ONNX model: its bytes are not a protobuf ModelProto";

/** Every writer starts with field 1, `ir_version`, a varint. */
const startsLikeModel = (bytes: Uint8Array): boolean => bytes[0] === 0x08;

const explain = (error: unknown, bytes: Uint8Array): string =>
  error instanceof RangeError && startsLikeModel(bytes)
    ? "the file is truncated: it ends in the middle of a field"
    : notOnnx;

/** Names and types in a model's signature. */
export const onnxSignature = (model: WholeModel): OnnxSignature => {
  const { graph } = model;
  const initializers = new Set([
    ...(graph.initializer ?? []).map((tensor) => tensor.name ?? ""),
    ...(graph.sparseInitializer ?? []).map((tensor) => tensor.values?.name ?? ""),
  ]);
  const inputs = graph.input ?? [];
  const isDefault = (value: ValueInfoProto) => initializers.has(value.name ?? "");
  const opsets = Object.fromEntries(opsetVersions(model.opsetImport ?? []));
  return {
    inputs: inputs.filter((value) => !isDefault(value)).map(portOf),
    outputs: (graph.output ?? []).map((value) => outputOf(value, graph)),
    overridable: inputs.filter(isDefault).map((value) => value.name ?? ""),
    overridablePorts: inputs.filter(isDefault).map(portOf),
    opset: opsets[""] ?? 0,
    opsets,
    irVersion: Number(model.irVersion ?? 0),
    producer: [model.producerName, model.producerVersion].filter(Boolean).join(" "),
    externalFiles: externalFilesOf(model, graph),
  };
};

/** Triton only has tensors: how to replace another value depends on the operator that creates it. */
const outputOf = (value: ValueInfoProto, { node = [] }: GraphProto): OnnxPort => {
  const port = portOf(value);
  if (port.kind === "tensor") return port;
  const madeBy = node.find(({ output = [] }) => output.includes(port.name))?.opType;
  return madeBy === undefined ? port : { ...port, madeBy };
};

const portOf = ({ name = "", type = {} }: ValueInfoProto): OnnxPort => {
  const { tensorType } = type;
  if (tensorType === undefined)
    return { name, kind: kindOf(type), dtype: undefined, onnxType: 0, dims: undefined };
  const onnxType = tensorType.elemType ?? 0;
  const { shape } = tensorType;
  const dims = shape === undefined ? undefined : (shape.dim ?? []).map(dimOf);
  return { name, kind: "tensor", dtype: dtypeOfOnnxType(onnxType), onnxType, dims };
};

const kindOf = (type: NonNullable<ValueInfoProto["type"]>): OnnxPort["kind"] => {
  if (type.sequenceType !== undefined) return "sequence";
  if (type.mapType !== undefined) return "map";
  if (type.optionalType !== undefined) return "optional";
  return type.sparseTensorType === undefined ? "unknown" : "sparse-tensor";
};

/** Some exporters write a negative value or an empty name for an unknown size. */
/** PaddlePaddle's exporter writes "?" for every unknown size, which is not a name. */
const dimOf = ({ dimValue, dimParam }: DimensionProto): Dim => {
  if (dimValue !== undefined) return dimValue < 0 ? -1 : Number(dimValue);
  return dimParam === undefined || dimParam === "" || dimParam === "?" ? -1 : dimParam;
};

const externalFilesOf = (model: ModelProto, graph: GraphProto): readonly string[] => {
  const files = new Set<string>();
  const visitTensor = (tensor: TensorProto | undefined): void => {
    if (tensor?.dataLocation !== 1) return;
    for (const { key, value } of tensor.externalData ?? [])
      if (key === "location" && value !== undefined) files.add(value);
  };
  const visitNode = (node: NodeProto): void => {
    for (const attribute of node.attribute ?? []) {
      visitTensor(attribute.t);
      attribute.tensors?.forEach(visitTensor);
    }
    graphsIn(node).forEach(visitGraph);
  };
  const visitGraph = (inner: GraphProto): void => {
    inner.initializer?.forEach(visitTensor);
    for (const sparse of inner.sparseInitializer ?? []) {
      visitTensor(sparse.values);
      visitTensor(sparse.indices);
    }
    inner.node?.forEach(visitNode);
  };
  visitGraph(graph);
  for (const { node } of model.functions ?? []) node?.forEach(visitNode);
  return [...files].toSorted();
};
