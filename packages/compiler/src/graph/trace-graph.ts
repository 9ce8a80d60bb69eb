import {
  type Diagnostic,
  encodeUtf8,
  type Graph,
  type GraphNode,
  invariant,
  type Label,
  type Port,
  type Site,
  type Span,
} from "@tritype/core";
import type { CallSite, NodeRef, NotATensor, Trace, TraceNode } from "@tritype/dsl";
import type { CompilerHost } from "../compiler-host.ts";
import { diagnose } from "../diagnostics.ts";

/** A graph, and the wires that were reported and removed from it. */
export interface TracedGraph {
  readonly graph: Graph;
  /** Node id → inputs for which the author passed an unusable value. */
  readonly unwired: Unwired;
  readonly recipes: readonly GraphRecipe[];
  /** Mistakes found so far; their consequences are not reported. */
  readonly diagnostics: readonly Diagnostic[];
}
/** Nodes that a function consisting of several operators created; a problem with its operands is reported for the function. */
export interface GraphRecipe {
  readonly name: string;
  readonly operands: readonly Port[];
  readonly nodes: ReadonlySet<string>;
  readonly site: Site;
}
export type Unwired = ReadonlyMap<string, ReadonlySet<string>>;

/**
 * The recorded nodes as a graph with stable ids. Wires that are not tensors are reported and removed, and equal
 * operators are merged.
 *
 * @param inputPlace Where the source declares an input; undefined: the position of the ensemble.
 */
export const traceGraph = (
  ensemble: string,
  trace: Trace,
  siteOf: (site: CallSite) => Site,
  host: CompilerHost,
  inputPlace: (input: string) => Span | undefined = () => undefined,
): TracedGraph => {
  const diagnostics: Diagnostic[] = [];
  const keys = structuralKeys(trace.nodes, host);
  const ids = stableIds(trace.nodes, keys);
  const nodes: GraphNode[] = [];
  const unwired = new Map<string, ReadonlySet<string>>();

  const portsOf = (
    wires: Readonly<Record<string, NodeRef | NotATensor>>,
    owner: string,
    labels: () => readonly Label[],
  ): Readonly<Record<string, Port>> =>
    Object.fromEntries(
      Object.entries(wires).flatMap(([input, wire]): (readonly [string, Port])[] => {
        if ("notATensor" in wire)
          diagnostics.push(
            diagnose("graph/not-a-tensor", {
              with: { step: owner, input: inputName(input), got: wire.notATensor },
              labels: labels(),
              ...(wire.constant === undefined ? {} : { help: `make the array a tensor: ${wire.constant}` }),
            }),
          );
        else if (wire.trace !== trace)
          diagnostics.push(
            diagnose("graph/foreign-tensor", {
              with: { step: owner, input: inputName(input) },
              labels: labels(),
            }),
          );
        else return [[input, { node: ids[wire.node] ?? "", output: wire.output }]];
        return [];
      }),
    );

  const seen = new Set<string>();
  trace.nodes.forEach((node, index) => {
    const id = ids[index];
    invariant(id !== undefined, `node ${index} of ${ensemble} has no id`);
    if (seen.has(id)) return;
    seen.add(id);
    const site = siteOf(node.site);
    const at = (): readonly Label[] => site.slice(0, 1).map((span) => ({ span, text: "in this call" }));
    const inputs = portsOf(node.inputs, labelOf(node), at);
    const left = Object.keys(node.inputs).filter((input) => !Object.hasOwn(inputs, input));
    if (left.length > 0) unwired.set(id, new Set(left));
    const base = { id, inputs, outputs: node.outputs, site };
    if (node.kind === "step" && node.branch !== undefined)
      diagnostics.push(stepInBranch(node.step.name, site, siteOf(node.branch)));
    if (node.kind === "input") {
      const place = inputPlace(node.name);
      const declared = place === undefined ? site : [place, ...site.slice(1)];
      nodes.push({ ...base, kind: "input", name: node.name, site: declared });
    } else if (node.kind === "step")
      nodes.push({ ...base, kind: "step", step: node.step.name, ...pinOf(node) });
    else nodes.push({ ...base, kind: "operator", operator: node.operator, attributes: node.attributes });
  });
  const [start] = trace.nodes;
  const outputs = portsOf(trace.outputs, ensemble, () =>
    (start === undefined ? [] : siteOf(start.site))
      .slice(0, 1)
      .map((span) => ({ span, text: "returned by `run`" })),
  );
  const recipes = trace.recipes
    .filter(({ operands }) => operands.every((ref) => ref.trace === trace))
    .map(
      ({ name, operands, nodes: [from, to], site }): GraphRecipe => ({
        name,
        operands: operands.map(({ node, output }) => ({ node: ids[node] ?? "", output })),
        nodes: new Set(ids.slice(from, to)),
        site: siteOf(site),
      }),
    );
  return { graph: { nodes: canonicalOrder(nodes), outputs }, unwired, recipes, diagnostics };
};

const stepInBranch = (step: string, site: Site, branch: Site): Diagnostic =>
  diagnose("graph/step-in-branch", {
    with: { step },
    labels: [
      ...site.slice(0, 1).map((span) => ({ span, text: "in this call" })),
      ...branch.slice(0, 1).map((span) => ({ span, text: "in a branch of this `when`" })),
    ],
  });

