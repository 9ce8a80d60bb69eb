import type { Graph, Port, StepNode } from "@tritype/core";
import { portKey } from "../graph/port-key.ts";
import type { PlannedEnsemble, PlannedRegion } from "../emit/plan-ensemble.ts";

/** The tensor math around a step call that can become part of the step's model. */
export interface Surroundings {
  readonly before: readonly PlannedRegion[];
  readonly after: readonly PlannedRegion[];
  /** Adjacent math that stays a separate model: name → a clause that says why. */
  readonly left: ReadonlyMap<string, string>;
  /** Whether a member other than these reads a tensor, or it is an output of the ensemble. */
  readonly isReadOutside: (port: Port) => boolean;
}

/**
 * Math before the call joins the model if nothing else reads its results. Math after the call joins it if nothing else reads the step's
 * outputs and the step waits for everything that the math reads, so that no member starts later than before.
 * @param free Whether a region is not yet part of another model.
 * @param leftTo Whether a step may take the math after its own calls, in which case it has priority over this step.
 */
export const findSurroundings = (
  { definition: { graph }, plan }: PlannedEnsemble,
  wiring: Wiring,
  node: StepNode,
  free: (region: PlannedRegion) => boolean,
  leftTo: (step: string) => boolean,
): Surroundings => {
  const left = new Map<string, string>();
  const regions = plan.allRegions.filter(free);
  const reads = (region: PlannedRegion, id: string): boolean =>
    region.region.inputs.some((port) => port.node === id);
  const waited = wiring.before(node.id);
  const followers = regions.filter((region) => reads(region, node.id));
  const following = new Set(followers.map(({ name }) => name));
  const others = wiring
    .readers(Object.keys(node.outputs).map((output) => ({ node: node.id, output })))
    .filter((reader) => !following.has(reader.unit ?? ""));
  const stranger = others.find(({ unit }) => unit !== undefined);
  const whyNot = (region: PlannedRegion): string | undefined => {
    if (stranger !== undefined) return `\`${stranger.shown}\` also reads what \`${node.step}\` makes`;
    const late = region.region.inputs.find(
      (port) =>
        port.node !== node.id &&
        !wiring.isInput(port) &&
        !waited.has(wiring.maker(port) ?? "") &&
        !following.has(wiring.maker(port) ?? ""),
    );
    return late === undefined
      ? textIn(region, graph)
      : `it also reads \`${region.tensorName(late)}\`, for which \`${node.step}\` does not wait`;
  };
  const refused = followers.map(whyNot).find((why) => why !== undefined);
  if (refused !== undefined) for (const { name } of followers) left.set(name, refused);
  const after = refused === undefined ? followers : [];
  const joined = new Set([node.id, ...after.map(({ name }) => name)]);
  const fed = new Set(Object.values(node.inputs).map(portKey));
  const before: PlannedRegion[] = [];
  for (const region of regions) {
    if (!region.region.outputs.some((port) => fed.has(portKey(port)))) continue;
    const taker = region.region.inputs
      .map((port) => wiring.stepOf(port))
      .find((step) => step && leftTo(step));
    if (taker !== undefined) continue;
    const reader = wiring.readers(region.region.outputs).find(({ unit }) => unit && !joined.has(unit));
    const why = reader === undefined ? textIn(region, graph) : `\`${reader.shown}\` also reads its result`;
    if (why === undefined) before.push(region);
    else left.set(region.name, why);
  }
  const inside = new Set([...joined, ...before.map(({ name }) => name)]);
  return {
    before,
    after,
    left,
    isReadOutside: (port) =>
      wiring.readers([port]).some(({ unit }) => unit === undefined || !inside.has(unit)),
  };
};

interface Reader {
  /** The id of a step's node or the name of a region; undefined for an output of the ensemble. */
  readonly unit: string | undefined;
  readonly shown: string;
}

/** The producers and consumers of the tensors between an ensemble's members. */
export interface Wiring {
  /** The id of a step's node or the name of a region; undefined for an input of the ensemble. */
  maker(port: Port): string | undefined;
  readers(ports: readonly Port[]): readonly Reader[];
  /** The members that a member waits for. */
  before(unit: string): ReadonlySet<string>;
  isInput(port: Port): boolean;
  /** The step that produces a tensor. */
  stepOf(port: Port): string | undefined;
}

export const wiringOf = ({ definition: { graph }, plan }: PlannedEnsemble): Wiring => {
  const regions = plan.allRegions;
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const regionOf = new Map(
    regions.flatMap(({ name, region }) => region.outputs.map((port) => [portKey(port), name] as const)),
  );
  const maker = (port: Port): string | undefined =>
    nodes.get(port.node)?.kind === "step" ? port.node : regionOf.get(portKey(port));
  const readsOf = new Map<string, readonly Port[]>([
    ...graph.nodes.flatMap((node) =>
      node.kind === "step" ? [[node.id, Object.values(node.inputs)] as const] : [],
    ),
    ...regions.map((region) => [region.name, region.region.inputs] as const),
  ]);
  const shown = (unit: string): string => {
    const node = nodes.get(unit);
    return node?.kind === "step" ? node.step : unit;
  };
  const readers = (ports: readonly Port[]): readonly Reader[] => {
    const wanted = new Set(ports.map(portKey));
    const isWanted = (port: Port): boolean => wanted.has(portKey(port));
    return [
      ...[...readsOf].flatMap(([unit, read]) => (read.some(isWanted) ? [{ unit, shown: shown(unit) }] : [])),
      ...Object.entries(graph.outputs).flatMap(([output, port]) =>
        isWanted(port) ? [{ unit: undefined, shown: output }] : [],
      ),
    ];
  };
  const before = (unit: string): ReadonlySet<string> => {
    const found = new Set<string>();
    const queue = [unit];
    for (let at = queue.pop(); at !== undefined; at = queue.pop())
      for (const port of readsOf.get(at) ?? []) {
        const made = maker(port);
        if (made === undefined || found.has(made)) continue;
        found.add(made);
        queue.push(made);
      }
    return found;
  };
  return {
    maker,
    readers,
    before,
    isInput: (port: Port): boolean => nodes.get(port.node)?.kind === "input",
    stepOf(port: Port): string | undefined {
      const node = nodes.get(port.node);
      return node?.kind === "step" ? node.step : undefined;
    },
  };
};

const textIn = ({ region }: PlannedRegion, graph: Graph): string | undefined => {
  const types = new Map(graph.nodes.map((node) => [node.id, node.outputs]));
  return [...region.inputs, ...region.outputs].some(
    (port) => types.get(port.node)?.[port.output]?.dtype === "BYTES",
  )
    ? "it processes text, which ONNX Runtime only does on CPUs"
    : undefined;
};
