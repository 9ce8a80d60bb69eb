import type { Sources, TensorCondition, Translation } from "@tritype/translator";
import { invariant } from "@tritype/core";
import { ts } from "ts-morph";
import { type FileAnswers, keepAnswers, pathOf } from "./file-answers.ts";
import type { Lines } from "./file-parts.ts";
import type { TypeError } from "./type-errors.ts";
import { type AskedFile, isWithin, type PlannedFile, type PlannedPart, planFile } from "./plan-file.ts";

/** The answers about one part of a file. */
export interface PartAnswer {
  /** The planned part's key; "" if the answers depend on the whole file. */
  readonly key: string;
  /** The lines that the part depends on; positions in the answers are within them. */
  readonly needed: readonly Lines[];
  /** Indexes of the file's requests. */
  readonly requests: readonly number[];
  /** One for each of these requests, in the same order. */
  readonly translations: readonly Translation[];
  readonly typeErrors: readonly TypeError[];
  readonly conditions: readonly TensorCondition[];
}

/** The answer about one file. */
export interface FileAnswer {
  readonly question: string;
  /** Texts of the modules on which only this answer, and others that list them, depend. */
  readonly modules: FileAnswers;
  /** Files imported by these modules that may declare something for the whole project. */
  readonly outside: readonly string[];
  /** Whether another file that was analysed at the same time imports this one. */
  readonly isImported: boolean;
  readonly parts: readonly PartAnswer[];
}

/** File → the answer about it. */
export type Answers = Readonly<Record<string, FileAnswer>>;

export interface AskOptions {
  /** Earlier answers whose dependencies have not changed, except for their own files. */
  readonly earlier?: Answers;
  /** Other files that the program must contain. */
  readonly besides?: (answered: Answers) => readonly string[];
}

/** New answers, and what they depend on. */
export interface Asked {
  readonly answers: Answers;
  readonly shared: FileAnswers;
  /** Steps whose functions were analysed this time. */
  readonly steps: readonly string[];
}

/**
 * Asks about files. Parts that already have an answer are not analysed again. The program only contains the other
 * parts, their dependencies, and the files' imports.
 */
export const askTypeScript = async (
  root: string,
  asked: ReadonlyMap<string, AskedFile>,
  { earlier = {}, besides = () => [] }: AskOptions = {},
): Promise<Asked> => {
  const plans = [...asked].map(([file, question]): Plan => {
    const path = pathOf(root, file);
    const planned = planFile(path, question);
    const answers = earlier[file]?.parts ?? [];
    const known = planned.parts.map(({ key }) =>
      key === "" ? undefined : answers.find((answer) => answer.key === key),
    );
    return {
      ...planned,
      file,
      path,
      question,
      known,
      missing: planned.parts.filter((_, at) => known[at] === undefined),
    };
  });
  const answered = Object.fromEntries(
    plans.flatMap((plan) => {
      const before = earlier[plan.file];
      return before === undefined || plan.missing.length > 0
        ? []
        : [[plan.file, renewed(plan, before)] as const];
    }),
  );
  const open = plans.filter(({ file }) => answered[file] === undefined);
  if (open.length === 0) return { answers: answered, shared: {}, steps: [] };
  const translator = { ...(await import("@tritype/translator")), ...(await import("./type-errors.ts")) };
  const imported = new Set(
    open.flatMap(({ file, path }) => (earlier[file]?.isImported === true ? [path] : [])),
  );
  const faulty = new Set<string>();
  const heard = keepAnswers();
  const hashes = new Map(
    open.flatMap(({ path, hash }) => (hash === undefined ? [] : [[path, hash] as const])),
  );
  const hashOfText = (path: string): string | undefined => hashes.get(path) ?? heard.answerTo(`text ${path}`);
  const files = [...new Set([...open.map(({ file }) => file), ...besides(answered)])];
  const opened = translator.openSources(root, { files, onQuestion: heard.hear });
  for (;;) {
    const texts = new Map(
      open.flatMap(({ path, text, only, missing }) => {
        const shown = imported.has(path) || faulty.has(path) ? text : only(missing);
        return shown === undefined ? [] : [[path, shown] as const];
      }),
    );
    const sources = opened.withTexts(texts);
    const { isImported, isWithinItself } = importersIn(
      sources,
      files.map((file) => pathOf(root, file)),
    );
    const added = open.filter(
      ({ path, text }) => text !== undefined && !imported.has(path) && isImported(path),
    );
    for (const { path } of added) imported.add(path);
    if (added.length > 0) continue;
    const found = open.map((plan) => ({
      plan,
      parts: partsOf(translator, sources, plan, !isWithinItself(plan.path)),
    }));
    // A message may depend on the rest of the file: on names that it suggests, for example.
    const messages = found.filter(
      ({ plan: { path, text }, parts }) => text !== undefined && !faulty.has(path) && parts.some(hasMessage),
    );
    for (const { plan } of messages) faulty.add(plan.path);
    if (messages.some(({ plan: { path } }) => texts.has(path) && !imported.has(path))) continue;
    const answers = Object.fromEntries(
      found.map(({ plan, parts }) => {
        const answer = {
          ...dependenciesOf(sources, plan, hashOfText),
          isImported: imported.has(plan.path),
          parts,
        };
        return [plan.file, answer];
      }),
    );
    return {
      answers: { ...answered, ...answers },
      shared: heard.answers(),
      steps: open.flatMap(({ missing, question }) =>
        missing.flatMap(({ requests }) =>
          requests.map((index) => question.requests[index]?.options.step ?? ""),
        ),
      ),
    };
  }
};

