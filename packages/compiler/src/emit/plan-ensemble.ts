import { type Graph, groupBy, invariant, type Port, type StepNode } from "@tritype/core";
import { findRegions, type Region } from "../graph/find-regions.ts";
import { isCopy } from "../graph/is-copy.ts";
import { portKey } from "../graph/port-key.ts";
import type { EnsembleDefinition } from "../graph/program.ts";
import { mayLack, missingForFirst, safeFirst } from "../graph/first-step.ts";
import type { Refusals } from "../step-kind.ts";
import { type OrderedUnit, orderUnits } from "./order-units.ts";

/** A step of Triton's `ensemble_scheduling`: a model, and the ensemble tensor for each of its tensors. */
export interface PlannedCall {
  readonly model: string;
  /** -1 means the latest version. */
  readonly version: number;
  /** Model's input → ensemble tensor. */
  readonly inputs: Readonly<Record<string, string>>;
  /** Model's output → ensemble tensor; unused outputs are left out because Triton refuses them. */
  readonly outputs: Readonly<Record<string, string>>;
}

/** A region with the names of its model and tensors. */
export interface PlannedRegion {
  readonly name: string;
  readonly region: Region;
  readonly tensorName: (port: Port) => string;
}

export interface EnsemblePlan {
  /**
   * Producers come before their consumers, and steps that refuse requests come after those that start together with them. The only
   * exception is that a step that depends on every input may come first.
   */
  readonly calls: readonly PlannedCall[];
  /** The regions that become models. */
  readonly regions: readonly PlannedRegion[];
  /** All regions, including those that were fused into a step's model. */
  readonly allRegions: readonly PlannedRegion[];
  /** Whether the first step depends on every input, if Triton needs that. */
  readonly isSafe: boolean;
}

/** A call to a step whose model contains the tensor math or the steps around it. */
export interface FusedCall {
  /** The call's node. */
  readonly node: string;
  /** Names of the regions. */
  readonly regions: readonly string[];
  /** Calls to other steps whose code is part of the model. */
  readonly joined: readonly StepNode[];
  /** Model's input → the tensor that it reads. */
  readonly inputs: Readonly<Record<string, Port>>;
  /** Model's output → the tensor that it writes. */
  readonly outputs: Readonly<Record<string, Port>>;
}

/** An ensemble with its final graph and its models. */
export interface PlannedEnsemble {
  readonly definition: EnsembleDefinition;
  readonly plan: EnsemblePlan;
}

/**
 * The models for the graph, their order, and the names of the tensors between them.
 * @param refusalsOf Looked up by the name of a step or ensemble. @param fused Calls whose models contain tensor math.
 * Default: none.
 */
export const planEnsemble = (
  ensemble: string,
  graph: Graph,
  refusalsOf: (step: string) => Refusals,
  fused: readonly FusedCall[] = [],
): EnsemblePlan => {
  const regions = findRegions(graph);
  const tensorName = nameTensors(graph, regions);
  const steps = graph.nodes.filter((node): node is StepNode => node.kind === "step");
  const names = nameRegions(ensemble, graph, regions);
  const allRegions = regions.map(
    (region, index): PlannedRegion => ({ name: names[index] ?? ensemble, region, tensorName }),
  );
  const inSteps = new Set(fused.flatMap((call) => call.regions));
  const inCalls = new Set(fused.flatMap((call) => call.joined.map(({ id }) => id)));
  const planned = allRegions.filter(({ name }) => !inSteps.has(name));
  const fusedBy = new Map(fused.map((call) => [call.node, call]));
  const used = new Set([
    ...graph.nodes.flatMap((node) => Object.values(node.inputs).map(portKey)),
    ...Object.values(graph.outputs).map(portKey),
  ]);
  const stepUnits = steps.flatMap((node): readonly PlannedUnit[] => {
    if (inCalls.has(node.id)) return [];
    const call = fusedBy.get(node.id);
    const inputs = call?.inputs ?? node.inputs;
    const own = Object.keys(node.outputs)
      .map((output) => [output, { node: node.id, output }] as const)
      .filter(([, port]) => used.has(portKey(port)));
    const within = call === undefined ? [] : allRegions.filter(({ name }) => call.regions.includes(name));
    const joined = call?.joined ?? [];
    return [
      {
        reads: Object.values(inputs).map(({ node: id }) => id),
        makes: [node, ...joined, ...within.flatMap(({ region }) => region.nodes)].map(({ id }) => id),
        refusals: refusalsOf(node.step),
        call: {
          model: node.step,
          version: node.version ?? -1,
          inputs: mapValues(inputs, tensorName),
          outputs: mapValues(call?.outputs ?? Object.fromEntries(own), tensorName),
        },
      },
    ];
  });
  const order = (all: readonly PlannedRegion[]): readonly PlannedUnit[] =>
    orderUnits([...stepUnits, ...all.map(unitOfRegion)], graph);
  const ordered = order(planned);
  const widened = widenOne(planned, ordered, graph);
  const units = order(widened);
  const nothing = { reads: [], makes: [] };
  return {
    calls: safeFirst(units, graph, ({ refusals }) => refusals === "none").map(({ call }) => call),
    regions: widened,
    allRegions,
    isSafe: missingForFirst(units, graph)(nothing).length === 0,
  };
};

interface PlannedUnit extends OrderedUnit {
  readonly call: PlannedCall;
}

const unitOfRegion = ({ name, region, tensorName }: PlannedRegion): PlannedUnit => ({
  reads: region.inputs.map(({ node }) => node),
  makes: region.nodes.map(({ id }) => id),
  refusals: "none",
  call: {
    model: name,
    version: -1,
    inputs: Object.fromEntries(region.inputs.map((port) => [tensorName(port), tensorName(port)])),
    outputs: Object.fromEntries(region.outputs.map((port) => [tensorName(port), tensorName(port)])),
  },
});