const pinOf = (node: TraceNode): { readonly version?: number } =>
  node.kind === "step" && node.version !== undefined ? { version: node.version } : {};

/** Inputs come first, as declared. Producers come before users, ordered by id, regardless of the order of calls. */
const canonicalOrder = (nodes: readonly GraphNode[]): readonly GraphNode[] => {
  const ordered = nodes.filter(({ kind }) => kind === "input");
  const users = new Map<string, GraphNode[]>();
  const waits = new Map<string, number>();
  const ready: GraphNode[] = [];
  const add = (node: GraphNode): void => {
    const at = ready.findIndex(({ id }) => node.id < id);
    ready.splice(at < 0 ? ready.length : at, 0, node);
  };
  const inputs = new Set(ordered.map(({ id }) => id));
  for (const node of nodes) {
    if (node.kind === "input") continue;
    const from = new Set(
      Object.values(node.inputs)
        .map((port) => port.node)
        .filter((id) => !inputs.has(id)),
    );
    waits.set(node.id, from.size);
    for (const id of from) users.set(id, [...(users.get(id) ?? []), node]);
    if (from.size === 0) add(node);
  }
  for (let next = ready.shift(); next !== undefined; next = ready.shift()) {
    ordered.push(next);
    for (const user of users.get(next.id) ?? []) {
      const left = (waits.get(user.id) ?? 0) - 1;
      waits.set(user.id, left);
      if (left === 0) add(user);
    }
  }
  return ordered;
};

/** `text` for a step's input; an operator's operands are numbered. */
const inputName = (input: string): string =>
  /^\d+$/.test(input) ? `operand ${Number(input) + 1}` : `\`${input}\``;

/** The node's name for users. */
const labelOf = (node: TraceNode): string =>
  node.kind === "input" ? node.name : node.kind === "step" ? node.step.name : node.operator;

/** A hash of what each node computes, based only on names and structure. Step calls are never equal. */
const structuralKeys = (nodes: readonly TraceNode[], host: CompilerHost): readonly string[] => {
  const keys: string[] = [];
  const calls = new Map<string, number>();
  for (const node of nodes) {
    const inputs = Object.entries(node.inputs)
      .map(([name, wire]) =>
        "notATensor" in wire ? [name, null] : [name, keys[wire.node] ?? null, wire.output],
      )
      .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1));
    const text = JSON.stringify([
      node.kind,
      labelOf(node),
      inputs,
      node.kind === "operator" ? node.attributes : pinOf(node),
    ]);
    const earlier = node.kind === "step" ? (calls.get(text) ?? 0) : 0;
    calls.set(text, earlier + 1);
    keys.push(host.sha256(encodeUtf8(earlier === 0 ? text : `${text}${earlier}`)));
  }
  return keys;
};

/**
 * An id for each key, independent of the order of the nodes. The id is the label if only one key has that label. For
 * calls to the same step, the version or the inputs that distinguish them are added (`embed_v2`, `embed_left`,
 * `embed_right`), and otherwise as much of the key as is needed to make the id unique.
 */
const stableIds = (nodes: readonly TraceNode[], keys: readonly string[]): readonly string[] => {
  const owners = new Map<string, Set<string>>();
  const needs = neededInputs(nodes);
  const claims = new Map<string, { readonly label: string; readonly claimed: readonly string[] }>();
  nodes.forEach((node, index) => {
    const key = keys[index] ?? "";
    const label = labelOf(node);
    const { version } = pinOf(node);
    const pinned = version === undefined ? [] : [`${label}_v${version}`];
    const claimed = [label, ...pinned, callName(node, needs[index] ?? new Set())];
    claims.set(key, { label, claimed });
    for (const name of claimed) owners.set(name, (owners.get(name) ?? new Set()).add(key));
  });
  const ids = new Map<string, string>();
  for (const [key, { claimed }] of claims) {
    const own = claimed.find((name) => owners.get(name)?.size === 1);
    if (own !== undefined) ids.set(key, own);
  }
  const taken = new Set(ids.values());
  for (const [key, { label }] of [...claims].toSorted(([a], [b]) => (a < b ? -1 : 1))) {
    if (ids.has(key)) continue;
    let length = 6;
    while (taken.has(`${label}_${key.slice(0, length)}`)) length++;
    const id = `${label}_${key.slice(0, length)}`;
    ids.set(key, id);
    taken.add(id);
  }
  return keys.map((key) => ids.get(key) ?? key);
};

/** `embed_left` for a call whose tensors come from the ensemble's input `left`. */
const callName = (node: TraceNode, inputs: ReadonlySet<string>): string =>
  node.kind === "step" ? [labelOf(node), ...inputs].join("_") : labelOf(node);

/** The inputs of the ensemble that each node needs, ordered by name. */
const neededInputs = (nodes: readonly TraceNode[]): readonly ReadonlySet<string>[] => {
  const needs: ReadonlySet<string>[] = [];
  for (const node of nodes) {
    const own = node.kind === "input" ? [node.name] : [];
    const others = Object.values(node.inputs).flatMap((wire) =>
      "notATensor" in wire ? [] : [...(needs[wire.node] ?? [])],
    );
    needs.push(new Set([...own, ...others].toSorted()));
  }
  return needs;
};
