// Makes the client core that `pipeline build` emits from the sources of this package and the sources of @tritype/core that it uses:
// one file without types for HTTP, one for gRPC, and their declarations. `node packages/typed-client/scripts/make-emitted.mjs` writes them into the compiler.
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

const source = (path) =>
  fileURLToPath(
    new URL(
      path.startsWith("core/") ? `../../core/src/${path.slice(5)}.ts` : `../src/${path}.ts`,
      import.meta.url,
    ),
  );
const root = fileURLToPath(new URL("../../../", import.meta.url));
const target = `${root}packages/compiler/src/generated/client-core.ts`;

/** In dependency order: a constant comes before those computed from it. */
const kserve = [
  "create-http-client",
  "client",
  "calls",
  "client-error",
  "contract",
  "transport",
  "request-headers",
  "http-transport",
  "flat-json",
  "server-events",
  "sequence",
  "before-run",
  "encode-inputs",
  "word-for",
  "decode-outputs",
  "core/half",
  "core/bytes",
  "core/with-to-array",
  "core/answers",
  "elements",
  "byte-strings",
  "read-description",
  "compare-contracts",
  "first-use",
  "retry",
  "scope",
];
const grpc = ["grpc/create-grpc-client", "grpc/grpc-transport", "grpc/messages", "grpc/proto-wire"];
/** Names that users of the emitted files may import from them. */
const surface = [
  "createHttpClient",
  "createGrpcClient",
  "Answer",
  "Answers",
  "AnyClient",
  "CallOptions",
  "Client",
  "ClientError",
  "ClientErrorKind",
  "ClientOf",
  "ClientOptions",
  "Contract",
  "ContractDifference",
  "Elements",
  "GrpcOptions",
  "HttpOptions",
  "InferOptions",
  "Parameters",
  "RawTensor",
  "Sequence",
  "SequenceId",
  "SequenceInferOptions",
  "StreamingSequence",
  "StreamingClient",
  "StreamOptions",
  "Tensor",
];

const note = `// Tritype's typed client, beside the clients that \`pipeline build\` writes. Do not edit.
// SPDX-License-Identifier: Apache-2.0
`;

/** Path below `client/` → text. */
export const makeEmitted = () => {
  const js = (path) =>
    ts.transpileModule(readFileSync(path, "utf8"), {
      compilerOptions: { target: "es2022", module: "esnext", verbatimModuleSyntax: true },
    }).outputText;
  const declarations = (path) =>
    ts.transpileDeclaration(readFileSync(path, "utf8"), {
      compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext },
    }).outputText;
  return {
    "core/kserve.js": joined("kserve.js", kserve, js, []),
    "core/kserve.d.ts": joined("kserve.d.ts", [...kserve, "core/dtype"], declarations, []),
    "core/grpc.js": joined("grpc.js", grpc, js, kserve),
    "core/grpc.d.ts": joined("grpc.d.ts", grpc, declarations, kserve),
  };
};

