import type { FunctionTensor } from "@tritype/manifest";
import type { RunInputs } from "../request-values.ts";

/**
 * A `json<T>()` tensor: its name, and whether its value is the whole tensor, `{ data, shape }`, rather than one row.
 */
export interface JsonTensor {
  readonly name: string;
  readonly isWhole: boolean;
}

export const jsonTensors = (
  tensors: Readonly<Record<string, FunctionTensor>>,
  isWhole: (tensor: FunctionTensor) => boolean,
): readonly JsonTensor[] =>
  Object.entries(tensors)
    .filter(([, { json }]) => json === true)
    .map(([name, tensor]) => ({ name, isWhole: isWhole(tensor) }));

/** The values of `json<T>()` tensors instead of their strings. */
export const parseTensors = (tensors: readonly JsonTensor[], values: RunInputs): RunInputs =>
  converted(tensors, values, parse);

/** The strings of `json<T>()` tensors instead of their values. */
export const printTensorsAsJson = (tensors: readonly JsonTensor[], values: RunInputs): RunInputs =>
  converted(tensors, values, (value) => JSON.stringify(value));

const converted = (
  tensors: readonly JsonTensor[],
  values: RunInputs,
  convert: (one: never) => unknown,
): RunInputs => {
  let made = values;
  for (const { name, isWhole } of tensors) {
    const value = values[name];
    if (value === undefined) continue;
    const whole = value as { readonly data: readonly never[] };
    const converted = isWhole
      ? { ...whole, data: whole.data.map((one) => convert(one)) }
      : convert(value as never);
    made = { ...made, [name]: converted };
  }
  return made;
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new SyntaxError("the text is not JSON");
  }
};
