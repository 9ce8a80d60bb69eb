import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openSources, type Sources } from "./sources.ts";

test("other contents of one file change its types; the other files are neither read nor parsed again", () => {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "sources-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const texts: string[] = [];
  const onQuestion = (question: string, path: string): void => {
    if (question === "text") texts.push(path);
  };
  writeFileSync(join(root, "a.ts"), "export const one: number = 1;\n");
  writeFileSync(join(root, "b.ts"), 'import { one } from "./a.ts";\nexport const two = one + one;\n');
  const sources = openSources(root, { files: ["a.ts", "b.ts"], onQuestion });
  const first = sources.open("a.ts")?.file;
  expect(typeIn(sources)).toBe("number");
  expect(new Set(texts).size).toBe(texts.length);

  const other = 'import { one } from "./a.ts";\nexport const two = String(one);\n';
  const changed = sources.withTexts(new Map([[join(root, "b.ts"), other]]));
  const before = texts.length;
  expect(typeIn(changed)).toBe("string");
  expect(changed.open("a.ts")?.file).toBe(first);
  expect(texts.length).toBe(before);
  expect(typeIn(sources)).toBe("number");
});

/** The type of `two` in `b.ts`. */
const typeIn = (sources: Sources): string | undefined => {
  const { file, checker } = sources.open("b.ts") ?? {};
  const module = file && checker?.getSymbolAtLocation(file);
  const two = module && checker?.getExportsOfModule(module).find(({ name }) => name === "two");
  return two && checker?.typeToString(checker.getTypeOfSymbol(two));
};
