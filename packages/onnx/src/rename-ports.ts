import { ownValue } from "@tritype/core";
import { decodeModel, encodeModel } from "./codec.ts";
import type { NodeProto, ValueInfoProto } from "./model-proto.ts";

/** Name in the file → name that callers use; unlisted names stay the same. */
export interface PortNames {
  readonly inputs: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, string>>;
}

/**
 * A model file with different names for its inputs and outputs: an Identity is added between each of them and the
 * graph, which runtimes optimize away. The new names must not be names of the graph's own tensors.
 * @throws protobufjs's Error if the bytes are not an ONNX model.
 */
export const renamePorts = (bytes: Uint8Array, { inputs, outputs }: PortNames): Uint8Array => {
  const model = decodeModel(bytes);
  const graph = model.graph ?? {};
  const identity = (from: string, to: string): NodeProto => ({
    opType: "Identity",
    name: `${from}_is_${to}`,
    input: [from],
    output: [to],
  });
  const renamed = (
    ports: readonly ValueInfoProto[] | undefined,
    names: PortNames["inputs"],
  ): ValueInfoProto[] =>
    (ports ?? []).map((port) => ({ ...port, name: ownValue(names, port.name ?? "") ?? port.name ?? "" }));
  const changed = (
    ports: readonly ValueInfoProto[] | undefined,
    names: PortNames["inputs"],
  ): [string, string][] =>
    (ports ?? []).flatMap(({ name = "" }) => {
      const other = ownValue(names, name);
      return other === undefined || other === name ? [] : [[name, other] as [string, string]];
    });
  return encodeModel({
    ...model,
    graph: {
      ...graph,
      input: renamed(graph.input, inputs),
      output: renamed(graph.output, outputs),
      node: [
        ...changed(graph.input, inputs).map(([name, other]) => identity(other, name)),
        ...(graph.node ?? []),
        ...changed(graph.output, outputs).map(([name, other]) => identity(name, other)),
      ],
    },
  });
};
