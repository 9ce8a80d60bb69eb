import ts from "typescript";
import { describe, expect, it } from "vitest";
import { itMatches } from "./snapshot.ts";
import { options, pathOf } from "./type-check.ts";

/** « and » enclose the text under the mouse pointer. */
const hovers = `import { bytes, defineEnsemble, «fp32», int64, l2Normalize, json, meanPool, onnx, step, tokenizer } from "tritype";
const «tokenize» = tokenizer({ name: "tokenize", from: "assets", maxLength: 512, offsets: true });
const «encoder» = onnx({
  name: "encoder",
  file: "encoder.onnx",
  inputs: { input_ids: int64("batch", "tokens"), attention_mask: int64("batch", "tokens") },
  outputs: { hidden: fp32("batch", "tokens", 384) },
});
const «type» = fp32("batch", "seq", 384);
export const «embed» = defineEnsemble({
  name: "embed",
  inputs: { text: bytes("batch", 1), image: type },
  run({ «text», image }) {
    const { input_ids, «offsets», attention_mask } = tokenize({ text });
    const { «hidden» } = encoder({ input_ids, attention_mask });
    const «pooled» = meanPool(hidden, attention_mask);
    const «swapped» = image.«transpose»(0, 2, 1);
    const scaled = pooled.«mul»(2);
    return { embedding: l2Normalize(scaled), sizes: swapped.«mean»("seq"), offsets };
  },
});
export const «again» = defineEnsemble({
  name: "again",
  inputs: { text: bytes("batch", 1), image: type },
  run: (inputs) => «embed»(inputs),
});
const «clean» = step({
  name: "clean",
  inputs: { text: bytes("batch", 1), ids: int64("batch", "seq") },
  outputs: { text: bytes("batch", 1), words: json<string[]>() },
  run: («row») => ({ text: row.«text», words: row.text.split(" ") }),
});
`;

/** ¦ marks where completions are requested. */
const completions = `import { bytes, defineConfig, defineEnsemble, fp32, int64, onnx, step, tokenizer } from "tritype";
import { createClient } from "tritype/client";
const tokenize = tokenizer({ name: "tokenize", from: "assets", maxLength: 512, specialTokensMask: true });
const encoder = onnx({
  name: "encoder",
  file: "encoder.onnx",
  inputs: { input_ids: int64("batch", "seq"), attention_mask: int64("batch", "seq") },
  outputs: { hidden: fp32("batch", "seq", 384) },
});
export const embed = defineEnsemble({
  name: "embed",
  inputs: { text: bytes("batch", 1), image: fp32("batch", "seq", 384) },
  run({ text, image }) {
    const input_ids = tokenize({ text }).¦;
    encoder({ ¦ });
    encoder({ input_ids, ¦ });
    tokenize({ ¦ });
    image.mean("¦");
    image.gather("¦", 0);
    return image.¦;
  },
});
embed({ ¦ });
defineEnsemble({ name: "x", ¦ });
defineEnsemble({ name: "x", inputs: { left: bytes("batch", 1), right: bytes("batch", 1) }, run({ ¦ }) {} });
defineEnsemble({ name: "x", inputs: {}, run: () => ({}), members: { ¦ } });
tokenizer({ name: "x", from: "assets", ¦ });
tokenizer({ name: "x", from: "assets", maxLength: 8, padding: "¦" });
tokenizer({ name: "x", from: "assets", maxLength: 8, dynamicBatching: { ¦ } });
onnx({ name: "x", file: "x.onnx", inputs: {}, outputs: {}, ¦ });
onnx({ name: "x", file: "x.onnx", inputs: {}, outputs: {}, instanceGroup: [{ kind: "¦" }] });
onnx({ name: "x", file: "x.onnx", inputs: {}, outputs: {}, dynamicBatching: { ¦ } });
step({ name: "x", inputs: { text: bytes("batch", 1) }, outputs: { y: fp32("batch", 1) }, run: ({ ¦ }) => ({ y: 1 }) });
step({ name: "x", inputs: { text: bytes("batch", 1) }, outputs: { y: fp32("batch", 1) }, run: () => ({ ¦ }) });
step({ name: "x", inputs: {}, outputs: {}, run: () => ({}), ¦ });
defineConfig({ ¦ });
createClient<typeof embed>({ url: "", ensemble: "¦" });
`;

const without = (text: string): string => text.replaceAll(/[«»¦]/gu, "");
const hoversPath = pathOf("test/types/hovers.ts");
const completionsPath = pathOf("test/types/completions.ts");
const files = new Map([
  [hoversPath, without(hovers)],
  [completionsPath, without(completions)],
]);
const service = ts.createLanguageService({
  getCompilationSettings: () => options,
  getScriptFileNames: () => [...files.keys()],
  getScriptVersion: () => "1",
  getScriptSnapshot(name) {
    const text = files.get(name) ?? ts.sys.readFile(name);
    return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
  },
  getCurrentDirectory: () => pathOf("test"),
  getDefaultLibFileName: ts.getDefaultLibFilePath,
  fileExists: (name) => files.has(name) || ts.sys.fileExists(name),
  readFile: (name) => files.get(name) ?? ts.sys.readFile(name),
  directoryExists: ts.sys.directoryExists,
  getDirectories: ts.sys.getDirectories,
  realpath: (name) => ts.sys.realpath?.(name) ?? name,
});

/** Every mark, with its line as the heading and its position in the text without marks. */
const marksOf = (text: string, mark: RegExp): readonly { readonly heading: string; readonly at: number }[] =>
  [...text.matchAll(mark)].map((match) => {
    const start = text.lastIndexOf("\n", match.index) + 1;
    const end = text.indexOf("\n", match.index);
    const column = match.index - start;
    const line = text.slice(start, end);
    const heading = `${without(line.slice(0, column))}${match[0]}${without(line.slice(column + match[0].length))}`;
    return { heading: `\`${heading.trim()}\``, at: without(text.slice(0, match.index)).length };
  });

const hoverAt = (at: number): string =>
  `\`\`\`ts\n${ts.displayPartsToString(service.getQuickInfoAtPosition(hoversPath, at)?.displayParts)}\n\`\`\``;

/** Members, properties and strings, without names that are in scope everywhere (from "15" on). */
const offeredAt = (at: number): string =>
  (service.getCompletionsAtPosition(completionsPath, at, {})?.entries ?? [])
    .filter(({ sortText, kind }) => sortText < "15" && kind !== ts.ScriptElementKind.keyword)
    .map(({ sortText, name }) => ({ order: `${sortText} ${name}`, line: `- ${name}` }))
    .toSorted((a, b) => (a.order < b.order ? -1 : 1))
    .map(({ line }) => line)
    .join("\n");

describe("the editor", () => {
  it("the program has no errors in the editor", () => {
    expect(service.getSemanticDiagnostics(hoversPath).map(({ messageText }) => messageText)).toEqual([]);
  });

  itMatches(
    new URL("editor.snap.md", import.meta.url),
    "What the editor shows on a name and offers at a place",
    new Map([
      ...marksOf(hovers, /«\w+»/gu).map(({ heading, at }): [string, string] => [heading, hoverAt(at)]),
      ...marksOf(completions, /¦/gu).map(({ heading, at }): [string, string] => [heading, offeredAt(at)]),
    ]),
  );
});
