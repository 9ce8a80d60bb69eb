import type { FunctionTensor } from "@tritype/manifest";
import { InvalidResult } from "../function-failure.ts";
import { isObject, isPromise, type RunInputs } from "../request-values.ts";

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
  converted(tensors, values, (text, { parse }) => parse(text));

/**
 * The strings of `json<T>()` tensors instead of their values.
 * @throws InvalidResult, with `shown` for a tensor's name.
 */
export const printTensors = (
  tensors: readonly JsonTensor[],
  values: RunInputs,
  shown: (name: string) => string,
): RunInputs =>
  converted(tensors, values, (value, { name }) => {
    try {
      const text = JSON.stringify(value) as string | undefined;
      // A promise would become an empty object.
      if (text?.includes("{}") === true) refusePromises(value);
      return text;
    } catch (error) {
      throw new InvalidResult(`${shown(name)} is not JSON: ${String(error).replaceAll(/\s+/g, " ")}`);
    }
  });

const refusePromises = (value: unknown): void => {
  if (isPromise(value)) throw new TypeError("it contains a Promise; await it, or use Promise.all for a list");
  if (isObject(value) && !("toJSON" in value)) for (const one of Object.values(value)) refusePromises(one);
};

const converted = (
  tensors: readonly JsonTensor[],
  values: RunInputs,
  convert: (one: never, tensor: JsonTensor) => unknown,
): RunInputs => {
  let made = values;
  for (const tensor of tensors) {
    const { name, isWhole } = tensor;
    const value = values[name];
    const data = isWhole ? (value as { readonly data?: unknown } | null)?.data : [];
    if (value === undefined || !Array.isArray(data)) continue;
    const converted = isWhole
      ? { ...(value as object), data: data.map((one) => convert(one as never, tensor)) }
      : convert(value as never, tensor);
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
