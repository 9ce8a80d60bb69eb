import ts from "typescript";
import { describe, expect, it } from "vitest";
import { itMatches } from "./snapshot.ts";
import { diagnosticsOf, messageOf, sourceOf } from "./type-check.ts";
import { wrongNames, wrongProgram as program } from "./wrong-programs.ts";

const paths = wrongNames.map((file) => `test/types/wrong/${file}`);

/** The syntax node that a diagnostic points to: the outermost node with exactly its text. */
const nodeAt = (source: ts.SourceFile, { start = 0, length = 0 }: ts.Diagnostic): ts.Node => {
  const covers = (node: ts.Node): boolean =>
    node.getStart(source) <= start && start + length <= node.getEnd();
  const is = (node: ts.Node): boolean => node.getStart(source) === start && node.getEnd() === start + length;
  const find = (node: ts.Node): ts.Node =>
    is(node) ? node : (ts.forEachChild(node, (child) => (covers(child) ? find(child) : undefined)) ?? node);
  return find(source);
};

/** The role of the node for the program's author. */
const placeOf = (node: ts.Node): string => {
  const { parent } = node;
  if (ts.isShorthandPropertyAssignment(node) || ts.isBindingElement(node)) return "property";
  if (ts.isPropertyAssignment(parent) && parent.name === node) return "property";
  if (ts.isCallExpression(parent) && parent.arguments.some((argument) => argument === node))
    return "argument";
  if (ts.isPropertyAccessExpression(parent) && parent.expression === node) return "receiver";
  if (ts.isArrayLiteralExpression(parent)) return "element";
  return ts.SyntaxKind[node.kind];
};

const programs = paths.map((path) => {
  const source = sourceOf(program, path);
  const found = diagnosticsOf(program, path).map((diagnostic) => {
    const node = nodeAt(source, diagnostic);
    const { line, character } = source.getLineAndCharacterOfPosition(diagnostic.start ?? 0);
    return {
      at: `${line + 1}:${character + 1}`,
      line: source.text.split("\n")[line]?.trim() ?? "",
      place: placeOf(node),
      text: node.getText(source),
      code: diagnostic.code,
      message: messageOf(diagnostic),
    };
  });
  const [, title = ""] = /^\/\/ (.+)\n/u.exec(source.text) ?? [];
  return { name: path.slice("test/types/wrong/".length, -".ts".length), title, found };
});

/** These have more than one diagnostic, because both inputs are at fault. */
const several: Readonly<Record<string, number>> = { "two-sizes-of-one-name": 2 };
/** These take more than one line, because the message is TypeScript's own. */
const long = [
  "missing-input",
  "no-file",
  "custom-no-backend",
  "python-no-file",
  "torchscript-no-file",
  "extra-output-of-another-step",
  "gpus-on-cpu",
  "tokenizer-ids",
  "step-returns-another-array",
  "node-step-returns-another-output",
  "flow-call-without-an-input",
  "stream-awaited",
  "flow-returns-an-undeclared-output",
];
/**
 * These are neither at a property nor at an argument: an error about `this` is reported at the receiver, an error about
 * a list at its element, and an error about a whole result at the result.
 */
const elsewhere: Readonly<Record<string, string>> = {
  "softmax-of-integers": "receiver",
  "and-of-numbers": "receiver",
  "xor-of-numbers": "receiver",
  "round-of-integers": "receiver",
  "pad-of-text": "receiver",
  "one-hot-of-floats": "receiver",
  "label-encode-of-floats": "receiver",
  "label-encode-values": "element",
  "concat-sizes": "element",
  "concat-dtypes": "element",
  "request-values": "element",
  "warmup-values": "element",
  "run-of-an-ensemble": "element",
  "gpus-on-cpu": "element",
  "client-input-values": "element",
  "client-output-name": "element",
  "when-sides": "Identifier",
  "step-async": "ParenthesizedExpression",
  "stream-awaited": "AwaitExpression",
  "node-step-returns-another-output": "ParenthesizedExpression",
  "flow-forgets-await": "Identifier",
  "flow-reads-an-undeclared-output": "Identifier",
  "flow-not-async": "ParenthesizedExpression",
  "flow-returns-an-undeclared-output": "ParenthesizedExpression",
  "step-returns-too-little": "ParenthesizedExpression",
};

describe("a wrong program", () => {
  it.each(programs)("$name: has its one diagnostic, at the place of the mistake", ({ name, found }) => {
    const place = elsewhere[name] ?? /property|argument/u;
    expect(found).toHaveLength(several[name] ?? 1);
    for (const each of found) expect(each.place).toMatch(place);
  });

  it.each(programs)("$name: is reported in one line", ({ name, found }) => {
    for (const { message } of found) expect(message.includes("\n")).toBe(long.includes(name));
  });

  it("each wrong program has its own title", () => {
    const titles = programs.map(({ title }) => title);
    expect(titles).not.toContain("");
    expect(new Set(titles).size).toBe(titles.length);
  });

  it("wrong programs only import valid steps", () => {
    expect(diagnosticsOf(program, "test/types/steps.ts").map(messageOf)).toEqual([]);
  });
});

describe("wrong.snap.md", () => {
  const entries = programs.map(({ name, title, found }): [string, string] => [
    title,
    found
      .map(
        ({ at, line, place, text, code, message }) =>
          `\`${line}\`\n${name}.ts:${at}, ${place} \`${text}\`, TS${code}\n\n\`\`\`text\n${message}\n\`\`\``,
      )
      .join("\n\n"),
  ]);
  itMatches(
    new URL("wrong.snap.md", import.meta.url),
    "Wrong programs and what TypeScript says",
    new Map(entries),
  );
});
