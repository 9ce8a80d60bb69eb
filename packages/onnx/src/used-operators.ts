import type { NodeProto, OperatorSetIdProto } from "./model-proto.ts";
import type { WholeModel } from "./read-signature.ts";

/** An operator that a model uses. */
export interface UsedOperator {
  /** `""` is ONNX's own domain. */
  readonly domain: string;
  readonly name: string;
  /** The version of its domain that the file imports; undefined if it imports none. */
  readonly version: number | undefined;
}

/**
 * The operators of all nodes, including those in branches, loops and the file's own functions, each once. Excludes calls
 * of these functions.
 */
export const usedOperators = (model: WholeModel): readonly UsedOperator[] => {
  const { graph, opsetImport = [], functions = [] } = model;
  const own = new Set(functions.map(({ domain, name = "" }) => keyOf(domain, name)));
  const found = new Map<string, UsedOperator>();
  const visit = (nodes: readonly NodeProto[], versions: ReadonlyMap<string, number>): void => {
    for (const { domain, opType: name = "", attribute = [] } of nodes) {
      const version = versions.get(domainOf(domain));
      const key = `${keyOf(domain, name)} ${version}`;
      if (!own.has(keyOf(domain, name)) && !found.has(key))
        found.set(key, { domain: domainOf(domain), name, version });
      for (const { g, graphs = [] } of attribute)
        for (const { node = [] } of g === undefined ? graphs : [g, ...graphs]) visit(node, versions);
    }
  };
  visit(graph.node ?? [], versionsOf(opsetImport));
  for (const { node = [], opsetImport: imported = [] } of functions)
    visit(node, versionsOf([...opsetImport, ...imported]));
  return [...found.values()];
};

const domainOf = (domain = ""): string => (domain === "ai.onnx" ? "" : domain);
const keyOf = (domain: string | undefined, name: string): string => `${domainOf(domain)}:${name}`;

const versionsOf = (imported: readonly OperatorSetIdProto[]): ReadonlyMap<string, number> =>
  new Map(imported.map(({ domain, version = 0 }) => [domainOf(domain), Number(version)]));
