import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { encodeUtf8, tryDecodeUtf8 } from "@tritype/core";
import { loadTwin } from "@tritype/runtime";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { templateProcessing, Tokenizer } from "../../packages/runtime/node_modules/tokenizers/index.js";
import { type Answer, pythonAnswers, type TextRequest, twinAnswers } from "./answers.ts";
import { hostileStrings } from "./hostile-strings.ts";
import { type Options, tokenizerFolders, type WrittenTokenizer, writeTokenizer } from "./tokenizer-model.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));
const tokenizerOf = (name: keyof typeof families): Tokenizer =>
  Tokenizer.fromString(readFileSync(`${root}${tokenizerFolders[name]}/tokenizer.json`, "utf8"));

/** Languages as named in requests, their tokens, and a row in the form that the model expects. */
const families = {
  m2m100: {
    tokens: { de: "__de__", en: "__en__", fr: "__fr__", zh: "__zh__" },
    template: (token: string) => `${token} $A </s>`,
  },
  nllb: {
    tokens: { deu_Latn: "deu_Latn", eng_Latn: "eng_Latn", zho_Hans: "zho_Hans", zho_Hant: "zho_Hant" },
    template: (token: string) => `${token} $A </s>`,
  },
  mbart: {
    tokens: { de_DE: "de_DE", en_XX: "en_XX", fr_XX: "fr_XX", zh_CN: "zh_CN" },
    template: (token: string) => `$A </s> ${token}`,
  },
} as const;
type Family = keyof typeof families;
const names = Object.keys(families) as Family[];

const both = { source: true, target: true } as const;
const everything = { tokenTypeIds: true, specialTokensMask: true, offsets: true } as const;
const modes: Readonly<Record<string, Options>> = {
  longest: { maxLength: 24, languages: both, ...everything },
  "max length": { maxLength: 16, padding: "maxLength", languages: both, ...everything },
  "buckets, int32, prefix": {
    maxLength: 32,
    padding: { buckets: [8, 32] },
    ids: "INT32",
    prefix: "a b ",
    languages: both,
    ...everything,
  },
  "no special tokens": { maxLength: 12, addSpecialTokens: false, languages: both, ...everything },
  "no truncation": { maxLength: 40, truncation: false, languages: both, ...everything },
  "target only": { maxLength: 24, languages: { target: true } },
};

const strings = hostileStrings(700).filter((it) => it.length < 10_000 && tryDecodeUtf8(it) !== undefined);
const codesOf = (name: Family): readonly string[] => Object.keys(families[name].tokens);
const requestsOf = (name: Family, { source }: { readonly source?: boolean }): readonly TextRequest[] => {
  const codes = codesOf(name);
  const language = (at: number): Uint8Array => encodeUtf8(codes[at % codes.length] ?? "");
  const requests: TextRequest[] = [];
  for (let at = 0; at < strings.length; at += 3) {
    const text = strings.slice(at, at + 3);
    requests.push({
      text,
      ...(source === true ? { source_language: text.map((_, row) => language(at + row)) } : {}),
      target_language: text.map((_, row) => language(at + row + 1)),
    });
  }
  return requests;
};

describe("languages: the twin gives the same answers as model.py", () => {
  const jobs = names.flatMap((name) =>
    Object.entries(modes).map(([mode, options]) => ({
      name,
      mode,
      written: writeTokenizer(name, options),
      requests: requestsOf(name, options.languages ?? {}),
    })),
  );
  let python: readonly (readonly Answer[])[] = [];
  beforeAll(async () => {
    python = await pythonAnswers(jobs);
  }, 120_000);
  afterAll(() => jobs.forEach(({ written }) => written.remove()));

  test.each(jobs.map((job, index) => ({ ...job, index })))(
    "$name, $mode",
    async ({ written, requests, index }) => {
      const ours = await answersOf(written, requests);
      expect(ours).toEqual(python[index]);
      expect(ours.filter((it) => "input_ids" in it).length).toBeGreaterThan(90);
    },
  );
});

const answersOf = async (
  { twin, model, outputs }: WrittenTokenizer,
  requests: readonly TextRequest[],
): Promise<readonly Answer[]> => {
  const loaded = await loadTwin(twin, model);
  return loaded === undefined ? [] : twinAnswers(loaded, requests, outputs);
};

