import {
  elementCount,
  isDType,
  type NamedTensors,
  PipelineError,
  type Scalar,
  type TensorData,
  tensorOf,
} from "@tritype/core";
import type { TensorMetadata } from "@tritype/runtime";

/** Elements in nested lists, or one element. */
export type Nested = Scalar | readonly Nested[];

/**
 * Tensors for a model's inputs from plain values: nested lists without the size-1 dims after the first may be given as they are.
 * @throws PipelineError `request/invalid` that names the input.
 */
export const requestInputs = (
  model: string,
  inputs: readonly TensorMetadata[],
  values: ReadonlyMap<string, Nested>,
): NamedTensors => {
  const names = inputs.map(({ name }) => name);
  for (const name of values.keys())
    if (!names.includes(name))
      throw invalid(
        `\`${model}\` has no input \`${name}\``,
        `its inputs are ${names.map((n) => `\`${n}\``).join(", ")}`,
      );
  return new Map(
    inputs.map((input): [string, TensorData] => {
      const value = values.get(input.name);
      if (value === undefined)
        throw invalid(`\`${model}\` needs the input \`${input.name}\``, `pass it: --input ${input.name}=…`);
      return [input.name, tensorOfValue(model, input, value)];
    }),
  );
};

const tensorOfValue = (
  model: string,
  { name, datatype, shape }: TensorMetadata,
  value: Nested,
): TensorData => {
  const where = `input \`${name}\` of \`${model}\`, ${datatype}[${shape.join(", ")}]`;
  if (!isDType(datatype)) throw invalid(`${where}: unknown datatype`, "check the server");
  const elements = flatten(value);
  const wrong = elements.find((element) => !fits(datatype, element));
  if (wrong !== undefined)
    throw invalid(`${where}: ${JSON.stringify(wrong)} is no ${datatype}`, "pass values of that type");
  const filled = fillShape(shape, shapeOf(value));
  if (filled === undefined || elementCount(filled) !== elements.length)
    throw invalid(
      `${where}: got values of shape [${shapeOf(value).join(", ")}]`,
      "pass nested lists of that shape",
    );
  return tensorOf(datatype, filled, elements);
};

const invalid = (message: string, help: string): PipelineError =>
  new PipelineError("request/invalid", message, { help });

const fits = (datatype: string, element: Scalar): boolean =>
  datatype === "BYTES"
    ? typeof element === "string"
    : datatype === "BOOL"
      ? typeof element === "boolean"
      : datatype.includes("INT")
        ? typeof element === "bigint" || Number.isInteger(element)
        : typeof element === "number";

const flatten = (value: Nested): readonly Scalar[] => (isList(value) ? value.flatMap(flatten) : [value]);
const isList = (value: Nested): value is readonly Nested[] => Array.isArray(value);
const shapeOf = (value: Nested): readonly number[] =>
  isList(value) ? [value.length, ...(value[0] === undefined ? [] : shapeOf(value[0]))] : [];

/** The given sizes at the wanted dims; a missing size is 1 where the wanted dim is 1, or the batch of a single row. */
const fillShape = (wanted: readonly number[], given: readonly number[]): readonly number[] | undefined => {
  if (given.length === wanted.length) return given;
  const missing = wanted.length - given.length;
  if (missing < 0) return undefined;
  const rest = [...given];
  const filled = wanted.map((dim, axis) =>
    dim === 1 && (axis > 0 || rest.length === 0) && rest[0] !== 1 ? 1 : (rest.shift() ?? 1),
  );
  return rest.length === 0 ? filled : undefined;
};
