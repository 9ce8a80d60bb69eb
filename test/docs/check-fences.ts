import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import ts from "typescript";

/** A TypeScript file that exists in memory only. */
export interface VirtualFile {
  /** The position in a message about a mistake: "README.md:12". */
  readonly place: string;
  /** Path inside the folder of virtual files; files of one folder may import each other. */
  readonly path: string;
  readonly text: string;
}

/** Below test/, so that every package of the workspace resolves; nothing is written there. */
const folder = fileURLToPath(new URL("./fences/", import.meta.url));

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2023,
  lib: ["lib.es2023.d.ts"],
  module: ts.ModuleKind.NodeNext,
  moduleDetection: ts.ModuleDetectionKind.Force,
  types: ["node"],
  typeRoots: [fileURLToPath(new URL("../../node_modules/@types", import.meta.url))],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
};

/** Type-checks the files as one program; one line per mistake, with the position in the Markdown file. */
export const checkFences = (files: readonly VirtualFile[]): readonly string[] => {
  const byPath = new Map(files.map((file) => [join(folder, file.path), file]));
  const folders = new Set([...byPath.keys()].map((path) => dirname(path)));
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, directoryExists } = host;
  host.fileExists = (path) => byPath.has(path) || fileExists(path);
  host.readFile = (path) => byPath.get(path)?.text ?? readFile(path);
  host.directoryExists = (path) =>
    [...folders].some((one) => one === path || one.startsWith(`${path}/`)) ||
    directoryExists?.(path) === true;
  const program = ts.createProgram({ rootNames: [...byPath.keys()], options, host });
  return [...byPath].flatMap(([path, file]) =>
    ts
      .getPreEmitDiagnostics(program, program.getSourceFile(path))
      .map((diagnostic) => describe(diagnostic, file)),
  );
};

const describe = ({ file, start = 0, messageText }: ts.Diagnostic, { place }: VirtualFile): string => {
  const [page, firstLine] = place.split(":");
  const line = file === undefined ? 0 : file.getLineAndCharacterOfPosition(start).line;
  return `${page}:${Number(firstLine) + line}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
};
