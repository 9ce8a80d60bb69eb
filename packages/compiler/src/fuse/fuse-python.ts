import { groupBy, type Port, type Signature, type StepDefinition, type StepNode } from "@tritype/core";
import { unused } from "../emit/plan-ensemble.ts";
import { portKey } from "../graph/port-key.ts";
import type { ProgramStep, StepKind } from "../step-kind.ts";
import { chainModel, type ChainWiring } from "./chain-model.ts";
import { type Call, callsTo, type Candidate, type FuseOptions, isAsked } from "./candidate.ts";
import type { Wiring } from "./find-surroundings.ts";
import { growGroup, type PythonGroup } from "./python-group.ts";

/** The steps whose models can contain the Python of adjacent steps. */
export const findChains = (
  options: FuseOptions,
  wirings: ReadonlyMap<string, Wiring>,
  notFused: Map<string, string>,
  whyNotStep: (step: StepDefinition, calls: readonly Call[]) => string | undefined,
): readonly Candidate[] => {
  const hosts = hostsIn(options);
  const taken = new Set<string>();
  const tried = new Set<string>();
  const leave = (step: string, why: string): void => {
    if (!tried.has(step) && !notFused.has(step)) notFused.set(step, why);
  };
  return hosts.flatMap((host): readonly Candidate[] => {
    if (taken.has(host.step.name)) return [];
    const groups = groupsOf(host.step.name, options, wirings, (node) => {
      if (taken.has(node.step)) return `\`${node.step}\` is already part of another model`;
      return whyNotJoined(node.step, host.step, options, whyNotStep);
    });
    tried.add(host.step.name);
    for (const { group } of groups) for (const [step, why] of group.left) leave(step, why);
    const found = chain(host, groups, options, whyNotStep);
    const joined = new Set(groups.flatMap(({ group }) => group.nodes.map(({ step }) => step)));
    joined.delete(host.step.name);
    if (typeof found === "string") for (const step of joined) leave(step, found);
    if (found === undefined || typeof found === "string") return [];
    for (const step of [host.step.name, ...joined]) {
      taken.add(step);
      notFused.delete(step);
    }
    return [found];
  });
};

/**
 * The steps that may take the Python of others into their models: those with `fuse: true` first, then tokenizers and detokenizers, then
 * functions, the last one first.
 */
const hostsIn = ({ steps }: FuseOptions): readonly ProgramStep[] => {
  const rank = (step: StepDefinition): number => (isAsked(step) ? 0 : step.kind === "function" ? 2 : 1);
  return [...steps.values()]
    .filter(({ step, read: { sharesPython } }) =>
      sharesPython === true ? step.options["fuse"] !== false : sharesPython !== undefined && isAsked(step),
    )
    .toReversed()
    .toSorted((a, b) => rank(a.step) - rank(b.step));
};

/** A call to the step whose model takes others, and the calls around it. */
interface GroupOfCall {
  readonly call: Call;
  readonly group: PythonGroup;
}

const groupsOf = (
  host: string,
  { plans }: FuseOptions,
  wirings: ReadonlyMap<string, Wiring>,
  mayJoin: (node: StepNode) => string | false | undefined,
): readonly GroupOfCall[] =>
  callsTo(host, plans).flatMap((call) => {
    const wiring = wirings.get(call.planned.definition.name);
    return wiring === undefined ? [] : [{ call, group: growGroup(call.planned, wiring, call.node, mayJoin) }];
  });

/** The reason why a step cannot be part of another step's model; false if its model does not run Python. */
const whyNotJoined = (
  name: string,
  host: StepDefinition,
  { steps, kinds, plans }: FuseOptions,
  whyNotStep: (step: StepDefinition, calls: readonly Call[]) => string | undefined,
): string | false | undefined => {
  const found = steps.get(name);
  if (found?.read.sharesPython === undefined) return false;
  const { step, read } = found;
  const shown = `\`${name}\``;
  if (typeof read.sharesPython === "string") return read.sharesPython;
  if (step.options["fuse"] === false) return `${shown} has \`fuse: false\``;
  if (isAsked(step) && !isAsked(host)) return `${shown} has \`fuse: true\` itself`;
  const own = settingOf(step, kinds.get(step.kind));
  if (own !== undefined) return `${shown} has its own \`${own}\``;
  return whyNotStep(step, callsTo(name, plans));
};

/** An option for the step's own model, which would have no effect in another model. */
const settingOf = (step: StepDefinition, kind: StepKind | undefined): string | undefined => {
  const { options = [] } = kind ?? {};
  const known = new Set(Array.isArray(options) ? options : Object.keys(options));
  return Object.entries(step.options).find(([name, value]) => value !== undefined && !known.has(name))?.[0];
};

