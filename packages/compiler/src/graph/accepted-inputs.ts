import { type Port, type StepNode, ownValue } from "@tritype/core";
import { calledVersions } from "../authored-versions.ts";
import type { AcceptedValues, ReadSteps } from "../step-kind.ts";
import type { EnsembleDefinition, Program } from "./program.ts";

/** Ensembles and the steps that they call. */
export interface AcceptingProgram {
  readonly program: Pick<Program, "ensembles">;
  readonly steps: ReadSteps;
}

/**
 * For each input of a graph: the values accepted by all steps that receive it unchanged. An input for which each step
 * accepts any value is omitted.
 */
export const acceptedInputs = (
  { graph }: Pick<EnsembleDefinition, "graph">,
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

/** The values that the step itself declares, otherwise the number of ids in its tables. */
const acceptedBy = (node: StepNode, input: string, of: AcceptingProgram): AcceptedValues | undefined => {
  const ensemble = of.program.ensembles.get(node.step);
  if (ensemble !== undefined) return ownValue(acceptedInputs(ensemble, of), input);
  const { step, read } = of.steps.get(node.step) ?? {};
  const own = ownValue(read?.accepts, input);
  if (own !== undefined || step === undefined) return own;
  const rows = calledVersions(step, node.version).flatMap(
    (version) => read?.takesTokens?.(version)?.tokens.get(input) ?? [],
  );
  return rows.length === 0 ? undefined : { minimum: 0, maximum: Math.min(...rows) - 1 };
};

const both = (a: AcceptedValues, b: AcceptedValues): AcceptedValues => {
  const texts = a.enum === undefined ? b.enum : a.enum.filter((text) => b.enum?.includes(text) ?? true);
  const largest = (key: "minLength" | "minimum" | "exclusiveMinimum") => limit(Math.max, a[key], b[key]);
  const limits = {
    minLength: largest("minLength"),
    minimum: largest("minimum"),
    exclusiveMinimum: largest("exclusiveMinimum"),
    maximum: limit(Math.min, a.maximum, b.maximum),
  };
  const said = Object.entries({ ...limits, ...jsonOf(a, b) }).filter(([, value]) => value !== undefined);
  return { ...(texts === undefined ? {} : { enum: texts }), ...Object.fromEntries(said) };
};

/** JSON if either is JSON; the schema is kept unless both are JSON with different schemas. */
const jsonOf = (a: AcceptedValues, b: AcceptedValues) => {
  const schemas = [a, b].flatMap((one) =>
    one.contentMediaType === undefined ? [] : [JSON.stringify(one.contentSchema)],
  );
  return {
    contentMediaType: a.contentMediaType ?? b.contentMediaType,
    contentSchema: new Set(schemas).size === 1 ? (a.contentSchema ?? b.contentSchema) : undefined,
  };
};

const limit = (
  choose: (...numbers: readonly number[]) => number,
  ...values: readonly (number | undefined)[]
): number | undefined => {
  const given = values.filter((value) => value !== undefined);
  return given.length === 0 ? undefined : choose(...given);
};
