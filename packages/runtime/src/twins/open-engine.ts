import { PipelineError } from "@tritype/core";
import { type EngineOptions, firstLine, type TokenizerEngine } from "./tokenizer-engine.ts";

/** Creates an engine from a `tokenizer.json`. */
export type OpenEngine = (file: string, options: EngineOptions) => Promise<TokenizerEngine>;

// Both are imported lazily, because one may have no binary here, and the other is large.
const openNative: OpenEngine = async (file, options) =>
  (await import("./tokenizer-engine-native.ts")).openNativeEngine(file, options);
const openJs: OpenEngine = async (file, options) =>
  (await import("./tokenizer-engine-js.ts")).openJsEngine(file, options);

/** The notice functions that have already reported the fallback. */
const warned = new WeakSet<(text: string) => void>();

/**
 * Hugging Face's Rust engine, which the emitted Python also uses. If its binary cannot be loaded, this falls back to
 * transformers.js, whose tokens differ for rare scripts, unassigned characters and some emoji, and reports it once.
 * @throws PipelineError `repository/invalid` if `tokenizer.json` cannot be used, `tool/missing` if the fallback does
 * not support the options.
 */
export const openEngine = async (
  file: string,
  options: EngineOptions,
  notice: (text: string) => void,
  native: OpenEngine = openNative,
): Promise<TokenizerEngine> => {
  try {
    return await native(file, options);
  } catch (error) {
    if (PipelineError.is(error)) throw error;
    if (!warned.has(notice)) {
      warned.add(notice);
      notice(
        `the native tokenizer cannot be loaded on ${process.platform}-${process.arch} (${firstLine(error)}); transformers.js is used instead and may return different tokens for rare scripts: \`--python\` runs the emitted Python`,
      );
    }
    return openJs(file, options);
  }
};
