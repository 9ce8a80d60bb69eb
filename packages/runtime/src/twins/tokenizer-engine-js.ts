import { readFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { type TemplatePart, specialCount, tokenTemplate } from "@tritype/compiler";
import { PipelineError } from "@tritype/core";
import { PreTrainedTokenizer } from "@huggingface/transformers";
import {
  brokenFile,
  type EncodedRow,
  type EngineOptions,
  type TextRow,
  type TokenizerEngine,
} from "./tokenizer-engine.ts";

/**
 * transformers.js for machines without the native binary. It only cuts texts into tokens; truncation and special tokens are ours,
 * since it cuts after the special tokens and a pair not at its longer text. Differs from the Rust engine on CJK extension B,
 * characters newer than its tables, some Arabic, Hebrew and joined emoji. Runs on the event loop.
 * @throws PipelineError `tool/missing` when offsets are wanted.
 */
export const openJsEngine = async (file: string, options: EngineOptions): Promise<TokenizerEngine> => {
  if (options.offsets)
    throw new PipelineError("tool/missing", "transformers.js gives no offsets of tokens", {
      help: "Run the emitted Python with `--python`.",
    });
  const { tokenizer, template } = await load(file);
  const parts = options.pair ? template.pair : template.single;
  const kept = options.addSpecialTokens ? parts : parts.filter((part) => part.kind !== "special");
  const idsOf = (text: string): readonly number[] => tokenizer.encode(text, { add_special_tokens: false });
  const encodeRow = (row: TextRow): EncodedRow => {
    const ids = { text: idsOf(row.text), text_pair: row.textPair === undefined ? [] : idsOf(row.textPair) };
    const room = options.truncation ? options.maxLength - specialCount(kept) : Infinity;
    const [first, second] = cutLengths(ids.text.length, ids.text_pair.length, room);
    const cut = {
      text: cutTo(ids.text, first, options.truncationSide),
      text_pair: cutTo(ids.text_pair, second, options.truncationSide),
    };
    return assemble(kept, cut);
  };
  return {
    async encode(rows) {
      const encoded: EncodedRow[] = [];
      for (const row of rows) {
        encoded.push(encodeRow(row));
        await setImmediate();
      }
      return encoded;
    },
  };
};

const load = async (
  file: string,
): Promise<{ tokenizer: PreTrainedTokenizer; template: ReturnType<typeof tokenTemplate> }> => {
  try {
    const json = JSON.parse(await readFile(file, "utf8")) as { readonly post_processor?: unknown };
    return { tokenizer: new PreTrainedTokenizer(json, {}), template: tokenTemplate(json.post_processor) };
  } catch (error) {
    throw brokenFile(file, error);
  }
};

/** How many tokens each text of a row keeps: longest first, as `truncate_encodings` of tokenizers does. */
export const cutLengths = (first: number, second: number, room: number): readonly [number, number] => {
  if (first + second <= room) return [first, second];
  const short = Math.min(first, second);
  const long = short > room ? short : Math.max(short, room - short);
  const [a, b] = short + long > room ? [Math.floor(room / 2), Math.ceil(room / 2)] : [short, long];
  return first > second ? [b, a] : [a, b];
};

const cutTo = (ids: readonly number[], length: number, side: "left" | "right"): readonly number[] =>
  side === "right" ? ids.slice(0, length) : ids.slice(ids.length - Math.min(length, ids.length));

const assemble = (
  parts: readonly TemplatePart[],
  texts: { readonly text: readonly number[]; readonly text_pair: readonly number[] },
): EncodedRow => {
  const pieces = parts.map((part) => ({ part, ids: part.kind === "special" ? part.ids : texts[part.kind] }));
  const all = pieces.flatMap(({ ids }) => ids);
  const each = (value: (part: TemplatePart) => number): readonly number[] =>
    pieces.flatMap(({ part, ids }) => ids.map(() => value(part)));
  return {
    length: all.length,
    ids: () => all,
    typeIds: () => each((part) => part.typeId),
    specialTokensMask: () => each((part) => (part.kind === "special" ? 1 : 0)),
    offsets: () => [],
  };
};
