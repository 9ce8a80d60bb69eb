import { createHash } from "node:crypto";
import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { resolve, sep } from "node:path";
import { attempt } from "@tritype/core";
import type { FileQuestion } from "@tritype/translator";

/** Queries to the file system, as `query path`, each with a short answer: a hash of contents or of names, yes or no, or a path. */
export type FileAnswers = Readonly<Record<string, string>>;

/** Records the answers to the queries that it observes. */
export interface AskedFiles {
  readonly hear: (question: FileQuestion, path: string) => void;
  readonly answers: () => FileAnswers;
  /** @param asked The queries, in the form of the answers' keys: `text /path`. */
  readonly answerTo: (asked: string) => string | undefined;
}

export const keepAnswers = (): AskedFiles => {
  const answers = new Map<string, string>();
  return {
    hear(question, path) {
      const key = `${question} ${path}`;
      if (!answers.has(key)) answers.set(key, answer(question, path));
    },
    answers: () => Object.fromEntries(answers),
    answerTo: (asked) => answers.get(asked),
  };
};

/** Whether the file system would still give all of these answers. Each query is made once. */
export const answerChecker = (): ((answers: FileAnswers) => boolean) => {
  const now = new Map<string, string>();
  const answerNow = (asked: string): string => {
    const space = asked.indexOf(" ");
    const found = now.get(asked) ?? answer(asked.slice(0, space) as FileQuestion, asked.slice(space + 1));
    now.set(asked, found);
    return found;
  };
  return (answers) => Object.entries(answers).every(([asked, known]) => answerNow(asked) === known);
};

/** Files whose contents were read. */
export const filesRead = (answers: FileAnswers): readonly string[] =>
  Object.keys(answers).flatMap((asked) => (asked.startsWith("text ") ? [asked.slice("text ".length)] : []));

/** The path of a file as TypeScript writes it. */
export const pathOf = (root: string, file: string): string => resolve(root, file).split(sep).join("/");

const answer = (question: FileQuestion, path: string): string =>
  attempt(() => answers[question](path)) ?? "none";

export const hashOf = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("base64url");

/** Most of these paths do not exist, and creating an error takes longer than the query. */
const quiet = { throwIfNoEntry: false } as const;
const answers: Readonly<Record<FileQuestion, (path: string) => string>> = {
  text: (path) => hashOf(readFileSync(path)),
  file: (path) => String(statSync(path, quiet)?.isFile() ?? "none"),
  folder: (path) => String(statSync(path, quiet)?.isDirectory() ?? "none"),
  list: (path) => hashOf(readdirSync(path).toSorted().join("\n")),
  link: (path) => realpathSync(path),
};
