import { attributeTypes, encodeModel, type NodeProto, type ValueInfoProto } from "@tritype/onnx";
import type { VerdictGraph, VerdictTensor } from "./verdict.ts";

const elementTypes: Readonly<Record<string, number>> = {
  FLOAT: 1,
  UINT8: 2,
  INT8: 3,
  UINT16: 4,
  INT16: 5,
  INT32: 6,
  INT64: 7,
  STRING: 8,
  BOOL: 9,
  FLOAT16: 10,
  DOUBLE: 11,
  UINT32: 12,
  UINT64: 13,
  COMPLEX64: 14,
  COMPLEX128: 15,
  BFLOAT16: 16,
  FLOAT8E4M3FN: 17,
  FLOAT8E4M3FNUZ: 18,
  FLOAT8E5M2: 19,
  FLOAT8E5M2FNUZ: 20,
  UINT4: 21,
  INT4: 22,
  FLOAT4E2M1: 23,
};

/** The bytes of a model with a recorded signature. Outputs are cast from a constant; complex ones come from an input. */
export const verdictModel = (graph: VerdictGraph): Uint8Array => {
  const defaults = graph.initializersAsInputs ?? [];
  const complexInput = graph.inputs.find(({ type }) => type.startsWith("COMPLEX"))?.name ?? "constant/zero";
  return encodeModel({
    irVersion: graph.ir,
    producerName: "verdict",
    graph: {
      node: graph.outputs.map((output) =>
        output.type.startsWith("COMPLEX")
          ? { opType: "Identity", input: [complexInput], output: [output.name] }
          : castTo(output),
      ),
      name: "g",
      initializer: [
        { name: "constant/zero", dataType: 1, rawData: new Uint8Array(4) },
        ...defaults.map(({ name, type }) => ({ name, dataType: elementTypeOf(type), dims: [0] })),
      ],
      input: [...graph.inputs, ...defaults].map(valueOf),
      output: graph.outputs.map(valueOf),
    },
    opsetImport: [{ domain: "", version: graph.opset }],
  });
};

const castTo = ({ name, type }: VerdictTensor): NodeProto => ({
  opType: "Cast",
  input: ["constant/zero"],
  output: [name],
  attribute: [{ name: "to", type: attributeTypes.int, i: elementTypeOf(type) }],
});

const valueOf = ({ name, type, shape }: VerdictTensor): ValueInfoProto => ({
  name,
  type: {
    tensorType: {
      elemType: elementTypeOf(type),
      ...(shape === null ? {} : { shape: { dim: shape.map(dimOf) } }),
    },
  },
});

const dimOf = (dim: number | string | null) => {
  if (dim === null) return {};
  return typeof dim === "number" ? { dimValue: dim } : { dimParam: dim };
};

const elementTypeOf = (type: string): number => {
  const number = elementTypes[type];
  if (number === undefined) throw new Error(`no element type ${type}`);
  return number;
};
