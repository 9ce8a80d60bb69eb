import { isConstant, isText } from "../../python/patterns.ts";
import { isObject, type Label } from "@tritype/core";
import type { ModelContext } from "../../model-context.ts";
import { type ClassModelPy, classModelPys } from "../../python/model-py/model-py.ts";
import { type TokenizerCall, tokenizerCalls } from "../../python/model-py/tokenizer-calls.ts";
import { tokenizerSource } from "../../python/model-py/tokenizer-source.ts";
import { callsIn, valuesOf } from "../../python/values.ts";
import { readJson } from "../../model/json-file.ts";

/** Token ids whose number of columns depends on the texts in the request. */
export interface OpenPadding {
  /** "pads `ids` to the longest text of each request". */
  readonly does: (tensor: string) => string;
  readonly place: Label;
}

/** The open padding of a Python model; undefined unless all of its tokenizer calls pad this way. */
export const openPadding = (model: ModelContext): OpenPadding | undefined => {
  const [file, ...others] = classModelPys(model);
  if (file === undefined || others.length > 0 || padsItself.test(file.text)) return undefined;
  const longest = longestCall(file);
  if (longest !== undefined) return { does: toLongest, place: longest };
  const calls = tokenizerCalls(file);
  const [call] = calls;
  if (call === undefined || fillsArrays.test(file.text)) return undefined;
  const paddings = new Set(calls.map((one) => paddingOf(one, model, file)));
  const [padding] = paddings;
  if (paddings.size > 1) return undefined;
  if (padding === "longest") return { does: toLongest, place: call.place };
  return padding === "none" ? { does: (tensor) => `does not pad ${tensor}`, place: call.place } : undefined;
};

const toLongest = (tensor: string): string => `pads ${tensor} to the longest text of each request`;

const padsItself = /\.pad\(|np\.pad|pad_sequence/;
const fillsArrays = /\b(?:zeros|ones|full|empty)(?:_like)?\(/;

/** The label, if every call with `padding=` pads to the longest of its texts without rounding. */
const longestCall = (file: ClassModelPy): Label | undefined => {
  const { resolve } = valuesOf(file.module);
  const paddings = callsIn(file.module.body).flatMap(({ args }) => {
    const padding = args.find(({ name }) => name === "padding");
    return padding === undefined ? [] : [{ args, padding: padding.value }];
  });
  const [first] = paddings;
  const plain = paddings.every(({ args, padding }) => {
    const how = resolve(padding);
    const longest = isConstant(how, "True") || isText(how, "longest");
    return longest && args.every(({ name, star }) => star === "" && name !== "pad_to_multiple_of");
  });
  return first !== undefined && plain && !/enable_padding/.test(file.text)
    ? file.at(first.padding.from, "to the longest text of the request")
    : undefined;
};

/** The padding of a call, including settings from the `tokenizer.json` of the `tokenizers` library. */
const paddingOf = (
  { library, padding }: TokenizerCall,
  model: ModelContext,
  file: ClassModelPy,
): TokenizerCall["padding"] => {
  if (padding !== "file" || library !== "tokenizers") return padding;
  const source = tokenizerSource(file);
  const json = typeof source === "object" ? readJson(model, source.file, 2 ** 26) : undefined;
  if (json === undefined) return "unknown";
  const own = json["padding"] ?? undefined;
  if (own === undefined) return "none";
  if (!isObject(own) || own["strategy"] !== "BatchLongest") return "fixed";
  return typeof own["pad_to_multiple_of"] === "number" ? "rounded" : "longest";
};