/**
 * If no step can come first, the region that lacks the fewest inputs gets them as unused inputs, except optional ones. Text
 * inputs are added to a region with text.
 */
const widenOne = (
  planned: readonly PlannedRegion[],
  ordered: readonly PlannedUnit[],
  graph: Graph,
): readonly PlannedRegion[] => {
  const text = new Set(
    graph.nodes.flatMap((node) => (Object.values(node.outputs).some(isText) ? [node.id] : [])),
  );
  const missing = missingForFirst(ordered, graph);
  const isOpen = mayLack(graph);
  const [best] = planned
    .map((one) => {
      const ports = missing(unitOfRegion(one));
      const takesText = [...one.region.inputs, ...one.region.outputs].some(({ node }) => text.has(node));
      const moves = !takesText && ports.some(({ node }) => text.has(node));
      const lacks = ports.some(isOpen);
      const cost = ports.length + (moves ? graph.nodes.length : 0) + (lacks ? 2 * graph.nodes.length : 0);
      return { one, ports: ports.filter((port) => !isOpen(port)), cost };
    })
    .toSorted((a, b) => a.cost - b.cost);
  return planned.map((one) =>
    one === best?.one
      ? { ...one, region: { ...one.region, inputs: [...one.region.inputs, ...best.ports] } }
      : one,
  );
};

const isText = ({ dtype }: { readonly dtype: string }): boolean => dtype === "BYTES";

const mapValues = (
  ports: Readonly<Record<string, Port>>,
  name: (port: Port) => string,
): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(ports).map(([tensor, port]) => [tensor, name(port)]));

/**
 * Inputs and outputs keep their names. A tensor between models has its output's name, combined with the node's if two
 * names are equal.
 */
const nameTensors = (graph: Graph, regions: readonly Region[]): ((port: Port) => string) => {
  const names = new Map<string, string>();
  for (const node of graph.nodes)
    if (node.kind === "input") names.set(portKey({ node: node.id, output: node.name }), node.name);
  for (const [name, port] of Object.entries(graph.outputs)) names.set(portKey(port), name);
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  const crossing = [
    ...graph.nodes.flatMap((node) => (node.kind === "step" ? Object.values(node.inputs) : [])),
    ...regions.flatMap(({ inputs }) => inputs),
  ].filter((port) => !names.has(portKey(port)));
  const between = new Map(crossing.map((port) => [portKey(port), port]));
  const shortName = ({ node, output }: Port): string => (byId.get(node)?.kind === "operator" ? node : output);
  const counts = new Map<string, number>();
  for (const name of [...names.values(), ...[...between.values()].map(shortName)])
    counts.set(name, (counts.get(name) ?? 0) + 1);
  const taken = new Set(names.values());
  for (const [id, port] of between) {
    const short = shortName(port);
    const name = counts.get(short) === 1 ? short : unused(`${port.node}_${port.output}`, taken);
    names.set(id, name);
    taken.add(name);
  }
  return (port) => {
    const name = names.get(portKey(port));
    invariant(name !== undefined, `${port.node}.${port.output} has no name`);
    return name;
  };
};

/** The name, with underscores added if it is already taken. */
export const unused = (name: string, taken: ReadonlySet<string>): string => {
  let candidate = name;
  while (taken.has(candidate)) candidate = `${candidate}_`;
  return candidate;
};

/**
 * The name consists of the ensemble and the outputs that the region computes (`embed_embedding`), or the steps that it
 * feeds if it computes none (`embed_to_encoder`). Regions that feed the same steps use the id of their last operator
 * instead, which depends on what it computes.
 */
const nameRegions = (ensemble: string, graph: Graph, regions: readonly Region[]): readonly string[] => {
  const steps = graph.nodes.filter((node): node is StepNode => node.kind === "step");
  const taken = new Set(steps.map(({ step }) => step));
  const made = regions.map((region) => outputsMade(graph, region));
  const readers = groupBy(
    steps.flatMap(({ step, inputs }) => Object.values(inputs).map((port) => [portKey(port), step] as const)),
  );
  const fed = regions.map((region, at) => (made[at] === undefined ? stepsFed(readers, region) : undefined));
  return regions.map((region, at) => {
    const feeds = fed[at];
    const feedsAlone = feeds !== undefined && fed.indexOf(feeds) === fed.lastIndexOf(feeds);
    const suffix = made[at] ?? (feedsAlone ? feeds : (region.nodes.at(-1)?.id ?? "math"));
    const name = unused(`${ensemble}_${suffix}`.replaceAll(/[^A-Za-z0-9_.-]/g, "_"), taken);
    taken.add(name);
    return name;
  });
};

const outputsMade = (graph: Graph, region: Region): string | undefined => {
  const copies = new Map(region.nodes.map((node) => [node.id, isCopy(node)]));
  const all = Object.entries(graph.outputs).filter(([, port]) => copies.has(port.node));
  const computed = all.filter(([, port]) => copies.get(port.node) === false);
  const made = (computed.length > 0 ? computed : all).map(([output]) => output);
  if (made.length === 0) return undefined;
  return made.length <= mostNamed ? made.join("_") : "outputs";
};

const stepsFed = (readers: ReadonlyMap<string, readonly string[]>, region: Region): string | undefined => {
  const names = [...new Set(region.outputs.flatMap((port) => readers.get(portKey(port)) ?? []))].toSorted();
  if (names.length === 0) return undefined;
  return names.length <= mostNamed ? `to_${names.join("_")}` : "to_steps";
};

/** Longer lists do not give a readable name. */
const mostNamed = 2;
