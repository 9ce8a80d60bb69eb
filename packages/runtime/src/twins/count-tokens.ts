import { join } from "node:path";
import type { Manifest } from "@tritype/manifest";
import { openEngine } from "./open-engine.ts";

/** Counts tokens; undefined if the model is not a tokenizer step for single texts, has no limit, or cannot be used. */
export type CountTokens = (model: string, text: string) => Promise<TokenCount | undefined>;
interface TokenCount {
  readonly tokens: number;
  readonly limit: number;
}

/**
 * Counts the tokens in a text before a tokenizer step of a build cuts off its end, special tokens included. Steps that
 * cut off the beginning have no limit: they keep the end of a conversation.
 */
export const openTokenCounter = (
  repository: string,
  models: Manifest["models"],
  notice: (text: string) => void,
): CountTokens => {
  type Counter = (text: string) => Promise<TokenCount>;
  const opened = new Map<string, Promise<Counter | undefined>>();
  const open = async (name: string): Promise<Counter | undefined> => {
    const model = models.find((one) => one.name === name);
    // Requests without a version get the latest one.
    const latest = model?.versions?.at(-1);
    const twin = model?.twin ?? latest?.twin;
    if (latest === undefined || twin?.kind !== "tokenizer") return undefined;
    const { addedLength, tokenizerTwinSchema } = await import("@tritype/manifest");
    const options = tokenizerTwinSchema.parse(twin.options);
    const keepsEnd = options.truncation !== false && options.truncationSide === "left";
    if (options.pair || keepsEnd) return undefined;
    const file = join(repository, name, String(latest.version), "tokenizer.json");
    const engine = await openEngine(file, { ...options, truncation: false }, notice);
    return async (text) => {
      const [row] = await engine.encode([{ text: options.prefix + text }], undefined);
      return { tokens: (row?.length ?? 0) + addedLength(options), limit: options.maxLength };
    };
  };
  return async (model, text) => {
    const counter = opened.get(model) ?? open(model);
    opened.set(model, counter);
    // The model itself reports errors in its tokenizer or in the text.
    return counter.then((count) => count?.(text)).catch(() => undefined);
  };
};