interface Plan extends PlannedFile {
  readonly file: string;
  readonly path: string;
  readonly question: AskedFile;
  /** The earlier answers of the parts. */
  readonly known: readonly (PartAnswer | undefined)[];
  readonly missing: readonly PlannedPart[];
}

const importersIn = ({ open, reach }: Sources, files: readonly string[]) => {
  const known = new Map<string, ReadonlySet<string>>();
  const reachedFrom = (path: string): ReadonlySet<string> => {
    const found = known.get(path) ?? new Set(reach.from(path)?.modules);
    known.set(path, found);
    return found;
  };
  const importsItself = (path: string): boolean => {
    const { file, checker } = open(path) ?? {};
    return (file?.statements ?? []).some(
      (node) =>
        (ts.isImportDeclaration(node) || ts.isExportDeclaration(node)) &&
        node.moduleSpecifier !== undefined &&
        checker?.getSymbolAtLocation(node.moduleSpecifier)?.declarations?.some((one) => one === file),
    );
  };
  /** Whether a file's declarations are visible everywhere, or it imports itself, directly or through others. */
  const isWithinItself = (path: string): boolean => {
    const reached = reachedFrom(path);
    return (
      !reached.has(path) ||
      importsItself(path) ||
      [...reached].some((other) => other !== path && reachedFrom(other).has(path))
    );
  };
  return {
    isWithinItself,
    isImported: (path: string): boolean =>
      isWithinItself(path) || files.some((other) => other !== path && reachedFrom(other).has(path)),
  };
};

const partsOf = (
  {
    findTensorConditions,
    findTypeErrors,
    translateRun,
  }: typeof import("@tritype/translator") & typeof import("./type-errors.ts"),
  sources: Sources,
  { file, question, missing, known, parts }: Plan,
  isDivisible: boolean,
): readonly PartAnswer[] => {
  const conditions = missing.some(({ isDeciding }) => isDeciding)
    ? findTensorConditions(sources, [file])
    : [];
  const ask = ({ key, needed, own, requests, isDeciding }: PlannedPart): PartAnswer => {
    const steps = requests.flatMap((index) => {
      const { at, options } = question.requests[index] ?? {};
      return at === undefined ? [] : [{ at, translation: translateRun(sources, at, options) }];
    });
    const answer = {
      needed,
      requests,
      translations: steps.map(({ translation }) => translation),
      typeErrors: findTypeErrors(sources, steps),
      conditions: isDeciding
        ? conditions.filter(({ at }) => own === undefined || isWithin(own, at.line))
        : [],
    };
    return { key: isDivisible && !hasMessage(answer) ? key : "", ...answer };
  };
  return parts.map((part, at) => {
    const before = known[at];
    return before === undefined ? ask(part) : moved(before, part, file);
  });
};

const hasMessage = ({ translations, typeErrors }: Omit<PartAnswer, "key">): boolean =>
  typeErrors.length > 0 || translations.some(({ refusals }) => refusals.length > 0);

/** The files behind an answer. If the hash of a file is unknown, the answer is not reused in a later build. */
const dependenciesOf = (
  { reach }: Sources,
  { file, question }: Plan,
  hashOfText: (path: string) => string | undefined,
): Pick<FileAnswer, "question" | "modules" | "outside"> => {
  const { modules = [], outside = [] } = reach.from(file) ?? {};
  const texts = modules.map((path) => [`text ${path}`, hashOfText(path)] as const);
  const isRemembered = modules.length > 0 && texts.every(([, text]) => text !== undefined);
  return {
    question: isRemembered ? JSON.stringify(question) : "",
    modules: Object.fromEntries(texts.map(([asked, text]) => [asked, text ?? ""])),
    outside,
  };
};

/** The earlier answer, if the file has changed but none of its parts have. */
const renewed = (
  { file, path, question, parts, known, hash = "" }: Plan,
  before: FileAnswer,
): FileAnswer => ({
  ...before,
  question: JSON.stringify(question),
  modules: { ...before.modules, [`text ${path}`]: hash },
  parts: parts.flatMap((part, at) => {
    const answer = known[at];
    return answer === undefined ? [] : [moved(answer, part, file)];
  }),
});

/** An earlier answer with the current positions. */
const moved = (answer: PartAnswer, { needed, requests }: PlannedPart, file: string): PartAnswer => {
  const lineNow = (line: number): number => {
    const at = answer.needed.findIndex((lines) => isWithin(lines, line));
    const [before, now] = [answer.needed[at], needed[at]];
    invariant(before !== undefined && now !== undefined, `${file}:${line} is not in a part of the file`);
    return line + now[0] - before[0];
  };
  if (JSON.stringify(answer.needed) === JSON.stringify(needed)) return { ...answer, requests };
  const text = JSON.stringify({ ...answer, needed, requests }, (_key, value: unknown) =>
    isPlaceIn(file, value) ? { ...value, line: lineNow(value.line) } : value,
  );
  return JSON.parse(text) as PartAnswer;
};

const isPlaceIn = (file: string, value: unknown): value is { readonly file: string; readonly line: number } =>
  typeof value === "object" &&
  value !== null &&
  "file" in value &&
  value.file === file &&
  "line" in value &&
  typeof value.line === "number";
