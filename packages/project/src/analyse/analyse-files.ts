import type { TranslationRequest } from "@tritype/compiler";
import type { Sources, TensorCondition, Translation, TypeError } from "@tritype/translator";
import { invariant } from "@tritype/core";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { openProjectCache } from "../project-cache.ts";
import { answerChecker, type AskedFiles, type FileAnswers, filesRead, keepAnswers } from "./file-answers.ts";

/** A build's questions to TypeScript. */
export interface Question {
  readonly requests: readonly TranslationRequest[];
  /** Files in which a condition may depend on a tensor. */
  readonly deciding: readonly string[];
}

/** The answer to a `Question`. */
export interface Answer {
  /** Files that it depends on: absolute paths. */
  readonly files: readonly string[];
  /** Files that TypeScript analysed this time, relative to the project's root; the rest came from the cache. */
  readonly asked: readonly string[];
  /** In the order of the requests. */
  readonly translations: readonly Translation[];
  readonly typeErrors: readonly TypeError[];
  readonly conditions: readonly TensorCondition[];
}

/** The questions about one file. */
interface FileQuestion {
  readonly requests: readonly TranslationRequest[];
  readonly isDeciding: boolean;
}

/** The answer about one file. */
interface FileAnswer {
  readonly question: string;
  /** Texts of the modules that only this answer, and others that list them, depend on. */
  readonly modules: FileAnswers;
  /** Files imported by these modules that may declare something for the whole project. */
  readonly outside: readonly string[];
  readonly translations: readonly Translation[];
  readonly typeErrors: readonly TypeError[];
  readonly conditions: readonly TensorCondition[];
}

/** File → the answer about it. */
type Answers = Readonly<Record<string, FileAnswer>>;

/** The cached analysis of a project. */
interface Kept {
  /** All file system queries, except for texts on which only some answers depend. */
  readonly shared: FileAnswers;
  readonly answers: Answers;
}

/**
 * Asks TypeScript, file by file, for the answers that are not cached. A cached answer is valid until a change in a module that its file
 * reaches, or in anything on which all answers depend: compiler options, declarations of packages, global declarations, and the list of
 * files. The answers are the same as those of a single program with all files.
 */
export const analyseFiles = async (root: string, question: Question): Promise<Answer> => {
  const asked = questionsOf(question);
  if (asked.size === 0) return { files: [], asked: [], translations: [], typeErrors: [], conditions: [] };
  const cache = openProjectCache(root, { name: "analysis", stampOf: translatingCode });
  const kept = cache.read() as Kept | undefined;
  const known = kept === undefined ? {} : stillTrue(kept, asked);
  const isSame = (answers: Answers): boolean => kept !== undefined && sameOutside(answers, kept.answers);
  const isKnown = [...asked.keys()].every((file) => known[file] !== undefined) && isSame(known);
  const all =
    (kept && (isKnown ? { ...kept, answers: known } : await askAgain(root, asked, known, kept, isSame))) ??
    (await ask(root, asked));
  if (!isKnown || Object.keys(kept?.answers ?? {}).length !== asked.size) cache.write(all);
  return {
    ...joined(question, all),
    asked: [...asked.keys()].filter((file) => all.answers[file] !== known[file]),
  };
};

/** File → the questions about it, sorted. */
const questionsOf = ({ requests, deciding }: Question): ReadonlyMap<string, FileQuestion> => {
  const files = new Set([...requests.map(({ at }) => at.file), ...deciding]);
  return new Map(
    [...files]
      .toSorted()
      .map((file) => [
        file,
        { requests: requests.filter(({ at }) => at.file === file), isDeciding: deciding.includes(file) },
      ]),
  );
};

/** The answers that are still valid. */
const stillTrue = ({ shared, answers }: Kept, asked: ReadonlyMap<string, FileQuestion>): Answers => {
  const check = answerChecker();
  if (!check(shared)) return {};
  return Object.fromEntries(
    [...asked].flatMap(([file, question]) => {
      const answer = answers[file];
      const holds = answer?.question === JSON.stringify(question) && check(answer.modules);
      return holds ? [[file, answer] as const] : [];
    }),
  );
};

/** Whether the files that may contain global declarations are the same. */
const sameOutside = (a: Answers, b: Answers): boolean => {
  const outsideOf = (answers: Answers): string =>
    JSON.stringify([...new Set(Object.values(answers).flatMap(({ outside }) => outside))].toSorted());
  return outsideOf(a) === outsideOf(b);
};

