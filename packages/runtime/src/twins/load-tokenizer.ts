import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { Tokenizer } from "tokenizers";
import { brokenFile } from "./tokenizer-engine.ts";

/** Tokenizers in use, by the digest of file and settings: a build with warmup samples loads the same one several times. */
const loaded = new Map<string, WeakRef<Tokenizer>>();

/**
 * The tokenizer of a file, shared with others of the same content and settings.
 * @param settings A name for the settings that `set` applies to a new tokenizer. They must not change later.
 * @throws PipelineError `tokenizer/unusable-file`
 */
export const loadTokenizer = (file: string, settings = "", set?: (made: Tokenizer) => void): Tokenizer => {
  try {
    const key = `${createHash("sha256").update(readFileSync(file)).digest("hex")} ${settings}`;
    const known = loaded.get(key)?.deref();
    if (known !== undefined) return known;
    const made = Tokenizer.fromFile(file);
    set?.(made);
    for (const [other, reference] of loaded) if (reference.deref() === undefined) loaded.delete(other);
    loaded.set(key, new WeakRef(made));
    return made;
  } catch (error) {
    throw brokenFile(file, error);
  }
};
