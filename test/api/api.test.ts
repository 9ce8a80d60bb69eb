import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { expect, test } from "vitest";

const root = fileURLToPath(new URL("../../", import.meta.url));
const folder = fileURLToPath(new URL(".", import.meta.url));

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
}

/** Every declaration file that a package exports: `core`, `tritype`, `tritype.plugin`. */
const surfaces = readdirSync(`${root}packages`)
  .filter((name) => existsSync(`${root}packages/${name}/package.json`))
  .flatMap((name) => {
    const manifest = JSON.parse(readFileSync(`${root}packages/${name}/package.json`, "utf8")) as Manifest;
    return Object.entries(manifest.exports).flatMap(([path, target]) =>
      typeof target === "string" || path === "./bin"
        ? []
        : [
            {
              name: path === "." ? name : `${name}.${path.slice(2).replaceAll("/", ".")}`,
              file: `${root}packages/${name}/${target.types}`,
            },
          ],
    );
  });
const program = ts.createProgram(
  surfaces.map(({ file }) => file),
  {
    module: ts.ModuleKind.NodeNext,
    target: ts.ScriptTarget.ES2023,
    skipLibCheck: true,
    types: [],
    noEmit: true,
  },
);
const printer = ts.createPrinter({ removeComments: true });

/** The exports of a module, by name: each declaration without comments or bodies. */
const printSurface = (file: string): string => {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${file} is not built: run \`tsc -b packages/tsconfig.json\``);
  return checker
    .getExportsOfModule(module)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .map((symbol) => {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      const texts = (target.declarations ?? []).map((declaration) =>
        printer
          .printNode(ts.EmitHint.Unspecified, declaration, declaration.getSourceFile())
          .replace(/^export (?:declare )?/, ""),
      );
      return `## ${symbol.name}\n${texts.join("\n")}`;
    })
    .join("\n\n");
};

test.each(surfaces)("the public surface of $name matches its snapshot", ({ name, file }) => {
  const text = `${printSurface(file)}\n`;
  const snapshot = `${folder}${name}.txt`;
  if (process.env["UPDATE"] === "1") writeFileSync(snapshot, text);
  expect(existsSync(snapshot), `${name}.txt is missing; UPDATE=1 writes it`).toBe(true);
  expect(text).toBe(readFileSync(snapshot, "utf8"));
});

test("there are no stale snapshots", () => {
  const names = surfaces.map(({ name }) => `${name}.txt`);
  expect(readdirSync(folder).filter((file) => file.endsWith(".txt") && !names.includes(file))).toEqual([]);
});
