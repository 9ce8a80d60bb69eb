import { expect, test } from "vitest";
import { typeOfKind } from "../ir/value-type.ts";
import { scopeIn, type Variable } from "../ir/variable.ts";
import {
  pyAssign,
  pyBinary,
  pyCall,
  pyDo,
  pyIf,
  pyInt,
  pyList,
  pyMethod,
  pyName,
  pyNot,
  pySlice,
  pyStar,
  pySubscript,
  pyText,
  pyTuple,
  pyVariable,
} from "./build.ts";
import { printModule } from "./print-module.ts";
import type { PyExpression, PyStatement } from "./syntax.ts";

const module = scopeIn(undefined, "module");
const variable = (name: string): Variable => ({
  name,
  kind: "const",
  scope: module,
  type: typeOfKind("number"),
});
const [a, b, c] = ["a", "b", "c"].map((name) => pyVariable(variable(name))) as [
  PyExpression,
  PyExpression,
  PyExpression,
];
const print = (...statements: readonly PyStatement[]): string =>
  printModule(statements, ({ name }) => name).text;
const show = (expression: PyExpression): string =>
  print(pyDo({ kind: "expression", value: expression })).trimEnd();
const held: PyExpression = { kind: "walrus", variable: variable("t"), value: a };
const lambda: PyExpression = {
  kind: "lambda",
  parameters: [{ variable: variable("x"), form: "plain" }],
  body: b,
};

test.each<readonly [PyExpression, string]>([
  [pyBinary("-", a, pyBinary("-", b, c)), "a - (b - c)"],
  [pyBinary("-", pyBinary("-", a, b), c), "a - b - c"],
  [pyBinary("*", pyBinary("+", a, b), c), "(a + b) * c"],
  [pyBinary("==", pyBinary("==", a, b), c), "(a == b) == c"],
  [pyBinary("and", pyBinary("or", a, b), pyBinary("<", b, c)), "(a or b) and b < c"],
  [pyNot(pyBinary("and", a, b)), "not (a and b)"],
  [pyNot(pyBinary("is", a, b)), "a is not b"],
  [pyIf(a, pyIf(b, a, c), pyIf(c, a, b)), "(a if b else c) if a else a if c else b"],
  [pyMethod(pyIf(a, b, c), "get", pyInt(-1)), "(b if a else c).get(-1)"],
  [pyMethod(pyInt(1), "bit_length"), "(1).bit_length()"],
  [{ kind: "unary", operator: "-", operand: pyBinary("*", a, b) }, "-(a * b)"],
  [pyBinary("is", held, pyName("None")), "(t := a) is None"],
  [pyBinary("is", pyText("a"), pyName("None")), '"a" == None'],
  [pyBinary("is not", pySubscript(pyText("a"), pyInt(0)), pyName("undefined")), '"a"[0] != undefined'],
  [{ kind: "between", low: pyInt(0), value: held, high: pyCall("len", b) }, "0 <= (t := a) < len(b)"],
  [pyCall("f", lambda, pyIf(a, b, c)), "f(lambda x: b, b if a else c)"],
  [pyMethod(lambda, "x"), "(lambda x: b).x()"],
  [pySlice(a, undefined, pyInt(2), pyInt(-1)), "a[:2:-1]"],
  [pyTuple([a]), "(a,)"],
  [pyList([pyStar(pyBinary("or", a, b)), c]), "[*(a or b), c]"],
  [
    { kind: "dict", entries: [{ key: pyText("k"), value: a }, { spread: pyBinary("or", b, c) }] },
    '{"k": a, **(b or c)}',
  ],
  [{ kind: "format", parts: ["{", { value: a, plain: true }, "}\n"] }, 'f"{{{a}}}\\n"'],
  [{ kind: "format", parts: [{ value: pyMethod(a, "get", pyText("k")), plain: true }] }, "f\"{a.get('k')}\""],
  [
    { kind: "format", parts: ["x", { value: pyCall("f", pyText('"')), plain: false }] },
    '"x" + str(f("\\""))',
  ],
  [
    pyCall("any", {
      kind: "comprehension",
      form: "generator",
      element: a,
      clauses: [{ target: pyTuple([a, b]), iterable: pyIf(a, b, c), test: pyIf(a, b, c) }],
    }),
    "any(a for a, b in (b if a else c) if (b if a else c))",
  ],
])("an expression keeps its meaning: %#", (expression, text) => {
  expect(show(expression)).toBe(text);
});

test("strings are UTF-16 units: lone surrogates and invisible characters are escaped", () => {
  expect(show(pyText('é"\\\n\t😀\u2028\u00a0\u0301\ufeff'))).toBe(
    '"é\\"\\\\\\n\\t\\ud83d\\ude00\\u2028\\u00a0\\u0301\\ufeff"',
  );
});

test("long lines break at brackets", () => {
  const long = pyText("x".repeat(50));
  expect(print(pyAssign(a, pyCall("f", long, pyList([long, long]), pyName("y"))))).toBe(
    `a = f(\n    "${"x".repeat(50)}",\n    [\n        "${"x".repeat(50)}",\n        "${"x".repeat(50)}",\n    ],\n    y,\n)\n`,
  );
});

test("statements keep their comments, and lines are mapped to their source positions", () => {
  const at = { file: "a.ts", line: 7, column: 3 };
  const inner: PyStatement = { does: { kind: "return", value: a }, at, comments: ["why"] };
  const { text, lines } = printModule(
    [
      pyAssign(a, b),
      pyDo({
        kind: "function",
        variable: variable("f"),
        parameters: [{ variable: variable("x"), form: "optional" }],
        body: [inner],
      }),
    ],
    ({ name }) => name,
  );
  expect(text).toBe("a = b\n\n\ndef f(x=undefined):\n    # why\n    return a\n");
  expect(lines).toEqual([{ line: 6, at }]);
});

test("a table may have more entries than a call may have arguments", () => {
  // Threads have larger stacks than commands, where 130,000 are too many.
  const entries = 800_000;
  const text = print(pyAssign(a, pyList(Array.from({ length: entries }, () => b))));
  expect(text.split("\n").length).toBeGreaterThan(entries);
});
