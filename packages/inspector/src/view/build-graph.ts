import { showType, ownValue } from "@tritype/core";
import type { ModelView, StepView, TensorView } from "../api.ts";

export interface ViewNode {
  readonly id: string;
  readonly role: "input" | "output" | "model";
  readonly title: string;
  readonly model?: ModelView;
  /** The version that a step requests. */
  readonly version?: number;
  /** The number of a step, from 1, if others have the same model. */
  readonly number?: number;
  /** The opened ensemble that it is part of. */
  readonly group?: string;
}

export interface ViewEdge {
  readonly from: string;
  readonly to: string;
  /** A tensor, or a call by code. */
  readonly kind: "tensor" | "call";
  readonly lines: readonly string[];
}

/** An ensemble that is shown with its steps. */
export interface ViewGroup {
  readonly id: string;
  readonly title: string;
  readonly parent?: string;
}

export interface ViewGraph {
  readonly nodes: readonly ViewNode[];
  readonly edges: readonly ViewEdge[];
  readonly groups: readonly ViewGroup[];
}

/** The output of a node. */
interface Source {
  readonly node: string;
  readonly name: string;
  readonly type: TensorView | undefined;
}
type Lookup = (tensor: string) => Source | undefined;

/** Largest number of steps of nested ensembles that are shown. */
const mostNodes = 2000;

/**
 * The graph of a model: its inputs, its steps and the models that their code calls, its outputs.
 * @param opened Ids of nested ensembles that are shown with their steps.
 */
export const buildGraph = (
  root: ModelView,
  models: ReadonlyMap<string, ModelView>,
  opened: ReadonlySet<string>,
): ViewGraph => {
  const nodes: ViewNode[] = [];
  const groups: ViewGroup[] = [];
  const edges = new Map<string, ViewEdge & { readonly lines: string[] }>();

  const link = (from: Source, to: string, input: TensorView | undefined, name: string): void => {
    const type = moreNames(from.type, input);
    const label = from.name === name ? name : `${from.name} → ${name}`;
    connect(from.node, to, "tensor", `${label} ${type === undefined ? "" : showType(type)}`.trim());
  };
  const connect = (from: string, to: string, kind: ViewEdge["kind"], line: string): void => {
    const key = `${from}\n${to}\n${kind}`;
    const edge = edges.get(key) ?? { from, to, kind, lines: [] };
    if (!edge.lines.includes(line)) edge.lines.push(line);
    edges.set(key, edge);
  };

  const addModel = (id: string, name: string, group: string | undefined, version?: number): void => {
    const model = models.get(name);
    nodes.push({
      id,
      role: "model",
      title: name,
      ...(model === undefined ? {} : { model }),
      ...(version === undefined ? {} : { version }),
      ...(group === undefined ? {} : { group }),
    });
    for (const callee of model?.calls ?? []) {
      const calleeId = `${id}/calls ${callee}`;
      // A cycle of calls is shown once.
      if (id.split("/").includes(`calls ${callee}`) || nodes.length >= mostNodes) continue;
      addModel(calleeId, callee, group);
      for (const line of callLines(models.get(callee), ownValue(model?.requests, callee)))
        connect(id, calleeId, "call", line);
    }
  };

  /** Adds the steps of an ensemble. Returns the sources of its tensors. */
  const addSteps = (
    model: ModelView,
    steps: readonly StepView[],
    prefix: string,
    group: string | undefined,
    inputs: Lookup,
  ): Lookup => {
    const producers = new Map<string, readonly [number, string]>();
    for (const [index, { outputs }] of steps.entries())
      for (const [output, tensor] of Object.entries(outputs)) producers.set(tensor, [index, output]);
    const own = new Set(model.inputs.map(({ name }) => name));
    const built = new Map<number, Lookup | undefined>();
    const build = (index: number): Lookup | undefined => {
      if (built.has(index)) return built.get(index);
      // A cycle, which no server loads, ends here.
      built.set(index, undefined);
      const step = steps[index];
      if (step === undefined || nodes.length >= mostNodes) return undefined;
      const lookup = addStep(step, `${prefix}${index}:${step.model}`, group, find);
      built.set(index, lookup);
      return lookup;
    };
    const find: Lookup = (tensor) => {
      const produced = producers.get(tensor);
      if (produced === undefined) return own.has(tensor) ? inputs(tensor) : undefined;
      return build(produced[0])?.(produced[1]);
    };
    // A long chain is built from its beginning, so that the search does not nest deeply.
    for (const index of steps.keys()) build(index);
    return find;
  };

  const addStep = (step: StepView, id: string, group: string | undefined, find: Lookup): Lookup => {
    const model = models.get(step.model);
    const wired: Lookup = (input) => {
      const tensor = ownValue(step.inputs, input);
      return tensor === undefined ? undefined : find(tensor);
    };
    if (model?.steps !== undefined && opened.has(id)) {
      groups.push({ id, title: step.model, ...(group === undefined ? {} : { parent: group }) });
      return addSteps(model, model.steps, `${id}/`, id, wired);
    }
    // Sorts sources first: a node comes after the nodes that it reads.
    const sources = Object.keys(step.inputs).map((input) => [input, wired(input)] as const);
    addModel(id, step.model, group, step.version);
    for (const [input, source] of sources)
      if (source !== undefined) link(source, id, named(model?.inputs, input), input);
    return (output) => ({ node: id, name: output, type: named(model?.outputs, output) });
  };

  const inputs = new Map(
    root.inputs.map((tensor): readonly [string, Source] => {
      const id = `input ${tensor.name}`;
      nodes.push({ id, role: "input", title: tensor.name });
      return [tensor.name, { node: id, name: tensor.name, type: tensor }];
    }),
  );
  const own: StepView = {
    model: root.name,
    inputs: Object.fromEntries(root.inputs.map(({ name }) => [name, name])),
    outputs: Object.fromEntries(root.outputs.map(({ name }) => [name, name])),
  };
  const find =
    root.steps === undefined
      ? addStep(own, root.name, undefined, (name) => inputs.get(name))
      : addSteps(root, root.steps, "", undefined, (name) => inputs.get(name));
  for (const tensor of root.outputs) {
    const id = `output ${tensor.name}`;
    nodes.push({ id, role: "output", title: tensor.name });
    const source = find(tensor.name);
    if (source !== undefined) link(source, id, tensor, tensor.name);
  }
  return { nodes: numbered(nodes), edges: [...edges.values()], groups };
};

