import {
  didYouMean,
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

/** `FP32[-1, 4]` */
export const showType = ({ datatype, shape }: TensorMetadata): string => `${datatype}[${shape.join(", ")}]`;

/**
 * Tensors for a model's inputs from plain values. Dims of size 1 and the batch of a single row may be left out of the lists.
 * @throws PipelineError `request/invalid` that names the input.
 */
export const requestInputs = (
  model: string,
  inputs: readonly TensorMetadata[],
  values: ReadonlyMap<string, Nested>,
): NamedTensors => {
  const names = inputs.map(({ name }) => name);
  for (const name of values.keys())
    if (!names.includes(name)) {
      const near = didYouMean(name, names);
      throw invalid(
        `\`${model}\` has no input \`${name}\``,
        near === undefined
          ? `its inputs are ${names.map((n) => `\`${n}\``).join(", ")}`
          : `did you mean \`${near}\`?`,
      );
    }
  return new Map(
    inputs.map((input): [string, TensorData] => {
      const value = values.get(input.name);
      if (value === undefined)
        throw invalid(
          `\`${model}\` needs the input \`${input.name}\`, ${showType(input)}`,
          `pass it: --input ${input.name}=…`,
        );
      return [input.name, tensorOfValue(model, input, value)];
    }),
  );
};

const tensorOfValue = (model: string, input: TensorMetadata, value: Nested): TensorData => {
  const { name, datatype, shape } = input;
  const where = `input \`${name}\` of \`${model}\`, ${showType(input)}`;
  if (!isDType(datatype)) throw invalid(`${where}: unknown datatype`, "check the server");
  const elements = flatten(value);
  const wrong = elements.find((element) => !fits(datatype, element));
  if (wrong !== undefined)
    throw invalid(`${where}: ${showValue(wrong)} is no ${datatype}`, `pass ${wordFor(datatype)}`);
  const sizes = shapeOf(value);
  if (elementCount(sizes) !== elements.length)
    throw invalid(`${where}: the lists have unequal lengths`, "give every row the same number of values");
  const filled = sizes.length === shape.length ? sizes : fillShape(shape, sizes);
  if (filled === undefined)
    throw invalid(
      `${where}: got values of shape [${sizes.join(", ")}]`,
      `pass lists of shape [${shape.map((dim) => (dim === -1 ? "any" : dim)).join(", ")}]`,
    );
  return tensorOf(datatype, filled, elements);
};

const wordFor = (datatype: string): string =>
  datatype === "BYTES"
    ? 'text: "…"'
    : datatype === "BOOL"
      ? "true or false"
      : datatype.includes("INT")
        ? "whole numbers"
        : "numbers";

const showValue = (value: Scalar): string =>
  typeof value === "bigint" ? String(value) : (JSON.stringify(value) ?? String(value));

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

/** The given sizes at the dims they fit, the first dims left out before later ones; a size left out is 1. */
const fillShape = (wanted: readonly number[], given: readonly number[]): readonly number[] | undefined => {
  const [dim, ...dims] = wanted;
  if (dim === undefined) return given.length === 0 ? [] : undefined;
  const without = dim === 1 || dim === -1 ? fillShape(dims, given) : undefined;
  if (without !== undefined) return [1, ...without];
  const [size, ...sizes] = given;
  const rest = size !== undefined && (dim === -1 || dim === size) ? fillShape(dims, sizes) : undefined;
  return size === undefined || rest === undefined ? undefined : [size, ...rest];
};
