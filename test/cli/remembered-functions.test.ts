import { readFileSync } from "node:fs";
import { expect, onTestFinished, test } from "vitest";
import { type Answer, analyseFiles } from "../../packages/project/src/analyse/analyse-files.ts";
import { makeProject, type ProjectFixture } from "../fixtures/project.ts";
import { stubPackage } from "./stub-package.ts";
import { questionOf, resultOf, undivided } from "./undivided.ts";

const tsconfig = (options: object = {}): string =>
  `${JSON.stringify({ compilerOptions: { strict: true, module: "NodeNext", allowImportingTsExtensions: true, noEmit: true, ...options } })}\n`;

const stepText = (name: string, body: string): string => `export const ${name} = step({
  name: "${name}",
  inputs: { text: bytes("batch", 1) },
  outputs: { n: int32("batch", 1) },
  run: ({ text }) => ${body},
});
`;

const steps = `// About the file.
import { bytes, int32, step } from "tritype";
import { measured } from "./lib/measure.ts";

const limit = 40;
const words = ["a", "b"];

interface Named {
  readonly name: string;
  readonly size: number;
}

/** Cuts a text. */
function cut(text: string): string {
  return text.slice(0, limit);
}

${stepText("short", "({ n: cut(text).length })")}
${stepText(
  "listed",
  `{
    if (text === "") return { n: 0 };
    return { n: words.indexOf(text) };
  }`,
)}
// The type comes from the library.
${stepText("far", "({ n: measured(text) })")}
${stepText(
  "shaped",
  `{
    const named: Named = { name: text, size: text.length };
    return { n: named.size };
  }`,
)}`;

const files = {
  "node_modules/.keep": "",
  "node_modules/units/package.json": '{ "name": "units", "version": "1.0.0", "types": "index.d.ts" }\n',
  "node_modules/units/index.d.ts": "export type Unit = number;\n",
  "tsconfig.json": tsconfig(),
  "steps.ts": steps,
  "lib/measure.ts": `import type { Unit } from "units";
import { sizeOf } from "./size.ts";
export const measured = (text: string): Unit => sizeOf(text) * 2;
`,
  "lib/size.ts": `import type { Size } from "./types.ts";
const offset = 1;
export const sizeOf = (text: string): Size => text.length + offset;
`,
  "lib/types.ts": "export type Size = number;\n",
};

const opened = (files: Readonly<Record<string, string>>): ProjectFixture => {
  const project = makeProject(files);
  onTestFinished(() => project.remove());
  return project;
};

const open = (changed: Readonly<Record<string, string>> = {}): ProjectFixture =>
  opened({ ...stubPackage, ...files, ...changed });

const analysed = (project: ProjectFixture): Promise<Answer> =>
  analyseFiles(project.root, questionOf(project));

/** The steps that are analysed again. Expects the results to equal those of one program with all files. */
const analysedNow = async (project: ProjectFixture): Promise<readonly string[]> => {
  const answer = await analysed(project);
  expect(resultOf(answer)).toEqual(undivided(project, questionOf(project)));
  const again = await analysed(project);
  expect(again.asked).toEqual([]);
  expect(resultOf(again)).toEqual(resultOf(answer));
  return answer.steps;
};

const all = ["short", "listed", "far", "shaped"];

/** Makes edits one after the other, and expects these steps to be analysed again. */
const expectAnalysed = async (
  project: ProjectFixture,
  edits: readonly (readonly [from: string, to: string, steps: readonly string[]])[],
): Promise<void> => {
  let text: string = steps;
  await analysed(project);
  for (const [from, to, expected] of edits) {
    expect(text).toContain(from);
    text = text.replace(from, to);
    project.write("steps.ts", text);
    expect(await analysedNow(project), `${from} → ${to}`).toEqual(expected);
  }
};

test("an edit affects the functions that use the changed code", async () => {
  await expectAnalysed(open(), [
    ["words.indexOf(text)", "words.indexOf(text) + 1", ["listed"]],
    ["limit = 40", "limit = 41", ["short"]],
    ["limit = 41", 'limit: string | number = "x"', ["short"]],
    ["text.slice(0, limit)", "text.slice(1, limit)", ["short"]],
    // A result with an error is only valid for the same file.
    ["words.indexOf(text) + 1", "words.indexOf(text)", ["short", "listed"]],
    ['limit: string | number = "x"', "limit = 40", ["short"]],
    ['["a", "b"]', '["b"]', ["listed"]],
    ["measured(text)", "measured(text) + words.length", ["far"]],
    ['["b"]', '["b", "c"]', ["listed", "far"]],
    ["  readonly size: number;", "  readonly size: 1;", all],
  ]);
});

test("functions that only move are not translated again", async () => {
  await expectAnalysed(open(), [
    ["/** Cuts a text. */", "/**\n * Cuts a text\n * and more.\n */", ["short"]],
    ["// The type", "\n\n\n// The type", []],
    ["// The type", "const unused = 1;\n// The type", []],
    ["// The type", `${stepText("added", "({ n: 1 })")}\n// The type`, ["added"]],
    [stepText("added", "({ n: 1 })"), "", []],
    ["bytes, int32, step", "bytes,\n  fp32,\n  int32,\n  step,\n", []],
  ]);
});

