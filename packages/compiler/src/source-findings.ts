import type { Diagnostic, Label, Span, StepDefinition } from "@tritype/core";
import { diagnose } from "./diagnostics.ts";
import { diagnose as diagnoseFunction } from "./function/function-diagnostics.ts";
import { isRefusalCode } from "./function/refusal-diagnostics.ts";

/** A construct that branches on a tensor. */
export interface TensorConditionFound {
  readonly at: Span;
  readonly construct: string;
  readonly text: string;
}

export const tensorCondition = ({ at, construct, text }: TensorConditionFound): Diagnostic =>
  diagnose("graph/tensor-condition", {
    with: { construct, text },
    labels: [{ span: at, text: "a tensor" }],
    ...helpOf(construct),
  });

const helpOf = (construct: string): { readonly help?: string } => {
  if (/^(?:[!=]==? u|\?\?)/.test(construct))
    return {
      help: "pass an optional input to a step or a flow: its function gets `undefined` if the request has none",
    };
  return /^(?:[!=]=|switch|case)/.test(construct)
    ? { help: "compare the elements with .eq() or .ne(), and choose with when() or where()" }
    : {};
};

/** A TypeScript error; the first line is the message. */
export interface TypeErrorFound {
  readonly at: Span;
  readonly code: string;
  readonly lines: readonly string[];
}

export const typeError = ({ at, code, lines: [what = "", ...why] }: TypeErrorFound): Diagnostic =>
  diagnoseFunction("function/type-error", {
    with: { what: `${what} (${code})` },
    labels: [{ span: at, text: "" }],
    notes: why.map((line) => line.trim()),
    ...(/ is possibly '/.test(what) ? { help: "check the value first, or use `?? 0` or the like" } : {}),
  });

/**
 * Where TypeScript reports an error, a refusal is its consequence, and running the function on Node would not help.
 * Where we report an error, TypeScript's says the same in other words.
 */
export const withoutConsequences = (found: readonly Diagnostic[]): readonly Diagnostic[] => {
  const isTypeError = ({ code }: Diagnostic): boolean => code === "function/type-error";
  const placeOf = ({ labels: [at] }: Diagnostic) => at && `${at.span.file}:${at.span.line}:${at.span.column}`;
  const wrong = new Set(found.filter(isTypeError).map(placeOf));
  const kept = found.filter((one) => !isRefusalCode(one.code) || !wrong.has(placeOf(one)));
  const ours = new Set(kept.filter((one) => one.severity === "error" && !isTypeError(one)).map(placeOf));
  return kept.filter((one) => !isTypeError(one) || !ours.has(placeOf(one)));
};

/** A step that an entry file exports but no ensemble or flow calls; `name` is the name of the export. */
export const unusedStep = (name: string, step: string, labels: readonly Label[]): Diagnostic =>
  diagnose("project/unused-step", { with: { name, step }, labels });

/** An ensemble or flow that no entry file exports and nothing in the build calls. */
export const unexportedEnsemble = (
  { kind, name }: Pick<StepDefinition, "kind" | "name">,
  labels: readonly Label[],
): Diagnostic => diagnose("project/unexported-ensemble", { with: { kind, name }, labels });

/** `what`: "exports nothing" or "exports no ensemble or flow". */
export const entryWithoutEnsemble = (entry: string, what: string): Diagnostic =>
  diagnose("project/entry-without-ensemble", { with: { entry, what }, labels: [] });
