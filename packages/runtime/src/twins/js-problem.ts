type Fields = Readonly<Record<string, unknown>>;

/** How transformers.js differs from the Rust engine on ordinary texts for a `tokenizer.json`; undefined if it does not. */
export const jsProblem = (file: Fields): string | undefined => {
  const model = fieldsOf(file["model"]);
  return (
    firstOf(partsWithin(file["normalizer"], "normalizers"), (part) => normalizerProblem(part)) ??
    firstOf(partsWithin(file["pre_tokenizer"], "pretokenizers"), (part) =>
      preTokenizerProblem(part, model),
    ) ??
    modelProblem(model) ??
    addedTokensProblem(file)
  );
};

const normalizerProblem = ({ type }: Fields): string | undefined => {
  if (type === "Nmt" || type === "ByteLevel") return `has no normalizer ${type}`;
  return type === "Precompiled" ? "does not support the map of the Precompiled normalizer" : undefined;
};

const preTokenizerProblem = (part: Fields, model: Fields): string | undefined => {
  const { type } = part;
  if (type === "CharDelimiterSplit" || type === "UnicodeScripts") return `has no pre-tokenizer ${type}`;
  if (type === "Whitespace") return "splits words at non-ASCII letters with the Whitespace pre-tokenizer";
  if (type === "Punctuation" && part["behavior"] !== "Contiguous")
    return `ignores \`behavior\` ${String(part["behavior"])} of the pre-tokenizer Punctuation`;
  if (type === "Split" && !splitsAlike(part))
    return `ignores \`behavior\` ${String(part["behavior"])} of the pre-tokenizer Split`;
  if (type === "Metaspace" && part["split"] !== false && spansWords(model, part["replacement"]))
    return "does not split words before it merges them, with the pre-tokenizer Metaspace";
  return undefined;
};

/** Whether both engines split alike: matches are isolated, matches of a regular expression are removed, or only matches stay. */
const splitsAlike = ({ behavior, invert, pattern }: Fields): boolean =>
  invert === true
    ? behavior === "Removed"
    : behavior === "Isolated" || (behavior === "Removed" && "Regex" in fieldsOf(pattern));

/**
 * Whether a token of the vocabulary contains a space after its start, so that it matters whether words are split first.
 */
const spansWords = ({ vocab }: Fields, space: unknown): boolean =>
  (Array.isArray(vocab) ? vocab.map(([token]: [string]) => token) : Object.keys(fieldsOf(vocab))).some(
    (token) => token.includes(typeof space === "string" ? space : "▁", 1),
  );

const modelProblem = (model: Fields): string | undefined => {
  if ("merges" in model && Boolean(model["continuing_subword_prefix"]))
    return "ignores `continuing_subword_prefix` of BPE";
  return Array.isArray(model["vocab"]) && model["byte_fallback"] === true
    ? "ignores `byte_fallback` of Unigram"
    : undefined;
};

const addedTokensProblem = (file: Fields): string | undefined => {
  const tokens = Array.isArray(file["added_tokens"]) ? file["added_tokens"].map(fieldsOf) : [];
  if (tokens.some((token) => token["single_word"] === true)) return "ignores `single_word` of added tokens";
  const spaced = partsWithin(file["pre_tokenizer"], "pretokenizers").some(
    (part) => part["type"] === "Metaspace" && part["prepend_scheme"] === "first",
  );
  return spaced && tokens.some((token) => token["normalized"] === true)
    ? "puts a space after normalized added tokens with the pre-tokenizer Metaspace"
    : undefined;
};

const partsWithin = (value: unknown, sequence: string): readonly Fields[] => {
  const part = fieldsOf(value);
  const within = part[sequence];
  return Array.isArray(within) ? within.flatMap((it: unknown) => partsWithin(it, sequence)) : [part];
};

const fieldsOf = (value: unknown): Fields =>
  typeof value === "object" && value !== null ? (value as Fields) : {};

const firstOf = (
  parts: readonly Fields[],
  problem: (part: Fields) => string | undefined,
): string | undefined => parts.map(problem).find((it) => it !== undefined);
