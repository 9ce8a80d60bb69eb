import { readFileSync } from "node:fs";
import type { TranslationRequest } from "@tritype/compiler";
import { attempt, decodeUtf8, withoutMark } from "@tritype/core";
import { hashOf } from "./file-answers.ts";
import { type FilePart, type Lines, splitFile } from "./file-parts.ts";
import { mayDecide } from "./may-decide.ts";

/** The questions about one file. */
export interface AskedFile {
  readonly requests: readonly TranslationRequest[];
  readonly isDeciding: boolean;
}

/** The questions about one part of a file. */
export interface PlannedPart {
  /** A hash of the questions and of everything in the file that the answers depend on; "" if it is unknown. */
  readonly key: string;
  /** The lines that the part depends on. */
  readonly needed: readonly Lines[];
  /** The part's own lines; undefined means the whole file. */
  readonly own: Lines | undefined;
  /** Indexes of the requests. */
  readonly requests: readonly number[];
  readonly isDeciding: boolean;
}

/** A file, divided into the parts that the questions are about. */
export interface PlannedFile {
  readonly parts: readonly PlannedPart[];
  /** The file's text; undefined if the file cannot be divided. */
  readonly text: string | undefined;
  /** The hash of its content. */
  readonly hash: string | undefined;
  /** Its text, reduced to the dependencies of these parts. */
  readonly only: (parts: readonly PlannedPart[]) => string | undefined;
}

export const planFile = (path: string, asked: AskedFile): PlannedFile => {
  const { requests, isDeciding } = asked;
  const content = contentOf(path);
  const text = content && decodeUtf8(withoutMark(content));
  const split = text === undefined ? undefined : splitFile(path, text);
  const parts = (split?.lines ?? []).flatMap((own): readonly PlannedPart[] => {
    const within = [...requests.keys()].filter((index) => isWithin(own, requests[index]?.at.line));
    const decides = isDeciding && mayDecide(split?.textOf(own) ?? "");
    const part = within.length > 0 || decides ? split?.partAt(own) : undefined;
    if (part === undefined) return [];
    const key = keyOf(part, own, asked, within, decides);
    return [{ key, needed: part.needed, own, requests: within, isDeciding: decides }];
  });
  if (content === undefined || split === undefined || parts.length === 0 || !hasAll(parts, requests.length)) {
    const whole = { key: "", needed: [], own: undefined, requests: [...requests.keys()], isDeciding };
    return { parts: [whole], text: undefined, hash: undefined, only: () => undefined };
  }
  return { parts, text, hash: hashOf(content), only: (some) => split.only(some) };
};

export const isWithin = ([first, last]: Lines, line: number | undefined): boolean =>
  line !== undefined && first <= line && line <= last;

const hasAll = (parts: readonly PlannedPart[], count: number): boolean =>
  parts.reduce((sum, { requests }) => sum + requests.length, 0) === count;

const contentOf = (path: string): Buffer | undefined => attempt(() => readFileSync(path));

/** Positions are relative to the part's first line, so that a part may move. */
const keyOf = (
  { text }: FilePart,
  [first]: Lines,
  { requests }: AskedFile,
  within: readonly number[],
  decides: boolean,
): string => {
  const moved = within.map((index) => {
    const { at, options } = requests[index] ?? {};
    return [at && at.line - first, at?.column, options];
  });
  return hashOf(JSON.stringify([text, moved, decides]));
};
