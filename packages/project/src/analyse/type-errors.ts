import type { Span } from "@tritype/core";
import { ts } from "ts-morph";
import { findRun, type Opened, type Sources, symbolOf, type Translation } from "@tritype/translator";

/** An error that TypeScript reports. */
export interface TypeError {
  readonly at: Span;
  /** "TS2322". */
  readonly code: string;
  /** The first line states the error; the others give the reasons. */
  readonly lines: readonly string[];
}

interface TranslatedStep {
  /** Where the step is defined. */
  readonly at: Span;
  readonly translation: Translation;
}

/**
 * TypeScript's errors in the steps, in the code and the types that their functions use, and in the types in the same
 * files, with the options of the project's tsconfig.json. Other errors in these files are ignored, and so are errors about
 * missing declarations of packages or of Node, because the file was loaded, so the packages exist.
 */
export const findTypeErrors = (sources: Sources, steps: readonly TranslatedStep[]): readonly TypeError[] => {
  const lines = new Map<string, Set<number>>();
  for (const { file, line } of steps
    .filter(isOfTypes)
    .flatMap(({ at }) => [at, ...placesUsedBy(sources, at)]))
    lines.set(file, (lines.get(file) ?? new Set()).add(line));
  return [...lines]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, wanted]) => {
      if (errorsOf(sources.open(name), wanted).length === 0) return [];
      // Translation may use stricter options than the author's own.
      return errorsOf(sources.asConfigured(name), wanted).map(({ at, ...error }) => ({
        at: { ...at, file: name },
        ...error,
      }));
    });
};

/** Whether TypeScript's errors in a step are not just consequences of its refusals, such as that of an `async` function or of the call of a step. */
const isOfTypes = ({ translation: { refusals } }: TranslatedStep): boolean =>
  !refusals.some(({ code, neverOnNode }) => code === "function/async" || neverOnNode === true);

/** The project's top-level statements that a step's function uses, recursively. */
const placesUsedBy = (sources: Sources, at: Span): readonly Span[] => {
  const opened = sources.open(at.file);
  const run = opened && findRun(opened.file, at);
  if (opened === undefined || run === undefined) return [];
  const { program, checker } = opened;
  const found = new Set<ts.Node>();
  const visit = (node: ts.Node): void => {
    if (ts.isIdentifier(node)) symbolOf(checker, node)?.declarations?.forEach(add);
    ts.forEachChild(node, visit);
  };
  const add = (definition: ts.Node): void => {
    const statement = ts.findAncestor(
      definition,
      ({ parent }) => parent !== undefined && ts.isSourceFile(parent),
    );
    const file = definition.getSourceFile();
    if (statement === undefined || found.has(statement)) return;
    if (file.isDeclarationFile || program.isSourceFileFromExternalLibrary(file)) return;
    found.add(statement);
    visit(statement);
  };
  visit(run);
  return [...found].map(sources.placeOf);
};

interface FoundError extends Omit<TypeError, "at"> {
  readonly at: Omit<Span, "file">;
}

/** Errors in those statements of a file that contain one of the lines, and in its types. */
const errorsOf = (opened: Opened | undefined, lines: ReadonlySet<number>): readonly FoundError[] => {
  if (opened === undefined || opened.file.isDeclarationFile) return [];
  const { file, program } = opened;
  const lineOf = (position: number): number => file.getLineAndCharacterOfPosition(position).line + 1;
  const isOfSteps = (position: number): boolean => {
    const own = file.statements.find((one) => one.getFullStart() <= position && position < one.getEnd());
    if (own === undefined) return false;
    if (ts.isInterfaceDeclaration(own) || ts.isTypeAliasDeclaration(own)) return true;
    const [first, last] = [lineOf(own.getStart(file)), lineOf(own.getEnd())];
    return [...lines].some((line) => first <= line && line <= last);
  };
  const all = [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].filter(
    ({ category, reportsUnnecessary }) =>
      category === ts.DiagnosticCategory.Error && reportsUnnecessary === undefined,
  );
  const known = all.filter((error) => !isOfSurroundings(error));
  // Without declarations, parameters of callbacks have no types either.
  const isConsequence = ({ messageText }: ts.Diagnostic): boolean =>
    known.length < all.length && / implicitly has /.test(textOf(messageText)[0] ?? "");
  return known.flatMap((error): readonly FoundError[] => {
    const { code, messageText, start, relatedInformation = [] } = error;
    if (start === undefined || !isOfSteps(start) || isConsequence(error)) return [];
    const { line, character } = file.getLineAndCharacterOfPosition(start);
    const advice = relatedInformation.filter((one) => one.code === forgottenAwait);
    return [
      {
        at: { line: line + 1, column: character + 1 },
        code: `TS${code}`,
        lines: [messageText, ...advice.map((one) => one.messageText)].flatMap(textOf),
      },
    ];
  });
};

/** "Did you forget to use 'await'?" */
const forgottenAwait = 2773;

/** Whether the error is only about missing declarations of packages or about the environment. */
const isOfSurroundings = ({ code, messageText }: ts.Diagnostic): boolean => {
  if (missingDeclarations.has(code)) return true;
  const [text = ""] = textOf(messageText);
  const name = /^Cannot find (?:name|namespace) '(\w+)'/.exec(text)?.[1] ?? "";
  return name === "NodeJS" || name in globalThis || text.includes("'ImportMeta'");
};

/** "Cannot find module", "Cannot find name 'process'. Do you need to install type definitions for node?", `import.meta`, top-level `await` and the like. */
const missingDeclarations: ReadonlySet<number> = new Set([
  1309, 1343, 1378, 1470, 2307, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 2732, 2792, 2834, 2835, 2867,
  2868, 7016,
]);

const textOf = (message: string | ts.DiagnosticMessageChain): readonly string[] =>
  ts
    .flattenDiagnosticMessageText(message, "\n")
    .split("\n")
    .filter((line) => line.trim() !== "");
