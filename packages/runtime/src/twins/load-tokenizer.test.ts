import { copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { loadTokenizer } from "./load-tokenizer.ts";
import { openNativeEngine } from "./tokenizer-engine-native.ts";

const asset = (name: string): string =>
  fileURLToPath(new URL(`../../../../test/tokenizer/assets/${name}/tokenizer.json`, import.meta.url));

test("engines for the same file do not affect each other", async () => {
  const lengths = [4, 6, undefined, 4].map(async (maxLength) => {
    const engine = await openNativeEngine(asset("wordpiece"), {
      maxLength: maxLength ?? 99,
      truncation: maxLength !== undefined,
      truncationSide: "right",
      addSpecialTokens: false,
      pair: false,
      offsets: false,
    });
    const [row] = await engine.encode([{ text: "a b c d e f g h" }], undefined);
    return row?.length;
  });
  expect(await Promise.all(lengths)).toEqual([4, 6, 8, 4]);
});

test("a file is loaded once for its content and settings, while it is in use", () => {
  const folder = mkdtempSync(join(tmpdir(), "tokenizers-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const copy = join(folder, "tokenizer.json");
  copyFileSync(asset("wordpiece"), copy);
  const first = loadTokenizer(asset("wordpiece"));
  expect(loadTokenizer(copy)).toBe(first);
  expect(loadTokenizer(copy, "uncut", (made) => made.disableTruncation())).not.toBe(first);
  copyFileSync(asset("unigram"), copy);
  expect(loadTokenizer(copy)).not.toBe(first);
  writeFileSync(copy, "{}");
  expect(() => loadTokenizer(copy)).toThrow(copy);
});
