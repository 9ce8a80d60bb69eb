import { readFile } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";
import { specialCount, type TemplatePart, type TokenTemplate, tokenTemplate } from "@tritype/manifest";
import { PipelineError } from "@tritype/core";
import { PreTrainedTokenizer } from "@huggingface/transformers";
import { jsProblem } from "./js-problem.ts";
import { requireWaiting } from "./take-turns.ts";
import {
  brokenFile,
  type EncodedRow,
  type EngineOptions,
  type TextRow,
  type TokenizerEngine,
} from "./tokenizer-engine.ts";
import { runtimeError } from "../errors.ts";

/**
 * transformers.js for machines without the native binary. It only splits texts into tokens. Truncation and special
 * tokens are our own code, because transformers.js truncates after adding the special tokens and does not cut the
 * longer text of a pair. Differs from the Rust engine for CJK extension B, characters newer than its tables, some
 * Arabic, Hebrew and joined emoji. If both texts of a pair are longer than `maxLength`, one token may come from the
 * other text, because Rust stops reading at a word. Runs on the event loop.
 * @throws PipelineError `tool/missing` if offsets are requested or only one text of a pair is to be
 * truncated, or for a file that it would interpret differently from Rust in ordinary texts.
 */
export const openJsEngine = async (file: string, options: EngineOptions): Promise<TokenizerEngine> => {
  if (options.offsets)
    throw runtimeError("tokenizer/transformers-js", { problem: "gives no offsets of tokens" });
  if (typeof options.truncation !== "boolean")
    throw runtimeError("tokenizer/transformers-js", { problem: "cannot truncate only one text of a pair" });
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
    async encode(rows, signal) {
      const encoded: EncodedRow[] = [];
      for (const row of rows) {
        requireWaiting(signal);
        encoded.push(encodeRow(row));
        await setImmediate();
      }
      return encoded;
    },
  };
};

interface LoadedFile {
  readonly tokenizer: PreTrainedTokenizer;
  readonly template: TokenTemplate;
}

const load = async (file: string): Promise<LoadedFile> => {
  try {
    const json = JSON.parse(await readFile(file, "utf8")) as Readonly<Record<string, unknown>>;
    const problem = jsProblem(json);
    if (problem !== undefined)
      throw runtimeError("tokenizer/transformers-js", { problem: `${problem}, as ${file} has it` });
    return { tokenizer: new PreTrainedTokenizer(json, {}), template: tokenTemplate(json["post_processor"]) };
  } catch (error) {
    if (PipelineError.is(error)) throw error;
    throw brokenFile(file, error);
  }
};

/**
 * The number of tokens that each text of a row keeps: the longer one is cut first, and keeps one more token
 * if `room` is odd.
 */
const cutLengths = (first: number, second: number, room: number): readonly [number, number] => {
  if (first + second <= room) return [first, second];
  const short = Math.min(first, second);
  const [a, b] = short * 2 > room ? [Math.floor(room / 2), Math.ceil(room / 2)] : [short, room - short];
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
