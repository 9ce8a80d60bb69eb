import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { TokenizerTwinOptions } from "@tritype/manifest";
import { expect, onTestFinished, test } from "vitest";
import { openTokenCounters } from "./token-counters.ts";

const assets = fileURLToPath(new URL("../../../../test/tokenizer/assets/wordpiece", import.meta.url));

const options: TokenizerTwinOptions = {
  step: "t",
  ids: "INT64",
  maxLength: 4,
  truncation: true,
  truncationSide: "right",
  padding: "longest",
  pad: { token: "[PAD]", id: 0, typeId: 0, side: "right" },
  addSpecialTokens: true,
  prefix: "",
  pair: false,
  tokenTypeIds: false,
  specialTokensMask: false,
  offsets: false,
};

/** The counters of a repository with one model. */
const countersOf = (changes: Partial<TokenizerTwinOptions>, kind = "tokenizer") => {
  const repository = mkdtempSync(join(tmpdir(), "tokens-"));
  onTestFinished(() => rmSync(repository, { recursive: true, force: true }));
  cpSync(assets, join(repository, "t", "1"), { recursive: true });
  const twin = { kind, options: { ...options, ...changes } as never, files: {} };
  return openTokenCounters(
    repository,
    [{ name: "t", kind, twin, versions: [{ version: 1, hash: "" }] }],
    () => {},
  );
};

test.each<[string, Partial<TokenizerTwinOptions>, object | undefined]>([
  ["a text that is cut", {}, { tokens: 10, limit: 4 }],
  ["without special tokens", { addSpecialTokens: false }, { tokens: 8, limit: 4 }],
  ["with a prefix", { prefix: "a " }, { tokens: 11, limit: 4 }],
  ["a text that is refused", { truncation: false, truncationSide: "left" }, { tokens: 10, limit: 4 }],
  ["a beginning that is cut off", { truncationSide: "left" }, { tokens: 4, limit: undefined }],
  ["a pair of texts", { pair: true }, undefined],
])("%s", async (_, changes, expected) => {
  const counter = await countersOf(changes)("t");
  const counted = counter && { tokens: await counter.count("a b c d e f g h"), limit: counter.limit };
  expect(counted).toEqual(expected);
});

test("other models and unusable files have no count", async () => {
  expect(await countersOf({}, "generate")("t")).toBeUndefined();
  expect(await countersOf({})("other")).toBeUndefined();
  const twin = { kind: "tokenizer", options: options as never, files: {} };
  const missing = [{ name: "t", kind: "tokenizer", twin, versions: [{ version: 1, hash: "" }] }];
  expect(await openTokenCounters("/nowhere", missing, () => {})("t")).toBeUndefined();
});
