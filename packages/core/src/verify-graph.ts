import { dtypes } from "./dtype.ts";
import type { Graph } from "./graph.ts";
import { invariant } from "./error.ts";

/**
 * Checks the rules that every pass may rely on: ids are unique, every port exists and comes before its user, outputs
 * exist, and types are well formed. Run between passes in tests and under `TRITYPE_VERIFY=1`.
 * @throws InternalError that names the pass and the node.
 */
export const verifyGraph = (graph: Graph, pass: string): void => {
  const made = new Map<string, ReadonlySet<string>>();
  const known = (node: string, output: string): boolean => made.get(node)?.has(output) === true;
  for (const node of graph.nodes) {
    invariant(!made.has(node.id), `after ${pass}: two nodes are called ${node.id}`);
    for (const [name, port] of Object.entries(node.inputs))
      invariant(
        known(port.node, port.output),
        `after ${pass}: ${node.id}.${name} reads ${port.node}.${port.output}, which does not come before it`,
      );
    for (const [name, type] of Object.entries(node.outputs)) {
      invariant(
        Object.hasOwn(dtypes, type.dtype),
        `after ${pass}: ${node.id}.${name} has dtype ${type.dtype}`,
      );
      for (const dim of type.dims)
        invariant(
          typeof dim === "string" || (Number.isInteger(dim) && dim >= -1),
          `after ${pass}: ${node.id}.${name} has dim ${dim}`,
        );
    }
    made.set(node.id, new Set(Object.keys(node.outputs)));
  }
  for (const [name, port] of Object.entries(graph.outputs))
    invariant(
      known(port.node, port.output),
      `after ${pass}: output ${name} reads ${port.node}.${port.output}, which does not exist`,
    );
};
