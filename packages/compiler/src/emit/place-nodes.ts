import type { OperatorNode, Port, TensorType } from "@tritype/core";
import { operators, type Sides } from "@tritype/operators";
import { constantNodes } from "../graph/find-regions.ts";

/** A node in a region. A choice also contains the nodes of its two branches, of which only one needs to be computed. */
export interface PlacedNode {
  readonly node: OperatorNode;
  readonly choice?: Choice;
}
/** The nodes that are only computed for one branch, ordered so that operands come before their users. */
export interface Choice extends Sides {
  readonly whenTrue: readonly PlacedNode[];
  readonly whenFalse: readonly PlacedNode[];
}

/** The branches that contain a node, from the outermost choice inwards. */
type Place = readonly string[];

/**
 * Moves every node into the innermost branch that contains all of its users. A choice between values that are computed anyway, or that are
 * constant, stays an ordinary operator.
 */
export const placeNodes = (
  nodes: readonly OperatorNode[],
  outputs: readonly Port[],
  typeOf: (port: Port) => TensorType,
): readonly PlacedNode[] => {
  const users = new Map<string, Place>(outputs.map(({ node }) => [node, []]));
  const groups = new Map<string, OperatorNode[]>();
  const choices = new Map<string, Sides>();
  for (const node of nodes.toReversed()) {
    const place = users.get(node.id) ?? [];
    const group = groups.get(keyOf(place)) ?? [];
    groups.set(keyOf(place), group);
    group.push(node);
    const ports = Object.values(node.inputs);
    const sides = operators.get(node.operator)?.sides?.(ports.map(typeOf), node.attributes);
    if (sides !== undefined) choices.set(node.id, sides);
    ports.forEach((port, operand) => {
      const used = [...place, ...sideOf(node, sides, operand)];
      users.set(port.node, common(users.get(port.node) ?? used, used));
    });
  }
  const constants = constantNodes({ nodes, outputs: {} });
  const placed = (place: Place): readonly PlacedNode[] =>
    (groups.get(keyOf(place)) ?? []).toReversed().flatMap((node): readonly PlacedNode[] => {
      const sides = choices.get(node.id);
      if (sides === undefined) return [{ node }];
      const [whenTrue, whenFalse] = [
        placed([...place, `true ${node.id}`]),
        placed([...place, `false ${node.id}`]),
      ];
      const inside = [...whenTrue, ...whenFalse];
      return inside.every((one) => constants.has(one.node.id))
        ? [...inside, { node }]
        : [{ node, choice: { ...sides, whenTrue, whenFalse } }];
    });
  return placed([]);
};

const sideOf = (node: OperatorNode, sides: Sides | undefined, operand: number): Place => {
  const pairs = Object.values(sides?.values ?? {});
  if (pairs.some(([whenTrue]) => whenTrue === operand)) return [`true ${node.id}`];
  return pairs.some(([, whenFalse]) => whenFalse === operand) ? [`false ${node.id}`] : [];
};

const common = (a: Place, b: Place): Place => {
  const at = a.findIndex((side, i) => side !== b[i]);
  return at < 0 ? a : a.slice(0, at);
};

const keyOf = (place: Place): string => JSON.stringify(place);
