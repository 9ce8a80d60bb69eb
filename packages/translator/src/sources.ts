import { existsSync } from "node:fs";
import { join, relative, resolve, sep } from "node:path";
import { Project, ts } from "ts-morph";
import type { Place } from "./translation.ts";

/** A project's TypeScript, opened once for all translations of a build. */
export interface Sources {
  /** The file and a checker that knows it; undefined when there is no such file. `file`: from the project's root. */
  readonly open: (file: string) => Opened | undefined;
  readonly placeOf: (node: ts.Node) => Place;
}
interface Opened {
  readonly file: ts.SourceFile;
  readonly program: ts.Program;
  readonly checker: ts.TypeChecker;
}

/**
 * The sources of a project. `root`: its folder; a tsconfig.json there decides paths and module resolution, while `strict` and
 * `noUncheckedIndexedAccess` are always on. Files are read when a function in them is translated.
 */
export const openSources = (root: string): Sources => {
  const config = join(root, "tsconfig.json");
  const project = new Project({
    ...(existsSync(config) ? { tsConfigFilePath: config } : {}),
    skipAddingFilesFromTsConfig: true,
    skipFileDependencyResolution: true,
    compilerOptions: existsSync(config) ? always : { ...always, ...withoutConfig },
  });
  return {
    open(name) {
      const file = project.addSourceFileAtPathIfExists(resolve(root, name));
      if (file === undefined) return undefined;
      const program = project.getProgram().compilerObject;
      const opened = program.getSourceFile(file.getFilePath());
      return opened && { file: opened, program, checker: program.getTypeChecker() };
    },
    placeOf(node) {
      const file = node.getSourceFile();
      const { line, character } = file.getLineAndCharacterOfPosition(node.getStart(file));
      return {
        file: relative(root, file.fileName).split(sep).join("/"),
        line: line + 1,
        column: character + 1,
      };
    },
  };
};

const always: ts.CompilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  resolveJsonModule: true,
  noLib: false,
  lib: ["lib.es2023.d.ts"],
  target: ts.ScriptTarget.ES2023,
};
const withoutConfig: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
};
