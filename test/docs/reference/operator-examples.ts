import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import * as dsl from "@tritype/dsl";
import { bool, bytes, defineEnsemble, fp32, int64, l2Normalize, meanPool, type Tensor } from "@tritype/dsl";
import ts from "typescript";
import {
  type ExampleTensors,
  operatorCases,
} from "../../../packages/operators/src/operator-cases.fixture.ts";

/** The tensors in the examples, as inputs of an ensemble. */
export const exampleTensors = {
  scores: fp32("batch", 10),
  other: fp32("batch", 10),
  hidden: fp32("batch", "seq", 384),
  weights: fp32("batch", 384, 8),
  mask: int64("batch", "seq"),
  ids: int64("batch", 5),
  one: fp32("batch", 1),
  flags: bool("batch", 10),
  labels: bytes("batch", 10),
} as const;

/** An example of an operator on the tensors of `exampleTensors`. */
export interface OperatorExample {
  readonly call: string;
  /** Its result: a tensor, several, or several by name. */
  readonly result: unknown;
}

/** Functions that consist of several operators. */
const recipes = {
  meanPool: { example: ({ hidden, mask }: ExampleTensors): unknown => meanPool(hidden, mask) },
  l2Normalize: { example: ({ hidden }: ExampleTensors): unknown => l2Normalize(hidden) },
};

/** The examples, evaluated like a pipeline, with the text of each; and the ensemble that outputs all their results. */
export const operatorExamples = (): {
  readonly examples: ReadonlyMap<string, OperatorExample>;
  readonly ensemble: object;
} => {
  const texts = exampleTexts();
  const found = new Map<string, OperatorExample>();
  const ensemble = defineEnsemble({
    name: "examples",
    maxBatchSize: 8,
    inputs: exampleTensors,
    run(tensors) {
      for (const [name, { example }] of [...operatorCases, ...Object.entries(recipes)])
        if (example !== undefined)
          found.set(name, { call: texts.get(name) ?? "", result: example(tensors, dsl) });
      const outputs = [...found].flatMap(([name, { result }]) =>
        tensorsIn(result).map((tensor, index) => [`${name}_${index}`, tensor] as const),
      );
      return Object.fromEntries(outputs);
    },
  });
  return { examples: found, ensemble };
};

const tensorsIn = (result: unknown): readonly Tensor[] =>
  Array.isArray(result)
    ? (result as readonly Tensor[])
    : "dtype" in (result as object)
      ? [result as Tensor]
      : Object.values(result as Readonly<Record<string, Tensor>>);

/** The bodies of the arrow functions, as written in the cases and in this file. */
const exampleTexts = (): ReadonlyMap<string, string> => {
  const cases = new URL("../../../packages/operators/src/", import.meta.url);
  const files = readdirSync(cases).filter((name) => name.endsWith(".cases.ts"));
  return new Map([import.meta.url, ...files.map((name) => new URL(name, cases))].flatMap(textsIn));
};

const textsIn = (url: string | URL): readonly (readonly [string, string])[] => {
  const path = fileURLToPath(url);
  const source = ts.createSourceFile(path, readFileSync(path, "utf8"), ts.ScriptTarget.ES2023, true);
  const texts: [string, string][] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isPropertyAssignment(node) && node.name.getText(source) === "example") {
      const { initializer, parent } = node;
      if (ts.isArrowFunction(initializer) && ts.isPropertyAssignment(parent.parent))
        texts.push([
          parent.parent.name.getText(source),
          initializer.body.getText(source).replaceAll(/\s+/g, " "),
        ]);
    }
    node.forEachChild(visit);
  };
  visit(source);
  return texts;
};
