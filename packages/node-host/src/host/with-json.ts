import type { NodeTwinOptions } from "@tritype/manifest";
import type { Run } from "../answer-request.ts";
import type { RunInputs } from "../request-values.ts";

/** The function behind its JSON: inputs and outputs of `json<T>()` are strings outside and values inside. */
export const withJson = (run: Run, { inputs, outputs, per }: NodeTwinOptions): Run => {
  const read = jsonNames(inputs);
  const written = jsonNames(outputs);
  if (read.length + written.length === 0) return run;
  const each = (tensor: unknown, convert: (one: never) => unknown): unknown => {
    if (tensor === undefined || per === "row")
      return tensor === undefined ? undefined : convert(tensor as never);
    const { data, ...rest } = tensor as { readonly data: readonly never[] };
    return { ...rest, data: data.map((one) => convert(one)) };
  };
  const printed = (made: unknown): unknown => {
    if (typeof made !== "object" || made === null) return made;
    const values = made as RunInputs;
    return {
      ...values,
      ...Object.fromEntries(written.map((name) => [name, each(values[name], (one) => JSON.stringify(one))])),
    };
  };
  return (row) => {
    const made = run({ ...row, ...Object.fromEntries(read.map((name) => [name, each(row[name], parse)])) });
    return made instanceof Promise ? made.then(printed) : printed(made);
  };
};

const jsonNames = (tensors: NodeTwinOptions["inputs"]): readonly string[] =>
  Object.entries(tensors).flatMap(([name, { json }]) => (json === true ? [name] : []));

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new SyntaxError("the text is not JSON");
  }
};
