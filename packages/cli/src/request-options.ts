import { didYouMean, inBackticks, parseExactJson } from "@tritype/core";
import type { TensorMetadata } from "@tritype/runtime";
import { type Given, usage } from "./command.ts";
import { cliError } from "./errors.ts";
import { type DescribedModel, type Nested, showType } from "./request-inputs.ts";
import { unknownName } from "./unknown-name.ts";
import type { AcceptedInputs } from "./verify/sample-requests.ts";

/** The model named on a command line, and the texts after it. */
export const chooseModel = (
  command: string,
  positionals: readonly string[],
  models: readonly string[],
): { readonly model: string; readonly texts: readonly string[] } => {
  const [first, ...rest] = positionals;
  const done = command === "run" ? "run" : "be traced";
  if (first !== undefined && models.includes(first)) return { model: first, texts: rest };
  const [only, ...others] = models;
  if (only !== undefined && others.length === 0) {
    // The first of several words is probably the model's name, misspelled, rather than a text.
    if (rest.length > 0 && first !== undefined && didYouMean(first, models) !== undefined)
      throw usage(
        `there is no ensemble \`${first}\``,
        `did you mean \`${only}\`? If \`${first}\` is the input, put the ensemble's name before it: pipeline ${command} ${only} ${JSON.stringify(first)} …`,
      );
    return { model: only, texts: positionals };
  }
  if (models.length === 0)
    throw usage(`which model should ${done}?`, 'put its name first: pipeline run --url … embed "a text"');
  const help = `put a name first: ${models.join(", ")}`;
  throw first === undefined
    ? usage(`which ensemble should ${done}?`, help)
    : unknownName("ensemble", first, models, help);
};

/** `--input name=value`. @throws PipelineError `usage/invalid` */
export const givenInputs = (given: Given): readonly (readonly [name: string, value: string])[] =>
  given.texts("input").map((option) => {
    const at = option.indexOf("=");
    if (at < 1) throw usage(`--input is ${option}`, "write --input name=value");
    return [option.slice(0, at), option.slice(at + 1)];
  });

/**
 * The values of `--input`, and the texts for the only (or only required) text input that is not set by an option. Each value or text
 * for a JSON input is one row.
 */
export const valuesOfOptions = (
  given: ReturnType<typeof givenInputs>,
  metadata: DescribedModel,
  texts: readonly string[],
  accepted: AcceptedInputs = new Map(),
): ReadonlyMap<string, Nested> => {
  const values = new Map<string, Nested>();
  const isJson = (name: string): boolean => accepted.get(name)?.contentMediaType !== undefined;
  for (const [name, value] of given) {
    if (isJson(name)) {
      const rows = (values.get(name) ?? []) as readonly string[];
      values.set(name, [...rows, jsonRow(value, name, accepted)]);
      continue;
    }
    if (values.has(name))
      throw usage(
        `--input ${name} is given twice`,
        `pass several rows as one list: --input '${name}=[…, …]'`,
      );
    const input = metadata.inputs.find((candidate) => candidate.name === name);
    values.set(name, input === undefined ? "" : parseValue(value, input));
  }
  if (texts.length === 0) return values;
  const open = metadata.inputs.filter(({ name, datatype }) => datatype === "BYTES" && !values.has(name));
  const required = open.filter(({ optional }) => optional !== true);
  const [target, ...others] = required.length === 1 ? required : open;
  if (target === undefined)
    throw usage(
      `\`${metadata.name}\` has no text input${values.size > 0 ? " left" : ""} for ${JSON.stringify(texts[0])}`,
      `its inputs are ${metadata.inputs.map((input) => `\`${input.name}\` ${showType(input)}`).join(", ")}: --input name=value`,
    );
  if (others.length > 0)
    throw usage(
      `\`${metadata.name}\` has ${open.length} text inputs: ${inBackticks(open.map(({ name }) => name))}`,
      "assign them: --input name=text",
    );
  const { name } = target;
  return values.set(name, isJson(name) ? texts.map((text) => jsonRow(text, name, accepted)) : texts);
};

/** The JSON text of one row. */
const jsonRow = (text: string, input: string, accepted: AcceptedInputs): string => {
  const { type } = accepted.get(input)?.contentSchema ?? {};
  const value = parseJson(text, input, "each row", `'{"n": 1}', '["a", "b"]', '"a text"'`);
  if (!Array.isArray(value) || typeof type !== "string" || type === "array") return text;
  throw usage(
    `--input ${input} is a list, but the JSON of a row is of type ${type}`,
    `for several rows, repeat the option: --input '${input}=…' --input '${input}=…'`,
  );
};

/** Text is taken literally; everything else is JSON. */
const parseValue = (text: string, input: TensorMetadata): Nested => {
  if (input.datatype === "BYTES" && !text.trimStart().startsWith("[")) return text;
  const one = input.datatype === "BOOL" ? "true" : "1";
  const example = input.shape.reduceRight((inner, size) => `[${inner}${size === 1 ? "" : ", …"}]`, one);
  try {
    return parseJson(text, input.name, showType(input), example) as Nested;
  } catch (error) {
    if (input.datatype === "BYTES") return text;
    throw error;
  }
};

const parseJson = (text: string, input: string, type: string, example: string): unknown => {
  try {
    return parseExactJson(text);
  } catch (cause) {
    throw cliError("request/input-not-json", { input, text, type, example }, { cause });
  }
};
