import { type JsEncoding, Tokenizer } from "tokenizers";
import { gatherCalls } from "./gather-calls.ts";
import { brokenFile, type EncodedRow, type EngineOptions, type TokenizerEngine } from "./tokenizer-engine.ts";

/** Hugging Face tokenizers in Rust; encoding runs off the event loop. */
export const openNativeEngine = async (file: string, options: EngineOptions): Promise<TokenizerEngine> => {
  const tokenizer = load(file);
  // What the file itself says about truncation and padding does not count.
  tokenizer.disablePadding();
  if (options.truncation !== false)
    tokenizer.setTruncation(options.maxLength, {
      stride: 0,
      strategy: strategies[String(options.truncation)] as never,
      direction: options.truncationSide,
    });
  else tokenizer.disableTruncation();
  const { addSpecialTokens } = options;
  const encodeTexts = gatherCalls((texts) => tokenizer.encodeBatch([...texts], { addSpecialTokens }));
  return {
    async encode(rows) {
      // encodeBatch of the binding takes no pairs.
      const encodings = options.pair
        ? await Promise.all(rows.map((row) => tokenizer.encode(row.text, row.textPair, { addSpecialTokens })))
        : await encodeTexts(rows.map(({ text }) => text));
      return encodings.map(encodedRow);
    },
  };
};

const strategies: Readonly<Record<string, string>> = {
  true: "LongestFirst",
  onlyFirst: "OnlyFirst",
  onlySecond: "OnlySecond",
};

const load = (file: string): Tokenizer => {
  try {
    return Tokenizer.fromFile(file);
  } catch (error) {
    throw brokenFile(file, error);
  }
};

const encodedRow = (encoding: JsEncoding): EncodedRow => ({
  length: encoding.getLength(),
  ids: () => encoding.getIds(),
  typeIds: () => encoding.getTypeIds(),
  specialTokensMask: () => encoding.getSpecialTokensMask(),
  offsets: () => encoding.getOffsets(),
});
