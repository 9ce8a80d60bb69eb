import type { NodeTwinOptions } from "@tritype/manifest";
import type { RunInputs } from "../request-values.ts";

type Tensors = NodeTwinOptions["inputs"];

/** Whether the value of a tensor is the whole tensor, `{ data, shape }`, and not one row. */
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
  const changed = Object.entries(tensors).flatMap(
    ([name, tensor]): readonly (readonly [string, unknown])[] => {
      const value = values[name];
      if (tensor.json !== true || value === undefined) return [];
      if (!isWhole(tensor)) return [[name, convert(value as never)]];
      const { data, ...rest } = value as { readonly data: readonly never[] };
      return [[name, { ...rest, data: data.map((one) => convert(one)) }]];
    },
  );
  return changed.length === 0 ? values : { ...values, ...Object.fromEntries(changed) };
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new SyntaxError("the text is not JSON");
  }
};
