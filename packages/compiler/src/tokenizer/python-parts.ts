import type { TokenizerPadding, TokenizerTwinOptions } from "@tritype/manifest";
import type { collateTemplate, tokenizerTemplate } from "../generated/python.ts";
import type { GivenOf } from "../python-template.ts";

/** JSON's escapes are also valid in Python. */
export const literal = (text: string): string => JSON.stringify(text);

/** Constants in every `model.py` that tokenizes. */
export const tokenizerConstants = (
  options: TokenizerTwinOptions,
  tensors: readonly string[],
): Omit<TokenizerConstants, "holdErrors"> => ({
  step: literal(options.step),
  maxLength: String(options.maxLength),
  prefix: options.prefix === "" ? undefined : literal(options.prefix),
  multipleOf: multipleOf(options.padding),
  buckets: buckets(options.padding),
  pad: padArguments(options),
  fields: `{\n${tensors.map((tensor) => `    "${tensor}": "${attributes[tensor]}",\n`).join("")}}`,
  pair: options.pair,
  addSpecialTokens: options.addSpecialTokens ? "True" : "False",
  truncates: options.truncation !== false,
  refusesLong: options.truncation === false,
  strategy: literal(strategies[String(options.truncation)] ?? ""),
  direction: literal(options.truncationSide),
});

type TokenizerConstants = Pick<
  GivenOf<typeof tokenizerTemplate>,
  keyof GivenOf<typeof tokenizerTemplate> & keyof GivenOf<typeof collateTemplate>
>;

const multipleOf = (padding: TokenizerPadding): string | undefined =>
  typeof padding === "object" && "multipleOf" in padding ? String(padding.multipleOf) : undefined;

const buckets = (padding: TokenizerPadding): string | undefined =>
  typeof padding === "object" && "buckets" in padding ? `[${padding.buckets.join(", ")}]` : undefined;

const padArguments = ({ pad }: TokenizerTwinOptions): string =>
  `{"direction": "${pad.side}", "pad_id": ${pad.id}, "pad_type_id": ${pad.typeId}, "pad_token": ${literal(pad.token)}}`;

/** Output of a tokenizer → attribute of an encoding. */
const attributes: Readonly<Record<string, string>> = {
  input_ids: "ids",
  attention_mask: "attention_mask",
  token_type_ids: "type_ids",
  special_tokens_mask: "special_tokens_mask",
  offsets: "offsets",
};

const strategies: Readonly<Record<string, string>> = {
  true: "longest_first",
  onlyFirst: "only_first",
  onlySecond: "only_second",
};
