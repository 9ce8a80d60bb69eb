import {
  type Diagnostic,
  encodeUtf8,
  groupBy,
  modelsCalledBy,
  remembered,
  type StepDefinition,
  type StepNode,
} from "@tritype/core";
import { encodeModel, type GraphProto } from "@tritype/onnx";
import { isBatched, writtenAt } from "../check/check-declaration.ts";
import type { CompilerHost } from "../compiler-host.ts";
import { diagnose } from "../diagnostics.ts";
import type { PlannedEnsemble, PlannedRegion } from "../emit/plan-ensemble.ts";
import type { Program } from "../graph/program.ts";
import type { ProgramStep, ReadSteps, StepModel } from "../step-kind.ts";
import type { TreeFile } from "../tree.ts";
import { findSurroundings, type Surroundings, type Wiring, wiringOf } from "./find-surroundings.ts";
import { type Call, callsTo, type Candidate, type FuseOptions, isAsked } from "./candidate.ts";
import { fusedFile } from "./fused-file.ts";
import { findChains } from "./fuse-python.ts";
import { touch } from "./python-group.ts";
import { type FusedForm, fusedForm } from "./fused-form.ts";
import type { MathTaker } from "./math-taker.ts";

/** A program in which tensor math and Python steps are part of the models next to them, where that is possible. */
export interface FusedProgram {
  readonly plans: ReadonlyMap<string, PlannedEnsemble>;
  readonly steps: ReadSteps;
  readonly program: Program;
  readonly decisions: FuseDecisions;
  readonly diagnostics: readonly Diagnostic[];
}

export interface FuseDecisions {
  /** Step → names of the models that the step's model replaces. */
  readonly fused: ReadonlyMap<string, readonly string[]>;
  /** Model next to a step that could contain it → a clause that says why it is not part of the step's model. */
  readonly notFused: ReadonlyMap<string, string>;
}

/** Moves tensor math into adjacent ONNX models, and Python steps into adjacent Python models. The results stay the same. */
export const fuseProgram = (options: FuseOptions): FusedProgram => {
  const { steps, plans } = options;
  const notFused = new Map<string, string>();
  const wirings = new Map([...plans].map(([name, plan]) => [name, wiringOf(plan)]));
  const candidates = [
    ...findCandidates(options, wirings, notFused),
    ...findChains(options, wirings, notFused, (step, calls) => whyNot(step, calls, options)),
  ];
  const rejected = new Set<string>();
  for (;;) {
    const accepted = candidates.filter(({ step }) => !rejected.has(step.name));
    const planned = new Map(
      [...plans].map(([name, plan]) => {
        const calls = accepted.flatMap((one) => one.calls.get(name) ?? []);
        return [name, calls.length === 0 ? plan : options.replan(plan, calls)] as const;
      }),
    );
    const unsafe = [...planned].flatMap(([name, { plan }]) => (plan.isSafe ? [] : [name]));
    const dropped = accepted.filter(({ calls }) => unsafe.some((name) => calls.has(name)));
    for (const { step, calls } of dropped) {
      rejected.add(step.name);
      for (const model of modelsIn(calls))
        notFused.set(model, "Triton needs a first step that depends on every input of the ensemble");
    }
    if (dropped.length > 0) continue;
    const replaced = new Map(accepted.map((one) => [one.step.name, one]));
    const fused = new Map(accepted.map(({ step, calls }) => [step.name, modelsIn(calls)]));
    const definitions = [...replaced].map(([name, { step }]) => [name, step] as const);
    return {
      plans: planned,
      steps: new Map([...steps, ...replaced]),
      program: { ...options.program, steps: new Map([...options.program.steps, ...definitions]) },
      decisions: { fused, notFused },
      diagnostics: [...steps.values()].flatMap((one) => unmet(one, replaced, options, notFused)),
    };
  }
};

/** The names of the separate models that a fused model replaces. */
const modelsIn = (calls: Candidate["calls"]): readonly string[] =>
  [
    ...new Set(
      [...calls.values()]
        .flat()
        .flatMap(({ regions, joined }) => [...regions, ...joined.map(({ step }) => step)]),
    ),
  ].toSorted();

