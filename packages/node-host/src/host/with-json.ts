import type { FunctionTensor } from "@tritype/manifest";
import { InvalidResult } from "../function-failure.ts";
import type { RunInputs } from "../request-values.ts";
import { jsonProblem } from "./json-problem.ts";

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

/**
 * The values of `json<T>()` tensors instead of their strings.
 * @throws the error of `parse`, with `shown` for a tensor's name.
 */
export const parseTensors = (
  tensors: readonly JsonTensor[],
  values: RunInputs,
  shown: (name: string) => string,
): RunInputs =>
  converted(tensors, values, (text, { name, parse }) => {
    try {
      return parse(text);
    } catch (error) {
      if (error instanceof Error) error.message = `${shown(name)}: ${error.message}`;
      throw error;
    }
  });

/**
 * The strings of `json<T>()` tensors instead of their values.
 * @throws InvalidResult, with `shown` for a tensor's name.
 */
export const printTensors = (
  tensors: readonly JsonTensor[],
  values: RunInputs,
  shown: (name: string) => string,
): RunInputs =>
  converted(tensors, values, (value, { name }, index) => {
    let text: string | undefined;
    let failure: string | undefined;
    try {
      // Before anything else reads it: a getter may not return the same value twice.
      text = JSON.stringify(value);
    } catch (error) {
      failure = String(error).replaceAll(/\s+/g, " ");
    }
    const problem = jsonProblem(value, index) ?? failure;
    if (problem !== undefined) throw new InvalidResult(`${shown(name)} is not JSON: ${problem}`);
    return text;
  });

const converted = (
  tensors: readonly JsonTensor[],
  values: RunInputs,
  convert: (one: never, tensor: JsonTensor, index?: number) => unknown,
): RunInputs => {
  let made = values;
  for (const tensor of tensors) {
    const { name, isWhole } = tensor;
    const value = values[name];
    const data = isWhole ? (value as { readonly data?: unknown } | null)?.data : [];
    if (value === undefined || !Array.isArray(data)) continue;
    const converted = isWhole
      ? {
          ...(value as object),
          data: data.map((one, index) => convert(one as never, tensor, index)),
        }
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
