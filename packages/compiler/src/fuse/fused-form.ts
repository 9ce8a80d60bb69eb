import {
  type Port,
  remembered,
  type Signature,
  type StepDefinition,
  type StepNode,
  type TensorType,
} from "@tritype/core";
import {
  defaultOpset,
  type GraphProto,
  type ModelProto,
  namesIn,
  type OnnxSignature,
  opsetsOf,
  renameGraph,
  type Splice,
  valueInfo,
} from "@tritype/onnx";
import { lowerRegion, readable } from "../emit/lower-region.ts";
import { type FusedCall, type PlannedEnsemble, type PlannedRegion, unused } from "../emit/plan-ensemble.ts";
import { unique } from "../graph/find-regions.ts";
import { isCopy } from "../graph/is-copy.ts";
import { portKey } from "../graph/port-key.ts";
import type { Surroundings } from "./find-surroundings.ts";
import type { MathTaker } from "./math-taker.ts";

/** A step's model with the tensor math around one of its calls. */
export interface FusedForm {
  readonly splice: Splice;
  readonly inputs: Signature;
  readonly outputs: Signature;
  readonly call: FusedCall;
}

/** The form of a step's model with the math around a call, or a clause that says why the math cannot be added. */
export const fusedForm = (
  { definition: { graph, name: ensemble } }: PlannedEnsemble,
  node: StepNode,
  step: StepDefinition,
  { before, after, isReadOutside }: Surroundings,
  { outline: outlineOf, signature: { opsets, irVersion } }: MathTaker,
): FusedForm | string => {
  const outline = outlineOf();
  const types = typesIn(graph.nodes);
  const typeOf = ({ node: id, output }: Port): TensorType => readable(types.get(id)?.[output] ?? noType);
  const taken = new Set(namesIn(outline));
  const free = (name: string, otherwise: string): string => {
    const found = unused(taken.has(name) ? otherwise : name, taken);
    taken.add(found);
    return found;
  };
  const prefixes = { before: freePrefix("before", taken), after: freePrefix("after", taken) };
  const values = new Map<string, string>();
  const isMade = madeBy([...before, ...after]);
  const inputs = new Map<string, TensorType>();
  const [callInputs, callOutputs] = [new Map<string, Port>(), new Map<string, Port>()];
  const copies: [from: string, to: string][] = [];
  const dropped = new Set<string>();
  for (const [input, port] of Object.entries(node.inputs)) {
    const known = values.get(portKey(port));
    if (isMade(port)) {
      dropped.add(input);
      if (known !== undefined) copies.push([known, input]);
    } else callInputs.set(input, port);
    if (known === undefined) values.set(portKey(port), input);
  }
  for (const output of Object.keys(node.outputs)) {
    const port = { node: node.id, output };
    values.set(portKey(port), output);
    if (isReadOutside(port)) callOutputs.set(output, port);
  }
  // If only a copy of a step's output is needed, the step's own output takes its place.
  const copied = copiesOf(node, after);
  for (const [port, output] of copied)
    if (!callOutputs.has(output) && isReadOutside(port)) callOutputs.set(output, port);
  const kept = new Set(callOutputs.keys());
  const isKept = new Set([...callOutputs.values()].map(portKey));
  const remaining = after.map((one) => ({ ...one, region: without(one.region, isKept) }));
  const named = (region: PlannedRegion, port: Port): string => {
    const name = region.tensorName(port);
    return free(name, `${ensemble}_${name}`);
  };
  const outputs = new Map<string, TensorType>();
  for (const [side, regions] of [["before", before] as const, ["after", remaining] as const])
    for (const region of regions)
      for (const port of region.region.outputs) {
        if (values.has(portKey(port))) continue;
        if (!isReadOutside(port)) {
          values.set(portKey(port), free(`${prefixes[side]}${port.node}`, `${prefixes[side]}${port.node}_`));
          continue;
        }
        const name = named(region, port);
        values.set(portKey(port), name);
        outputs.set(name, typeOf(port));
        callOutputs.set(name, port);
      }
  for (const region of [...before, ...remaining])
    for (const port of region.region.inputs) {
      if (values.has(portKey(port))) continue;
      const name = named(region, port);
      values.set(portKey(port), name);
      inputs.set(name, typeOf(port));
      callInputs.set(name, port);
    }
  const opset = opsets[""] ?? defaultOpset;
  const lowered = (all: readonly PlannedRegion[], prefix: string): ModelProto => {
    const regions = all.filter(({ region }) => region.nodes.length > 0);
    if (regions.length === 0) return {};
    const region = joined(regions, graph.nodes);
    const tensorName = (port: Port): string => values.get(portKey(port)) ?? "";
    const math = lowerRegion({ name: prefix, region, tensorName }, types, opset);
    const ports = new Set([...Object.keys(math.inputs), ...Object.keys(math.outputs)]);
    const { graph: made = {}, ...model } = math.model;
    return {
      ...model,
      graph: renameGraph(made, (name) => (ports.has(name) ? name : `${prefix}${name}`)),
    };
  };
  const [first, last] = [lowered(before, prefixes.before), lowered(remaining, prefixes.after)];
  const identities = copies.map(([from, to]) => ({
    name: `${prefixes.before}identity_${to}`,
    opType: "Identity",
    input: [from],
    output: [to],
  }));
  const head = { ...first.graph, node: [...(first.graph?.node ?? []), ...identities] };
  const tail = last.graph ?? {};
  const imported = [first, last].flatMap(({ opsetImport = [] }) => opsetImport);
  const needed = new Map([
    ["", opset],
    ...imported.map(({ domain = "", version = 0 }) => [domain, Number(version)] as const),
  ]);
  const why = misfit(opsets, needed, [head, tail]) ?? misfitFile(irVersion, outline);
  if (why !== undefined) return why;
  const left = Object.entries(step.inputs).filter(([input]) => !dropped.has(input));
  return {
    splice: {
      before: head,
      after: tail,
      droppedInputs: dropped,
      inputs: [...inputs].map(unnamed),
      keptOutputs: kept,
      outputs: [...outputs].map(unnamed),
      opsets: [...needed].flatMap(([domain, version]) =>
        opsets[domain] === undefined ? [{ domain, version }] : [],
      ),
    },
    inputs: { ...Object.fromEntries(left), ...Object.fromEntries(inputs) },
    outputs: {
      ...Object.fromEntries(Object.entries(step.outputs).filter(([output]) => kept.has(output))),
      ...Object.fromEntries(outputs),
    },
    call: {
      node: node.id,
      regions: [...before, ...after].map(({ name }) => name),
      joined: [],
      inputs: Object.fromEntries(callInputs),
      outputs: Object.fromEntries(callOutputs),
    },
  };
};

