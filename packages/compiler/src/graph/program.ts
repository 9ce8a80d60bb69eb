import {
  type Callee,
  decodeUtf8,
  type Diagnostic,
  inBackticks,
  isStream,
  type Label,
  modelsCalledBy,
  type OptionPlace,
  type Site,
  siteSpan,
  type StepDefinition,
} from "@tritype/core";
import { calledRecords, type CallSite, type StepRecord } from "@tritype/dsl";
import type { CompilerHost } from "../compiler-host.ts";
import { diagnose } from "../diagnostics.ts";
import { optionSpan, readOptionPlaces } from "./read-option-places.ts";
import { type TracedGraph, traceGraph } from "./trace-graph.ts";

/** An ensemble as plain data: its declaration and what `run` recorded. */
export interface EnsembleDefinition extends StepDefinition, TracedGraph {
  /** Whether the ensemble's type says that it streams. */
  readonly typedAsStream: boolean;
  /** The ensemble that clients call, if this one is the part of it after the tokenizer. */
  readonly behind?: string;
}

/** Everything that the exports reach. Each step occurs once, and ensembles come after the ensembles they call. */
export interface Program {
  readonly steps: ReadonlyMap<string, StepDefinition>;
  readonly ensembles: ReadonlyMap<string, EnsembleDefinition>;
  /** The exported steps, whose models clients call in the same way as ensembles. */
  readonly exportedSteps: ReadonlyMap<string, StepDefinition>;
}

/** Step or ensemble → options that replace those in the source; undefined removes an option. */
export type OptionOverrides = ReadonlyMap<string, Readonly<Record<string, unknown>>>;

/** Turns recorded definitions into plain data and gives every node its stable id. */
export const collectProgram = (
  exported: readonly StepRecord[],
  siteOf: (site: CallSite) => Site,
  host: CompilerHost,
  overrides: OptionOverrides = new Map(),
): { readonly program: Program; readonly diagnostics: readonly Diagnostic[] } => {
  const records = new Map<string, StepRecord>();
  const steps = new Map<string, StepDefinition>();
  const ensembles = new Map<string, EnsembleDefinition>();
  const diagnostics: Diagnostic[] = [];

  const placesAt = sourceOptions(host);
  const visit = (record: StepRecord): void => {
    const known = records.get(record.name);
    if (known === record) return;
    if (known !== undefined) {
      diagnostics.push(duplicateName(record, known, siteOf));
      return;
    }
    records.set(record.name, record);
    const { name, kind, inputs, outputs } = record;
    const options = withOverrides(record.options, overrides.get(name));
    const site = siteOf(record.site);
    const called = Object.entries(record.callees ?? {});
    for (const step of calledRecords(record)) visit(step);
    const callees = Object.fromEntries(
      called.map(([own, { step, ...version }]): readonly [string, Callee] => [
        own,
        { model: step.name, ...version, inputs: step.inputs, outputs: step.outputs },
      ]),
    );
    const definition: StepDefinition = {
      name,
      kind,
      inputs,
      outputs,
      options,
      site,
      places: placesAt(site),
      ...(record.callees === undefined ? {} : { callees }),
      ...(record.needs === undefined ? {} : { needs: record.needs.map((needed) => needed.name) }),
    };
    if (record.trace === undefined) {
      steps.set(name, definition);
      return;
    }
    for (const node of record.trace.nodes) if (node.kind === "step") visit(node.step);
    const typedAsStream = Object.values(outputs).some(isStream);
    const traced = traceGraph(record.name, record.trace, siteOf, host, (input) =>
      optionSpan(definition.places, ["inputs", input]),
    );
    ensembles.set(name, { ...definition, typedAsStream, ...traced });
  };
  for (const record of exported) visit(record);
  const names = new Set(exported.map(({ name }) => name));
  const exportedSteps = new Map([...steps].filter(([name]) => names.has(name)));
  return { program: { steps, ensembles, exportedSteps }, diagnostics };
};

const withOverrides = (
  options: StepRecord["options"],
  overrides: StepRecord["options"] | undefined,
): StepRecord["options"] =>
  overrides === undefined
    ? options
    : Object.fromEntries(
        Object.entries({ ...options, ...overrides }).filter(([, value]) => value !== undefined),
      );

/** The positions of a call's options. Each source file is read only once. */
const sourceOptions = (host: CompilerHost): ((site: Site) => OptionPlace["fields"]) => {
  const sources = new Map<string, string>();
  return (site) => {
    const call = siteSpan(site);
    if (call === undefined) return new Map();
    const source = sources.get(call.file) ?? decodeUtf8(host.readFile(call.file) ?? new Uint8Array());
    sources.set(call.file, source);
    return readOptionPlaces(source, call);
  };
};

/** Step → the ensembles and exported steps that call it, in their graph or through another step's code. */
export const findCallers = (program: Program): ((step: string) => readonly StepDefinition[]) => {
  const callers = new Map<string, Set<StepDefinition>>();
  const add = (step: string, caller: StepDefinition): void => {
    const known = callers.get(step) ?? new Set();
    if (known.has(caller)) return;
    callers.set(step, known.add(caller));
    addCallees(step, caller);
  };
  const addCallees = (step: string, caller: StepDefinition): void => {
    for (const model of modelsCalledBy(program.steps.get(step) ?? {})) add(model, caller);
  };
  for (const ensemble of program.ensembles.values())
    for (const node of ensemble.graph.nodes) if (node.kind === "step") add(node.step, ensemble);
  for (const step of program.exportedSteps.values()) addCallees(step.name, step);
  return (step) => [...(callers.get(step) ?? [])];
};

/** Every name identifies one model. The help text depends on what two definitions with the same name have in common. */
const duplicateName = (
  record: StepRecord,
  known: StepRecord,
  siteOf: (site: CallSite) => Site,
): Diagnostic => {
  const at = ({ site }: StepRecord, text: string): readonly Label[] =>
    siteOf(site)
      .slice(0, 1)
      .map((span) => ({ span, text }));
  const differing = differences(record, known);
  // Two functions with equal texts may use different values of the function around them.
  const isSameCode = record.trace === undefined && record.options["run"] === known.options["run"];
  const equal = record.kind === known.kind && differing.length === 0 && isSameCode;
  return diagnose("model/duplicate-name", {
    with: { name: record.name },
    labels: [...at(record, "defined here"), ...at(known, "and here")],
    notes: equal ? ["the two definitions are identical"] : howTheyDiffer(record, known, differing),
    ...(equal ? { help: "define the step once and call it as often as you like, in any ensemble" } : {}),
  });
};

const howTheyDiffer = (a: StepRecord, b: StepRecord, options: readonly string[]): readonly string[] => {
  if (a.kind !== b.kind) return [`one is of kind \`${a.kind}\`, the other of kind \`${b.kind}\``];
  return options.length === 0 ? [] : [`they differ in ${inBackticks(options)}`];
};

const differences = (a: StepRecord, b: StepRecord): readonly string[] => {
  const [mine, other] = [a, b].map(
    ({ inputs, outputs, options }): Readonly<Record<string, unknown>> => ({ inputs, outputs, ...options }),
  );
  return [...new Set([...Object.keys(mine ?? {}), ...Object.keys(other ?? {})])].filter(
    (key) => text(mine?.[key]) !== text(other?.[key]),
  );
};

const text = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === "bigint" || typeof inner === "function" ? String(inner) : inner,
  ) ?? "";
