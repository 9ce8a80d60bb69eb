import type { Diagnostic, StepDefinition } from "@tritype/core";
import { z } from "zod";
import { diagnose } from "../diagnostics.ts";
import type { OptionForm, OptionForms } from "../step-kind.ts";
import { showValue } from "../warmup/show-value.ts";
import { writtenAt } from "./check-declaration.ts";

/** Forms of options that several kinds have. */
export const optionForms: Readonly<Record<"any" | "files" | "path" | "words", OptionForm>> = {
  path: z.string("must be a path"),
  files: z.record(z.string(), z.string("must be a path"), "must be an object: name → path"),
  words: z.array(z.string("must be text"), "must be a list of texts"),
  /** Checked by whatever reads it. */
  any: z.unknown(),
};

const byTensor = z.record(
  z.string(),
  z.looseObject({}, "must be an object of fields"),
  "must be an object: name of a tensor → its fields",
);
const list = z.array(z.looseObject({}, "must be an object"), "must be a list of objects");

/** Of every step and ensemble: what is read before Triton's own fields are lowered, which checks the others. */
const shared: OptionForms = {
  batchInput: list,
  batchOutput: list,
  inputFields: byTensor,
  outputFields: byTensor,
  raw: z.string("must be text"),
  sequenceBatching: z.looseObject({}, "must be an object"),
};

/** The options that do not have the form that their kind wants, each at its place. */
export const checkOptionForms = (
  definition: StepDefinition,
  ofKind: OptionForms | readonly string[] = {},
): readonly Diagnostic[] => {
  const forms = { ...shared, ...(Array.isArray(ofKind) ? {} : (ofKind as OptionForms)) };
  return Object.entries(forms).flatMap(([option, form]) => {
    const value = definition.options[option];
    const issues = value === undefined || value === null ? [] : (form.safeParse(value).error?.issues ?? []);
    return issues.map(({ path, message }) => {
      const within = [option, ...path.map(String)];
      return diagnose("model/bad-field", {
        with: {
          step: definition.name,
          problem: `\`${within.join(".")}\` ${message}, got ${showValue(path.reduce(member, value))}`,
        },
        labels: writtenAt(definition, ...within),
      });
    });
  });
};

const member = (value: unknown, key: PropertyKey): unknown =>
  (value as Readonly<Record<PropertyKey, unknown>> | undefined)?.[key];
