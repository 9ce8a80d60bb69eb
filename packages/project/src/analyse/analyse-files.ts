import type { TranslationRequest } from "@tritype/compiler";
import type { TensorCondition, Translation } from "@tritype/translator";
import type { TypeError } from "./type-errors.ts";
import { invariant } from "@tritype/core";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { openProjectCache } from "../project-cache.ts";
import type { Answers, Asked } from "./ask-typescript.ts";
import { answerChecker, type FileAnswers, filesRead, pathOf } from "./file-answers.ts";
import { loadTypeScript } from "./load-typescript.ts";
import type { AskedFile } from "./plan-file.ts";

/** A build's questions to TypeScript. */
export interface Question {
  readonly requests: readonly TranslationRequest[];
  /** Files in which a condition may depend on a tensor. */
  readonly deciding: readonly string[];
}

/** The answer to a `Question`. */
export interface Answer {
  /** Absolute paths of the files that the answer depends on. */
  readonly files: readonly string[];
  /** Files with answers that are not from the cache, relative to the project's root. */
  readonly asked: readonly string[];
  /** Steps whose functions were analysed this time. */
  readonly steps: readonly string[];
  /** One for each request, in the same order. */
  readonly translations: readonly Translation[];
  readonly typeErrors: readonly TypeError[];
  readonly conditions: readonly TensorCondition[];
}

/** The cached analysis of a project. */
interface Kept {
  /** All file system queries, except reads of files whose text only affects some of the answers. */
  readonly shared: FileAnswers;
  readonly answers: Answers;
}

/**
 * Asks TypeScript, file by file, for the answers that are not cached. A cached answer is valid until a module that its
 * file reaches changes, or something that affects all answers: compiler options, declarations of packages, global
 * declarations, or the list of files. The answers are the same as those of a single program with all files.
 */
export const analyseFiles = async (root: string, question: Question): Promise<Answer> => {
  const asked = questionsOf(question);
  if (asked.size === 0)
    return { files: [], asked: [], steps: [], translations: [], typeErrors: [], conditions: [] };
  const cache = openProjectCache(root, { name: "analysis", stampOf: translatingCode });
  const kept = cache.read() as Kept | undefined;
  const { known, earlier } = stillTrue(root, kept, asked);
  const isSame = (answers: Answers): boolean => kept !== undefined && sameOutside(answers, kept.answers);
  const isKnown = asked.size === Object.keys(known).length && isSame(known);
  const { all, steps } =
    kept !== undefined && isKnown
      ? { all: { ...kept, answers: known }, steps: [] }
      : ((await askAgain(root, asked, kept, { known, earlier }, isSame)) ??
        together(await askTypeScript(root, asked)));
  if (!isKnown || Object.keys(kept?.answers ?? {}).length !== asked.size) cache.write(all);
  return {
    ...joined(question, all),
    asked: [...asked.keys()].filter((file) => all.answers[file] !== known[file]),
    steps,
  };
};

/** The modules that need TypeScript are loaded after it. */
const askTypeScript: typeof import("./ask-typescript.ts").askTypeScript = async (root, asked, options) => {
  const keepCompiled = loadTypeScript(root);
  const answers = await (await import("./ask-typescript.ts")).askTypeScript(root, asked, options);
  keepCompiled();
  return answers;
};

