import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pc from "picocolors";
import { expect, onTestFinished, test } from "vitest";
import type { Terminal } from "../terminal.ts";
import { readSources, writeSettings } from "./write-settings.ts";

const source = `export const one = step({ name: "one", maxBatchSize: 1 });
export const two = step({ name: "two", maxBatchSize: 1 });
`;

const begun = () => {
  const root = mkdtempSync(join(tmpdir(), "write-settings-"));
  onTestFinished(() => rmSync(root, { recursive: true }));
  writeFileSync(join(root, "steps.ts"), source);
  const colors = pc.createColors(false);
  const said: string[] = [];
  const say = (text: string): void => void said.push(text);
  const models = [{ name: "two", definedAt: { file: "steps.ts", line: 2, column: 20 } }];
  const sources = readSources(
    { root, configFile: undefined },
    { compilation: { emitted: { models } } as unknown as Parameters<typeof readSources>[1]["compilation"] },
  );
  const edit = { file: "steps.ts", call: { line: 2, column: 20 }, path: ["maxBatchSize"], value: 8 };
  return {
    said,
    path: join(root, "steps.ts"),
    write: () =>
      writeSettings({ root }, [edit], true, sources, {
        out: say,
        note: say,
        colors,
        outColors: colors,
      } as Partial<Terminal> as Terminal),
  };
};

const tuned = source.replace('"two", maxBatchSize: 1', '"two", maxBatchSize: 8');

test("settings are written to the call of their step", async () => {
  const { path, write, said } = begun();
  await write();
  expect(readFileSync(path, "utf8")).toBe(tuned);
  expect(said.at(-1)).toBe("wrote steps.ts");
});

test("a file that was edited since the search began is not changed, because the step may be elsewhere", async () => {
  const { path, write, said } = begun();
  const edited = `export const zero = step({ name: "zero", maxBatchSize: 1 });\n${source}`;
  writeFileSync(path, edited);
  await write();
  expect(readFileSync(path, "utf8")).toBe(edited);
  expect(said.join("\n")).toMatch(/^\+.*"two", maxBatchSize: 8/m);
  expect(said.at(-1)).toBe(
    "note steps.ts was edited during the run, so it is not changed: run the same command again, or make this change yourself",
  );
});
