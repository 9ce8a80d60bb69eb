import type { Label } from "@tritype/core";
import type { Call } from "../backend-utils.ts";
import type { ReadModelPy } from "./model-py.ts";
import { isConstant, isText, methodCall } from "../patterns.ts";
import type { Argument, Expression } from "../syntax.ts";
import { callsIn, type Values, valuesOf } from "../values.ts";
import { dottedName } from "../walk.ts";

/** A call that turns texts into token ids. */
export interface TokenizerCall {
  readonly library: "transformers" | "tokenizers";
  /** The argument of `from_pretrained` or `from_file`. */
  readonly source: Expression;
  readonly place: Label;
  /** "file" means as set in `tokenizer.json`. */
  readonly padding: "none" | "longest" | "fixed" | "rounded" | "file" | "unknown";
  /** A number of tokens; "file" means as set in the tokenizer's files. */
  readonly truncation: number | "none" | "file" | "unknown";
}

/** The calls in a file that use a known tokenizer. */
export const tokenizerCalls = (file: ReadModelPy): readonly TokenizerCall[] => {
  const values = valuesOf(file.module);
  const calls = callsIn(file.module.body);
  return calls.flatMap((call): readonly TokenizerCall[] => {
    const place = file.at(call.from, "tokenizes texts");
    const own = transformersOf(call, values);
    if (own !== undefined)
      return [
        {
          library: "transformers",
          ...own,
          place,
          padding: values.attributes.has("padding") ? "unknown" : paddingOf(call.args, values),
          truncation: values.attributes.has("model_max_length")
            ? "unknown"
            : truncationOf(call.args, own.loading, values),
        },
      ];
    const source = encoderOf(call, values);
    if (source === undefined) return [];
    return [
      {
        library: "tokenizers",
        source,
        place,
        padding: settingOf(calls, "padding", paddingSet(values)),
        truncation: settingOf(calls, "truncation", truncationSet(values)),
      },
    ];
  });
};

const encodings = new Set(["encode_plus", "batch_encode_plus"]);

const transformersOf = (
  { callee }: Call,
  values: Values,
): { readonly source: Expression; readonly loading: readonly Argument[] } | undefined => {
  const object = callee.kind === "attribute" && encodings.has(callee.name) ? callee.object : callee;
  const loading = methodCall(values.resolve(object));
  const [source] = loading?.args ?? [];
  return loading?.name === "from_pretrained" &&
    /\w+Tokenizer(?:Fast)?$/.test(dottedName(loading.object) ?? "") &&
    source?.name === undefined &&
    source?.star === ""
    ? { source: source.value, loading: loading.args }
    : undefined;
};

/** The argument of `Tokenizer.from_file(…)` that creates the object whose `encode` is called. */
const encoderOf = ({ callee }: Call, values: Values): Expression | undefined => {
  if (callee.kind !== "attribute" || !/^encode(?:_batch)?$/.test(callee.name)) return undefined;
  const loading = values.resolve(callee.object);
  if (
    loading.kind !== "call" ||
    !/^(?:tokenizers\.)?Tokenizer\.from_file$/.test(dottedName(loading.callee) ?? "")
  )
    return undefined;
  return loading.args[0]?.value;
};

const named = (args: readonly Argument[], name: string): Expression | undefined =>
  args.find((argument) => argument.name === name)?.value;

const paddingOf = (args: readonly Argument[], { resolve }: Values): TokenizerCall["padding"] => {
  if (args.some(({ star, name }) => star !== "" || name === "pad_to_max_length")) return "unknown";
  const padding = named(args, "padding");
  const how = padding && resolve(padding);
  if (how === undefined || isConstant(how, "False")) return "none";
  if (isText(how, "max_length")) return "fixed";
  if (isText(how, "do_not_pad")) return "none";
  if (!isConstant(how, "True") && !isText(how, "longest")) return "unknown";
  return named(args, "pad_to_multiple_of") === undefined ? "longest" : "rounded";
};

const truncationOf = (
  args: readonly Argument[],
  loading: readonly Argument[],
  { resolve }: Values,
): TokenizerCall["truncation"] => {
  if ([...args, ...loading].some(({ star, name }) => star !== "" || name === "model_max_length"))
    return "unknown";
  const truncation = named(args, "truncation");
  const length = named(args, "max_length");
  const how = truncation && resolve(truncation);
  // Without padding, `max_length` alone also truncates.
  if (how === undefined) return length === undefined ? "none" : "unknown";
  if (isConstant(how, "False") || isText(how, "do_not_truncate")) return "none";
  if (!isConstant(how, "True") && how.kind !== "text") return "unknown";
  if (length === undefined) return "file";
  const limit = resolve(length);
  return limit.kind === "number" ? limit.value : "unknown";
};

/** The setting made with `enable_…` or `no_…` of `tokenizers`; "unknown" for both, or for several `enable_…` calls. */
const settingOf = <T>(
  calls: readonly Call[],
  what: "padding" | "truncation",
  read: (args: readonly Argument[]) => T,
): T | "none" | "file" | "unknown" => {
  const named = (name: string) =>
    calls.filter(({ callee }) => callee.kind === "attribute" && callee.name === name);
  const [enabled, ...more] = named(`enable_${what}`);
  const disabled = named(`no_${what}`).length > 0;
  if (more.length > 0 || (enabled !== undefined && disabled)) return "unknown";
  if (enabled !== undefined) return read(enabled.args);
  return disabled ? "none" : "file";
};

const paddingSet =
  ({ resolve }: Values) =>
  (args: readonly Argument[]): "longest" | "fixed" | "rounded" | "unknown" => {
    if (args.some(({ star, name }) => star !== "" || name === undefined)) return "unknown";
    const length = named(args, "length");
    if (length !== undefined && !isConstant(resolve(length), "None")) return "fixed";
    return named(args, "pad_to_multiple_of") === undefined ? "longest" : "rounded";
  };

const truncationSet =
  ({ resolve }: Values) =>
  (args: readonly Argument[]): number | "unknown" => {
    const [first] = args;
    const length = named(args, "max_length") ?? (first?.name === undefined ? first?.value : undefined);
    const limit = length && resolve(length);
    return limit?.kind === "number" && args.every(({ star }) => star === "") ? limit.value : "unknown";
  };
