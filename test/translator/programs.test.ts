import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openProject } from "../../packages/translator/src/project.fixture.ts";
import { agree, type Exact, exact, exactThrown } from "./exact-values.ts";
import { inputsFor } from "./program-inputs.ts";
import { type PythonChild, startPython } from "./python-child.ts";

/** The programs: functions that take one record each, with the record's type. */
const folder = new URL("programs/", import.meta.url);
const files = Object.fromEntries(
  readdirSync(folder).map((name) => [name, readFileSync(new URL(name, folder), "utf8")]),
);
const programs = Object.entries(files).flatMap(([file, text]) =>
  [...text.matchAll(/^export function (\w+)\(\{[^}]*\}: (\{.*\})\) \{$/gm)].map(
    ([, name = "", type = ""], at) => ({ file, name, type, seed: at + 1 }),
  ),
);
const count = Number(process.env["TRITYPE_TRANSLATOR_INPUTS"] ?? 40);

let python: PythonChild;
let project: ReturnType<typeof openProject>;
beforeAll(() => {
  python = startPython();
  const calls = programs.map(({ name }) => `step({ name: "${name}", run: ${name} });`);
  const imports = Object.keys(files).map(
    (file) =>
      `import { ${programs
        .filter((one) => one.file === file)
        .map(({ name }) => name)
        .join(", ")} } from "./${file}";`,
  );
  project = openProject({
    ...files,
    "all.ts": [...calls, 'import { step } from "./step.ts";', ...imports].join("\n"),
  });
});
afterAll(async () => {
  project.close();
  await python.close();
});

test("there are programs to run", () => {
  expect(programs.length).toBeGreaterThanOrEqual(60);
});

test.each(programs.map((program, at) => [program.name, at, program] as const))(
  "%s behaves in Python as in Node",
  async (_name, at, { type, seed }) => {
    const { refusals, translated } = project.translate("all.ts", at + 1);
    expect(refusals).toEqual([]);
    if (translated === undefined) return;
    const inputs = inputsFor(type, count, seed * 7919);
    const source = [
      ...translated.imports.map((name) => `import ${name}`),
      translated.support,
      translated.python,
    ].join("\n");
    const calls = inputs.map((input) => [exact(input)]);
    const answers = await python.run({ source, function: translated.entry, calls });
    const module = (await import(
      /* @vite-ignore */ `data:text/javascript,${encodeURIComponent(translated.javascript)}`
    )) as {
      readonly run: (input: unknown) => unknown;
    };
    const different = inputs.flatMap((input, index) => {
      const node = outcome(() => module.run(structuredClone(input)));
      const other = answers[index] ?? null;
      return agree(node, other) || isLoud(node, other) ? [] : [{ input: calls[index], node, python: other }];
    });
    expect(different.slice(0, 2), translated.python).toEqual([]);
  },
);

const outcome = (run: () => unknown): Exact => {
  try {
    return exact(run());
  } catch (error) {
    return exactThrown(error);
  }
};

/** Whether JavaScript throws a TypeError and Python an error of its own, whose text differs. */
const isLoud = (node: Exact, other: Exact): boolean =>
  Array.isArray(node) &&
  Array.isArray(other) &&
  node[0] === "throw" &&
  node[1] === "TypeError" &&
  other[0] === "crash";
