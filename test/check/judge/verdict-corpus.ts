import { createHash } from "node:crypto";
import { appendFileSync, existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { CaseFiles } from "./case-files.ts";
import type { Verdicts } from "./server-judge.ts";

/** A real server's verdict on a repository. Lines are appended and never changed. */
export interface JudgedCase {
  /** Hash of the repository's files and of how it was judged. */
  readonly id: string;
  /** The rule for which it was made: "66", and the case's `about`. */
  readonly about: string;
  /** The server's container release. */
  readonly release: string;
  /** Whether auto-complete was disabled. */
  readonly strict: boolean;
  /** Files by path; bytes as base64. */
  readonly files: Readonly<Record<string, string | { readonly base64: string }>>;
  /** By model. */
  readonly verdict: Readonly<Record<string, "ready" | "refused">>;
  /** The server's messages, by refused model. */
  readonly reason: Readonly<Record<string, string>>;
}

const folder = fileURLToPath(new URL("../corpus/", import.meta.url));

export const corpusFiles = (): readonly string[] =>
  readdirSync(folder).filter((name) => name.endsWith(".jsonl"));

export const readCorpus = (file: string): readonly JudgedCase[] => {
  const path = join(folder, file);
  const lines = existsSync(path) ? readFileSync(path, "utf8").split("\n") : [];
  return lines.filter(Boolean).map((line) => JSON.parse(line) as JudgedCase);
};

export const filesOf = ({ files }: Pick<JudgedCase, "files">): CaseFiles =>
  Object.fromEntries(
    Object.entries(files).map(([path, contents]) => [
      path,
      typeof contents === "string" ? contents : Buffer.from(contents.base64, "base64"),
    ]),
  );

export const caseId = ({
  release,
  strict,
  files,
}: Pick<JudgedCase, "release" | "strict" | "files">): string => {
  const sorted = Object.entries(files).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash("sha256")
    .update(JSON.stringify([release, strict, sorted]))
    .digest("hex")
    .slice(0, 16);
};

/** Appends the missing verdicts. */
export const keepCase = (
  file: string,
  about: string,
  files: CaseFiles,
  verdicts: Verdicts,
  { strict, release }: { readonly strict: boolean; readonly release: string },
): void => {
  const plain = Object.fromEntries(
    Object.entries(files).map(([path, contents]) => [
      path,
      typeof contents === "string" ? contents : { base64: Buffer.from(contents).toString("base64") },
    ]),
  );
  const id = caseId({ release, strict, files: plain });
  if (readCorpus(file).some((one) => one.id === id)) return;
  const entries = [...verdicts];
  const judged: JudgedCase = {
    id,
    about,
    release,
    strict,
    files: plain,
    verdict: Object.fromEntries(entries.map(([name, { ready }]) => [name, ready ? "ready" : "refused"])),
    reason: Object.fromEntries(
      entries.filter(([, { ready }]) => !ready).map(([name, { reason }]) => [name, withoutPlaces(reason)]),
    ),
  };
  appendFileSync(join(folder, file), `${JSON.stringify(judged)}\n`);
};

/** Folders of the judge's machine are not part of a verdict. */
const withoutPlaces = (reason: string): string =>
  reason
    .replaceAll(/\/\S*tritype-judge-[^/\s']*/g, "<repository>")
    .replaceAll(/\/\S*?\/backends-[^/\s']*/g, "<backends>")
    .trim();