test.each(names)("%s: rows match the library's with the language in its template", async (name) => {
  const { tokens, template } = families[name];
  const written = writeTokenizer(name, { maxLength: 20, languages: both });
  for (const [code, token] of Object.entries(tokens)) {
    const library = tokenizerOf(name);
    const id = library.tokenToId(token) ?? -1;
    library.setPostProcessor(
      templateProcessing(template(token), undefined, [
        ["</s>", library.tokenToId("</s>") ?? -1],
        [token, id],
      ]),
    );
    library.setTruncation(20);
    const texts = strings.slice(0, 60);
    const ours = await answersOf(
      written,
      texts.map((text) => ({
        text: [text],
        source_language: [encodeUtf8(code)],
        target_language: [encodeUtf8(code)],
      })),
    );
    for (const [at, text] of texts.entries()) {
      const expected = await library.encode(tryDecodeUtf8(text) ?? "");
      expect(ours[at]).toMatchObject({
        input_ids: { head: expected.getIds() },
        attention_mask: { head: expected.getAttentionMask() },
        forced_bos_token_id: { dtype: "INT64", shape: [1, 1], head: [id] },
      });
    }
  }
  written.remove();
});

test("an unknown language only fails its own request, and the error lists the known ones", async () => {
  const written = writeTokenizer("m2m100", { maxLength: 20, languages: both });
  const request = (source: string, target: string): TextRequest => ({
    text: [encodeUtf8("a"), encodeUtf8("b")],
    source_language: [encodeUtf8("en"), encodeUtf8(source)],
    target_language: [encodeUtf8(target), encodeUtf8("en")],
  });
  const requests = [
    request("de", "fr"),
    request("xx", "fr"),
    request("de", "EN"),
    request("fra", "fr"),
    request("__en__", "fr"),
    request("en-US", "fr"),
    request("", "fr"),
    request('q"\n\u0001\u007f\u2028𠮷', "fr"),
    request("x".repeat(60), "fr"),
    request("𠮷".repeat(60), "fr"),
    request("toString", "fr"),
    { ...request("de", "fr"), target_language: [Uint8Array.of(0xff), encodeUtf8("fr")] },
  ];
  const [python] = await pythonAnswers([{ written, requests }]);
  const ours = await answersOf(written, requests);
  expect(ours).toEqual(python);
  const listed = "the languages are af, de, en, es, fr and 1 more";
  const said = ours.map((it) => ("message" in it ? [it.code, it.message] : "answered"));
  expect(said).toEqual([
    "answered",
    ["INVALID_ARG", `tokenize: row 1 of source_language is "xx"; ${listed}`],
    ["INVALID_ARG", `tokenize: row 0 of target_language is "EN"; ${listed}; did you mean en?`],
    ["INVALID_ARG", `tokenize: row 1 of source_language is "fra"; ${listed}; did you mean fr?`],
    ["INVALID_ARG", `tokenize: row 1 of source_language is "__en__"; ${listed}`],
    ["INVALID_ARG", `tokenize: row 1 of source_language is "en-US"; ${listed}; did you mean en?`],
    ["INVALID_ARG", `tokenize: row 1 of source_language is ""; ${listed}`],
    ["INVALID_ARG", `tokenize: row 1 of source_language is "q\\"\\n\\u0001\u007f\u2028𠮷"; ${listed}`],
    ["INVALID_ARG", `tokenize: row 1 of source_language is "${"x".repeat(40)}…"; ${listed}`],
    ["INVALID_ARG", `tokenize: row 1 of source_language is "${"𠮷".repeat(40)}…"; ${listed}`],
    ["INVALID_ARG", `tokenize: row 1 of source_language is "toString"; ${listed}`],
    ["INVALID_ARG", "tokenize: row 0 of target_language is not valid UTF-8"],
  ]);
  written.remove();
});

test("tokens can be named by a pattern or a table", async () => {
  const text = [encodeUtf8("a")];
  const forced = async (languages: NonNullable<Options["languages"]>, code: string): Promise<unknown> => {
    const written = writeTokenizer("m2m100", { maxLength: 20, languages });
    const [answer] = await answersOf(written, [{ text, target_language: [encodeUtf8(code)] }]);
    written.remove();
    return answer;
  };
  const id = tokenizerOf("m2m100").tokenToId("__de__") ?? -1;
  const german = { forced_bos_token_id: { head: [id] } };
  expect(await forced({ target: true, tokens: "__*__" }, "de")).toMatchObject(german);
  expect(await forced({ target: true, tokens: { German: "__de__" } }, "German")).toMatchObject(german);
});
