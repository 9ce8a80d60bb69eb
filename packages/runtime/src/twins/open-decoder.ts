import { PipelineError } from "@tritype/core";
import type { Decoder } from "./decoder.ts";

export type OpenDecoder = (file: string) => Promise<Decoder>;

/** Imported lazily: this machine may not have the binary. */
const openNative: OpenDecoder = async (file) => (await import("./native-decoder.ts")).openNativeDecoder(file);

/**
 * The decoder of a `tokenizer.json`; undefined if the Rust library cannot be loaded.
 * @throws PipelineError of `open`.
 */
export const openDecoder = async (
  file: string,
  open: OpenDecoder = openNative,
): Promise<Decoder | undefined> => {
  try {
    return await open(file);
  } catch (error) {
    if (PipelineError.is(error)) throw error;
    return undefined;
  }
};
