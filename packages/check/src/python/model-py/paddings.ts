import { isText } from "../patterns.ts";
import type { ModelContext } from "../../model-context.ts";
import type { ReadModelPy } from "./model-py.ts";
import { parameterOf } from "./parameters.ts";
import type { Expression } from "../syntax.ts";
import { callsIn, type Values, valuesOf } from "../values.ts";

/** `padding="max_length", max_length=512` in a tokenizer's call. */
export interface FixedPadding {
  readonly tokens: number;
  readonly padding: Expression;
  readonly length: Expression;
  /** Whether the call also has `pad_to_multiple_of` or unknown arguments. */
  readonly adjusted: boolean;
}

/** The calls in a file that pad every text to a known number of tokens. */
export const fixedPaddings = (file: ReadModelPy, model: ModelContext): readonly FixedPadding[] => {
  const values = valuesOf(file.module);
  return callsIn(file.module.body).flatMap(({ args }): readonly FixedPadding[] => {
    const padding = args.find(({ name }) => name === "padding");
    const length = args.find(({ name }) => name === "max_length");
    const how = padding && values.resolve(padding.value);
    if (padding === undefined || length === undefined || !isText(how, "max_length")) return [];
    const tokens = numberOf(length.value, values, model);
    const adjusted = args.some(({ name, star }) => star !== "" || name === "pad_to_multiple_of");
    return tokens === undefined
      ? []
      : [{ tokens: tokens.value, padding: padding.value, length: tokens.place, adjusted }];
  });
};

/** A number, including the default in `int(parameters.get("x", 512))` if the configuration does not set `x`. */
const numberOf = (
  expression: Expression,
  values: Values,
  model: ModelContext,
): { readonly value: number; readonly place: Expression } | undefined => {
  const place = values.resolve(expression);
  if (place.kind === "number") return { value: place.value, place };
  if (place.kind !== "call" || place.callee.kind !== "name" || place.callee.name !== "int") return undefined;
  const [argument] = place.args;
  const parameter = argument && parameterOf(argument.value, values);
  if (parameter?.fallback === undefined || Object.hasOwn(model.config.parameters ?? {}, parameter.key))
    return undefined;
  const fallback = values.resolve(parameter.fallback);
  return fallback.kind === "number" ? { value: fallback.value, place: fallback } : undefined;
};
