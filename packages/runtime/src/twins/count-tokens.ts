import { join } from "node:path";
import type { Manifest } from "@tritype/manifest";
import { openEngine } from "./open-engine.ts";

/** Counts tokens; undefined if the model is not a tokenizer step for single texts, or cannot be used. */
export type CountTokens = (model: string, text: string) => Promise<TokenCount | undefined>;
interface TokenCount {
  readonly tokens: number;
  /** undefined for a step that cuts off the beginning of a text: it keeps the end of a conversation. */
  readonly limit: number | undefined;
}

/** Counts the tokens in a text before a tokenizer step of a build cuts off its end, special tokens included. */
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
    if (options.pair) return undefined;
    const keepsEnd = options.truncation !== false && options.truncationSide === "left";
    const file = join(repository, name, String(latest.version), "tokenizer.json");
    const engine = await openEngine(file, { ...options, truncation: false }, notice);
    return async (text) => {
      const [row] = await engine.encode([{ text: options.prefix + text }], undefined);
      const tokens = (row?.length ?? 0) + addedLength(options);
      return keepsEnd
        ? { tokens: Math.min(tokens, options.maxLength), limit: undefined }
        : { tokens, limit: options.maxLength };
    };
  };
  return async (model, text) => {
    const counter = opened.get(model) ?? open(model);
    opened.set(model, counter);
    // The model itself reports errors in its tokenizer or in the text.
    return counter.then((count) => count?.(text)).catch(() => undefined);
  };
};