test("a change that concerns the whole file affects all of its functions, with the real package", async () => {
  await expectAnalysed(opened(files), [
    ["// About", "// @ts-nocheck\n// About", all],
    ["// @ts-nocheck\n", "", all],
    ["const limit", 'import { sizeOf } from "./lib/size.ts";\nconst limit', all],
  ]);
});

test("a change in another file is noticed, even through several imports", async () => {
  const project = open();
  await analysed(project);
  const changes: readonly (readonly [file: string, text: string])[] = [
    ["lib/types.ts", "export type Size = number | string;\n"],
    ["lib/types.ts", files["lib/types.ts"]],
    ["lib/size.ts", files["lib/size.ts"].replace("offset = 1", "offset = 2")],
    ["lib/size.ts", files["lib/size.ts"].replace("text.length", "text.trim().length")],
    ["lib/measure.ts", files["lib/measure.ts"].replace("* 2", "* 3")],
    ["tsconfig.json", tsconfig({ exactOptionalPropertyTypes: true })],
    ["node_modules/units/index.d.ts", "export type Unit = 1;\n"],
    ["node_modules/units/package.json", '{ "name": "units", "version": "2.0.0", "types": "other.d.ts" }\n'],
  ];
  for (const [file, text] of changes) {
    project.write(file, text);
    expect(await analysedNow(project), file).toEqual(all);
    if (text === files[file as keyof typeof files]) continue;
    // The same build contains a change to the file itself.
    const edited = readFileSync(project.path("steps.ts"), "utf8");
    project.write(file, files[file as keyof typeof files]);
    project.write(
      "steps.ts",
      edited.replace(/limit = (\d+)/, (_, n: string) => `limit = ${Number(n) + 1}`),
    );
    expect(await analysedNow(project), file).toEqual(all);
    project.write(file, text);
    await analysed(project);
  }
});

test("a function depends on statements that change the types of other code", async () => {
  const head = `import { bytes, int32, step } from "tritype";
const env = (name: string): string | undefined => (name === "" ? undefined : name);
const asText: (value: unknown) => asserts value is string = (value) => {
  if (typeof value !== "string") throw new Error();
};
function fail(): never {
  throw new Error();
}
const value = env("x");
`;
  const ways: readonly (readonly [before: string, after: string])[] = [
    ["if (value === undefined) throw new Error();\n", ""],
    ["asText(value);\n", ""],
    ["const other = (() => {\n  if (value === undefined) throw new Error();\n  return 1;\n})();\n", ""],
    ["class Own {\n  static {\n    asText(value);\n  }\n}\n", ""],
    ["const other = (asText(value), 1);\n", ""],
    ["const other = [(asText(value), 1), 2];\n", ""],
    ["const other = value === undefined ? fail() : 1;\n", ""],
    ["const other = (fail(), 1);\n", ""],
  ];
  for (const [before, after] of ways) {
    const text = (statement: string): string =>
      head + statement + stepText("sized", "({ n: text.length + value.length })");
    const project = open({ "steps.ts": text(before) });
    await analysed(project);
    project.write("steps.ts", text(after));
    expect(await analysedNow(project), before).toEqual(["sized"]);
    project.write("steps.ts", text(before));
    expect(await analysedNow(project), before).toEqual(["sized"]);
  }
});

test("changes of variables and properties in initializers are noticed", async () => {
  const head = `import { bytes, int32, step } from "tritype";
const record: { a?: number } = {};
record.a = 1;
let count: number | string = "1";
`;
  for (const change of [
    "delete record.a",
    "count++",
    "(count = 2)",
    "[(count = 2), 1]",
    "(() => (count = 2))()",
  ]) {
    const text = (declared: string): string =>
      head + declared + stepText("sized", "({ n: text.length + record.a + count.length })");
    const project = open({ "steps.ts": text("") });
    await analysed(project);
    project.write("steps.ts", text(`const other = ${change};\n`));
    expect(await analysedNow(project), change).toEqual(["sized"]);
    project.write("steps.ts", text(""));
    expect(await analysedNow(project), change).toEqual(["sized"]);
  }
});

test("comments that suppress errors, self-imports and unused names are reported", async () => {
  const head = 'import { bytes, int32, step } from "tritype";\n';
  const free = stepText("free", "({ n: text.length })");
  const sized = (body: string): string => stepText("sized", `({ n: ${body} })`);
  const ways: readonly (readonly [before: string, after: string])[] = [
    [`const own = 1;\n${sized("own.length")}`, `const own = 1; // @ts-ignore\n${sized("own.length")}`],
    [`const own = 1;\n${sized("own")}`, `const own = 1;\n// @ts-expect-error\n${sized("own")}`],
    [
      `import { own as same } from "./steps.ts";\nexport const own = 1;\n${sized("same")}`,
      `import { own as same } from "./steps.ts";\nexport const own = "1";\n${sized("same")}`,
    ],
    [
      `import { own as same } from "self";\nexport const own = 1;\n${sized("same")}`,
      `import { own as same } from "self";\nexport const own = "1";\n${sized("same")}`,
    ],
    [`const own = 1;\n${sized("own")}`, `const own = 1;\n${sized("1")}`],
    [`const size = 1;\n${sized("sise")}`, `const sixe = 1;\n${sized("sise")}`],
  ];
  for (const [before, after] of ways) {
    const project = open({
      "steps.ts": head + before + free,
      "tsconfig.json": tsconfig({ noUnusedLocals: true, paths: { self: ["./steps.ts"] } }),
    });
    await analysed(project);
    for (const text of [after, before]) {
      project.write("steps.ts", head + text + free);
      await analysedNow(project);
    }
  }
});

