import { expect, test } from "vitest";
import { keepNeeded } from "./needed-statements.ts";
import { withPureCalls } from "./pure-calls.ts";

/** The remaining lines, without those that were already blank. */
const kept = (text: string): readonly string[] | undefined => {
  const line = text.split("\n").findIndex((line) => line.includes("// here")) + 1;
  const rest = keepNeeded("pipeline.ts", text, line);
  expect(rest?.split("\n").map((line) => line.length)).toEqual(
    rest === undefined ? undefined : text.split("\n").map((line) => line.length),
  );
  return rest?.split("\n").filter((line) => line.trim() !== "");
};

const here = "const clean = step({ name: 'clean', run: () => used() }); // here";
const step = 'import { step, defineEnsemble } from "tritype";';

interface Kept {
  readonly stays: readonly string[];
  readonly goes: readonly string[];
}

/** Statements before the step, of which some are kept. */
const cases: Readonly<Record<string, Kept>> = {
  "names that the step uses, directly or indirectly": {
    stays: [
      "const a = 1;",
      "function b() { return a; }",
      "class C { x = b(); }",
      "const used = () => new C();",
    ],
    goes: ["const d = a;", "function e() { return b(); }", "class F extends C {}", "export { d };"],
  },
  "shadowed names do not count": {
    stays: [
      "const used = (a: number) => { const b = 1; for (const c of [a]) { try {} catch (d) { return [a, b, c, d]; } } };",
    ],
    goes: ["const a = 1;", "const b = 2;", "const c = 3;", "const d = 4;"],
  },
  "property names do not count": {
    stays: ["const used = (x: any) => ({ a: x.b, [x.c]: 1, d() {} });"],
    goes: ["const a = 1;", "const b = 2;", "const c = 3;", "const d = 4;"],
  },
  "computed and shorthand property names count": {
    stays: [
      "const a = 'a';",
      "const b = 2;",
      "const { c = b, ...d } = { c: 1 };",
      "const used = () => ({ [a]: c, d });",
    ],
    goes: ["const e = a;"],
  },
  "types are removed anyway": {
    stays: ["interface A { a: typeof b }", "type B = A;", "const used = (x: B): A => x as never;"],
    goes: ["const b = 1;"],
  },
  imports: {
    stays: [
      'import "./polyfill.ts";',
      'import a, { type T } from "a";',
      'import * as b from "b";',
      "const used = () => [a, b];",
    ],
    goes: [
      'import { c } from "c";',
      'import type { A } from "d";',
      'export * from "e";',
      "export default c;",
    ],
  },
  "statements that change values that the step uses": {
    stays: [
      'import days from "days";',
      'import utc from "days/utc";',
      "days.extend(utc);",
      "const list: number[] = [];",
      "list[0] = 1;",
      "for (const n of [2]) list.push(n);",
      "{ list.push(3); }",
      "const add = (n: number) => list.push(n);",
      "const four = add(4);",
      "if (four > 3) add(5);",
      "const used = () => [days(), list];",
    ],
    goes: ["const other: number[] = [];", "other.push(1);", "console.log('x');", "const six = Math.max(6);"],
  },
  "statements that only use values that the step also uses": {
    stays: ['import { readFileSync } from "node:fs";', "const used = () => readFileSync('a');"],
    goes: ["const text = readFileSync('b');", "readFileSync('c');", "console.log(await clean.run({}));"],
  },
  "calls to modules that may change what the step imports": {
    stays: [
      'import { fill } from "./fill.ts";',
      'import { z } from "zod";',
      'import { locale } from "zod/locales";',
      "const setup = async () => fill();",
      "await setup();",
      "z.config(locale());",
      "const used = () => z.string();",
    ],
    goes: [
      'import { other } from "other";',
      "other();",
      'import { make } from "./make.ts";',
      "const made = make();",
      "console.log(make());",
      "if (process) { make(); }",
    ],
  },
  "calls to modules if the step imports nothing": {
    stays: ["const used = () => 1;"],
    goes: ['import { fill } from "./fill.ts";', "fill();"],
  },
  "other steps and ensembles": {
    stays: ["const helper = (x: unknown) => x;", "const used = () => helper(1);"],
    goes: [
      "const other = step({ name: 'other', run: () => helper(2) });",
      "const both = defineEnsemble({ name: 'both', run: (x) => other(clean(helper(x))) });",
      "console.log(await both.run({ x: 1 }));",
    ],
  },
  "statements that affect more than the file": {
    stays: [
      "process.env.TZ = 'UTC';",
      "const zone = 'x';",
      "globalThis.zone = zone;",
      "Object.defineProperty(Array.prototype, 'last', {});",
      "delete (globalThis as any).name;",
      "const used = () => 1;",
    ],
    goes: ["const name = { a: 1 };", "name.a = 2;", "name.a++;"],
  },
  "classes that register themselves": {
    stays: [
      "const known: unknown[] = [];",
      "const note = (x: unknown) => void known.push(x);",
      "@note class A {}",
      "class B { static { note(B); } }",
      "const used = () => known;",
    ],
    goes: ["class C { a = note(C); b() { return note(C); } }".replace("a = note(C); ", "")],
  },
  "enums and namespaces": {
    stays: ["enum A { X }", "namespace B { export const x = A.X; }", "const used = () => B.x;"],
    goes: ["enum C { X }", "namespace D { export const x = A.X; }"],
  },
};

