import { join } from "node:path";
import type { Manifest } from "@tritype/manifest";
import { openEngine } from "./open-engine.ts";

/** Counts the tokens that a model makes from texts; undefined if the model is not a tokenizer step for single texts, or cannot be used. */
export type TokenCounters = (model: string) => Promise<TokenCounter | undefined>;
interface TokenCounter {
  /** undefined for a step that cuts off the beginning of a text: it keeps the end of a conversation. */
  readonly limit: number | undefined;
  /** The tokens before the step cuts off the end of the text, special tokens included; undefined for a text that it refuses. */
  readonly count: (text: string) => Promise<number | undefined>;
}

/** Counters for the tokenizer steps of a build. */
export const openTokenCounters = (
  repository: string,
  models: Manifest["models"],
  notice: (text: string) => void,
): TokenCounters => {
  const opened = new Map<string, Promise<TokenCounter | undefined>>();
  const open = async (name: string): Promise<TokenCounter | undefined> => {
    const model = models.find((one) => one.name === name);
    // Requests without a version get the latest one.
    const latest = model?.versions?.at(-1);
    const twin = model?.twin ?? latest?.twin;
    if (latest === undefined || twin?.kind !== "tokenizer") return undefined;
    const { addedLength, tokenizerTwinSchema } = await import("@tritype/manifest");
    const options = tokenizerTwinSchema.parse(twin.options);
    if (options.pair) return undefined;
    const keepsEnd = options.truncation !== false && options.truncationSide === "left";
    const most = keepsEnd ? options.maxLength : Number.POSITIVE_INFINITY;
    const file = join(repository, name, String(latest.version), "tokenizer.json");
    const engine = await openEngine(file, { ...options, truncation: false }, notice);
    const count = async (text: string): Promise<number> => {
      const [row] = await engine.encode([{ text: options.prefix + text }], undefined);
      return Math.min(most, (row?.length ?? 0) + addedLength(options));
    };
    return {
      limit: keepsEnd ? undefined : options.maxLength,
      count: (text) => count(text).catch(() => undefined),
    };
  };
  return (model) => {
    // The model itself reports errors in its tokenizer or in the text.
    const counter = opened.get(model) ?? open(model).catch(() => undefined);
    opened.set(model, counter);
    return counter;
  };
};
