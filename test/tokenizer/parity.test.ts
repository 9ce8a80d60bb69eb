import { tryDecodeUtf8 } from "@tritype/core";
import { loadTwin } from "@tritype/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, pythonAnswers, type TextRequest, twinAnswers } from "./answers.ts";
import { hostileStrings } from "./hostile-strings.ts";
import { type Options, type TokenizerName, tokenizerFolders, writeTokenizer } from "./tokenizer-model.ts";

/**
 * `TRITYPE_TOKENIZERS=long`: all strings in every mode; by default a twelfth of them, and the longest, at a fifth of their
 * length, in the modes of `modesOfShapes`.
 */
const long = process.env["TRITYPE_TOKENIZERS"] === "long";

const everything = { tokenTypeIds: true, specialTokensMask: true, offsets: true } as const;
const prefix = 'query: "𠮷\u0000\\\n\u2028 ';

const modes: Readonly<Record<string, Options>> = {
  longest: { maxLength: 128, ...everything },
  "longest, only ids": { maxLength: 128 },
  "max length": { maxLength: 48, padding: "maxLength", ...everything },
  "multiple of 8": { maxLength: 64, padding: { multipleOf: 8 }, ...everything },
  buckets: { maxLength: 100, padding: { buckets: [8, 16, 33, 100] }, ...everything },
  "int32, prefix": { maxLength: 40, ids: "INT32", prefix, ...everything },
  pair: { maxLength: 33, pair: true, ...everything },
  "pair, prefix, buckets, int32": {
    maxLength: 64,
    pair: true,
    prefix,
    padding: { buckets: [31, 64] },
    ids: "INT32",
    ...everything,
  },
  "no special tokens": { maxLength: 20, addSpecialTokens: false, ...everything },
  "pair, no special tokens": { maxLength: 21, pair: true, addSpecialTokens: false, ...everything },
  "no truncation": { maxLength: 200, truncation: false, ...everything },
  "pair, only the first cut, on the left": {
    maxLength: 250,
    pair: true,
    truncation: "onlyFirst",
    truncationSide: "left",
    paddingSide: "left",
    ...everything,
  },
  "pair, only the second cut": {
    maxLength: 250,
    pair: true,
    truncation: "onlySecond",
    truncationSide: "right",
    paddingSide: "right",
    ...everything,
  },
  "pair, no truncation": {
    maxLength: 3000,
    truncation: false,
    pair: true,
    ...everything,
  },
};

/** The modes of well-known models differ only in their files, so these cover all modes. */
const modesOfShapes: readonly string[] = [
  "longest",
  "pair, prefix, buckets, int32",
  "pair, only the first cut, on the left",
];
const shapes: readonly TokenizerName[] = ["wordpiece", "llama", "gpt", "m2m100", "nllb", "mbart"];

interface Texts {
  readonly valid: readonly Uint8Array[];
  readonly invalid: readonly Uint8Array[];
}
const sorted = (strings: readonly Uint8Array[]): Texts => ({
  valid: strings.filter((it) => tryDecodeUtf8(it) !== undefined),
  invalid: strings.filter((it) => tryDecodeUtf8(it) === undefined),
});
const isLong = ({ length }: Uint8Array): boolean => length > 10_000;
const everyLength = sorted(long ? hostileStrings(2000) : hostileStrings(165, 20_000));
const short = sorted(hostileStrings(long ? 1000 : 100).filter((text) => !isLong(text)));

/** The strings that a tokenizer gets in a mode. */
const textsOf = (name: TokenizerName, mode: string): Texts => {
  if (shapes.includes(name)) return short;
  return long || modesOfShapes.includes(mode) ? everyLength : short;
};

/** Requests with 1 to 7 rows, with a single long text, with an invalid text next to a valid one, and with no rows. */
const requests = (pair: boolean, { valid, invalid }: Texts): readonly TextRequest[] => {
  const second = (at: number): Uint8Array => valid[(at * 7 + 3) % valid.length] as Uint8Array;
  const batches: (readonly number[])[] = [[]];
  const alone = valid.flatMap((text, at) => (isLong(text) ? [[at]] : []));
  const together = valid.flatMap((text, at) => (isLong(text) ? [] : [at]));
  for (let at = 0, size = 1; at < together.length; at += size, size = (size % 7) + 1)
    batches.push(together.slice(at, at + size));
  const texts = [
    ...[...batches, ...alone].map((batch) => ({
      text: batch.map((at) => valid[at] as Uint8Array),
      text_pair: batch.map(second),
    })),
    ...invalid.flatMap((bytes, at) => [
      { text: [second(at), bytes], text_pair: [second(at), second(at + 1)] },
      { text: [second(at), second(at)], text_pair: [bytes, bytes] },
    ]),
  ];
  return pair ? texts : texts.map(({ text }) => ({ text }));
};

const isError = (answer: Answer): answer is { readonly code: string; readonly message: string } =>
  typeof answer["code"] === "string";

describe.each(Object.keys(tokenizerFolders) as TokenizerName[])(
  "the twin of %s gives the same answers as model.py",
  (name) => {
    const chosen = Object.entries(modes).filter(
      ([mode]) => !shapes.includes(name) || modesOfShapes.includes(mode),
    );
    const jobs = chosen.map(([mode, options]) => ({
      mode,
      written: writeTokenizer(name, options),
      texts: textsOf(name, mode),
      requests: requests(options.pair === true, textsOf(name, mode)),
    }));
    let python: readonly (readonly Answer[])[];
    beforeAll(async () => {
      python = await pythonAnswers(jobs);
    }, 300_000);
    afterAll(() => jobs.forEach(({ written }) => written.remove()));

    test.each(jobs.map((job, index) => ({ ...job, index })))("$mode", { timeout: 120_000 }, async (job) => {
      const theirs = python[job.index] ?? [];
      const twin = await loadTwin(job.written.twin, job.written.model);
      const ours = twin === undefined ? [] : await twinAnswers(twin, job.requests, job.written.outputs);
      expect(theirs).toHaveLength(job.requests.length);
      expect(ours).toHaveLength(job.requests.length);
      const wrong = job.requests.flatMap((request, at) =>
        JSON.stringify(ordered(ours[at])) === JSON.stringify(ordered(theirs[at]))
          ? []
          : [{ request, ours: ours[at], python: theirs[at] }],
      );
      expect(wrong.slice(0, 2)).toEqual([]);
      const failed = theirs.filter(isError).length;
      expect(failed).toBeGreaterThanOrEqual(job.texts.invalid.length);
      expect(theirs.length - failed).toBeGreaterThan(long ? 150 : 16);
    });
  },
);

const ordered = (answer: Answer | undefined): unknown =>
  Object.fromEntries(Object.entries(answer ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)));
