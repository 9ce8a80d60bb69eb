import {
  type Diagnostic,
  guessHelp,
  type OptionPath,
  type Signature,
  type StepDefinition,
} from "@tritype/core";
import { z } from "zod";
import { diagnose } from "../diagnostics.ts";
import type { OptionFault, OptionForm, OptionForms } from "../step-kind.ts";
import { showValue } from "../warmup/show-value.ts";
import { writtenAt } from "./check-declaration.ts";
import { formFaults, knownNames, member } from "./form-faults.ts";

/** Schemas for options that several kinds have. */
export const optionForms: {
  readonly path: z.ZodString;
  readonly files: z.ZodRecord<z.ZodString, z.ZodString>;
  readonly word: z.ZodString;
  readonly words: z.ZodArray<z.ZodString>;
} = {
  path: z.string("must be a path"),
  files: z.record(z.string(), z.string("must be a path"), "must be an object: name → path"),
  word: z.string("must be a string"),
  words: z.array(z.string("must be a string"), "must be a list of strings"),
};

/** The option of kinds whose models can contain the tensor math or steps around their calls. */
export const fuseForm: { readonly fuse: z.ZodBoolean } = { fuse: z.boolean("must be true or false") };

type Forms = Readonly<Record<string, z.ZodType>>;

/** Schemas for options that each version of a step may set, and for the step's `versions`. */
export const perVersion = <F extends Forms>(
  forms: F,
): F & { readonly versions: z.ZodType<Readonly<Record<string, Formed<F>>>> } => ({
  ...forms,
  versions: z.record(
    z.string(),
    z.strictObject(forms, "must be an options object").partial(),
    "must be an object: number → the version's options",
  ) as never,
});

/** The values of options, typed by their schemas. */
type Formed<F extends Forms> = { readonly [K in keyof F]: z.output<F[K]> | undefined };

/** The options of a step or of one of its versions, whose structure the compiler has checked. */
export const optionsOf = <F extends Forms>({ options }: StepDefinition, forms: F): Formed<F> =>
  Object.fromEntries(
    Object.entries(forms).map(([name, form]) => [name, form.optional().parse(options[name] ?? undefined)]),
  ) as Formed<F>;

const fieldsOf = z.looseObject({}, "must be an object of fields").optional();
const byTensor = (signature: Signature): OptionForm =>
  z.strictObject(
    Object.fromEntries(Object.keys(signature).map((name) => [name, fieldsOf])),
    "must be an object: name of a tensor → its fields",
  );
const list = z.array(z.looseObject({}, "must be an object"), "must be a list of objects");

/** Options of steps and ensembles that are read before Triton's own fields are lowered; lowering checks the others. */
const shared: OptionForms = {
  batchInput: list,
  batchOutput: list,
  raw: z.string("must be a string"),
  sequenceBatching: z.looseObject({}, "must be an object"),
};

/** The options that do not match their kind's schema, and the unknown names in them, each with its position. */
export const checkOptionForms = (
  definition: StepDefinition,
  ofKind: OptionForms | readonly string[] = {},
  invalid?: (fault: OptionFault) => Diagnostic,
): readonly Diagnostic[] => {
  const own = Array.isArray(ofKind) ? {} : (ofKind as OptionForms);
  const check = (option: string, form: OptionForm): readonly Diagnostic[] =>
    checkOptionForm(definition, option, form, Object.hasOwn(own, option) ? invalid : undefined);
  const { inputs, options, outputs } = definition;
  return [
    ...Object.entries({ ...shared, ...own }).flatMap(([option, form]) => check(option, form)),
    ...(options["inputFields"] === undefined ? [] : check("inputFields", byTensor(inputs))),
    ...(options["outputFields"] === undefined ? [] : check("outputFields", byTensor(outputs))),
  ];
};

/** @param invalid The finding for a value that does not match its schema. */
export const checkOptionForm = (
  definition: StepDefinition,
  option: string,
  form: OptionForm,
  invalid: (fault: OptionFault) => Diagnostic = badField,
): readonly Diagnostic[] => {
  const value = definition.options[option];
  if (value === undefined) return [];
  return formFaults(form, value).map(({ path, reason }) => {
    const inside = [option, ...path.map(String)];
    if (reason !== undefined) return invalid(optionFault(definition, inside, reason));
    const known = knownNames(form, value, path.slice(0, -1));
    const help = guessHelp(inside.at(-1) ?? "", known, `the names there are ${known.join(", ")}`);
    return unknownOption(definition, inside, help);
  });
};

const badField = ({ with: { step, option, reason, got }, labels }: OptionFault): Diagnostic =>
  diagnose("model/bad-field", { with: { step, problem: `\`${option}\` ${reason}, got ${got}` }, labels });

/** The finding for an option that does not exist, or for an unknown name in an option. */
export const unknownOption = (definition: StepDefinition, path: OptionPath, help: string): Diagnostic =>
  diagnose("model/unknown-option", {
    with: { step: definition.name, option: path.join(".") },
    labels: writtenAt(definition, ...path),
    help,
  });

/** An invalid value in a step's options, for its diagnostic. */
export const optionFault = (
  definition: StepDefinition,
  path: readonly PropertyKey[],
  reason: string,
): OptionFault => {
  const given = path.reduce(member, definition.options);
  return {
    with: {
      kind: definition.kind,
      step: definition.name,
      option: path.join("."),
      reason,
      got: given === undefined ? "nothing" : showValue(given),
    },
    labels: writtenAt(definition, ...path.map(String)),
  };
};