/**
 * Asks about the files without a cached answer. Their program contains only these files, what they import, and
 * everything that may declare something for the whole project. Undefined if these global declarations have changed.
 */
const askAgain = async (
  root: string,
  asked: ReadonlyMap<string, FileQuestion>,
  known: Answers,
  kept: Kept,
  isSame: (answers: Answers) => boolean,
): Promise<Kept | undefined> => {
  const missing = new Map([...asked].filter(([file]) => known[file] === undefined));
  if (missing.size === 0 || missing.size === asked.size) return undefined;
  const { shared, answers } = await ask(root, missing, importers(known));
  const all = { shared: { ...kept.shared, ...shared }, answers: { ...known, ...answers } };
  return isSame(all.answers) ? shareless(all) : undefined;
};

/** Files that together import everything that may declare something for the whole project. */
const importers = (known: Answers): readonly string[] => {
  const imported = new Set<string>();
  return Object.entries(known).flatMap(([file, { outside }]) => {
    if (outside.every((path) => imported.has(path))) return [];
    for (const path of outside) imported.add(path);
    return [file];
  });
};

/** Asks about files, in one program that also contains the files `besides`. */
const ask = async (
  root: string,
  asked: ReadonlyMap<string, FileQuestion>,
  besides: readonly string[] = [],
): Promise<Kept> => {
  const translator = await import("@tritype/translator");
  const heard = keepAnswers();
  const files = [...new Set([...asked.keys(), ...besides])];
  const sources = translator.openSources(root, { files, onQuestion: heard.hear });
  const answers = Object.fromEntries(
    [...asked].map(([file, question]) => [file, answerOf(translator, sources, file, question, heard)]),
  );
  return shareless({ shared: heard.answers(), answers });
};

const answerOf = (
  { findTensorConditions, findTypeErrors, translateRun }: typeof import("@tritype/translator"),
  sources: Sources,
  file: string,
  question: FileQuestion,
  heard: AskedFiles,
): FileAnswer => {
  const steps = question.requests.map(({ at, options }) => ({
    at,
    translation: translateRun(sources, at, options),
  }));
  const typeErrors = findTypeErrors(sources, steps);
  const conditions = question.isDeciding ? findTensorConditions(sources, [file]) : [];
  const { modules = [], outside = [] } = sources.reach.from(file) ?? {};
  const texts = modules.map((path) => [`text ${path}`, heard.answerTo(`text ${path}`)] as const);
  const isRemembered = modules.length > 0 && texts.every(([, text]) => text !== undefined);
  return {
    question: isRemembered ? JSON.stringify(question) : "",
    modules: Object.fromEntries(texts.map(([path, text]) => [path, text ?? ""])),
    outside,
    translations: steps.map(({ translation }) => translation),
    typeErrors,
    conditions,
  };
};

/** Without the texts of modules that only the answers listing them depend on. */
const shareless = ({ shared, answers }: Kept): Kept => {
  const own = new Set(Object.values(answers).flatMap(({ modules }) => Object.keys(modules)));
  return { shared: Object.fromEntries(Object.entries(shared).filter(([asked]) => !own.has(asked))), answers };
};

const joined = ({ requests, deciding }: Question, { shared, answers }: Kept): Omit<Answer, "asked"> => {
  const taken = new Map<string, number>();
  const next = (file: string): Translation => {
    const index = taken.get(file) ?? 0;
    taken.set(file, index + 1);
    const translation = answers[file]?.translations[index];
    invariant(translation !== undefined, `a function of ${file} was not analysed`);
    return translation;
  };
  return {
    files: [shared, ...Object.values(answers).map(({ modules }) => modules)].flatMap(filesRead),
    translations: requests.map(({ at }) => next(at.file)),
    typeErrors: uniqueErrors(Object.values(answers).flatMap(({ typeErrors }) => typeErrors)),
    conditions: deciding.flatMap((file) => answers[file]?.conditions ?? []),
  };
};

/** The translator and its TypeScript. */
export const translatingCode = (here: NodeJS.Require): readonly string[] => {
  const translator = here.resolve("@tritype/translator/package.json");
  const morph = createRequire(translator).resolve("ts-morph");
  const typeScript = dirname(createRequire(morph).resolve("@ts-morph/common"));
  return [dirname(translator), morph, join(typeScript, ".."), join(typeScript, "typescript.js")];
};

/** Two files may cause the same error. */
const uniqueErrors = (errors: readonly TypeError[]): readonly TypeError[] =>
  [...new Map(errors.map((error) => [JSON.stringify(error), error])).values()].toSorted(
    ({ at: a }, { at: b }) =>
      (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column,
  );