test("variables, lists that start empty and names that are declared twice affect the whole file", async () => {
  const head = 'import { bytes, int32, step } from "tritype";\n';
  const both = ["sized", "free"];
  const ways: readonly (readonly [
    before: string,
    after: string,
    used: string,
    affected?: readonly string[],
  ])[] = [
    [
      'let value: string | number = "a";\nconst change = () => {\n  value = 1;\n};\n',
      'let value: string | number = "a";\nconst change = () => {};\n',
      "String(value).length",
      both,
    ],
    ["const value = [];\nvalue.push(1);\n", 'const value = [];\nvalue.push("1");\n', "value.length", both],
    [
      "function value(): number;\nfunction value(): unknown {\n  return 1;\n}\n",
      "function value(): string;\nfunction value(): unknown {\n  return 1;\n}\n",
      "value()",
      both,
    ],
    ["const value = { n: 1 };\n", "const value = { n: 1 };\nconst value = 2;\n", "value.n", both],
    [
      "enum Value {\n  A = 1,\n}\n",
      "enum Value {\n  A = 1,\n}\nenum Value {\n  B = 2,\n}\n",
      "Value.A",
      both,
    ],
    [
      "const value = (): number => next;\nconst next = 1;\n",
      'const value = (): number => next;\nconst next = "1";\n',
      "value()",
    ],
    [
      "const value = 1; /* ends\nhere */ const next = 2;\n",
      "const value = 1; /* ends\nthere */ const next = 2;\n",
      "value",
    ],
  ];
  for (const [before, after, used, affected = ["sized"]] of ways) {
    const text = (declared: string): string =>
      head +
      declared +
      stepText("sized", `({ n: text.length + ${used} })`) +
      stepText("free", "({ n: text.length })");
    const project = open({ "steps.ts": text(before) });
    await analysed(project);
    project.write("steps.ts", text(after));
    expect(await analysedNow(project), before).toEqual(affected);
    project.write("steps.ts", text(before));
    expect(await analysedNow(project), before).toEqual(affected);
  }
});

test("files that import each other, or are imported by other files with steps, are analysed as a whole", async () => {
  const other = (n: number): string => `import { bytes, int32, step } from "tritype";
import { limit } from "./steps.ts";
${stepText("other", `({ n: text.length + limit + ${n} })`)}`;
  const text = steps.replace("const limit", "export const limit");
  const imported = open({ "steps.ts": text, "other.ts": other(1) });
  expect(await analysedNow(imported)).toEqual(["other", ...all]);
  imported.write("other.ts", other(2));
  expect(await analysedNow(imported)).toEqual(["other"]);
  imported.write("steps.ts", text.replace("limit = 40", "limit = 41"));
  expect(await analysedNow(imported)).toEqual(["other", "short"]);
  imported.write("steps.ts", text.replace("limit = 40", 'limit = "x"'));
  expect(await analysedNow(imported)).toEqual(["other", "short"]);

  const mutual = open({
    "steps.ts": text,
    "lib/types.ts": 'import type { limit } from "../steps.ts";\nexport type Size = typeof limit;\n',
  });
  expect(await analysedNow(mutual)).toEqual(all);
  mutual.write("steps.ts", text.replace("limit = 40", "limit = 41"));
  expect(await analysedNow(mutual)).toEqual(all);
  mutual.write("lib/types.ts", files["lib/types.ts"]);
  expect(await analysedNow(mutual)).toEqual(all);
  mutual.write("steps.ts", text);
  expect(await analysedNow(mutual)).toEqual(["short"]);
});

test("removing an import within a function is noticed if the imported module declares globals", async () => {
  const project = open({
    "globals.d.mts": "export {};\ndeclare global {\n  type Shared = number;\n}\n",
    "steps.ts": `import { bytes, int32, step } from "tritype";
const unused = async (): Promise<unknown> => import("./globals.mjs");
${stepText("sized", "{\n    const n: Shared = text.length;\n    return { n };\n  }")}`,
  });
  expect(await analysedNow(project)).toEqual(["sized"]);
  const text = readFileSync(project.path("steps.ts"), "utf8");
  project.write("steps.ts", text.replace(/const unused.*\n/, ""));
  expect(await analysedNow(project)).toEqual(["sized"]);
  expect((await analysed(project)).typeErrors).toMatchObject([{ code: "TS2304" }]);
});
