import { readdirSync, readFileSync } from "node:fs";
import ts from "typescript";
import { expect, test } from "vitest";
import { pathOf } from "./type-check.ts";

const folder = "packages/dsl/src/model-fields";
const files = [
  ...readdirSync(pathOf(folder)).map((name) => `${folder}/${name}`),
  ...["onnx.ts", "tokenizer.ts", "ensemble.ts"].map((name) => `packages/dsl/src/${name}`),
];

interface Property {
  readonly place: string;
  readonly docs: string;
}

/** Every property of the file's interfaces and type literals, including nested ones. */
function* propertiesOf(file: string, text: string): Generator<Property> {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
  function* visit(node: ts.Node): Generator<Property> {
    if (ts.isPropertySignature(node)) {
      const { line } = source.getLineAndCharacterOfPosition(node.name.getStart());
      const comments = ts.getJSDocCommentsAndTags(node).map((one) => one.getText());
      yield { place: `${file}:${line + 1} ${node.name.getText()}`, docs: comments.join("\n") };
    }
    const inside: ts.Node[] = [];
    ts.forEachChild(node, (child) => void inside.push(child));
    for (const child of inside) yield* visit(child);
  }
  yield* visit(source);
}

/** The letters of a sentence, without the comment's asterisks. */
const wordsOf = ({ docs }: Property): string => docs.replaceAll(/[^A-Za-z ]/g, "").trim();

const undocumented = (file: string, text: string): readonly string[] =>
  [...propertiesOf(file, text)].filter((one) => wordsOf(one) === "").map(({ place }) => place);

test("every property of the model fields has a docstring", () => {
  expect(files.flatMap((file) => undocumented(file, readFileSync(pathOf(file), "utf8")))).toEqual([]);
});

test("a property without a docstring is found, even in a nested type", () => {
  const text = `interface A {
  /** Said. */
  readonly said: { readonly unsaid: number };
  /** */
  readonly empty?: string;
}
type B = { readonly bare: string };`;
  expect(undocumented("a.ts", text)).toEqual(["a.ts:3 unsaid", "a.ts:5 empty", "a.ts:7 bare"]);
});
