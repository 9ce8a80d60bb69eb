import { present, type TensorData, tensorOf } from "@tritype/core";
import type { ManifestTextModel } from "@tritype/manifest";
import { numbersOf, textOf } from "./read-output.ts";
import { badRequest } from "./refusal.ts";
import type { Sampling } from "./sampling.ts";
import type { Asked, Ending, Question, TextModel } from "./text-model.ts";

/** An ensemble from a build, with its description from the manifest. */
export const builtModel = (name: string, described: ManifestTextModel): TextModel => ({
  name,
  chat: described.chat,
  tokenizer: described.tokenizer,
  ask: (question) => ask(name, described, question),
});

const ask = (model: string, described: ManifestTextModel, question: Question): Asked => {
  const { prompt, sampling, echo } = question;
  const inputs = new Map([[described.prompt, text([prompt])], ...settingInputs(model, described, question)]);
  const { tokens, finishReason } = described;
  const made: number[] = [];
  let reason: string | undefined;
  return {
    request: { model, id: "", inputs, outputs: present(described.text, tokens, finishReason) },
    before: echo ? prompt : "",
    read: (outputs) => {
      if (tokens !== undefined) made.push(...numbersOf(outputs, tokens));
      if (finishReason !== undefined) reason = textOf(outputs, finishReason);
      return textOf(outputs, described.text);
    },
    end: () => ({
      finish: (reason ?? finishOf(described, made, sampling.max_tokens)) === "length" ? "length" : "stop",
      tokens: tokens === undefined ? undefined : { prompt: undefined, completion: made.length },
    }),
  };
};

const text = (values: readonly string[]): TensorData => tensorOf("BYTES", [1, values.length], values);

/** The finish reason according to the tokens, which do not show whether the last one completed a stop string. */
const finishOf = (
  { settings }: ManifestTextModel,
  made: readonly number[],
  asked: number | undefined,
): Ending["finish"] => {
  const last = made.at(-1);
  const ended = last === undefined || settings.eos_token_id.includes(last);
  return !ended && made.length >= (asked ?? settings.max_new_tokens) ? "length" : "stop";
};

/** A setting of a request: OpenAI's name, the name in the generate step, and the input's dtype. */
type Setting = readonly [asked: string, name: string, dtype: "FP32" | "INT64", value: number | undefined];

/**
 * The inputs for the settings of a request. A setting that the ensemble does not accept is refused, unless it
 * equals the model's own value.
 */
const settingInputs = (
  model: string,
  { settings, perRequest }: ManifestTextModel,
  { sampling, asked: { max_tokens: most } }: Question,
): readonly (readonly [string, TensorData])[] => {
  const inputOf = (asked: string, name: string): string => {
    const input = perRequest[name];
    if (input !== undefined) return input;
    const reason = `its generate step has no '${name}' in \`perRequest\`, or the ensemble has no input for it`;
    throw badRequest(`model '${model}' does not take '${asked}': ${reason}`, asked);
  };
  refuseUnknown(model, sampling);
  const { stop } = sampling;
  const given = [...lengths(sampling, most), ...drawing(model, settings.kind, sampling)].filter(
    ([, name, , value]) =>
      value !== undefined && value !== (settings as unknown as Readonly<Record<string, unknown>>)[name],
  );
  refuseOutOfRange(model, given, settings.max_new_tokens);
  if (stop?.includes("") === true)
    throw badRequest("stop contains an empty string, and every text begins with one", "stop");
  return [
    ...given.map(
      ([asked, name, dtype, value]) => [inputOf(asked, name), tensorOf(dtype, [1, 1], [value ?? 0])] as const,
    ),
    ...(stop === undefined ? [] : ([[inputOf("stop", "stop"), text(stop)]] as const)),
  ];
};

const lengths = (
  { max_tokens: most, min_tokens: least }: Sampling,
  asked: Question["asked"]["max_tokens"],
): readonly Setting[] => [
  [asked, "max_new_tokens", "INT64", most],
  ["min_tokens", "min_new_tokens", "INT64", least],
];

/** How tokens are drawn. At temperature 0, the most likely token is chosen, and `seed` and `top_p` have no effect. */
const drawing = (
  model: string,
  search: ManifestTextModel["settings"]["kind"],
  { temperature, top_p: share, seed }: Sampling,
): readonly Setting[] => {
  if (search === "sample")
    return [
      temperature === 0
        ? ["temperature", "top_k", "INT64", 1]
        : ["temperature", "temperature", "FP32", temperature],
      ["top_p", "top_p", "FP32", share],
      ["seed", "seed", "INT64", seed],
    ];
  if ((temperature ?? 0) === 0) return [];
  throw badRequest(`model '${model}' does not sample tokens: its only temperature is 0`, "temperature");
};

/** The values that OpenAI's API has, but a generate step does not accept. */
const refuseOutOfRange = (model: string, given: readonly Setting[], longest: number): void => {
  for (const [asked, name, , value = 0] of given) {
    if (name === "max_new_tokens" && (value < 1 || value > longest))
      throw badRequest(
        `${asked} is ${value}, but model '${model}' generates from 1 to ${longest} tokens: \`maxNewTokens\` of its generate step is ${longest}`,
        asked,
      );
    if (name === "top_p" && value === 0) throw badRequest("top_p is 0, but must be above 0", asked);
  }
};

const refuseUnknown = (model: string, sampling: Sampling): void => {
  for (const name of ["frequency_penalty", "presence_penalty", "ignore_eos"] as const)
    if ((sampling[name] ?? false) !== false && sampling[name] !== 0)
      throw badRequest(`model '${model}' does not take '${name}': generate steps have no such setting`, name);
};
