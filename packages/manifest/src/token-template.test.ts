import { expect, test } from "vitest";
import { specialCount, tokenTemplate } from "@tritype/manifest";

const show = (postProcessor: unknown): string => {
  const { single, pair } = tokenTemplate(postProcessor);
  return [single, pair]
    .map((parts) =>
      parts.map((it) => `${it.kind === "special" ? it.ids.join("+") : it.kind}:${it.typeId}`).join(" "),
    )
    .join(" | ");
};

const bert = { type: "BertProcessing", sep: ["[SEP]", 102], cls: ["[CLS]", 101] };
const byteLevel = { type: "ByteLevel", add_prefix_space: true, trim_offsets: true, use_regex: true };

test.each<readonly [string, unknown, string]>([
  ["none", null, "text:0 | text:0 text_pair:1"],
  ["ByteLevel", byteLevel, "text:0 | text:0 text_pair:1"],
  ["BertProcessing", bert, "101:0 text:0 102:0 | 101:0 text:0 102:0 text_pair:1 102:1"],
  [
    "RobertaProcessing",
    { type: "RobertaProcessing", sep: ["</s>", 2], cls: ["<s>", 0], trim_offsets: true },
    "0:0 text:0 2:0 | 0:0 text:0 2:0 2:0 text_pair:0 2:0",
  ],
  [
    "TemplateProcessing",
    {
      type: "TemplateProcessing",
      single: [{ SpecialToken: { id: "<x>", type_id: 2 } }, { Sequence: { id: "A", type_id: 0 } }],
      pair: [
        { Sequence: { id: "B", type_id: 1 } },
        { SpecialToken: { id: "<x>", type_id: 0 } },
        { Sequence: { id: "A", type_id: 0 } },
      ],
      special_tokens: { "<x>": { id: "<x>", ids: [7, 8], tokens: ["<x>", "y"] } },
    },
    "7+8:2 text:0 | text_pair:1 7+8:0 text:0",
  ],
  [
    "Sequence",
    { type: "Sequence", processors: [byteLevel, bert, byteLevel] },
    "101:0 text:0 102:0 | 101:0 text:0 102:0 text_pair:1 102:1",
  ],
])("%s", (_, postProcessor, expected) => {
  expect(show(postProcessor)).toBe(expected);
});

test("special tokens are counted by their ids", () => {
  expect(specialCount(tokenTemplate(bert).pair)).toBe(3);
  expect(specialCount([{ kind: "special", ids: [7, 8], typeId: 0 }])).toBe(2);
});