/** The modules joined into one; imports from `others` come from the file next to it. */
const joined = (name, modules, print, others) => {
  const statements = [];
  const seen = new Set();
  const beside = new Set();
  const foreign = new Set();
  const fromCore = new Set();
  const isTypes = name.endsWith(".d.ts");
  const wanted = new Set([...surface, ...(others.length === 0 && !isTypes ? sharedNames() : [])]);
  for (const module of modules) {
    const text = print(source(module));
    const file = ts.createSourceFile(name, text, ts.ScriptTarget.ES2022, true);
    for (const statement of file.statements) {
      if (ts.isImportDeclaration(statement)) {
        const from = statement.moduleSpecifier.text;
        const local = from.replace(/^(\.\.?\/)+/, "").replace(/\.ts$/, "");
        if (
          from.startsWith(".") &&
          ![...kserve, ...grpc, ...grpc.map((path) => basename(path))].includes(local)
        )
          throw new Error(`${module} imports ${from}, which is emitted nowhere`);
        if (from === "@tritype/core") {
          for (const name of importedNames(statement)) (others.length > 0 ? beside : fromCore).add(name);
        } else if (!from.startsWith(".")) foreign.add(statement.getText());
        else if (others.includes(local)) for (const name of importedNames(statement)) beside.add(name);
        continue;
      }
      if (ts.isExportDeclaration(statement)) continue;
      const names = namesOf(statement);
      for (const one of names) {
        if (seen.has(one)) throw new Error(`two modules of ${name} have ${one}`);
        seen.add(one);
      }
      const body = text.slice(statement.getFullStart(), statement.getEnd());
      const exported = names.some((one) => wanted.has(one));
      statements.push({
        names,
        exported,
        text: exported ? body : body.replace(/^export (?=declare |const |interface |type |class )/m, ""),
        uses: identifiersOf(statement),
      });
    }
  }
  for (const name of fromCore)
    if (!seen.has(name)) throw new Error(`${name} of @tritype/core is in no module that is listed`);
  const kept = reachable(statements);
  const used = new Set(kept.flatMap(({ uses }) => [...uses]));
  const shared = [...beside].filter((one) => used.has(one)).toSorted(byName);
  const imports = [
    ...foreign,
    ...(shared.length === 0
      ? []
      : [`import ${isTypes ? "type " : ""}{ ${shared.join(", ")} } from "./kserve.js";`]),
  ];
  const bodies = kept.map(({ text }) => text);
  const lib = isTypes && others.length === 0 ? '/// <reference lib="esnext.disposable" />\n' : "";
  const text = `${lib}${note}${imports.join("\n")}\n${bodies.join("\n\n")}\n${isTypes ? "export {};\n" : ""}`;
  return execFileSync(
    process.execPath,
    [`${root}node_modules/@biomejs/biome/bin/biome`, "format", `--stdin-file-path=${name}`],
    { cwd: root, input: text, encoding: "utf8" },
  );
};

const importedNames = (statement) =>
  (statement.importClause?.namedBindings?.elements ?? []).map((element) => element.name.text);

const byName = (a, b) => (a < b ? -1 : 1);

/** The statements that the exported ones need, in their order. */
const reachable = (statements) => {
  const kept = new Set();
  const keep = (statement) => {
    if (kept.has(statement)) return;
    kept.add(statement);
    for (const other of statements) if (other.names.some((one) => statement.uses.has(one))) keep(other);
  };
  for (const statement of statements) if (statement.exported) keep(statement);
  return statements.filter((statement) => kept.has(statement));
};

const identifiersOf = (statement) => {
  const found = new Set();
  const visit = (node) => {
    if (ts.isIdentifier(node)) found.add(node.text);
    ts.forEachChild(node, visit);
  };
  visit(statement);
  return found;
};

const namesOf = (statement) =>
  ts.isVariableStatement(statement)
    ? statement.declarationList.declarations.map((one) => one.name.getText())
    : statement.name === undefined
      ? []
      : [statement.name.text];

/** Names that the gRPC modules import from the others. */
const sharedNames = () =>
  grpc.flatMap((module) =>
    ts
      .createSourceFile("x.ts", readFileSync(source(module), "utf8"), ts.ScriptTarget.ES2022, true)
      .statements.filter(
        (one) => ts.isImportDeclaration(one) && /^(?:\.\.\/|@tritype\/core$)/.test(one.moduleSpecifier.text),
      )
      .flatMap(importedNames),
  );

/** The module of the compiler that holds the files. */
export const printModule = (files) =>
  [
    "// Made by packages/typed-client/scripts/make-emitted.mjs from the sources of @tritype/typed-client.",
    "/** The client core that every build emits: path below `client/` → text. */",
    "export const clientCore: Readonly<Record<string, string>> = {",
    ...Object.entries(files).flatMap(([path, text]) => [
      `  ${JSON.stringify(path)}: [`,
      ...text.split("\n").map((line) => `    ${JSON.stringify(line)},`),
      '  ].join("\\n"),',
    ]),
    "};",
    "",
  ].join("\n");

export { target as emittedModule };

if (process.argv[1] === import.meta.filename) writeFileSync(target, printModule(makeEmitted()));
