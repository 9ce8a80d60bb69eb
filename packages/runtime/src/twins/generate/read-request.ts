import {
  type NamedTensors,
  tensorOf,
  type TensorData,
  valuesOf,
  foreignError,
  type PipelineError,
} from "@tritype/core";
import type { Found, Settings, Start } from "@tritype/generation";
import type { GenerateTwinOptions } from "@tritype/manifest";
import type { DeclaredOutput } from "../declared-outputs.ts";

/**
 * For every row of a request: the start for the model, the tokens that the rules see, and the settings, like
 * `read_rows` in the emitted `model.py`.
 * @throws PipelineError `request/invalid`
 */
export const readRequest = (given: NamedTensors, options: GenerateTwinOptions): readonly Start[] => {
  const { exported } = options;
  const ids = required(given, "input_ids");
  const mask = required(given, "attention_mask");
  if (String(ids.shape) !== String(mask.shape))
    throw invalid(`input_ids is ${show(ids.shape)}, attention_mask is ${show(mask.shape)}`);
  const said = options.perRequest.flatMap((name) => {
    const tensor = name === "stop" ? undefined : matrix(given, name);
    return tensor === undefined ? [] : [{ name, values: tensor.values }];
  });
  const [rows = 0, width = 0] = ids.shape;
  return Array.from({ length: rows }, (_, row) => {
    const places = Array.from({ length: width }, (_none, place) => row * width + place);
    const tokens = places
      .filter((place) => Number(mask.values[place]) !== 0)
      .map((place) => ids.values[place] ?? 0);
    checkPrompt(tokens, row, exported);
    const prompt = tokens.map(Number);
    const settings = settingsOf(said, row, options);
    if (exported.start !== undefined) return { prompt, ids: [exported.start], row, settings };
    const { positions } = exported;
    const most = positions === null ? settings.max_new_tokens : positions - prompt.length;
    return {
      prompt,
      ids: prompt,
      row,
      settings: { ...settings, max_new_tokens: Math.min(settings.max_new_tokens, most) },
    };
  });
};

interface Matrix {
  readonly shape: readonly number[];
  readonly values: readonly (number | bigint)[];
}

const matrix = (given: NamedTensors, name: string): Matrix | undefined => {
  const tensor = given.get(name);
  return tensor === undefined
    ? undefined
    : { shape: tensor.shape, values: valuesOf(tensor) as readonly (number | bigint)[] };
};

const required = (given: NamedTensors, name: string): Matrix => {
  const found = matrix(given, name);
  if (found === undefined) throw invalid(`input ${name} is missing`);
  return found;
};

const invalid = (text: string): PipelineError => foreignError("request/invalid", text);
const show = (shape: readonly number[]): string => `[${shape.join(", ")}]`;

const checkPrompt = (
  prompt: readonly (number | bigint)[],
  row: number,
  { encoder, positions, vocabulary }: GenerateTwinOptions["exported"],
): void => {
  if (prompt.length === 0) throw invalid(`row ${row} has no tokens`);
  const most = positions === null || encoder !== undefined ? positions : positions - 1;
  if (most !== null && prompt.length > most)
    throw invalid(`row ${row} has ${prompt.length} tokens, but the maximum is ${most}`);
  for (const token of prompt) checkToken(token, row, "input_ids", vocabulary);
};

const checkToken = (token: number | bigint, row: number, name: string, vocabulary: number): void => {
  if (!(token >= 0 && token < vocabulary))
    throw invalid(
      `row ${row} of ${name} has the id ${token}, but the model's ids are 0 to ${vocabulary - 1}`,
    );
};

const settingsOf = (
  said: readonly { readonly name: string; readonly values: Matrix["values"] }[],
  row: number,
  { settings, exported }: GenerateTwinOptions,
): Settings => {
  const own = said.map(({ name, values }) => {
    const value = values[row] ?? 0;
    const number = Number(value);
    if (name === "forced_bos_token_id") checkToken(value, row, name, exported.scored);
    const most = settings.max_new_tokens;
    const [allows, bound] =
      name === "max_new_tokens"
        ? [(tokens: number) => tokens >= 1 && tokens <= most, `from 1 to ${most}`]
        : (limits.get(name) ?? [() => true, ""]);
    if (!allows(number)) throw invalid(`row ${row} of ${name} must be ${bound}`);
    return [name, name === "seed" ? BigInt(value) : number] as const;
  });
  return { ...settings, seed: BigInt(settings.seed), ...Object.fromEntries(own) };
};

type Limit = readonly [allows: (value: number) => boolean, bound: string];
const notNegative: Limit = [(value) => value >= 0, "at least 0"];
const positive: Limit = [(value) => value > 0 && value < Number.POSITIVE_INFINITY, "above 0"];
const limits: ReadonlyMap<string, Limit> = new Map<string, Limit>([
  ["min_new_tokens", notNegative],
  ["no_repeat_ngram_size", notNegative],
  ["top_k", notNegative],
  ["repetition_penalty", positive],
  ["temperature", positive],
  ["top_p", [(value) => value > 0 && value <= 1, "above 0 and at most 1"]],
]);

/** The requested outputs; shorter rows are padded at the end. */
export const writeAnswer = (
  found: readonly (readonly Found[])[],
  { pad, settings }: GenerateTwinOptions,
  wanted: readonly DeclaredOutput[],
): readonly (readonly [name: string, tensor: TensorData])[] => {
  const several = settings.num_return_sequences;
  const longest = found.flat().reduce((most, { tokens }) => Math.max(most, tokens.length), 0);
  return wanted.map(({ name, dtype, dims }) => {
    const shape = (...inner: readonly number[]): readonly number[] => [
      found.length,
      ...inner.slice(inner.length - dims.length),
    ];
    return name === "scores"
      ? [
          name,
          tensorOf(
            dtype,
            shape(several),
            found.flat().map(({ score }) => score),
          ),
        ]
      : [
          name,
          tensorOf(
            dtype,
            shape(several, longest),
            found
              .flat()
              .flatMap(({ tokens }) => [...tokens, ...Array<number>(longest - tokens.length).fill(pad)]),
          ),
        ];
  });
};
