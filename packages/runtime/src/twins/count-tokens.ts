import { join } from "node:path";
import {
  addedLength,
  type Manifest,
  type TokenizerTwinOptions,
  tokenizerTwinSchema,
} from "@tritype/manifest";
import { openEngine } from "./open-engine.ts";
import type { TokenizerEngine } from "./tokenizer-engine.ts";

/** Counts tokens; undefined if the model is not a tokenizer step for single texts, or cannot be used here. */
export type CountTokens = (
  model: string,
  text: string,
) => Promise<{ readonly tokens: number; readonly limit: number } | undefined>;

/** Counts the tokens in a text before a tokenizer step of a build cuts it, special tokens included. */
export const openTokenCounter = (
  repository: string,
  models: Manifest["models"],
  notice: (text: string) => void,
): CountTokens => {
  const opened = new Map<string, Promise<Counter> | undefined>();
  const open = (name: string): Promise<Counter> | undefined => {
    const model = models.find((one) => one.name === name);
    // Requests without a version get the latest one.
    const latest = model?.versions?.at(-1);
    const twin = model?.twin ?? latest?.twin;
    if (latest === undefined || twin?.kind !== "tokenizer") return undefined;
    const options = tokenizerTwinSchema.parse(twin.options);
    if (options.pair) return undefined;
    const file = join(repository, name, String(latest.version), "tokenizer.json");
    return openEngine(file, { ...options, truncation: false }, notice).then((engine) => ({
      engine,
      options,
    }));
  };
  return async (model, text) => {
    try {
      if (!opened.has(model)) opened.set(model, open(model));
      const counter = await opened.get(model);
      if (counter === undefined) return undefined;
      const { engine, options } = counter;
      const [row] = await engine.encode([{ text: options.prefix + text }], undefined);
      return { tokens: (row?.length ?? 0) + addedLength(options), limit: options.maxLength };
    } catch {
      // The model itself reports what is wrong with its tokenizer or with the text.
      return undefined;
    }
  };
};

interface Counter {
  readonly engine: TokenizerEngine;
  readonly options: TokenizerTwinOptions;
}
