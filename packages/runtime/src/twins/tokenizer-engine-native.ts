import { setImmediate } from "node:timers/promises";
import type { JsEncoding, Tokenizer } from "tokenizers";
import { gatherCalls } from "./gather-calls.ts";
import { createTurns, requireWaiting } from "./take-turns.ts";
import {
  type EncodedRow,
  type EngineOptions,
  type TextRow,
  type TokenizerEngine,
} from "./tokenizer-engine.ts";
import { foreignError } from "@tritype/core";
import { loadTokenizer } from "./load-tokenizer.ts";

/**
 * Requests of at least this many characters take turns: tokenizing needs a hundred times the text's memory, and cannot
 * be stopped.
 */
const longRequest = 2 ** 20;
const takeTurn = createTurns(1);

/** Hugging Face tokenizers in Rust; encoding runs off the event loop. */
export const openNativeEngine = async (file: string, options: EngineOptions): Promise<TokenizerEngine> => {
  const { truncation, maxLength, truncationSide } = options;
  const strategy = strategies[String(truncation)] as never;
  // The file's own truncation and padding settings are ignored.
  const tokenizer =
    truncation === false
      ? loadUncut(file)
      : loadTokenizer(file, `${truncation} ${truncationSide} ${maxLength}`, (loaded) => {
          loaded.disablePadding();
          loaded.setTruncation(maxLength, { stride: 0, strategy, direction: truncationSide });
        });
  const { addSpecialTokens } = options;
  const encodeTexts = gatherCalls((texts) => tokenizer.encodeBatch([...texts], { addSpecialTokens }));
  // encodeBatch of the binding does not support pairs.
  const encodePairs = (by: Tokenizer, rows: readonly TextRow[]): Promise<readonly JsEncoding[]> =>
    Promise.all(rows.map((row) => by.encode(row.text, row.textPair, { addSpecialTokens })));
  // A second tokenizer, because other requests use the first one at the same time.
  let uncut: Tokenizer | undefined;
  const encodeCutPairs = async (rows: readonly TextRow[]): Promise<readonly JsEncoding[]> => {
    try {
      return await encodePairs(tokenizer, rows);
    } catch (error) {
      if (typeof options.truncation === "boolean") throw error;
      uncut ??= loadUncut(file);
      refuseNoRoom(await encodePairs(uncut, rows), options);
      throw error;
    }
  };
  return {
    async encode(rows, signal) {
      requireWaiting(signal);
      const cut = (): Promise<readonly JsEncoding[]> =>
        options.pair ? encodeCutPairs(rows) : encodeTexts(rows.map(({ text }) => text));
      // Lets other work run first, because passing on a long text takes time, as the previous steps did.
      const cutLater = (): Promise<readonly JsEncoding[]> => setImmediate().then(cut);
      const encodings = await (sizeOf(rows) < longRequest ? cut() : takeTurn(signal, cutLater));
      return encodings.map(encodedRow);
    },
  };
};

const sizeOf = (rows: readonly TextRow[]): number =>
  rows.reduce((sum, { text, textPair = "" }) => sum + text.length + textPair.length, 0);

const loadUncut = (file: string): Tokenizer =>
  loadTokenizer(file, "uncut", (loaded) => {
    loaded.disablePadding();
    loaded.disableTruncation();
  });

const strategies: Readonly<Record<string, string>> = {
  true: "LongestFirst",
  onlyFirst: "OnlyFirst",
  onlySecond: "OnlySecond",
};

const encodedRow = (encoding: JsEncoding): EncodedRow => ({
  length: encoding.getLength(),
  ids: () => encoding.getIds(),
  typeIds: () => encoding.getTypeIds(),
  specialTokensMask: () => encoding.getSpecialTokensMask(),
  offsets: () => encoding.getOffsets(),
});

type WholeRow = Pick<JsEncoding, "getLength" | "getSequenceIds">;

/**
 * Checks untruncated rows of pairs against `maxLength`, if only one of the texts may be cut and must keep a token.
 * @throws PipelineError `request/invalid` for the first row in which the other tokens leave no room.
 */
const refuseNoRoom = (
  rows: readonly WholeRow[],
  { maxLength, truncation }: Pick<EngineOptions, "maxLength" | "truncation">,
): void => {
  const [cut, name] = truncation === "onlyFirst" ? [0, "text"] : [1, "text_pair"];
  rows.forEach((row, index) => {
    const length = row.getLength();
    const beside = row.getSequenceIds().filter((id) => id !== cut).length;
    if (length > maxLength && beside >= maxLength)
      throw foreignError(
        "request/invalid",
        `row ${index} has ${length} tokens, but the maximum is ${maxLength}: ${beside} of them are outside ${name}, the only text that is truncated`,
      );
  });
};
