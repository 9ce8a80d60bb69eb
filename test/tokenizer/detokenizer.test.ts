import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { tryDecodeUtf8 } from "@tritype/core";
import { loadTwin } from "@tritype/runtime";
import { Tokenizer } from "../../packages/runtime/node_modules/tokenizers/index.js";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { loadDetokenizerTwin } from "../../packages/runtime/src/twins/detokenizer-twin.ts";
import { type Answer, pythonAnswers, type TextRequest, twinAnswers } from "./answers.ts";
import { hostileStrings } from "./hostile-strings.ts";
import {
  type DetokenizerChoices,
  type TokenizerName,
  tokenizerFolders,
  type WrittenTokenizer,
  writeDetokenizer,
} from "./tokenizer-model.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const jsonOf = (name: TokenizerName): string =>
  readFileSync(`${root}${tokenizerFolders[name]}/tokenizer.json`, "utf8");

const written: WrittenTokenizer[] = [];
afterEach(() => written.splice(0).forEach((it) => it.remove()));
const write = (...given: Parameters<typeof writeDetokenizer>): WrittenTokenizer => {
  const made = writeDetokenizer(...given);
  written.push(made);
  return made;
};

/** The answers from both sides; fails if they differ. */
const answer = async (made: WrittenTokenizer, ...requests: TextRequest[]): Promise<readonly Answer[]> => {
  const [python] = await pythonAnswers([{ written: made, requests }]);
  const twin = await loadTwin(made.twin, made.model);
  const ours = twin === undefined ? [] : await twinAnswers(twin, requests, made.outputs);
  expect(ours).toEqual(python);
  return ours;
};
const texts = (...head: readonly string[]): object => ({
  text: { dtype: "BYTES", shape: [head.length, 1], head, sha256: "" },
});

describe("a detokenizer", () => {
  test("special and pad tokens are omitted, separately for each row", async () => {
    const made = write("wordpiece");
    const tokenizer = Tokenizer.fromString(jsonOf("wordpiece"));
    const { ids, longest } = await encoded(tokenizer, ["the quick brown fox.", "munchen", ""]);
    expect(longest).toBeGreaterThan(3);
    expect(await answer(made, { ids })).toEqual([texts("the quick brown fox.", "munchen", "")]);
    expect(await answer(write("wordpiece", { skipSpecialTokens: false }), { ids })).toEqual([
      texts("[CLS] the quick brown fox. [SEP]", "[CLS] munchen [SEP]", "[CLS] [SEP]"),
    ]);
  });

  test("a detokenizer cleans up spaces on request", async () => {
    const made = write({ text: wordLevel(["do", "n't", "stop", ",", "please", "!"]) }, { cleanUp: true });
    expect(await answer(made, { ids: [[2, 3, 4, 5, 6, 7]] })).toEqual([texts("don't stop, please!")]);
    const plain = write({ text: wordLevel(["do", "n't"]) });
    expect(await answer(plain, { ids: [[2, 3]] })).toEqual([texts("do n't")]);
  });

  test("an id that is not a token fails only its own request", async () => {
    const made = write({ text: wordLevel(["do", "stop"]) });
    const said = (row: number, id: string): Answer => ({
      code: "INVALID_ARG",
      message: `detokenize: row ${row} has id ${id}, which is not one of the 4 tokens of tokenizer.json`,
    });
    expect(
      await answer(
        made,
        { ids: [[2, 3]] },
        {
          ids: [
            [2, 3],
            [2, 4],
          ],
        },
        { ids: [[-1]] },
        { ids: [[2n ** 32n + 2n]] },
        { ids: [[2n ** 63n - 1n]] },
        { ids: [[-(2n ** 63n)]] },
        { ids: [[3], [3]] },
      ),
    ).toEqual([
      texts("do stop"),
      said(1, "4"),
      said(0, "-1"),
      said(0, "4294967298"),
      said(0, "9223372036854775807"),
      said(0, "-9223372036854775808"),
      texts("stop", "stop"),
    ]);
  });

  test("rows without tokens are empty texts; no rows give no texts", async () => {
    const made = write("gpt");
    expect(await answer(made, { ids: [[], []] })).toEqual([texts("", "")]);
  });

  test("bytes that do not form a whole character become U+FFFD", async () => {
    const bytes = Tokenizer.fromString(jsonOf("gpt"));
    const id = (token: string): number => bytes.tokenToId(token) ?? -1;
    // The first two of the three bytes of "€", then a stray one.
    expect(
      await answer(write("gpt"), {
        ids: [
          [id("â"), id("Ĥ")],
          [id("a"), id("¬")],
        ],
      }),
    ).toEqual([texts("\ufffd", "a\ufffd")]);
    const fallback = Tokenizer.fromString(jsonOf("llama"));
    const byte = (value: string): number => fallback.tokenToId(`<0x${value}>`) ?? -1;
    expect(
      await answer(write("llama"), {
        ids: [
          [byte("E2"), byte("82")],
          [byte("E2"), byte("AC")],
        ],
      }),
    ).toEqual([texts("\ufffd\ufffd", "\ufffd\ufffd")]);
    expect(await answer(write("llama"), { ids: [[byte("E2"), byte("82"), byte("AC")]] })).toEqual([
      texts("€"),
    ]);
  });

  test("without the native binary the emitted Python runs", async () => {
    const made = write("gpt");
    expect(
      await loadDetokenizerTwin(made.twin.options, made.model, () => Promise.reject(new Error("no binding"))),
    ).toBeUndefined();
  });
});

