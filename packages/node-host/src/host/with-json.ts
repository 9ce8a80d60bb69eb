import type { FunctionTensor } from "@tritype/manifest";
import type { RunInputs } from "../request-values.ts";

/**
 * A `json<T>()` tensor: its name, and whether its value is the whole tensor, `{ data, shape }`, rather than one row.
 */
export interface JsonTensor {
  readonly name: string;
  readonly isWhole: boolean;
  readonly parse: (text: string) => unknown;
}

/** Input → parses its texts, and checks them against its type. */
export type JsonReaders = ReadonlyMap<string, JsonTensor["parse"]>;

export const jsonTensors = (
  tensors: Readonly<Record<string, FunctionTensor>>,
  isWhole: (tensor: FunctionTensor) => boolean,
  readers?: JsonReaders,
): readonly JsonTensor[] =>
  Object.entries(tensors)
    .filter(([, { json }]) => json === true)
    .map(([name, tensor]) => ({ name, isWhole: isWhole(tensor), parse: readers?.get(name) ?? parseJson }));

/** The values of `json<T>()` tensors instead of their strings. */
export const parseTensors = (tensors: readonly JsonTensor[], values: RunInputs): RunInputs =>
  converted(tensors, values, (text, parse) => parse(text));

/** The strings of `json<T>()` tensors instead of their values. */
export const printTensors = (tensors: readonly JsonTensor[], values: RunInputs): RunInputs =>
  converted(tensors, values, (value) => JSON.stringify(value));

const converted = (
  tensors: readonly JsonTensor[],
  values: RunInputs,
  convert: (one: never, parse: JsonTensor["parse"]) => unknown,
): RunInputs => {
  let made = values;
  for (const { name, isWhole, parse } of tensors) {
    const value = values[name];
    if (value === undefined) continue;
    const whole = value as { readonly data: readonly never[] };
    const converted = isWhole
      ? { ...whole, data: whole.data.map((one) => convert(one, parse)) }
      : convert(value as never, parse);
    made = { ...made, [name]: converted };
  }
  return made;
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new SyntaxError("the text is not JSON");
  }
};
