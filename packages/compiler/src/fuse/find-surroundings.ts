import { groupBy, type Port, type StepNode } from "@tritype/core";
import { portKey } from "../graph/port-key.ts";
import type { PlannedEnsemble, PlannedRegion } from "../emit/plan-ensemble.ts";

/** The tensor math around a step call that can become part of the step's model. */
export interface Surroundings {
  readonly before: readonly PlannedRegion[];
  readonly after: readonly PlannedRegion[];
  /** Adjacent math that stays a separate model: name → a clause that says why. */
  readonly left: ReadonlyMap<string, string>;
  /** Whether another member reads the tensor, or the tensor is an output of the ensemble. */
  readonly isReadOutside: (port: Port) => boolean;
}

/**
 * Math before the call joins the model if nothing else reads its results. Math after the call joins the model if
 * nothing else reads the step's outputs and the step waits for everything that the math reads, so that no member starts
 * later than before.
 * @param free Whether a region is not yet part of another model.
 * @param leftTo Whether a step may take the math after its own calls, in which case it has priority over this step.
 */
export const findSurroundings = (
  wiring: Wiring,
  node: StepNode,
  free: (region: PlannedRegion) => boolean,
  leftTo: (step: string) => boolean,
): Surroundings => {
  const left = new Map<string, string>();
  const followers = wiring.regionsAfter(node).filter(free);
  let known: ReadonlySet<string> | undefined;
  const isWaitedFor = (unit: string): boolean => (known ??= wiring.before(node.id)).has(unit);
  const following = new Set(followers.map(({ name }) => name));
  const others = wiring
    .readers(Object.keys(node.outputs).map((output) => ({ node: node.id, output })))
    .filter((reader) => !following.has(reader.unit ?? ""));
  const stranger = others.find(({ unit }) => unit !== undefined);
  const whyNot = (region: PlannedRegion): string | undefined => {
    if (stranger !== undefined) return `\`${stranger.shown}\` also reads a result of \`${node.step}\``;
    const late = region.region.inputs.find(
      (port) =>
        port.node !== node.id &&
        !wiring.isInput(port) &&
        !following.has(wiring.maker(port) ?? "") &&
        !isWaitedFor(wiring.maker(port) ?? ""),
    );
    return late === undefined
      ? wiring.textIn(region)
      : `it also reads \`${region.tensorName(late)}\`, for which \`${node.step}\` does not wait`;
  };
  const refused = followers.map(whyNot).find((why) => why !== undefined);
  if (refused !== undefined) for (const { name } of followers) left.set(name, refused);
  const after = refused === undefined ? followers : [];
  const joined = new Set([node.id, ...after.map(({ name }) => name)]);
  const before: PlannedRegion[] = [];
  for (const region of wiring.regionsBefore(node).filter(free)) {
    const taker = region.region.inputs
      .map((port) => wiring.stepOf(port))
      .find((step) => step && leftTo(step));
    if (taker !== undefined) continue;
    const reader = wiring.readers(region.region.outputs).find(({ unit }) => unit && !joined.has(unit));
    const why = reader === undefined ? wiring.textIn(region) : `\`${reader.shown}\` also reads its result`;
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
  /** The math that produces a step's inputs; in the plan's order. */
  regionsBefore(node: StepNode): readonly PlannedRegion[];
  /** The math that reads a step's outputs; in the plan's order. */
  regionsAfter(node: StepNode): readonly PlannedRegion[];
  /** The reason why text in a region's math makes the region a separate model; undefined without text. */
  textIn(region: PlannedRegion): string | undefined;
  /** The members that a member waits for. */
  before(unit: string): ReadonlySet<string>;
  isInput(port: Port): boolean;
  /** The name of a member. */
  shown(unit: string): string;
  /** The step that produces a tensor. */
  stepOf(port: Port): string | undefined;
}

export const wiringOf = ({ definition: { graph }, plan }: PlannedEnsemble): Wiring => {
  const regions = plan.allRegions;
  const nodes = new Map(graph.nodes.map((node) => [node.id, node]));
  const makers = new Map(
    regions.flatMap((region) => region.region.outputs.map((port) => [portKey(port), region] as const)),
  );
  const maker = (port: Port): string | undefined =>
    nodes.get(port.node)?.kind === "step" ? port.node : makers.get(portKey(port))?.name;
  const places = new Map(regions.map((region, at) => [region, at]));
  const inOrder = (some: readonly PlannedRegion[]): readonly PlannedRegion[] =>
    [...new Set(some)].toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
  const followers = groupBy(
    regions.flatMap((region) => region.region.inputs.map((port) => [port.node, region] as const)),
  );
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
  const all: readonly (readonly [Reader, readonly Port[]])[] = [
    ...[...readsOf].map(([unit, read]) => [{ unit, shown: shown(unit) }, read] as const),
    ...Object.entries(graph.outputs).map(
      ([output, port]) => [{ unit: undefined, shown: output }, [port]] as const,
    ),
  ];
  const readersOf = groupBy(all.flatMap(([, read], at) => read.map((port) => [portKey(port), at] as const)));
  const readers = (ports: readonly Port[]): readonly Reader[] =>
    [...new Set(ports.flatMap((port) => readersOf.get(portKey(port)) ?? []))]
      .toSorted((a, b) => a - b)
      .flatMap((at) => all[at]?.[0] ?? []);
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
    shown,
    regionsBefore: (node) =>
      inOrder(Object.values(node.inputs).flatMap((port) => makers.get(portKey(port)) ?? [])),
    regionsAfter: (node) => inOrder(followers.get(node.id) ?? []),
    textIn: ({ region }) =>
      [...region.inputs, ...region.outputs].some(
        (port) => nodes.get(port.node)?.outputs[port.output]?.dtype === "BYTES",
      )
        ? "it processes text, which ONNX Runtime only does on CPUs"
        : undefined,
    isInput: (port: Port): boolean => nodes.get(port.node)?.kind === "input",
    stepOf(port: Port): string | undefined {
      const node = nodes.get(port.node);
      return node?.kind === "step" ? node.step : undefined;
    },
  };
};
