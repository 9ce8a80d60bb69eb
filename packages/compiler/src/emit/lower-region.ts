import {
  invariant,
  type OperatorNode,
  type Port,
  showDim,
  showDims,
  type TensorType,
  tensorOf,
} from "@tritype/core";
import { type ModelBuilder, modelOf, type ModelProto } from "@tritype/onnx";
import { operators, type OnnxValue } from "@tritype/operators";
import { portKey } from "../graph/port-key.ts";
import { type Choice, type PlacedNode, placeNodes } from "./place-nodes.ts";
import type { PlannedRegion } from "./plan-ensemble.ts";

/** The ONNX model of a region, and the types of its tensors by name. */
export interface LoweredRegion {
  readonly model: ModelProto;
  readonly inputs: Readonly<Record<string, TensorType>>;
  readonly outputs: Readonly<Record<string, TensorType>>;
}

/** Node id → the types of its outputs. */
export type TensorTypes = ReadonlyMap<string, Readonly<Record<string, TensorType>>>;

/**
 * Lowers the operators of a region to one ONNX model whose tensors have the ensemble's names.
 * @param opset Version of ONNX's own operators. Default: the same as in `buildModel`.
 */
export const lowerRegion = (
  { name, region, tensorName }: PlannedRegion,
  types: TensorTypes,
  opset?: number,
): LoweredRegion => {
  const typeOf = (port: Port): TensorType => {
    const type = types.get(port.node)?.[port.output];
    invariant(type !== undefined, `${port.node}.${port.output} has no type`);
    return type;
  };
  const typed = (
    ports: readonly Port[],
  ): readonly { readonly name: string; readonly type: TensorType; readonly port: Port }[] =>
    ports.map((port) => ({ name: tensorName(port), type: readable(typeOf(port)), port }));
  const inputs = typed(region.inputs);
  const outputs = typed(region.outputs);
  const header = { name, inputs, outputs, ...(opset === undefined ? {} : { opset }) };
  const model = modelOf(header, (builder) => {
    const values = new Map<string, OnnxValue>(inputs.map(({ port, ...value }) => [portKey(port), value]));
    lowerNodes(placeNodes(region.nodes, region.outputs, typeOf), builder, values);
    return Object.fromEntries(
      outputs.map(({ name: output, port }) => [output, values.get(portKey(port))?.name ?? ""]),
    );
  });
  const signature = (tensors: typeof inputs): Readonly<Record<string, TensorType>> =>
    Object.fromEntries(tensors.map((tensor) => [tensor.name, tensor.type]));
  return { model, inputs: signature(inputs), outputs: signature(outputs) };
};

/** Adds the values of the nodes to `values`. */
const lowerNodes = (
  placed: readonly PlacedNode[],
  builder: ModelBuilder,
  values: Map<string, OnnxValue>,
): void => {
  for (const { node, choice } of placed) {
    const definition = operators.get(node.operator);
    invariant(definition !== undefined, `no operator is called ${node.operator}`);
    const ports = Object.values(node.inputs);
    const operand = (index: number): OnnxValue => {
      const value = values.get(portKey(ports[index] ?? { node: "", output: "" }));
      invariant(value !== undefined, `${node.id} reads operand ${index} before it is created`);
      return value;
    };
    const lowered =
      choice === undefined
        ? definition.lower(
            builder,
            ports.map((_, i) => operand(i)),
            node.attributes,
            node.outputs,
          )
        : lowerChoice(choice, node.outputs, operand, builder, (nodes) => lowerNodes(nodes, builder, values));
    for (const [output, type] of Object.entries(node.outputs))
      values.set(portKey({ node: node.id, output }), { name: lowered[output] ?? "", type });
  }
};

/** An If node that contains the nodes of both branches. */
const lowerChoice = (
  { condition, values, whenTrue, whenFalse }: Choice,
  outputs: OperatorNode["outputs"],
  operand: (index: number) => OnnxValue,
  builder: ModelBuilder,
  lower: (nodes: readonly PlacedNode[]) => void,
): Readonly<Record<string, string>> => {
  const chosen = Object.entries(values);
  const side = (nodes: readonly PlacedNode[], which: 0 | 1) => (): readonly OnnxValue[] => {
    lower(nodes);
    return chosen.map(([output, pair]) => {
      const { name, type } = operand(pair[which]);
      const { dims } = outputs[output] ?? type;
      if (showDims(dims) === showDims(type.dims)) return { name, type: readable(type) };
      const sizes = builder.constant(tensorOf("INT64", [dims.length], dims.map(Number)));
      return { name: builder.node("Expand", [name, sizes])[0], type: { dtype: type.dtype, dims } };
    });
  };
  const names = builder.choose(operand(condition).name, side(whenTrue, 0), side(whenFalse, 1));
  return Object.fromEntries(chosen.map(([output], i) => [output, names[i] ?? ""]));
};

/** `seq#2` is our name for a second size called seq; ONNX would accept it, but `seq_2` is more readable. */
export const readable = ({ dtype, dims }: TensorType): TensorType => ({
  dtype,
  dims: dims.map((dim) =>
    typeof dim === "string" && dim.includes("#")
      ? `${showDim(dim)}_${dim.slice(dim.indexOf("#") + 1).replaceAll("#", "_")}`
      : dim,
  ),
});
