import type { Diagnostic, Label, StepDefinition } from "@tritype/core";
import { z } from "zod";
import { diagnose } from "../diagnostics.ts";
import type { OptionForms } from "../step-kind.ts";
import { showValue } from "../warmup/show-value.ts";
import { optionAt } from "./check-declaration.ts";

/** Forms of options that several kinds have. */
export const optionForms: {
  readonly path: z.ZodString;
  readonly files: z.ZodRecord<z.ZodString, z.ZodString>;
  readonly word: z.ZodString;
  readonly words: z.ZodArray<z.ZodString>;
} = {
  path: z.string("must be a path"),
  files: z.record(z.string(), z.string("must be a path"), "must be an object: name → path"),
  word: z.string("must be text"),
  words: z.array(z.string("must be text"), "must be a list of texts"),
};

type Forms = Readonly<Record<string, z.ZodType>>;

/** Forms of options that each version of a step may set, and of its `versions`. */
export const perVersion = <F extends Forms>(
  forms: F,
): F & { readonly versions: z.ZodType<Readonly<Record<string, Formed<F>>>> } => ({
  ...forms,
  versions: z.record(
    z.string(),
    z.object(forms, "must be an object of options").partial(),
    "must be an object: number → the version's options",
  ) as never,
});

/** Values of options by their forms. */
type Formed<F extends Forms> = { readonly [K in keyof F]: z.output<F[K]> | undefined };

/** The options of a step or of one of its versions, whose forms the compiler has checked. */
export const optionsOf = <F extends Forms>({ options }: StepDefinition, forms: F): Formed<F> =>
  Object.fromEntries(
    Object.entries(forms).map(([name, form]) => [name, form.optional().parse(options[name] ?? undefined)]),
  ) as Formed<F>;

const byTensor = z.record(
  z.string(),
  z.looseObject({}, "must be an object of fields"),
  "must be an object: name of a tensor → its fields",
);
const list = z.array(z.looseObject({}, "must be an object"), "must be a list of objects");

/** For every step and ensemble: options read before Triton's own fields are lowered, which checks the others. */
const shared: OptionForms = {
  batchInput: list,
  batchOutput: list,
  inputFields: byTensor,
  outputFields: byTensor,
  raw: z.string("must be text"),
  sequenceBatching: z.looseObject({}, "must be an object"),
};

/** The options that do not have the form that their kind requires, each at its place. */
export const checkOptionForms = (
  definition: StepDefinition,
  ofKind: OptionForms | readonly string[] = {},
): readonly Diagnostic[] => {
  const forms = { ...shared, ...(Array.isArray(ofKind) ? {} : (ofKind as OptionForms)) };
  return Object.entries(forms).flatMap(([option, form]) => {
    const value = definition.options[option];
    const issues = value === undefined || value === null ? [] : (form.safeParse(value).error?.issues ?? []);
    const placed = issues.map(({ path, message }) => ({ path: [option, ...path], message }));
    return optionFaults(definition, placed, "defined here").map(({ with: fault, labels }) => {
      const problem = `\`${fault.option}\` ${fault.reason}, got ${fault.got}`;
      return diagnose("model/bad-field", { with: { step: fault.step, problem }, labels });
    });
  });
};

/** A schema's problem with the options of a step, for its diagnostic. @param call The label of the step's call. */
export const optionFaults = (
  step: StepDefinition,
  issues: readonly { readonly path: readonly PropertyKey[]; readonly message: string }[],
  call: string,
): readonly OptionFault[] =>
  issues.map(({ path, message: reason }) => {
    const given = path.reduce(member, step.options);
    const got = given === undefined ? "nothing" : showValue(given);
    return {
      with: { step: step.name, option: path.join("."), reason, got },
      labels: optionAt(step, path.map(String), call),
    };
  });

interface OptionFault {
  readonly with: Readonly<Record<"step" | "option" | "reason" | "got", string>>;
  readonly labels: readonly Label[];
}

const member = (value: unknown, key: PropertyKey): unknown =>
  (value as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key];
