import { ts } from "ts-morph";
import type { Opened } from "../opened.ts";
import type { Sources } from "../sources.ts";
import type { Place, Translation } from "../translation.ts";

/** An error that TypeScript reports. */
export interface TypeError {
  readonly at: Place;
  /** "TS2322". */
  readonly code: string;
  /** The first line states the error; the others give the reasons. */
  readonly lines: readonly string[];
}

/** A step that was translated. */
interface TranslatedStep {
  /** Where the step is defined. */
  readonly at: Place;
  readonly translation: Translation;
}

/**
 * TypeScript's errors in the steps, their functions and the types in the same files, with the options of the project's
 * tsconfig.json. Other errors in these files are ignored, and so are errors about missing declarations of packages or
 * of Node, because the file was loaded, so the packages exist.
 */
export const findTypeErrors = (sources: Sources, steps: readonly TranslatedStep[]): readonly TypeError[] => {
  const lines = new Map<string, Set<number>>();
  for (const { file, line } of steps.filter(isOfTypes).flatMap(placesOf))
    lines.set(file, (lines.get(file) ?? new Set()).add(line));
  return [...lines]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, wanted]) => {
      const strict = errorsOf(sources.open(name), wanted);
      if (strict.length === 0) return [];
      // Translation may use stricter options than the author's own.
      const configured = sources.asConfigured();
      const errors = configured === undefined ? strict : errorsOf(configured.open(name), wanted);
      return errors.map(({ at, code, messageText }) => ({
        at: { ...at, file: name },
        code: `TS${code}`,
        lines: textOf(messageText),
      }));
    });
};

/** Whether TypeScript's errors in a step are not just consequences of its refusals, such as that of an `async` function or of the call of a step. */
const isOfTypes = ({ translation: { refusals } }: TranslatedStep): boolean =>
  !refusals.some(({ code, neverOnNode }) => code === "function/async" || neverOnNode === true);

const placesOf = ({ at, translation: { translated } }: TranslatedStep): readonly Place[] => [
  at,
  ...(translated?.lines ?? []).map((line) => line.at),
  ...(translated?.javascriptLines ?? []).map((line) => line.at),
];

interface FoundError extends Pick<ts.Diagnostic, "code" | "messageText"> {
  readonly at: Omit<Place, "file">;
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
  return [...program.getSyntacticDiagnostics(file), ...program.getSemanticDiagnostics(file)].flatMap(
    ({ category, code, messageText, reportsUnnecessary, start }): readonly FoundError[] => {
      if (category !== ts.DiagnosticCategory.Error || reportsUnnecessary !== undefined) return [];
      if (start === undefined || !isOfSteps(start) || isOfSurroundings(code, messageText)) return [];
      const { line, character } = file.getLineAndCharacterOfPosition(start);
      return [{ at: { line: line + 1, column: character + 1 }, code, messageText }];
    },
  );
};

/** Whether the error is only about missing declarations of packages or about the environment. */
const isOfSurroundings = (code: number, message: string | ts.DiagnosticMessageChain): boolean => {
  if (missingDeclarations.has(code)) return true;
  const [text = ""] = textOf(message);
  const name = /^Cannot find name '(\w+)'/.exec(text)?.[1];
  return (name !== undefined && name in globalThis) || text.includes("'ImportMeta'");
};

/** "Cannot find module", "Cannot find name 'process'. Do you need to install type definitions for node?", `import.meta` and the like. */
const missingDeclarations: ReadonlySet<number> = new Set([
  1343, 1470, 2307, 2580, 2581, 2582, 2583, 2584, 2591, 2592, 2593, 2792, 2867, 2868, 7016,
]);

const textOf = (message: string | ts.DiagnosticMessageChain): readonly string[] =>
  ts
    .flattenDiagnosticMessageText(message, "\n")
    .split("\n")
    .filter((line) => line.trim() !== "");
