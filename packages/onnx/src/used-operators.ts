import { type DType, dtypeOfOnnxType } from "@tritype/core";
import { graphsIn } from "./graphs-in.ts";
import type { GraphProto, NodeProto } from "./model-proto.ts";
import { domainOf, opsetVersions } from "./opset-versions.ts";
import type { WholeModel } from "./read-signature.ts";

/** An operator that a model uses. */
export interface UsedOperator {
  /** `""` is ONNX's own domain. */
  readonly domain: string;
  readonly name: string;
  /** The version of its domain that the file imports; undefined if it imports none. */
  readonly version: number | undefined;
  /** The element types of its inputs where the file states them. */
  readonly typed: readonly TypedInputs[];
}

/** An input of an operator with the same element type in some nodes. */
export interface TypedInputs {
  /** The position among the operator's inputs, from 0. */
  readonly index: number;
  readonly dtype: DType;
  /** The nodes, by name, or by their first output if they have none. */
  readonly nodes: readonly string[];
}

/**
 * The operators of all nodes, including those in branches, loops and the file's own functions, each once. Excludes calls
 * of these functions.
 */
export const usedOperators = (model: WholeModel): readonly UsedOperator[] => {
  const { graph, opsetImport = [], functions = [] } = model;
  const own = new Set(functions.map(({ domain, name = "" }) => keyOf(domain, name)));
  const found = new Map<string, UsedOperator & { readonly typed: FoundInputs[] }>();
  const visit = (graph: GraphProto, versions: ReadonlyMap<string, number>, outer: StatedTypes): void => {
    const types = new Map([...outer, ...statedTypes(graph)]);
    for (const node of graph.node ?? []) {
      const { domain, opType: name = "" } = node;
      const version = versions.get(domainOf(domain));
      const key = `${keyOf(domain, name)} ${version}`;
      if (!own.has(keyOf(domain, name))) {
        const operator = found.get(key) ?? { domain: domainOf(domain), name, version, typed: [] };
        found.set(key, operator);
        addInputs(operator.typed, node, types);
      }
      for (const inner of graphsIn(node)) visit(inner, versions, types);
    }
  };
  visit(graph, opsetVersions(opsetImport), new Map());
  for (const { node = [], opsetImport: imported = [] } of functions)
    visit({ node }, opsetVersions([...opsetImport, ...imported]), new Map());
  return [...found.values()];
};

interface FoundInputs extends TypedInputs {
  readonly nodes: string[];
}

const addInputs = (
  typed: FoundInputs[],
  { name, input = [], output: [output = ""] = [] }: NodeProto,
  types: StatedTypes,
): void => {
  for (const [index, tensor] of input.entries()) {
    const dtype = types.get(tensor);
    if (dtype === undefined) continue;
    const known = typed.find((one) => one.index === index && one.dtype === dtype);
    if (known === undefined) typed.push({ index, dtype, nodes: [name || output] });
    else known.nodes.push(name || output);
  }
};

/** Name of a tensor → its element type. */
type StatedTypes = ReadonlyMap<string, DType>;

const statedTypes = ({
  input = [],
  output = [],
  valueInfo = [],
  initializer = [],
}: GraphProto): StatedTypes => {
  const ports = [...input, ...output, ...valueInfo].map(
    ({ name, type }) => [name, type?.tensorType?.elemType] as const,
  );
  const values = initializer.map(({ name, dataType }) => [name, dataType] as const);
  return new Map(
    [...ports, ...values].flatMap(([name = "", type = 0]) => {
      const dtype = dtypeOfOnnxType(type);
      return dtype === undefined ? [] : [[name, dtype]];
    }),
  );
};

const keyOf = (domain: string | undefined, name: string): string => `${domainOf(domain)}:${name}`;