const findCandidates = (
  options: FuseOptions,
  wirings: ReadonlyMap<string, Wiring>,
  notFused: Map<string, string>,
): readonly Candidate[] => {
  const { steps } = options;
  const asked = (name: string): boolean => isAsked(steps.get(name)?.step);
  const takers = new Map(
    [...steps]
      .flatMap(([name, { read }]) => {
        const taker = read.takesMath?.();
        return taker === undefined ? [] : [[name, taker] as const];
      })
      .toSorted(([a], [b]) => Number(asked(b)) - Number(asked(a)) || (a < b ? -1 : 1)),
  );
  const taken = new Set<string>();
  return [...takers].flatMap(([name, taker]) => {
    const one = steps.get(name);
    if (one === undefined) return [];
    const calls = callsOf(name, options, wirings, {
      free: (region) => !taken.has(region.name),
      leftTo: (step) =>
        step !== name && typeof takers.get(step) === "object" && (asked(step) || !asked(name)),
    });
    const adjacent = calls.flatMap(({ around: { before, after } }) => [...before, ...after]);
    const off = typeof taker === "string" ? taker : undefined;
    for (const { around } of calls) for (const [region, why] of around.left) notFused.set(region, off ?? why);
    if (adjacent.length === 0) return [];
    const found = candidate(one, taker, calls, options);
    for (const region of adjacent)
      if (typeof found === "string") notFused.set(region.name, found);
      else {
        taken.add(region.name);
        notFused.delete(region.name);
      }
    return typeof found === "string" ? [] : [found];
  });
};

interface SurroundedCall extends Call {
  readonly around: Surroundings;
}

const callsOf = (
  step: string,
  { plans }: FuseOptions,
  wirings: ReadonlyMap<string, Wiring>,
  {
    free,
    leftTo,
  }: { readonly free: (region: PlannedRegion) => boolean; readonly leftTo: (step: string) => boolean },
): readonly SurroundedCall[] =>
  callsTo(step, plans).flatMap(({ planned, node }) => {
    const wiring = wirings.get(planned.definition.name);
    return wiring === undefined
      ? []
      : [{ planned, node, around: findSurroundings(wiring, node, free, leftTo) }];
  });

const candidate = (
  { step, read }: ProgramStep,
  taker: MathTaker | string,
  calls: readonly SurroundedCall[],
  options: FuseOptions,
): Candidate | string => {
  if (typeof taker === "string") return taker;
  const why = whyNot(step, calls, options);
  if (why !== undefined) return why;
  const forms: FusedForm[] = [];
  for (const { planned, node, around } of calls) {
    const form = fusedForm(planned, node, step, around, taker);
    if (typeof form === "string") return form;
    forms.push(form);
  }
  const [form, ...others] = forms;
  if (form === undefined) return "nothing calls it";
  const shape = others.length === 0 ? "" : shapeOf(form, options.host);
  if (others.some((other) => shapeOf(other, options.host) !== shape))
    return `not all calls to \`${step.name}\` have the same math around them`;
  const file = fusedFile(taker.file, form.splice, options.host);
  if (typeof file === "string") return file;
  const own = read.model({ holdErrors: false, namesOf: () => undefined });
  const model: TreeFile = { kind: "large-copy", from: taker.path, file };
  const byEnsemble = groupBy(
    calls.flatMap(({ planned }, at) => {
      const call = forms[at]?.call;
      return call === undefined ? [] : [[planned.definition.name, call] as const];
    }),
  );
  const fused: StepModel = {
    ...own,
    files: new Map([...taker.beside, [taker.name, model]]),
    outputs: Object.fromEntries(
      Object.entries(form.outputs).map(([name, type]) => [
        name,
        (form.splice.keptOutputs.has(name) ? own.outputs?.[name] : undefined) ?? type,
      ]),
    ),
  };
  return {
    step: { ...step, inputs: form.inputs, outputs: form.outputs },
    read: { ...read, model: () => fused },
    calls: byEnsemble,
  };
};

/**
 * A string that is equal for models that compute the same values under the same names, even if their nodes are in a
 * different order.
 */
