import type { Port, StepDefinition, StepNode } from "@tritype/core";
import { authoredVersions } from "../authored-versions.ts";
import type { AcceptedValues, StepContext, StepKind } from "../step-kind.ts";
import type { EnsembleDefinition, Program } from "./program.ts";

/** A program, and who answers for its steps. */
export interface AcceptingProgram {
  readonly program: Program;
  readonly kinds: ReadonlyMap<string, StepKind>;
  readonly contextOf: (step: StepDefinition) => StepContext;
}

/** By input of an ensemble: what all steps accept that take it as it comes. Nothing is said of an input that each takes any value of. */
export const acceptedInputs = (
  { graph }: EnsembleDefinition,
  of: AcceptingProgram,
): Readonly<Record<string, AcceptedValues>> => {
  const takers = (input: Port): readonly AcceptedValues[] =>
    graph.nodes.flatMap((node) => {
      if (node.kind !== "step") return [];
      const taken = Object.entries(node.inputs).filter(
        ([, port]) => port.node === input.node && port.output === input.output,
      );
      return taken.flatMap(([name]) => acceptedBy(node, name, of) ?? []);
    });
  return Object.fromEntries(
    graph.nodes.flatMap((node) => {
      if (node.kind !== "input") return [];
      const [first, ...others] = takers({ node: node.id, output: node.name });
      return first === undefined ? [] : [[node.name, others.reduce(both, first)]];
    }),
  );
};

/** A step's own words, else how many ids its tables have. */
const acceptedBy = (node: StepNode, input: string, of: AcceptingProgram): AcceptedValues | undefined => {
  const { program, kinds, contextOf } = of;
  const ensemble = program.ensembles.get(node.step);
  if (ensemble !== undefined) return acceptedInputs(ensemble, of)[input];
  const step = program.steps.get(node.step);
  const kind = step && kinds.get(step.kind);
  if (step === undefined || kind === undefined) return undefined;
  const context = contextOf(step);
  const own = kind.accepts?.(step, context)[input];
  if (own !== undefined || kind.takesTokens === undefined) return own;
  const rows = versionsOf(step, node).flatMap(
    (version) => kind.takesTokens?.(version, context)?.tokens.get(input) ?? [],
  );
  return rows.length === 0 ? undefined : { minimum: 0, maximum: Math.min(...rows) - 1 };
};

/** The version that a call is about, else all that may be served. */
const versionsOf = (step: StepDefinition, { version }: StepNode): readonly StepDefinition[] =>
  authoredVersions(step)
    ?.filter(({ number }) => version === undefined || number === version)
    .map((one) => one.step) ?? [step];

const both = (a: AcceptedValues, b: AcceptedValues): AcceptedValues => {
  const texts = a.enum === undefined ? b.enum : a.enum.filter((text) => b.enum?.includes(text) ?? true);
  const largest = (key: "minimum" | "exclusiveMinimum") => limit(Math.max, a[key], b[key]);
  const limits = {
    minimum: largest("minimum"),
    exclusiveMinimum: largest("exclusiveMinimum"),
    maximum: limit(Math.min, a.maximum, b.maximum),
  };
  const said = Object.entries(limits).filter(([, value]) => value !== undefined);
  return { ...(texts === undefined ? {} : { enum: texts }), ...Object.fromEntries(said) };
};

const limit = (
  choose: (...numbers: readonly number[]) => number,
  ...values: readonly (number | undefined)[]
): number | undefined => {
  const given = values.filter((value) => value !== undefined);
  return given.length === 0 ? undefined : choose(...given);
};
