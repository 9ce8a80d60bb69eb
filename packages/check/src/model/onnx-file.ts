import { decodeUtf8, dtypes, remembered } from "@tritype/core";
import {
  decodeModel,
  type GraphProto,
  graphsIn,
  knownOnnxType,
  type NodeProto,
  type OnnxPort,
  type OnnxSignature,
  onnxSignature,
  readModelOutline,
  readOnnxModel,
  type UsedOperator,
  usedOperators,
  type WholeModel,
} from "@tritype/onnx";
import type { ModelContext } from "../model-context.ts";
import type { Entry } from "../repository-host.ts";
import { resolvePath } from "./resolve-path.ts";
import { servedVersions } from "./served-versions.ts";
import { sharedScales } from "./shared-scales.ts";

/** A tensor of a graph as the backend sees it. */
export interface GraphTensor {
  readonly name: string;
  /**
   * Triton's name for the type; undefined for element types without a name in the backend (FP8, complex, BF16 in older
   * releases, …).
   */
  readonly dataType: string | undefined;
  /** `TensorProto.DataType`. */
  readonly onnxType: number;
  readonly kind: OnnxPort["kind"];
  /** The operator that creates it; undefined for inputs and for tensors. */
  readonly madeBy: string | undefined;
  /** Named and unknown sizes are -1; a tensor of unknown rank looks like a scalar. */
  readonly dims: readonly number[];
}

/** The properties of a model as ONNX Runtime reports them after loading. */
export interface OnnxGraph {
  readonly inputs: readonly GraphTensor[];
  /** Inputs with a default that requests may override; there are none before IR version 4. */
  readonly overridable: readonly GraphTensor[];
  readonly outputs: readonly GraphTensor[];
  readonly signature: OnnxSignature;
  readonly operators: readonly UsedOperator[];
  /** Locales that ONNX Runtime opens while loading the model. */
  readonly locales: readonly string[];
  /** The operators that quantize all rows of a batch with one scale. */
  readonly sharedScales: readonly string[];
}

/** The file that the backend opens for one version. */
export interface OnnxFile {
  /** Relative to the model's folder: `1/model.onnx`. */
  readonly path: string;
  readonly found:
    | { readonly kind: "missing" }
    /** Even the first byte cannot be read. */
    | { readonly kind: "unreadable" }
    | { readonly kind: "broken"; readonly problem: string; readonly gitLfs?: true }
    | { readonly kind: "graph"; readonly graph: OnnxGraph };
}

/**
 * The model files of all served versions that can be checked. Empty for other backends and with `configsOnly`; excludes
 * files outside the model's folder and files in ONNX Runtime's own format.
 */
export const onnxFiles: (model: ModelContext) => readonly OnnxFile[] = remembered((model) =>
  model.config.backend !== "onnxruntime" || model.options.configsOnly === true
    ? []
    : servedVersions(model).flatMap((version) => fileOf(model, version) ?? []),
);

const fileOf = (model: ModelContext, version: string): OnnxFile | undefined => {
  const named = `${version}/${model.config.default_model_filename || "model.onnx"}`;
  if (resolvePath("", named) === undefined) return undefined;
  const path = entryAt(model, named)?.kind === "folder" ? `${named}/model.onnx` : named;
  const entry = entryAt(model, path);
  if (entry?.kind !== "file") return { path, found: { kind: "missing" } };
  const bytes = bytesOf(model, path, entry.size);
  if (bytes === undefined && model.read(path, 1) === undefined)
    return { path, found: { kind: "unreadable" } };
  if (bytes === undefined) return { path, found: { kind: "broken", problem: "it is too large to read" } };
  if (isOrtFormat(path, bytes)) return undefined;
  const proto = readOnnxModel(bytes);
  if ("problem" in proto) return { path, found: { kind: "broken", ...proto } };
  const bfloat16 = model.options.release.container >= bfloat16Since;
  return { path, found: { kind: "graph", graph: graphOf(proto, bfloat16) } };
};

/** Whether a file has ONNX Runtime's own format, according to its name or identifier; such files are not read. */
const isOrtFormat = (path: string, bytes: Uint8Array): boolean =>
  path.endsWith(".ort") || decodeUtf8(bytes.subarray(4, 8)) === "ORTM";

/**
 * The path of a weights file within the model's folder; `location` is relative to the folder of the file that refers to
 * it. Undefined if the path leads out of the model's folder.
 */
export const weightsPlace = (path: string, location: string): string | undefined =>
  location.startsWith("/") ? undefined : resolvePath("", `${folderOfFile(path)}${location}`);

/** `1/` in `1/model.onnx`. */
export const folderOfFile = (path: string): string => path.slice(0, path.lastIndexOf("/") + 1);

/** Files larger than this many bytes are read without the values of their tensors. */
const largeFile = 2 ** 20;

/** The part of a model file that `decodeModel` needs: tensor values of large files are left out. */
export const onnxBytes = (model: ModelContext, path: string): Uint8Array | undefined =>
  bytesOf(model, path, entryAt(model, path)?.size ?? 0);

