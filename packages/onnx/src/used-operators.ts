import { type DType, dtypeOfOnnxType } from "@tritype/core";
import { graphsIn } from "./graphs-in.ts";
import type { GraphProto } from "./model-proto.ts";
import { domainOf, opsetVersions } from "./opset-versions.ts";
import type { WholeModel } from "./read-signature.ts";

/** An operator that a model uses. */
export interface UsedOperator {
  /** `""` is ONNX's own domain. */
  readonly domain: string;
  readonly name: string;
  /** The version of its domain that the file imports; undefined if it imports none. */
  readonly version: number | undefined;
  /** The element types of its first inputs, each once, where the file states them. */
  readonly dtypes: readonly DType[];
}

/**
 * The operators of all nodes, including those in branches, loops and the file's own functions, each once. Excludes calls
 * of these functions.
 */
export const usedOperators = (model: WholeModel): readonly UsedOperator[] => {
  const { graph, opsetImport = [], functions = [] } = model;
  const own = new Set(functions.map(({ domain, name = "" }) => keyOf(domain, name)));
  const found = new Map<string, UsedOperator>();
  const visit = (graph: GraphProto, versions: ReadonlyMap<string, number>, outer: StatedTypes): void => {
    const types = new Map([...outer, ...statedTypes(graph)]);
    for (const node of graph.node ?? []) {
      const { domain, opType: name = "", input: [first = ""] = [] } = node;
      const version = versions.get(domainOf(domain));
      const key = `${keyOf(domain, name)} ${version}`;
      const { dtypes = [] } = found.get(key) ?? {};
      const dtype = types.get(first);
      if (!own.has(keyOf(domain, name)))
        found.set(key, {
          domain: domainOf(domain),
          name,
          version,
          dtypes: dtype === undefined || dtypes.includes(dtype) ? dtypes : [...dtypes, dtype],
        });
      for (const inner of graphsIn(node)) visit(inner, versions, types);
    }
  };
  visit(graph, opsetVersions(opsetImport), new Map());
  for (const { node = [], opsetImport: imported = [] } of functions)
    visit({ node }, opsetVersions([...opsetImport, ...imported]), new Map());
  return [...found.values()];
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
