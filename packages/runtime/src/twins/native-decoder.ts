import { Tokenizer } from "tokenizers";
import type { Decoder } from "./decoder.ts";
import { brokenFile } from "./tokenizer-engine.ts";

/** Hugging Face tokenizers in Rust; decoding runs off the event loop. */
export const openNativeDecoder = async (file: string): Promise<Decoder> => {
  const tokenizer = load(file);
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

const load = (file: string): Tokenizer => {
  try {
    return Tokenizer.fromFile(file);
  } catch (error) {
    throw brokenFile(file, error);
  }
};
