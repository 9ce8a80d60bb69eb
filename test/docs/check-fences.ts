import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** A TypeScript file of a page. */
export interface VirtualFile {
  /** The position in a message about a mistake: "README.md:12". */
  readonly place: string;
  /** Path inside the folder of all files; files of one folder may import each other. */
  readonly path: string;
  readonly text: string;
}

const workspace = fileURLToPath(new URL("../../", import.meta.url));
/** The folder is below test/, so that every package of the workspace resolves. */
const parent = join(workspace, "test/.projects");

const compilerOptions = {
  target: "ES2023",
  lib: ["ES2023"],
  module: "NodeNext",
  moduleDetection: "force",
  types: ["node"],
  typeRoots: [join(workspace, "node_modules/@types")],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  noEmit: true,
  allowImportingTsExtensions: true,
  // A dependency of a dependency.
  paths: { sharp: [join(workspace, "node_modules/.pnpm/node_modules/sharp/dist/index.d.mts")] },
};

/** Type-checks the files as one program; one line per mistake, with the position in the Markdown file. */
export const checkFences = async (files: readonly VirtualFile[]): Promise<readonly string[]> => {
  mkdirSync(parent, { recursive: true });
  const folder = mkdtempSync(join(parent, "fences-"));
  try {
    for (const { path, text } of files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const config = { compilerOptions, files: files.map(({ path }) => path) };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
    return mistakes(await typeScript(folder), new Map(files.map((file) => [file.path, file])));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** The output of TypeScript 7 for a project: a message starts with "file(line,column): error". */
const typeScript = async (folder: string): Promise<string> => {
  const tsc = join(workspace, "node_modules/typescript-7/bin/tsc");
  try {
    return (await promisify(execFile)(process.execPath, [tsc, "--pretty", "false"], { cwd: folder })).stdout;
  } catch (error) {
    const { stdout = "", stderr = "" } = error as { readonly stdout?: string; readonly stderr?: string };
    if (stdout === "") throw new Error(`TypeScript ended without a message: ${stderr}`, { cause: error });
    return stdout;
  }
};

const mistakes = (printed: string, byPath: ReadonlyMap<string, VirtualFile>): readonly string[] =>
  printed
    .split(/\n(?=\S)/)
    .map((message) => message.trimEnd())
    .filter((message) => message !== "")
    .map((message) => {
      const [, path = "", line = "0", text = ""] = /^(.+?)\((\d+),\d+\): ([^]*)$/.exec(message) ?? [];
      const [page, firstLine] = byPath.get(path)?.place.split(":") ?? [];
      return page === undefined ? message : `${page}:${Number(firstLine) + Number(line) - 1}: ${text}`;
    });
