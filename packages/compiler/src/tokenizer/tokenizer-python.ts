import { addedLength, type Languages, type TokenizerTwinOptions } from "@tritype/manifest";
import { tokenizerTemplate } from "../generated/python.ts";
import { printPython } from "../python-template.ts";
import type { ModelOptions } from "../step-kind.ts";
import { literal, tokenizerConstants } from "./python-parts.ts";

/** The `model.py` of a tokenizer step for Triton's python backend. Its constants are the options of the native twin. */
export const tokenizerPython = (
  options: TokenizerTwinOptions,
  { holdErrors }: Pick<ModelOptions, "holdErrors">,
): string => {
  const { languages } = options;
  return printPython(tokenizerTemplate, {
    ...tokenizerConstants(options, outputsOf(options)),
    holdErrors,
    padsToMax: options.padding === "maxLength",
    cutsOneText: typeof options.truncation === "string",
    cutsFirst: options.truncation === "onlyFirst",
    languages: languages === undefined ? undefined : languagesConstant(languages),
    sourceLanguages: languages?.source === true,
    targetLanguages: languages?.target === true,
    addsLanguage: addedLength(options) === 1,
    replacesLanguage: languages?.replaces === true,
    languagePlace: languages === undefined ? "" : languagePlace(options, languages),
  });
};

const outputsOf = (options: TokenizerTwinOptions): readonly string[] => [
  "input_ids",
  "attention_mask",
  ...(options.tokenTypeIds ? ["token_type_ids"] : []),
  ...(options.specialTokensMask ? ["special_tokens_mask"] : []),
  ...(options.offsets ? ["offsets"] : []),
];

/** The id of every language. */
const languagesConstant = ({ ids }: Languages): string =>
  `{\n${Object.entries(ids)
    .map(([code, id]) => `    ${literal(code)}: ${id},\n`)
    .join("")}}`;

/** The position of the language token in a row that is padded on the left or the right. */
const languagePlace = ({ pad }: TokenizerTwinOptions, { at }: Languages): string => {
  const padding = "row.attention_mask.count(0)";
  if (at < 0) return pad.side === "left" ? `len(row) - ${-at}` : `len(row) - ${padding} - ${-at}`;
  if (pad.side === "right") return String(at);
  return at === 0 ? padding : `${padding} + ${at}`;
};
