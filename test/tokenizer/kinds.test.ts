import { encodeUtf8, tryDecodeUtf8 } from "@tritype/core";
import { loadTwin } from "@tritype/runtime";
import { partTypes, tokenizerParts } from "../../packages/compiler/src/tokenizer/tokenizer-parts.ts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Answer, pythonAnswers, type TextRequest, twinAnswers } from "./answers.ts";
import { hostileStrings } from "./hostile-strings.ts";
import { tokenizerKinds } from "./kinds.ts";
import { type Options, type WrittenTokenizer, writeDetokenizer, writeTokenizer } from "./tokenizer-model.ts";

const everything = { tokenTypeIds: true, specialTokensMask: true, offsets: true } as const;
const single: Options = { maxLength: 200, ...everything };
const pair: Options = { maxLength: 61, pair: true, ...everything };
const bare: Options = {
  maxLength: 40,
  pair: true,
  addSpecialTokens: false,
  truncationSide: "left",
  ...everything,
};

const groups = ["normalizer", "pre-tokenizer", "model", "post-processor", "decoder", "added tokens"] as const;
type Group = (typeof groups)[number];
/** Options that make no difference to a step's outputs. */
const sameAnswers: Readonly<Partial<Record<Group, readonly (readonly string[])[]>>> = {
  normalizer: [["normalizer none", "normalizer Sequence of none"]],
  "post-processor": [
    ["post-processor TemplateProcessing", "post-processor Sequence, offsets not trimmed"],
    ["post-processor ByteLevel, offsets not trimmed", "post-processor Sequence of none"],
  ],
  decoder: [
    ["decoder Metaspace, always", "decoder Metaspace, first"],
    ["decoder Fuse", "decoder Sequence of none"],
  ],
};

interface Job {
  readonly written: WrittenTokenizer;
  readonly requests: readonly TextRequest[];
}

const texts = [
  encodeUtf8("one|two,three;four"),
  encodeUtf8("thethe 3434 1 a1 b2 !! ?! ..."),
  encodeUtf8("a  b  ,,  b  a x y ▁a▁b a. b. c, ab12 ab. The lazy dog, while"),
  ...hostileStrings(process.env["TRITYPE_TOKENIZERS"] === "long" ? 250 : 120).filter(
    (it) => it.length < 400 && tryDecodeUtf8(it) !== undefined,
  ),
];
const textAt = (at: number): Uint8Array => texts[at % texts.length] as Uint8Array;
/** Rows of 1 to 5 texts. */
const rows: readonly (readonly Uint8Array[])[] = [1, 2, 3, 4, 5].flatMap((size) => {
  const fifth = texts.slice(((size - 1) * texts.length) / 5, (size * texts.length) / 5);
  return fifth.flatMap((_, at) => (at % size === 0 ? [fifth.slice(at, at + size)] : []));
});
const singles: readonly TextRequest[] = rows.map((text) => ({ text }));
const pairs: readonly TextRequest[] = rows.map((text, at) => ({
  text,
  text_pair: text.map((_, row) => textAt(at * 7 + row * 3 + 1)),
}));

const encodings = (text: string): readonly Job[] => [
  { written: writeTokenizer({ text }, single), requests: singles },
  { written: writeTokenizer({ text }, pair), requests: pairs.slice(0, pairs.length / 2) },
];

const detokenizings = (text: string): readonly Job[] =>
  [{}, { skipSpecialTokens: false, cleanUp: true }].map((options) => ({
    written: writeDetokenizer({ text }, options),
    requests: idsOf(text),
  }));

/** Tokens in random order, consecutive tokens from the start of the vocabulary, and repeated tokens. */
const idsOf = (text: string): readonly TextRequest[] => {
  const { model, added_tokens: added } = JSON.parse(text) as {
    readonly model: { readonly vocab: object };
    readonly added_tokens: readonly { readonly id: number }[];
  };
  const size = Math.max(Object.keys(model.vocab).length, ...added.map(({ id }) => id + 1));
  let state = 20261122;
  const random = (n: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
  const any = Array.from({ length: 100 }, (_, at) => {
    const length = at % 24;
    return { ids: [0, 1].map(() => Array.from({ length }, () => random(size))) };
  });
  const runs = Array.from({ length: size }, (_, id) => ({ ids: [[id, id, (id + 1) % size]] }));
  return [...any, ...runs];
};

const jobsOf: Readonly<Record<Group, (text: string) => readonly Job[]>> = {
  normalizer: encodings,
  "pre-tokenizer": encodings,
  model: encodings,
  "post-processor": (text) => [
    ...encodings(text),
    { written: writeTokenizer({ text }, bare), requests: pairs.slice(pairs.length / 2) },
  ],
  decoder: detokenizings,
  "added tokens": (text) => [...encodings(text), ...detokenizings(text)],
};

describe.each(groups)("the twin answers like model.py for %s", (group) => {
  const kinds = [...tokenizerKinds]
    .filter(([name]) => name.startsWith(`${group} `) || name.startsWith(`${group}, `))
    .map(([name, text]) => ({ name, jobs: jobsOf[group](text) }));
  const python = new Map<Job, readonly Answer[]>();
  beforeAll(async () => {
    const jobs = kinds.flatMap((kind) => kind.jobs);
    const answers = await pythonAnswers(jobs);
    jobs.forEach((job, index) => python.set(job, answers[index] ?? []));
  }, 120_000);
  afterAll(() => kinds.forEach(({ jobs }) => jobs.forEach(({ written }) => written.remove())));

  test.each(kinds)("$name", async ({ jobs }) => {
    for (const job of jobs) {
      const theirs = python.get(job) ?? [];
      expect(theirs).toHaveLength(job.requests.length);
      const twin = await loadTwin(job.written.twin, job.written.model);
      const ours = twin === undefined ? [] : await twinAnswers(twin, job.requests, job.written.outputs);
      expect(firstDifference(job.requests, ours, theirs)).toBeUndefined();
      expect(theirs.filter((it) => "code" in it)).toEqual([]);
    }
  });

  test("every part affects the answers", () => {
    const byAnswers = new Map<string, string[]>();
    for (const { name, jobs } of kinds) {
      const answers = JSON.stringify(jobs.map((job) => python.get(job)));
      byAnswers.set(answers, [...(byAnswers.get(answers) ?? []), name]);
    }
    const alike = [...byAnswers.values()].filter((it) => it.length > 1);
    expect(alike).toEqual(sameAnswers[group] ?? []);
  });
});

test.each(["normalizer", "pre_tokenizer", "post_processor", "decoder"] as const)(
  "every type of %s that the compiler accepts is covered",
  (name) => {
    const parts = [...tokenizerKinds.values()].flatMap((text) =>
      tokenizerParts(JSON.parse(text) as Readonly<Record<string, unknown>>),
    );
    const types = new Set(parts.flatMap((part) => (part.name === name ? [part.type] : [])));
    expect(types).toEqual(new Set(partTypes(name)));
  },
);

const firstDifference = (
  requests: readonly TextRequest[],
  ours: readonly Answer[],
  python: readonly Answer[],
): object | undefined => {
  const at = python.findIndex(
    (it, index) => JSON.stringify(ordered(ours[index])) !== JSON.stringify(ordered(it)),
  );
  return at < 0 ? undefined : { request: requests[at], ours: ours[at], python: python[at] };
};

const ordered = (answer: Answer | undefined): unknown =>
  Object.fromEntries(Object.entries(answer ?? {}).toSorted(([a], [b]) => (a < b ? -1 : 1)));
