import { dtypes, isDType } from "@tritype/core";
import { encodeModel, type GraphProto, type ModelProto, type ValueInfoProto } from "@tritype/onnx";
import { completeModelConfig, defaultRelease, parseModelConfig } from "@tritype/triton";
import type { CheckOptions } from "../check-options.ts";
import type { ModelContext } from "../model-context.ts";

/** Tensors as `A: "FP32[-1, 4]"`; `"FP32"` has an unknown rank. */
type CaseTensors = Readonly<Record<string, string>>;

export interface CaseGraph {
  readonly inputs?: CaseTensors;
  readonly outputs?: CaseTensors;
  /** Inputs with an initializer. */
  readonly defaults?: CaseTensors;
  readonly graph?: GraphProto;
  readonly rest?: ModelProto;
}

/** The bytes of a model with a signature; it computes nothing. */
export const graphFile = ({ inputs = {}, outputs = {}, defaults = {}, graph, rest }: CaseGraph): Uint8Array =>
  encodeModel({
    irVersion: 8,
    graph: {
      name: "g",
      initializer: Object.keys(defaults).map((name) => ({ name, dataType: 1, dims: [0] })),
      input: Object.entries({ ...inputs, ...defaults }).map(valueOf),
      output: Object.entries(outputs).map(valueOf),
      ...graph,
    },
    opsetImport: [{ domain: "", version: 17 }],
    ...rest,
  });

const otherElements: Readonly<Record<string, number>> = { COMPLEX64: 14, FLOAT8E4M3FN: 17, FLOAT4E2M1: 23 };

const valueOf = ([name, type]: [string, string]): ValueInfoProto => {
  const [, element = "", dims] = /^(\w+)(?:\[(.*)\])?$/.exec(type) ?? [];
  if (element === "sequence") return { name, type: { sequenceType: {} } };
  const elemType = isDType(element) ? dtypes[element].onnxType : (otherElements[element] ?? 0);
  if (dims === undefined) return { name, type: { tensorType: { elemType } } };
  const dim = dims
    .split(",")
    .filter((text) => text !== "")
    .map((text) => (/^ *-?\d+$/.test(text) ? { dimValue: Number(text) } : { dimParam: text.trim() }));
  return { name, type: { tensorType: { elemType, shape: { dim } } } };
};

/** A model `m` in memory. Labels contain the field that they point to: `input[0].dims`. */
export const onnxModel = (
  text: string,
  files: Readonly<Record<string, Uint8Array>>,
  options: Partial<CheckOptions> = {},
  links?: Readonly<Record<string, string>>,
): ModelContext => {
  const parsed = parseModelConfig(text);
  if ("problem" in parsed) throw new Error(parsed.problem.message);
  const list: ModelContext["list"] = (folder) => {
    const prefix = folder === "" ? "" : `${folder}/`;
    const inside = Object.keys(files).filter((path) => path.startsWith(prefix));
    const names = new Set(inside.map((path) => path.slice(prefix.length).split("/")[0] ?? ""));
    if (inside.length === 0) return undefined;
    return [...names].toSorted().map((name) => {
      const file = files[`${prefix}${name}`];
      return file ? { name, kind: "file", size: file.length } : { name, kind: "folder", size: 0 };
    });
  };
  const [first] = list("") ?? [];
  const versionFiles = (list(first?.name ?? "") ?? []).map(({ name }) => name);
  const surroundings = { folder: "m", versionFiles, gpus: options.gpus ?? [] };
  return {
    name: "m",
    path: "m",
    file: "m/config.pbtxt",
    written: parsed.config,
    hasConfig: true,
    config: completeModelConfig(parsed.config, surroundings),
    options: { release: defaultRelease, ...options },
    at: (path, label) => ({
      span: {
        file: path.map((key) => (typeof key === "number" ? `[${key}]` : `.${key}`)).join(""),
        line: 1,
        column: 1,
      },
      text: label,
    }),
    list,
    read: (file, limit) => files[file]?.subarray(0, limit),
    readAt: (file, offset, length) => files[file]?.subarray(offset, offset + length),
    ...(links && { realPath: (path: string) => links[path] }),
  };
};
