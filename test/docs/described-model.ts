import { dtypes, isDType } from "@tritype/core";
import {
  encodeModel,
  type GraphProto,
  type ModelProto,
  type TensorProto,
  type ValueInfoProto,
} from "@tritype/onnx";

type Tensors = Readonly<Record<string, string>>;

/**
 * An ONNX model as described in pages: tensors as `"A": "FP32[N, 4]"`; `"FP32"` has an unknown rank. It computes
 * nothing.
 */
export interface DescribedModel {
  readonly inputs?: Tensors;
  readonly outputs?: Tensors;
  /** Inputs with an initializer. */
  readonly defaults?: Tensors;
  /** The file that holds the values of a tensor `w`. */
  readonly external?: string;
  readonly graph?: GraphProto;
  readonly rest?: ModelProto;
}

/** The bytes of the described model. */
export const describedModel = ({
  inputs = {},
  outputs = {},
  defaults = {},
  external,
  graph,
  rest,
}: DescribedModel): Uint8Array =>
  encodeModel({
    irVersion: 8,
    graph: {
      name: "g",
      initializer: [
        ...Object.keys(defaults).map((name) => ({ name, dataType: 1, dims: [0] })),
        ...(external === undefined ? [] : [externalTensor(external)]),
      ],
      input: Object.entries({ ...inputs, ...defaults }).map(valueOf),
      output: Object.entries(outputs).map(valueOf),
      ...graph,
    },
    opsetImport: [{ domain: "", version: 17 }],
    ...rest,
  });

const externalTensor = (location: string): TensorProto => ({
  name: "w",
  dataType: 1,
  dims: [1],
  dataLocation: 1,
  externalData: [{ key: "location", value: location }],
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