/** File → the questions about it, sorted. */
const questionsOf = ({ requests, deciding }: Question): ReadonlyMap<string, AskedFile> => {
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

/** Cached answers. */
interface Remembered {
  /** The answers that are still valid. */
  readonly known: Answers;
  /** The answers that are still valid for the unchanged parts of files. */
  readonly earlier: Answers;
}

const stillTrue = (
  root: string,
  kept: Kept | undefined,
  asked: ReadonlyMap<string, AskedFile>,
): Remembered => {
  const check = answerChecker();
  const all = kept !== undefined && check(kept.shared) ? Object.entries(kept.answers) : [];
  const known = all.filter(
    ([file, { question, modules }]) => question === JSON.stringify(asked.get(file)) && check(modules),
  );
  const earlier = all.filter(([file, { question, modules }]) => {
    const { [`text ${pathOf(root, file)}`]: own, ...others } = modules;
    return question !== "" && own !== undefined && check(others);
  });
  return { known: Object.fromEntries(known), earlier: Object.fromEntries(earlier) };
};

/** Whether the files that may contain global declarations are the same. */
const sameOutside = (a: Answers, b: Answers): boolean => {
  const outsideOf = (answers: Answers): string =>
    JSON.stringify([...new Set(Object.values(answers).flatMap(({ outside }) => outside))].toSorted());
  return outsideOf(a) === outsideOf(b);
};

/**
 * Asks about the files that have no valid answer. Their program contains only these files, what they import, and
 * everything that may declare something for the whole project. Undefined if these global declarations have changed.
 */
const askAgain = async (
  root: string,
  asked: ReadonlyMap<string, AskedFile>,
  kept: Kept | undefined,
  { known, earlier }: Remembered,
  isSame: (answers: Answers) => boolean,
): Promise<Analysis | undefined> => {
  const missing = new Map([...asked].filter(([file]) => known[file] === undefined));
  const isUseful = Object.keys({ ...known, ...earlier }).length > 0;
  if (kept === undefined || missing.size === 0 || !isUseful) return undefined;
  const besides = (answered: Answers): readonly string[] => importers({ ...known, ...answered });
  const { shared, answers, steps } = await askTypeScript(root, missing, { earlier, besides });
  const all = { shared: { ...kept.shared, ...shared }, answers: { ...known, ...answers }, steps };
  return isSame(all.answers) ? together(all) : undefined;
};

/** Files that together import everything that may declare something for the whole project. */
const importers = (answers: Answers): readonly string[] => {
  const imported = new Set<string>();
  return Object.entries(answers).flatMap(([file, { outside }]) => {
    if (outside.every((path) => imported.has(path))) return [];
    for (const path of outside) imported.add(path);
    return [file];
  });
};

interface Analysis {
  readonly all: Kept;
  readonly steps: readonly string[];
}

/** The part that is cached, without the contents of modules that only affect the answers that list them. */
const together = ({ shared, answers, steps }: Asked): Analysis => {
  const own = new Set(Object.values(answers).flatMap(({ modules }) => Object.keys(modules)));
  const others = Object.fromEntries(Object.entries(shared).filter(([asked]) => !own.has(asked)));
  return { all: { shared: others, answers }, steps };
};

const joined = (
  { requests, deciding }: Question,
  { shared, answers }: Kept,
): Omit<Answer, "asked" | "steps"> => {
  const partsOf = (file: string): Answers[string]["parts"] => answers[file]?.parts ?? [];
  const taken = new Map<string, number>();
  const next = (file: string): Translation => {
    const index = taken.get(file) ?? 0;
    taken.set(file, index + 1);
    const [translation] = partsOf(file).flatMap(
      (part) => part.translations[part.requests.indexOf(index)] ?? [],
    );
    invariant(translation !== undefined, `a function of ${file} was not analysed`);
    return translation;
  };
  return {
    files: [shared, ...Object.values(answers).map(({ modules }) => modules)].flatMap(filesRead),
    translations: requests.map(({ at }) => next(at.file)),
    typeErrors: uniqueErrors(
      Object.keys(answers).flatMap((file) => partsOf(file).flatMap(({ typeErrors }) => typeErrors)),
    ),
    conditions: deciding.flatMap((file) => partsOf(file).flatMap(({ conditions }) => conditions)),
  };
};

/** The translator and its TypeScript. */
export const translatingCode = (here: NodeJS.Require): readonly string[] => {
  const translator = here.resolve("@tritype/translator/package.json");
  const morph = createRequire(translator).resolve("ts-morph");
  const typeScript = dirname(createRequire(morph).resolve("@ts-morph/common"));
  const core = createRequire(translator).resolve("@tritype/core/package.json");
  return [
    dirname(translator),
    dirname(core),
    morph,
    join(typeScript, ".."),
    join(typeScript, "typescript.js"),
  ];
};

/** Two files may report the same error. */
const uniqueErrors = (errors: readonly TypeError[]): readonly TypeError[] =>
  [...new Map(errors.map((error) => [JSON.stringify(error), error])).values()].toSorted(
    ({ at: a }, { at: b }) =>
      (a.file < b.file ? -1 : a.file > b.file ? 1 : 0) || a.line - b.line || a.column - b.column,
  );
