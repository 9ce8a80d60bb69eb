import type { Span } from "@tritype/core";
import { dirname, join, relative, resolve, sep } from "node:path";
import { Project, ts } from "ts-morph";
import { type FileQuestion, hearQuestions } from "./asked-files.ts";
import { libraries, newCompilerHosts } from "./compiler-host.ts";
import { declaredGlobals } from "./declared-globals.ts";
import type { Opened } from "./opened.ts";
import { newReach, type Reach } from "./reach.ts";

/** A project's TypeScript, opened once for the whole build. */
export interface Sources {
  /** Opens a file; undefined if it does not exist. `file`: path from the project's root. */
  readonly open: (file: string) => Opened | undefined;
  /** Opens the same files with the author's own compiler options, or with TypeScript's defaults without a tsconfig.json. */
  readonly asConfigured: Sources["open"];
  readonly placeOf: (node: ts.Node) => Span;
  /** The files that an opened file depends on. */
  readonly reach: Reach;
  /** The same sources, with contents that replace those on disk, by absolute path. Other files are not read or parsed again. */
  readonly withTexts: (texts: ReadonlyMap<string, string>) => Sources;
}

export interface SourcesOptions {
  /** Files to open, as paths from the root. These files share one program; any other file gets its own. */
  readonly files?: readonly string[];
  /** Called for every query to the file system. Results obtained with these sources depend on nothing else. */
  readonly onQuestion?: (question: FileQuestion, path: string) => void;
}

/**
 * Opens the sources of the project in folder `root`. A tsconfig.json in it sets paths and module resolution; `strict`
 * and `noUncheckedIndexedAccess` are always on.
 */
export const openSources = (
  root: string,
  { files = [], onQuestion = () => {} }: SourcesOptions = {},
): Sources => {
  const config = join(root, "tsconfig.json");
  const fileSystem = hearQuestions(new Project({ skipLoadingLibFiles: true }).getFileSystem(), onQuestion);
  const onDisk = new Project({ fileSystem }).getModuleResolutionHost();
  const isConfigured = onDisk.fileExists(config);
  const authored = isConfigured ? readOptions(config, onDisk) : {};
  const pathOf = (file: string): string => resolve(root, file).split(sep).join("/");
  const openWith = (compilerOptions: ts.CompilerOptions, formats: boolean): OpenWithTexts => {
    const options = { ...authored, ...compilerOptions };
    const hostWith = newCompilerHosts(onDisk, formats);
    /** The latest program, from which the next one takes everything that is the same. */
    let latest: ts.Program | undefined;
    return (texts) => {
      const host = hostWith(new Map([...texts, [`${libraries}/${own}`, declaredGlobals]]));
      const roots = new Set(files.map(pathOf).filter(onDisk.fileExists));
      let program: ts.Program | undefined;
      return (name) => {
        const path = pathOf(name);
        if (program?.getSourceFile(path) === undefined && onDisk.fileExists(path)) {
          roots.add(path);
          program = latest = ts.createProgram([...roots], options, host, latest);
        }
        const file = program?.getSourceFile(path);
        return program && file && { file, program, checker: program.getTypeChecker() };
      };
    };
  };
  const strict = openWith(isConfigured ? always : { ...always, ...withoutConfig }, false);
  const configured = openWith(
    isConfigured ? asWritten : { ...asWritten, ...withoutConfig, types: ["*"] },
    true,
  );
  const withTexts = (texts: ReadonlyMap<string, string>): Sources => {
    const open = strict(texts);
    return {
      open,
      asConfigured: configured(texts),
      reach: newReach(open, onDisk),
      placeOf,
      withTexts,
    };
  };
  const placeOf = (node: ts.Node): Span => {
    const file = node.getSourceFile();
    const { line, character } = file.getLineAndCharacterOfPosition(node.getStart(file));
    const name = relative(root, file.fileName).split(sep).join("/");
    return { file: name, line: line + 1, column: character + 1 };
  };
  return withTexts(new Map());
};

type OpenWithTexts = (texts: ReadonlyMap<string, string>) => Sources["open"];

/** The compiler options of a tsconfig.json. The project's folders are not searched for files that match `include`. */
const readOptions = (path: string, { fileExists, readFile }: ts.ModuleResolutionHost): ts.CompilerOptions => {
  const { config } = ts.readConfigFile(path, readFile) as { readonly config?: object };
  const host = { useCaseSensitiveFileNames: true, fileExists, readFile, readDirectory: () => [] };
  return ts.parseJsonConfigFileContent(config ?? {}, host, dirname(path), undefined, path).options;
};

/** Without this option, the order of a union's members would depend on the order in which the program checks files. */
const ordered: ts.CompilerOptions = { stableTypeOrdering: true };

/** The name of {@link declaredGlobals} among TypeScript's libraries. */
const own = "lib.translated.d.ts";

const always: ts.CompilerOptions = {
  ...ordered,
  strict: true,
  noUncheckedIndexedAccess: true,
  noEmit: true,
  skipLibCheck: true,
  allowImportingTsExtensions: true,
  resolveJsonModule: true,
  noLib: false,
  lib: ["lib.es2023.d.ts", own],
  target: ts.ScriptTarget.ES2023,
};
const withoutConfig: ts.CompilerOptions = {
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
};

/** Overrides of options that make TypeScript emit files. */
const asWritten: ts.CompilerOptions = {
  ...ordered,
  noEmit: true,
  skipLibCheck: true,
  composite: false,
  incremental: false,
  declaration: false,
  isolatedDeclarations: false,
  allowImportingTsExtensions: true,
};
