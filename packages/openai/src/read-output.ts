import { type NamedTensors, valuesOf } from "@tritype/core";

/** The elements of a text output joined into one string; "" if the output is missing. */
export const textOf = (outputs: NamedTensors, name: string): string => {
  const tensor = outputs.get(name);
  return tensor === undefined ? "" : valuesOf(tensor).join("");
};

/** The elements of an output as numbers; none if the output is missing. */
export const numbersOf = (outputs: NamedTensors, name: string): readonly number[] => {
  const tensor = outputs.get(name);
  return tensor === undefined ? [] : valuesOf(tensor).map(Number);
};
