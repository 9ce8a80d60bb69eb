import { expect, test } from "vitest";
import { commentAbove, docstringOf } from "./source-comment.ts";

/** The comment above the line that contains "here(". */
const above = (...lines: readonly string[]): string | undefined =>
  commentAbove(lines, lines.findIndex((line) => line.includes("here(")) + 1);

test("the comment above a declaration is plain text without its tags", () => {
  expect(above("/** Text → a vector. */", "export const embed = here({")).toBe("Text → a vector.");
  expect(
    above(
      "  /**",
      "   * Finds things in",
      "   * a picture, see {@link other} and {@link https://a.b the page}.",
      "   *",
      "   * Slow.",
      "   * @param picture left out",
      "   * and so is this",
      "   */",
      "  things: here({",
    ),
  ).toBe("Finds things in a picture, see other and the page.\n\nSlow.");
  expect(above("// One line", "//   and another", "const x =", "  here({")).toBe("One line and another");
  expect(above("/** <b>Not</b> markup, a@b. @returns x */", "return here({")).toBe("<b>Not</b> markup, a@b.");
});

test("other comments and other declarations are ignored", () => {
  expect(above("const x = 1;", "const y = here({")).toBeUndefined();
  expect(above("// A section", "", "const y = here({")).toBeUndefined();
  expect(above("// About both", "const all = [one({}), here({})];")).toBeUndefined();
  expect(above("const a = 1; // one", "const y = here({")).toBeUndefined();
  expect(above("const a = 1; /* one */", "const y = here({")).toBeUndefined();
  expect(above("// @ts-expect-error: types", "// ------", "const y = here({")).toBeUndefined();
  expect(above("/** Makes a step. */", "const make = (name) => here({")).toBeUndefined();
  expect(above("/** @internal */", "const y = here({")).toBeUndefined();
  expect(above("/** Kept. */", "// biome-ignore lint: reason", "const y = here({")).toBe("Kept.");
  expect(commentAbove(["one line"], 7)).toBeUndefined();
});

test("long comments are cut", () => {
  const text = above(`// ${"word ".repeat(1000)}`, "const y = here({");
  expect(text).toMatch(/^word .* word …$/);
  expect(text?.length).toBeLessThan(700);
});

test("a comment may contain the beginning of another", () => {
  expect(above("/**", " * Reads `packages/*.json`.", " */", "const y = here({")).toBe(
    "Reads `packages/*.json`.",
  );
  expect(above("/** About a. */", "const a = 1; /* one */", "const y = here({")).toBeUndefined();
});

test.each([
  "const a: (x: number) => Foo = here({",
  "export const a: Step<(x: A) => B, C> = here({",
  "const a = await here({",
  "return await here({",
  "const { a, b: c } = here({",
  "const [a] = await here({",
])("the description of `%s`", (line) => {
  expect(above("/** About it. */", line)).toBe("About it.");
});

test("functions that make a step are not described", () => {
  expect(above("/** Makes one. */", "const a: (x: number) => Foo = (x) => here({")).toBeUndefined();
  expect(above("/** Makes one. */", "export default function (x) { return here({}) }")).toBeUndefined();
  expect(above("/** Makes one. */", "const a = async (x) => await here({")).toBeUndefined();
});

test("a comment of any length is read in a short time", () => {
  const count = 200_000;
  const declared = "const y = here({";
  const started = performance.now();
  expect(above(`/${"*".repeat(count)}`, " * Stars.", ` ${"*".repeat(count)}/`, declared)).toBeUndefined();
  expect(above(`/** Stars. ${"*".repeat(count)}x`, "*/", declared)).toMatch(/^Stars\./);
  expect(above(`/** Stars ${"*".repeat(9000)}/`, declared)).toBe("Stars");
  expect(above(`/** Link {@link ${"a".repeat(count)}`, "*/", declared)).toMatch(/^Link/);
  expect(above(`/** Link {@link a${" ".repeat(count)}`, "*/", declared)).toBe("Link {@link a");
  expect(above(`/** Links ${"{@link ".repeat(count)}`, "*/", declared)).toMatch(/^Links/);
  expect(above(...Array.from({ length: count }, () => "// word"), declared)).toMatch(/^word word/);
  expect(above(`const y: ${"=>".repeat(count)} (`, "here({")).toBeUndefined();
  expect(performance.now() - started).toBeLessThan(10_000);
});

test("a model.py is described by the docstring of its class or of the module", () => {
  const model = (doc: string): string => `import numpy\n\n\nclass TritonPythonModel(Base):\n    ${doc}\n`;
  expect(docstringOf(model('"""Adds two\n    numbers.\n    """\n    x = """no"""'))).toBe(
    "Adds two numbers.",
  );
  expect(docstringOf(model("'''One.'''"))).toBe("One.");
  expect(docstringOf(`# Copyright\n"""The module."""\n${model("pass")}`)).toBe("The module.");
  expect(docstringOf(`import x\n"""No docstring."""\n${model("pass")}`)).toBeUndefined();
  // The comment of NVIDIA's template.
  const template =
    '"""Your Python model must use the same class name. Every Python model\n    that is created …"""';
  expect(docstringOf(model(template))).toBeUndefined();
});
