import type { NodeTwinOptions } from "@tritype/manifest";
import type { RunInputs } from "../request-values.ts";

type Tensors = NodeTwinOptions["inputs"];

/** Whether the value of a tensor is the whole tensor, `{ data, shape }`, rather than one row. */
export type IsWhole = (tensor: Tensors[string]) => boolean;

/** The values of `json<T>()` tensors instead of their strings. */
export const parseTensors = (tensors: Tensors, values: RunInputs, isWhole: IsWhole): RunInputs =>
  converted(tensors, values, isWhole, parse);

/** The strings of `json<T>()` tensors instead of their values. */
export const printTensorsAsJson = (tensors: Tensors, values: RunInputs, isWhole: IsWhole): RunInputs =>
  converted(tensors, values, isWhole, (value) => JSON.stringify(value));

const converted = (
  tensors: Tensors,
  values: RunInputs,
  isWhole: IsWhole,
  convert: (one: never) => unknown,
): RunInputs => {
  let made = values;
  for (const name of Object.keys(tensors)) {
    const [tensor, value] = [tensors[name], values[name]];
    if (tensor?.json !== true || value === undefined) continue;
    const whole = value as { readonly data: readonly never[] };
    const converted = isWhole(tensor)
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