const wordLevel = (words: readonly string[]): string =>
  JSON.stringify({
    version: "1.0",
    added_tokens: [],
    model: {
      type: "WordLevel",
      unk_token: "[UNK]",
      vocab: Object.fromEntries(["[PAD]", "[UNK]", ...words].map((word, id) => [word, id])),
    },
  });

/** The ids of some texts, padded to the same length with the pad token. */
const encoded = async (
  tokenizer: Tokenizer,
  rows: readonly string[],
): Promise<{ readonly ids: readonly (readonly number[])[]; readonly longest: number }> => {
  const pad =
    ["[PAD]", "<pad>", "<|pad|>"].map((it) => tokenizer.tokenToId(it)).find((id) => id !== null) ?? 0;
  const found = await tokenizer.encodeBatch([...rows]);
  const ids = found.map((it) => it.getIds());
  const longest = Math.max(0, ...ids.map(({ length }) => length));
  return { longest, ids: ids.map((row) => [...row, ...Array<number>(longest - row.length).fill(pad)]) };
};

const modes: Readonly<Record<string, DetokenizerChoices>> = {
  "special tokens skipped": {},
  "special tokens kept, cleaned up": { skipSpecialTokens: false, cleanUp: true },
};
/** `TRITYPE_TOKENIZERS=long`: twice as many. */
const wanted = process.env["TRITYPE_TOKENIZERS"] === "long" ? 900 : 450;
const strings = hostileStrings(wanted).flatMap((it) => (it.length > 10_000 ? [] : (tryDecodeUtf8(it) ?? [])));

/** Pseudorandom numbers in [0, n), the same in every run. */
let state = 7;
const random = (n: number): number => {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * n);
};

describe("the twin answers like model.py", () => {
  const jobs = (Object.keys(tokenizerFolders) as TokenizerName[]).flatMap((name) =>
    Object.entries(modes).map(([mode, options]) => ({ name, mode, made: writeDetokenizer(name, options) })),
  );
  const requests = new Map<TokenizerName, readonly TextRequest[]>();
  let python: readonly (readonly Answer[])[] = [];
  beforeAll(async () => {
    for (const { name } of jobs) {
      const tokenizer = Tokenizer.fromString(jsonOf(name));
      tokenizer.disablePadding();
      tokenizer.disableTruncation();
      requests.set(name, [...(await texted(tokenizer)), ...anyIds(tokenizer.getVocabSize())]);
    }
    python = await pythonAnswers(
      jobs.map(({ name, made }) => ({ written: made, requests: requests.get(name) ?? [] })),
    );
  }, 120_000);
  afterAll(() => jobs.forEach(({ made }) => made.remove()));

  test.each(jobs.map((job, index) => ({ ...job, index })))("$name, $mode", async ({ name, made, index }) => {
    const twin = await loadTwin(made.twin, made.model);
    const ours = twin === undefined ? [] : await twinAnswers(twin, requests.get(name) ?? [], ["text"]);
    expect(ours).toEqual(python[index]);
    expect(ours.filter((it) => "text" in it).length).toBeGreaterThan(400);
  });
});

const texted = async (tokenizer: Tokenizer): Promise<readonly TextRequest[]> => {
  const requests: TextRequest[] = [];
  for (let at = 0; at < strings.length; at += 3)
    requests.push({ ids: (await encoded(tokenizer, strings.slice(at, at + 3))).ids });
  return requests;
};

/**
 * Possible outputs of a model: any tokens in any order, fragments of characters, and occasionally an id that is too
 * large.
 */
const anyIds = (size: number): readonly TextRequest[] =>
  Array.from({ length: 300 }, () => {
    const length = 1 + random(24);
    const most = random(20) === 0 ? size + 2 : size;
    return {
      ids: Array.from({ length: 1 + random(3) }, () => Array.from({ length }, () => random(most))),
    };
  });