const bytesOf = (model: ModelContext, path: string, size: number): Uint8Array | undefined => {
  const { readAt } = model;
  const outline =
    size > largeFile && readAt !== undefined
      ? readModelOutline(size, (offset, length) => readAt(path, offset, length))
      : undefined;
  return outline ?? model.read(path);
};

/** A note about the entry at the path of an expected file; undefined if nothing exists there. */
export const insteadOf = (model: ModelContext, path: string): readonly string[] => {
  const entry = entryAt(model, path);
  if (entry === undefined || entry.kind === "file") return [];
  if (entry.kind === "folder") return [`\`${path}\` is a folder`];
  return [
    entry.deadLink === undefined
      ? `\`${path}\` is neither a file nor a folder`
      : `\`${path}\` is a link to \`${entry.deadLink}\`, which is broken`,
  ];
};

/** The reason why a path is not a file, to follow "which". */
export const absence = (model: ModelContext, path: string): string =>
  entryAt(model, path)?.kind === "folder" ? "is a folder: Triton crashes" : "does not exist";

/** The target of a path in the model's folder. */
export const entryAt = (model: ModelContext, path: string): Entry | undefined => {
  const slash = path.lastIndexOf("/");
  const name = path.slice(slash + 1);
  if (["", ".", ".."].includes(name)) return model.list(path) && { name, kind: "folder", size: 0 };
  return model.list(path.slice(0, Math.max(slash, 0)))?.find((entry) => entry.name === name);
};

/** The first release whose ONNX Runtime backend supports TYPE_BF16. Source: its release branches. */
const bfloat16Since = "26.03";

const graphOf = (model: WholeModel, bfloat16: boolean): OnnxGraph => {
  const signature = onnxSignature(model);
  const tensorOf = ({ name, dtype, onnxType, kind, madeBy, dims = [] }: OnnxPort): GraphTensor => ({
    name,
    dataType: dtype === undefined || (dtype === "BF16" && !bfloat16) ? undefined : dtypes[dtype].configName,
    onnxType,
    kind,
    madeBy,
    dims: dims.map((dim) => (typeof dim === "number" ? dim : -1)),
  });
  return {
    inputs: signature.inputs.map(tensorOf),
    overridable: signature.irVersion < 4 ? [] : signature.overridablePorts.map(tensorOf),
    outputs: signature.outputs.map(tensorOf),
    signature,
    operators: usedOperators(model),
    locales: openedLocales(model.graph),
    sharedScales: sharedScales(model.graph).map(({ opType = "" }) => opType),
  };
};

/** Whether any node in the file casts to an element type. */
export const castsTo = (model: ModelContext, path: string, onnxType: number): boolean => {
  const bytes = onnxBytes(model, path);
  const nodes = bytes === undefined ? [] : (decodeModel(bytes).graph?.node ?? []);
  return nodes.some(
    ({ opType, attribute = [] }) =>
      opType === "Cast" && attribute.some(({ name, i }) => name === "to" && Number(i) === onnxType),
  );
};

/** `FLOAT`: ONNX's name for a tensor's elements. */
export const onnxTypeName = ({ onnxType }: GraphTensor): string =>
  knownOnnxType(onnxType) ?? `element type ${onnxType}`;

/** `[-1,4]`, as Triton prints shapes. */
export const shapeText = (dims: readonly number[]): string => `[${dims.join(",")}]`;

/** `FP32[-1, 4]`, in the form used for configurations; types without a name in Triton have ONNX's name. */
export const showTensor = (tensor: GraphTensor): string =>
  `${tensor.dataType?.slice("TYPE_".length).replace("STRING", "BYTES") ?? onnxTypeName(tensor)}[${tensor.dims.join(", ")}]`;

/** ONNX Runtime's default on Linux if a node names no locale. */
const ofRuntime = "en_US.UTF-8";

/** The locales that ONNX Runtime opens for a graph while loading it, one for each node that needs a locale. */
const openedLocales = (graph: GraphProto): readonly string[] =>
  (graph.node ?? []).flatMap((node) => [
    ...(node.opType === "StringNormalizer" && opensLocale(node) ? [localeOf(node)] : []),
    ...graphsIn(node).flatMap(openedLocales),
  ]);

/** If nothing is compared case-insensitively and no case is changed, the locale is not opened. */
const opensLocale = (node: NodeProto): boolean => {
  const action = textOf(node, "case_change_action") ?? "NONE";
  const stopwords = attribute(node, "stopwords")?.strings ?? [];
  return (
    action !== "NONE" || (stopwords.length > 0 && Number(attribute(node, "is_case_sensitive")?.i ?? 0) === 0)
  );
};

const localeOf = (node: NodeProto): string => textOf(node, "locale") ?? ofRuntime;

const attribute = (node: NodeProto, name: string) => (node.attribute ?? []).find((one) => one.name === name);

const textOf = (node: NodeProto, name: string): string | undefined => {
  const value = attribute(node, name)?.s;
  return value === undefined ? undefined : decodeUtf8(value);
};