type Nodes = PlannedEnsemble["definition"]["graph"]["nodes"];
const typesIn = remembered((nodes: Nodes) => new Map(nodes.map(({ id, outputs }) => [id, outputs] as const)));
const placesIn = remembered((nodes: Nodes) => new Map(nodes.map(({ id }, place) => [id, place] as const)));

/** Copies of the step's outputs that separate the ensemble's outputs from tensors that members read. */
const copiesOf = (
  { id }: StepNode,
  after: readonly PlannedRegion[],
): readonly (readonly [Port, output: string])[] =>
  after.flatMap(({ region }) =>
    region.nodes.filter(isCopy).flatMap(({ id: copy, inputs }) => {
      const [read] = Object.values(inputs);
      return read?.node === id ? [[{ node: copy, output: "out" }, read.output] as const] : [];
    }),
  );

/** A region without some of its outputs, each of which is produced by a single node. */
const without = (
  { nodes, inputs, outputs }: PlannedRegion["region"],
  made: ReadonlySet<string>,
): PlannedRegion["region"] => {
  const left = outputs.filter((port) => !made.has(portKey(port)));
  const ends = new Set(outputs.filter((port) => made.has(portKey(port))).map(({ node }) => node));
  const rest = nodes.filter(({ id }) => !ends.has(id));
  const read = new Set(rest.flatMap((one) => Object.values(one.inputs).map(portKey)));
  return { nodes: rest, inputs: inputs.filter((port) => read.has(portKey(port))), outputs: left };
};

const noType: TensorType = { dtype: "FP32", dims: [] };

/** Our dim names may also occur in the file, and ONNX Runtime would assume that their sizes are equal. */
const unnamed = ([name, { dtype, dims }]: readonly [string, TensorType]) =>
  valueInfo({ name, type: { dtype, dims: dims.map((dim) => (typeof dim === "number" ? dim : -1)) } });

const madeBy = (regions: readonly PlannedRegion[]): ((port: Port) => boolean) => {
  const made = new Set(regions.flatMap(({ region }) => region.outputs.map(portKey)));
  return (port) => made.has(portKey(port));
};

/** Several regions combined into one; constants that they share are computed once. */
const joined = (regions: readonly PlannedRegion[], order: Nodes): PlannedRegion["region"] => {
  const nodes = new Map(regions.flatMap(({ region }) => region.nodes.map((one) => [one.id, one] as const)));
  const places = placesIn(order);
  const placeOf = (id: string): number => places.get(id) ?? 0;
  const isMade = madeBy(regions);
  return {
    nodes: [...nodes.values()].toSorted((a, b) => placeOf(a.id) - placeOf(b.id)),
    inputs: unique(regions.flatMap(({ region }) => region.inputs.filter((port) => !isMade(port)))),
    outputs: unique(regions.flatMap(({ region }) => region.outputs)),
  };
};

/** A prefix such as `after/` that no name in the file begins with. */
const freePrefix = (side: string, names: ReadonlySet<string>): string => {
  let prefix = `${side}/`;
  while ([...names].some((name) => name.startsWith(prefix))) prefix = `${prefix.slice(0, -1)}_/`;
  return prefix;
};

/** The reason why nodes for one version of ONNX's operators cannot be added to a file because of its operator sets. */
const misfit = (
  opsets: OnnxSignature["opsets"],
  needed: ReadonlyMap<string, number>,
  added: readonly GraphProto[],
): string | undefined => {
  const opset = needed.get("") ?? defaultOpset;
  for (const { lowest, highest } of added.map(opsetsOf))
    if (opset < lowest || opset > highest)
      return `its operators need opset ${opset < lowest ? `${lowest} or later` : `${highest} or earlier`}, the model's file has ${opset}`;
  const other = [...needed].find(([domain, version]) => (opsets[domain] ?? version) !== version);
  return other && `its operators need ${other.join(" ")}, the model's file has ${opsets[other[0]]}`;
};

/** The reason why nodes cannot be added to a file. */
const misfitFile = (irVersion: number, { functions = [] }: ModelProto): string | undefined => {
  if (irVersion < 4) return "the model's file is older than ONNX 1.4 (IR version 4)";
  return functions.some(({ domain = "" }) => domain === "" || domain === "ai.onnx")
    ? "the model's file replaces ONNX operators with its own"
    : undefined;
};