const shapeOf = ({ splice, inputs, outputs }: FusedForm, host: CompilerHost): string => {
  const sizes = (signature: FusedForm["inputs"]) =>
    Object.entries(signature)
      .map(([name, { dtype, dims }]) =>
        JSON.stringify([name, dtype, dims.map((dim) => (typeof dim === "number" ? dim : -1))]),
      )
      .toSorted();
  const made = new Map<string, string>();
  for (const graph of [splice.before, splice.after]) addDigests(graph, made, host);
  const results = [...splice.droppedInputs, ...Object.keys(outputs)].map((name) => [
    name,
    made.get(name) ?? "",
  ]);
  return JSON.stringify([sizes(inputs), sizes(outputs), results.map(String).toSorted()]);
};

/** Value → a hash of the computation that produces it, starting from the names of the file's own values. */
const addDigests = (graph: GraphProto, made: Map<string, string>, host: CompilerHost): void => {
  const digest = (part: GraphProto, rest: readonly unknown[]): string =>
    host.sha256(encodeUtf8(JSON.stringify([String(encodeModel({ graph: part })), rest])));
  for (const { name = "", ...tensor } of graph.initializer ?? [])
    made.set(name, digest({ initializer: [tensor] }, []));
  for (const { name: _, input = [], output = [], ...node } of graph.node ?? []) {
    const read = input.map((value) => made.get(value) ?? value);
    output.forEach((value, at) => made.set(value, digest({ node: [node] }, [read, at])));
  }
};

/** Options that refer to tensors, rows or versions of the model as they are in its file. */
const aboutFile: readonly string[] = [
  "batchInput",
  "batchOutput",
  "ccModelFilenames",
  "inputFields",
  "modelWarmup",
  "outputFields",
  "raw",
  "sequenceBatching",
];

/** Model → the first step whose code calls it. */
const callersIn = remembered((steps: Program["steps"]): ReadonlyMap<string, string> => {
  const calls = [...steps.values()].flatMap((step) =>
    modelsCalledBy(step).map((model) => [model, step.name] as const),
  );
  return new Map(calls.toReversed());
});

/** The reason why a step's model stays unchanged. */
const whyNot = (
  step: StepDefinition,
  calls: readonly Call[],
  { program, contextOf }: FuseOptions,
): string | undefined => {
  const shown = `\`${step.name}\``;
  const option = aboutFile.find((name) => step.options[name] !== undefined);
  if (option !== undefined) return `${shown} has \`${option}\``;
  if (program.exportedSteps.has(step.name)) return `clients call ${shown} too`;
  const caller = callersIn(program.steps).get(step.name);
  if (caller !== undefined) return `the code of \`${caller}\` calls ${shown} too`;
  if (calls.some(({ node }) => node.version !== undefined)) return `a call requests a version of ${shown}`;
  const { batched } = contextOf(step);
  if (
    calls.some(
      ({ planned: { definition } }) => isBatched({ inputs: definition.inputs, outputs: {} }) !== batched,
    )
  )
    return batched ? `an ensemble without batching calls ${shown}` : `${shown} has no batches`;
  return undefined;
};

/** The finding for a `fuse: true` that has no effect. */
const unmet = (
  { step, read }: ProgramStep,
  replaced: ReadonlyMap<string, unknown>,
  { plans }: FuseOptions,
  notFused: ReadonlyMap<string, string>,
): readonly Diagnostic[] => {
  if (!isAsked(step) || replaced.has(step.name)) return [];
  const python = read.sharesPython !== undefined;
  const around = [...plans.values()].flatMap(({ plan, definition: { graph } }) => {
    const calls = graph.nodes.filter((node): node is StepNode => node.kind === "step");
    const nodes = calls.filter((node) => node.step === step.name);
    if (python)
      return calls
        .filter((node) => nodes.some((one) => touch(one, node)))
        .flatMap((node) => notFused.get(node.step) ?? []);
    const touches = ({ region }: PlannedRegion): boolean =>
      nodes.some(
        ({ id, inputs }) =>
          region.inputs.some((port) => port.node === id) ||
          region.outputs.some((port) => Object.values(inputs).some((read) => read.node === port.node)),
      );
    return plan.allRegions.filter(touches).flatMap(({ name }) => notFused.get(name) ?? []);
  });
  return [
    diagnose("model/not-fused", {
      with: {
        step: step.name,
        reason: around[0] ?? `there is no ${python ? "Python step" : "tensor math"} next to the calls to it`,
      },
      labels: writtenAt(step, "fuse"),
    }),
  ];
};
