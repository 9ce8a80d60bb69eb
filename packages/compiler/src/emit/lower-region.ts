import { invariant, type Port, showDim, type TensorType } from "@tritype/core";
import { buildModel } from "@tritype/onnx";
import { operators, type OnnxValue } from "@tritype/operators";
import { portKey } from "../graph/port-key.ts";
import type { PlannedRegion } from "./plan-ensemble.ts";

/** The ONNX model of a region, and the types of its tensors by name. */
export interface LoweredRegion {
  readonly model: Uint8Array;
  readonly inputs: Readonly<Record<string, TensorType>>;
  readonly outputs: Readonly<Record<string, TensorType>>;
}

/** Node id → the types of its outputs. */
export type TensorTypes = ReadonlyMap<string, Readonly<Record<string, TensorType>>>;

/** Lowers the operators of a region to one ONNX model whose tensors have the ensemble's names. */
export const lowerRegion = (
  { name, region, tensorName }: PlannedRegion,
  types: TensorTypes,
): LoweredRegion => {
  const typed = (
    ports: readonly Port[],
  ): readonly { readonly name: string; readonly type: TensorType; readonly port: Port }[] =>
    ports.map((port) => {
      const type = types.get(port.node)?.[port.output];
      invariant(type !== undefined, `${port.node}.${port.output} has no type`);
      return { name: tensorName(port), type: readable(type), port };
    });
  const inputs = typed(region.inputs);
  const outputs = typed(region.outputs);
  const model = buildModel({ name, inputs, outputs }, (builder) => {
    const values = new Map<string, OnnxValue>(inputs.map(({ port, ...value }) => [portKey(port), value]));
    for (const node of region.nodes) {
      const definition = operators.get(node.operator);
      invariant(definition !== undefined, `no operator is called ${node.operator}`);
      const operands = Object.values(node.inputs).map((port) => {
        const value = values.get(portKey(port));
        invariant(value !== undefined, `${node.id} reads ${port.node}.${port.output} before it is made`);
        return value;
      });
      const lowered = definition.lower(builder, operands, node.attributes, node.outputs);
      for (const [output, type] of Object.entries(node.outputs))
        values.set(portKey({ node: node.id, output }), { name: lowered[output] ?? "", type });
    }
    return Object.fromEntries(
      outputs.map(({ name: output, port }) => [output, values.get(portKey(port))?.name ?? ""]),
    );
  });
  const signature = (tensors: typeof inputs): Readonly<Record<string, TensorType>> =>
    Object.fromEntries(tensors.map((tensor) => [tensor.name, tensor.type]));
  return { model, inputs: signature(inputs), outputs: signature(outputs) };
};

/** `seq#2` is our name for a second size called seq; ONNX accepts any name, but `seq_2` is more readable. */
const readable = ({ dtype, dims }: TensorType): TensorType => ({
  dtype,
  dims: dims.map((dim) =>
    typeof dim === "string" && dim.includes("#")
      ? `${showDim(dim)}_${dim.slice(dim.indexOf("#") + 1).replaceAll("#", "_")}`
      : dim,
  ),
});
