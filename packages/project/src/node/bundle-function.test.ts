import { expect, test } from "vitest";
import { bundleStep, type Files, projectOf, runBundle } from "./bundle.fixture.ts";

const head = 'import { bytes, defineEnsemble, step } from "tritype";\n';
const signature = 'inputs: { text: bytes(["batch"]) }, outputs: { out: bytes(["batch"]) }';

interface Program {
  readonly files: Files;
  readonly packages?: readonly string[];
  /** What `run({ text: "Ab" })` answers. */
  readonly answers: unknown;
  /** Not in the bundle. */
  readonly without?: readonly string[];
}

const programs: Readonly<Record<string, Program>> = {
  "a method": {
    files: { "pipeline.ts": `${head}export const clean = step({ // here
  name: "clean", ${signature},
  run({ text }) { return { out: text.toLowerCase() }; },
});` },
    answers: { out: "ab" },
  },
  "a function of another file, with its constants": {
    files: {
      "pipeline.ts": `${head}import { clean as run } from "./lib/clean.ts";
export const clean = step({ name: "clean", ${signature}, run }); // here`,
      "lib/clean.ts": `import { suffix } from "./suffix.js";
const unused = "never here";
export const clean = ({ text }: { text: string }) => ({ out: text + suffix });`,
      "lib/suffix.ts": `export const suffix: string = "!";`,
    },
    answers: { out: "Ab!" },
    without: ["never here"],
  },
};

test.each(Object.entries(programs))("%s", async (_, { files, packages, answers, without = [] }) => {
  const bundled = await bundleStep(projectOf(files, packages), files);
  expect(bundled.problems).toEqual([]);
  expect(runBundle(bundled, { text: "Ab" })).toEqual({ answer: answers, printed: "" });
  for (const text of without) expect(bundled.files.get("run.mjs")).not.toContain(text);
});
