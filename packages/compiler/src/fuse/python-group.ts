import { type Port, type StepNode } from "@tritype/core";
import type { PlannedEnsemble, PlannedRegion } from "../emit/plan-ensemble.ts";
import { isCopy } from "../graph/is-copy.ts";
import { portKey } from "../graph/port-key.ts";
import type { Wiring } from "./find-surroundings.ts";

/** The calls around a call whose Python can run in one model with it. */
export interface PythonGroup {
  /** In the order in which they run. */
  readonly nodes: readonly StepNode[];
  /** Adjacent steps that stay separate models: name → a clause that says why. */
  readonly left: ReadonlyMap<string, string>;
  /** Copies of tensors for the ensemble's outputs, which the model itself can produce: tensor → its copy. */
  readonly copies: ReadonlyMap<string, Port>;
  /** Names of the regions that only contain such copies. */
  readonly copyRegions: readonly string[];
  readonly isReadOutside: (port: Port) => boolean;
}

/**
 * Adds one adjacent call after the other, as long as all calls of the group wait for the same members outside of it, and members that
 * read a tensor of the group wait for all of its calls anyway. Therefore, no member starts later than before.
 * @param mayJoin Why a call may not be part of the group; undefined if it may, false if its model does not run Python.
 */
export const growGroup = (
  { definition: { graph }, plan }: PlannedEnsemble,
  wiring: Wiring,
  host: StepNode,
  mayJoin: (node: StepNode) => string | false | undefined,
): PythonGroup => {
  const steps = graph.nodes.filter((node): node is StepNode => node.kind === "step");
  const copying = new Map(
    plan.allRegions.filter((region) => onlyCopies(region, wiring)).map((region) => [region.name, region]),
  );
  let nodes: readonly StepNode[] = [host];
  for (;;) {
    const left = new Map<string, string>();
    const isMember = new Set(nodes.map(({ id }) => id));
    const grown = steps.find((node) => {
      if (isMember.has(node.id) || !nodes.some((one) => touch(one, node))) return false;
      const asked = mayJoin(node);
      if (asked === false) return false;
      const why = asked ?? whyApart([...nodes, node], wiring, (unit) => copying.has(unit));
      if (why !== undefined) left.set(node.step, why);
      return why === undefined;
    });
    if (grown === undefined) return { nodes, left, ...copiesOf(nodes, wiring, copying) };
    nodes = steps.filter((node) => isMember.has(node.id) || node === grown);
  }
};

/** Whether one of two calls reads an output of the other. */
export const touch = (a: StepNode, b: StepNode): boolean => reads(a, b) || reads(b, a);

const reads = (reader: StepNode, maker: StepNode): boolean =>
  Object.values(reader.inputs).some(({ node }) => node === maker.id);

const outputsOf = (node: StepNode): readonly Port[] =>
  Object.keys(node.outputs).map((output) => ({ node: node.id, output }));

const whyApart = (
  nodes: readonly StepNode[],
  wiring: Wiring,
  isCopyRegion: (unit: string) => boolean,
): string | undefined => {
  const inside = new Set(nodes.map(({ id }) => id));
  const waits = nodes.map((node) => ({
    node,
    units: new Set([...wiring.before(node.id)].filter((unit) => !inside.has(unit))),
  }));
  const all = new Set(waits.flatMap(({ units }) => [...units]));
  for (const { node, units } of waits)
    for (const unit of all)
      if (!units.has(unit))
        return `it would wait for \`${wiring.shown(unit)}\`, for which \`${node.step}\` does not wait`;
  for (const node of nodes)
    for (const { unit, shown } of wiring.readers(outputsOf(node))) {
      if (unit === undefined || inside.has(unit) || isCopyRegion(unit)) continue;
      const before = wiring.before(unit);
      const later = nodes.find(({ id }) => !before.has(id));
      if (later !== undefined)
        return `\`${shown}\` reads a result of \`${node.step}\`, and does not wait for \`${later.step}\``;
    }
  return undefined;
};

/** Whether tensor math only copies tensors for the ensemble's outputs. */
const onlyCopies = ({ region }: PlannedRegion, wiring: Wiring): boolean =>
  region.nodes.every(isCopy) && wiring.readers(region.outputs).every(({ unit }) => unit === undefined);

const copiesOf = (
  nodes: readonly StepNode[],
  wiring: Wiring,
  copying: ReadonlyMap<string, PlannedRegion>,
): Pick<PythonGroup, "copies" | "copyRegions" | "isReadOutside"> => {
  const inside = new Set(nodes.map(({ id }) => id));
  const outside = (port: Port) =>
    wiring.readers([port]).filter(({ unit }) => unit === undefined || !inside.has(unit));
  const regions = [...copying.values()].filter(({ name, region }) => {
    const ports = region.nodes.flatMap((node) => Object.values(node.inputs));
    return (
      new Set(ports.map(portKey)).size === ports.length &&
      ports.every((port) => inside.has(port.node) && outside(port).every(({ unit }) => unit === name))
    );
  });
  return {
    copies: new Map(
      regions.flatMap(({ region }) =>
        region.nodes.flatMap(({ id, inputs }) =>
          Object.values(inputs).map((port) => [portKey(port), { node: id, output: "out" }] as const),
        ),
      ),
    ),
    copyRegions: regions.map(({ name }) => name),
    isReadOutside: (port) => outside(port).length > 0,
  };
};