/**
 * The tensors that code sends to a model and gets from it, according to the model's contract.
 * @param requested The outputs that the code requests; undefined if they are unknown.
 */
const callLines = (
  callee: ModelView | undefined,
  requested: readonly string[] | undefined,
): readonly string[] =>
  callee === undefined
    ? ["calls"]
    : [
        ...callee.inputs.map((type) => {
          const verb = type.optional === true ? "may send" : "sends";
          return `${verb} ${type.name} ${showType(type)}`;
        }),
        ...callee.outputs
          .filter(({ name }) => requested === undefined || requested.includes(name))
          .map((type) => `gets ${type.name} ${showType(type)}`),
      ];

const numbered = (nodes: readonly ViewNode[]): readonly ViewNode[] => {
  const counts = new Map<string, number>();
  for (const node of nodes) counts.set(placeOf(node), (counts.get(placeOf(node)) ?? 0) + 1);
  return nodes.map((node) => {
    const index = /(?:^|\/)(\d+):[^/]*$/.exec(node.id)?.[1];
    return index === undefined || (counts.get(placeOf(node)) ?? 0) < 2
      ? node
      : { ...node, number: Number(index) + 1 };
  });
};

const placeOf = ({ role, title, group = "" }: ViewNode): string => [role, group, title].join("\n");

const named = (tensors: readonly TensorView[] | undefined, name: string): TensorView | undefined =>
  tensors?.find((tensor) => tensor.name === name);

/** The type that says more about the sizes. */
const moreNames = (a: TensorView | undefined, b: TensorView | undefined): TensorView | undefined => {
  const unknown = ({ dims }: TensorView): number => dims.filter((dim) => dim === -1).length;
  if (a === undefined || b === undefined) return a ?? b;
  return unknown(b) < unknown(a) ? b : a;
};
