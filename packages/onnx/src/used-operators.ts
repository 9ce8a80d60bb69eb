import { graphsIn } from "./graphs-in.ts";
import type { NodeProto } from "./model-proto.ts";
import { domainOf, opsetVersions } from "./opset-versions.ts";
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
    for (const node of nodes) {
      const { domain, opType: name = "" } = node;
      const version = versions.get(domainOf(domain));
      const key = `${keyOf(domain, name)} ${version}`;
      if (!own.has(keyOf(domain, name)) && !found.has(key))
        found.set(key, { domain: domainOf(domain), name, version });
      for (const inner of graphsIn(node)) visit(inner.node ?? [], versions);
    }
  };
  visit(graph.node ?? [], opsetVersions(opsetImport));
  for (const { node = [], opsetImport: imported = [] } of functions)
    visit(node, opsetVersions([...opsetImport, ...imported]));
  return [...found.values()];
};

const keyOf = (domain: string | undefined, name: string): string => `${domainOf(domain)}:${name}`;
