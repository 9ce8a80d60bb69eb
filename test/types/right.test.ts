import { readdirSync } from "node:fs";
import ts from "typescript";
import { describe, expect, it } from "vitest";
import { names } from "./right/dims.ts";
import { itMatches } from "./snapshot.ts";
import { diagnosticsOf, messageOf, programOf, sourceOf } from "./type-check.ts";

const example = "examples/sentence-embedding/pipeline.ts";
const paths = [
  ...readdirSync(new URL("right", import.meta.url))
    .toSorted()
    .map((file) => `test/types/right/${file}`),
  example,
  "examples/sentence-embedding/pipeline.config.ts",
];
const unequal = "test/types/unequal.ts";
const program = programOf(
  paths,
  {
    [unequal]: `import type { AllTrue, Equal } from "./equal.ts";
export type Checks = AllTrue<[Equal<["batch", 384], ["batch", 384 | 128]>]>;`,
  },
  { types: ["node"] },
);

const messages = (path: string): readonly string[] => diagnosticsOf(program, path).map(messageOf);

describe("a correct program", () => {
  it.each(paths)("%s", (path) => {
    expect(messages(path)).toEqual([]);
  });

  it("a correct program records the tensors that its types declare", () => {
    const checker = program.getTypeChecker();
    const source = sourceOf(program, "test/types/right/dims.ts");
    const module = checker.getSymbolAtLocation(source);
    const ensemble = module && checker.tryGetMemberInModuleExports("names", module);
    const outputs = ensemble && checker.getTypeOfSymbol(ensemble).getProperty("outputs");
    const said = (outputs === undefined ? [] : checker.getTypeOfSymbol(outputs).getProperties()).map(
      (output) => `${output.name}: ${checker.typeToString(checker.getTypeOfSymbol(output))}`,
    );
    const recorded = Object.entries(names.outputs).map(
      ([name, { dtype, dims }]) =>
        `${name}: TensorType<"${dtype}", [${dims.map((dim) => JSON.stringify(dim)).join(", ")}]>`,
    );
    expect(said.toSorted()).toEqual(recorded.toSorted());
  });

  it("the package's declarations compile with the default options of tsc", () => {
    const path = "test/types/defaults.ts";
    const text = 'export { python } from "tritype";';
    const checked = programOf(
      [path],
      { [path]: text },
      { skipLibCheck: false, exactOptionalPropertyTypes: false },
    );
    const ours = checked
      .getSourceFiles()
      .filter(({ fileName }) => /packages\/(?:core|dsl|tritype)\//.test(fileName));
    expect(ours.length).toBeGreaterThan(20);
    expect(ours.flatMap((source) => checked.getSemanticDiagnostics(source)).map(messageOf)).toEqual([]);
  });

  it("the check for equal types fails if two types differ", () => {
    expect(messages(unequal)).toEqual([expect.stringMatching(/^Type '\[false\]' does not satisfy/u)]);
  });
});

describe("the declaration of an exported ensemble", () => {
  /** The declaration of one name in a program's .d.ts. */
  const declarationOf = (path: string, name: string): string => {
    let emitted = "";
    program.emit(sourceOf(program, path), (_, text) => (emitted = text), undefined, true);
    const declarations = ts.createSourceFile("emitted.d.ts", emitted, ts.ScriptTarget.ES2023, true);
    const statement = declarations.statements.find(
      (each) => ts.isVariableStatement(each) && each.declarationList.declarations[0]?.name.getText() === name,
    );
    return statement?.getText() ?? "";
  };
  const declarations = new Map([
    ["nested-ensembles.ts: embed", declarationOf("test/types/right/nested-ensembles.ts", "embed")],
    ["nested-ensembles.ts: similarity", declarationOf("test/types/right/nested-ensembles.ts", "similarity")],
    ["sentence-embedding: embed", declarationOf(example, "embed")],
  ]);

  it.each([...declarations])("%s is readable", (_, text) => {
    expect(text).toMatch(/^export declare const \w+: .*Ensemble<\{/u);
    const lines = text.split("\n");
    expect(lines.length).toBeLessThan(8);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThan(120);
  });

  itMatches(
    new URL("declarations.snap.md", import.meta.url),
    "Declarations TypeScript writes",
    new Map([...declarations].map(([title, text]) => [title, `\`\`\`ts\n${text}\n\`\`\``])),
  );
});
