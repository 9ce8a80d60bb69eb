import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { beforeAll, expect, test } from "vitest";
import { pythonWithNumpy } from "../environment/python.ts";
import { writeDetokenizer, writeTokenizer } from "./tokenizer-model.ts";

const exec = promisify(execFile);

const fileOf = (parts: object): string =>
  JSON.stringify({
    version: "1.0",
    added_tokens: [],
    pre_tokenizer: { type: "Whitespace" },
    model: {
      type: "WordLevel",
      unk_token: "[UNK]",
      vocab: { "[UNK]": 0, "[PAD]": 1, "[CLS]": 2, "[SEP]": 3, a: 4, b: 5 },
    },
    ...parts,
  });
const text = (id: "A" | "B"): object => ({ Sequence: { id, type_id: 0 } });
const token = (id: string): object => ({ SpecialToken: { id, type_id: 0 } });
const template = (single: readonly object[], pair: readonly object[]): object => ({
  type: "TemplateProcessing",
  single,
  pair,
  special_tokens: { "[CLS]": { id: "[CLS]", ids: [2], tokens: ["[CLS]"] } },
});
const around = template([token("[CLS]"), text("A")], [token("[CLS]"), text("A"), text("B")]);
const sequence = (name: string, ...parts: readonly object[]): object => ({ type: "Sequence", [name]: parts });

/** How the library handles each part; none of these is an error that a model could report. */
const panics = "PanicException";
const cases: readonly (readonly [string, string, string, "texts" | "pair" | "ids"])[] = [
  [
    "no map of SentencePiece",
    fileOf({ normalizer: { type: "Precompiled", precompiled_charsmap: "" } }),
    panics,
    "texts",
  ],
  [
    "a map without its trie",
    fileOf({ normalizer: { type: "Precompiled", precompiled_charsmap: "AAAAAA==" } }),
    panics,
    "texts",
  ],
  ["pieces of no length", fileOf({ pre_tokenizer: { type: "FixedLength", length: 0 } }), panics, "texts"],
  [
    "a template with the text of a pair",
    fileOf({ post_processor: template([text("B")], [text("A"), text("B")]) }),
    panics,
    "texts",
  ],
  [
    "a template with a token that has no ids",
    fileOf({ post_processor: template([token("[SEP]"), text("A")], [text("A"), text("B")]) }),
    panics,
    "texts",
  ],
  ["two templates", fileOf({ post_processor: sequence("processors", around, around) }), panics, "pair"],
  [
    "a template that repeats a text",
    fileOf({ post_processor: template([text("A"), text("A")], [text("A"), text("B")]) }),
    "4 tokens of at most 3",
    "texts",
  ],
  [
    "a decoder that takes characters from the end",
    fileOf({
      decoder: sequence("decoders", { type: "Fuse" }, { type: "Strip", content: " ", start: 0, stop: 1 }),
    }),
    panics,
    "ids",
  ],
];

const script = `
import json, sys
from tokenizers import Tokenizer

def said(text, use):
    try:
        tokenizer = Tokenizer.from_str(text)
        if use == "ids":
            return tokenizer.decode([])
        tokenizer.enable_truncation(3)
        row = tokenizer.encode("a b", "a") if use == "pair" else tokenizer.encode("a b")
        return f"{len(row)} tokens of at most 3"
    except BaseException as error:
        return type(error).__name__

print(json.dumps([said(text, use) for _, text, _, use in json.loads(sys.argv[1])]))
`;
let library: readonly string[] = [];
beforeAll(async () => {
  const { stdout } = await exec(await pythonWithNumpy(), ["-c", script, JSON.stringify(cases)]);
  library = JSON.parse(stdout) as string[];
}, 60_000);

test.each(cases.map(([name, file, fails, use], index) => ({ name, file, fails, use, index })))(
  "$name: the library fails, and so does the build",
  ({ file, fails, use, index }) => {
    expect(library[index]).toBe(fails);
    const build = (): unknown =>
      use === "ids"
        ? writeDetokenizer({ text: file })
        : writeTokenizer({ text: file }, { maxLength: 8, pair: use === "pair" });
    expect(build).toThrow("given/tokenizer.json cannot be used: `");
  },
);