test.each(Object.entries(cases))("stays: %s", (_, { stays, goes }) => {
  expect(kept([step, ...goes, ...stays, here].join("\n"))).toEqual([step, ...stays, here]);
  expect(kept([step, ...stays, ...goes, here].join("\n"))).toEqual([step, ...stays, here]);
});

test("a file with JSX is kept whole, because JSX uses names that do not appear in the source", () => {
  expect(keepNeeded("a.tsx", `const h = 1;\nconst clean = step({ run: () => <b /> });`, 2)).toBeUndefined();
});

test.each([
  "const make = () => step({ name: 'clean' }); // here\nexport const clean = make();",
  "function make() {\n  return step({ name: 'clean' }); // here\n}\nexport const clean = make();",
  "class Maker {\n  make() { return step({ name: 'clean' }); } // here\n}\nexport const clean = new Maker().make();",
  "const makers = {\n  clean: () => step({ name: 'clean' }), // here\n};\nexport const clean = makers.clean();",
  "const nothing = 1; // here",
])("the whole file is kept if one of its functions creates the step: %s", (text) => {
  expect(kept(`${step}\n${text}`)).toBeUndefined();
});

test.each([
  "const steps = ['clean'].map((name) =>\n  step({ name }), // here\n);",
  "const clean = (() => {\n  return step({ name: 'clean' }); // here\n})();",
  "if (process) {\n  step({ name: 'clean' }); // here\n}",
  "const clean = tritype\n  .step({ // here\n    name: 'clean' });",
])("an immediately called function creates the step of its statement: %s", (text) => {
  expect(kept(`const other = 1;\n${text}`)).toEqual(text.split("\n"));
});

test("calls to tritype's functions are marked as pure for esbuild; lines and columns stay the same", () => {
  const text = `import t, { bytes as text, type Dims, PipelineError, step } from "tritype";
import { z } from "zod";
export const a = step({ inputs: { x: text() } });`;
  expect(
    withPureCalls("a.ts", text, false),
  ).toBe(`import t, {                type Dims, PipelineError,      } from "tritype";
import { z } from "zod";
export const a = step({ inputs: { x: text() } });
import { bytes as text_of_tritype } from "tritype";
/* @__NO_SIDE_EFFECTS__ */ function text(options) { return text_of_tritype(options); }
import { step as step_of_tritype } from "tritype";
/* @__NO_SIDE_EFFECTS__ */ function step(options) { return step_of_tritype(options); }`);
  expect(withPureCalls("a.ts", text, true)).not.toContain("step_of_tritype");
});
