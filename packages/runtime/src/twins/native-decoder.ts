import type { Decoder } from "./decoder.ts";
import { loadTokenizer } from "./load-tokenizer.ts";

/** Hugging Face tokenizers in Rust; decoding runs off the event loop. */
export const openNativeDecoder = async (file: string): Promise<Decoder> => {
  const tokenizer = loadTokenizer(file);
  return {
    size: tokenizer.getVocabSize(),
    isToken: (id) => id >= 0 && id < 2 ** 32 && tokenizer.idToToken(Number(id)) !== null,
    decode: (rows, skipSpecialTokens) =>
      tokenizer.decodeBatch(
        rows.map((row) => [...row]),
        skipSpecialTokens,
      ),
  };
};