/** A step whose model contains the steps around its calls, or why it cannot; undefined if there are no such steps. */
const chain = (
  host: ProgramStep,
  groups: readonly GroupOfCall[],
  options: FuseOptions,
  whyNotStep: (step: StepDefinition, calls: readonly Call[]) => string | undefined,
): Candidate | string | undefined => {
  const { name } = host.step;
  if (groups.every(({ group }) => group.nodes.length === 1)) return undefined;
  if (typeof host.read.sharesPython === "string") return host.read.sharesPython;
  const why = whyNotStep(
    host.step,
    groups.map(({ call }) => call),
  );
  if (why !== undefined) return why;
  const forms = groups.map(({ call, group }) => formOf(call.node, group, options));
  const [form] = forms;
  if (form === undefined) return undefined;
  const others = [...new Set(form.wiring.steps.map((one) => one.name))].filter((one) => one !== name);
  if (form.wiring.steps.length !== others.length + 1) return "the same step is called twice around a call";
  const shape = JSON.stringify(form.wiring);
  if (forms.some(({ wiring }) => JSON.stringify(wiring) !== shape))
    return `not all calls to \`${name}\` have the same steps around them`;
  const inGroups = new Set(groups.flatMap(({ group }) => group.nodes));
  const elsewhere = others
    .flatMap((other) => callsTo(other, options.plans))
    .find(({ node }) => !inGroups.has(node));
  if (elsewhere !== undefined)
    return `\`${elsewhere.planned.definition.name}\` calls \`${elsewhere.node.step}\` elsewhere too`;
  const members = form.wiring.steps.flatMap(({ name: member }) => options.steps.get(member) ?? []);
  const { batched } = options.contextOf(host.step);
  return {
    step: { ...host.step, inputs: form.inputs, outputs: form.outputs },
    read: {
      ...host.read,
      model: (given) => chainModel(name, members, form.wiring, batched, given),
    },
    calls: groupBy(
      groups.flatMap(({ call }, at) => {
        const fused = forms[at]?.call;
        return fused === undefined ? [] : [[call.planned.definition.name, fused] as const];
      }),
    ),
  };
};

const formOf = (host: StepNode, group: PythonGroup, { steps }: FuseOptions) => {
  const { nodes, copies, copyRegions, isReadOutside } = group;
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const ordered = [host, ...nodes.filter((node) => node !== host)];
  const [sources, inputs, callInputs] = [
    new Map<string, string>(),
    new Map<string, Signature[string]>(),
    new Map<string, Port>(),
  ];
  for (const node of ordered)
    for (const [input, port] of Object.entries(node.inputs)) {
      const key = portKey(port);
      const maker = byId.get(port.node);
      if (maker !== undefined) sources.set(key, `${maker.step}/${port.output}`);
      if (sources.has(key)) continue;
      const own = unused(inputs.has(input) ? `${node.step}_${input}` : input, new Set(inputs.keys()));
      const type = steps.get(node.step)?.step.inputs[input];
      if (type === undefined) continue;
      sources.set(key, own);
      inputs.set(own, type);
      callInputs.set(own, port);
    }
  const [outputs, callOutputs, made] = [
    new Map<string, Signature[string]>(),
    new Map<string, Port>(),
    new Map<string, string>(),
  ];
  for (const node of ordered)
    for (const [output, type] of Object.entries(steps.get(node.step)?.step.outputs ?? {})) {
      const port = { node: node.id, output };
      if (!isReadOutside(port)) continue;
      const own = unused(outputs.has(output) ? `${node.step}_${output}` : output, new Set(outputs.keys()));
      outputs.set(own, type);
      callOutputs.set(own, copies.get(portKey(port)) ?? port);
      made.set(own, `${node.step}/${output}`);
    }
  const wiring: ChainWiring = {
    steps: nodes.map((node) => ({
      name: node.step,
      inputs: Object.fromEntries(
        Object.entries(node.inputs).map(([input, port]) => [input, sources.get(portKey(port)) ?? ""]),
      ),
    })),
    outputs: Object.fromEntries(made),
  };
  return {
    wiring,
    inputs: Object.fromEntries(inputs),
    outputs: Object.fromEntries(outputs),
    call: {
      node: host.id,
      regions: copyRegions,
      joined: nodes.filter((node) => node !== host),
      inputs: Object.fromEntries(callInputs),
      outputs: Object.fromEntries(callOutputs),
    },
  };
};
