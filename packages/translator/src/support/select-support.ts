import { invariant } from "@tritype/core";
import { supportTable } from "./support-table.ts";

/** Support code for one translation. */
export interface Support {
  /** Modules of Python's standard library that the text names, sorted. */
  readonly imports: readonly string[];
  /** Python text: constants, then functions; "" if nothing is used. */
  readonly text: string;
}

/** The named pieces of support code and all their dependencies. Throws for an unknown name. */
export const selectSupport = (names: Iterable<string>): Support => {
  const chosen = new Set<string>();
  const add = (name: string): void => {
    if (chosen.has(name)) return;
    chosen.add(name);
    for (const other of pieceOf(name).needs ?? []) add(other);
  };
  for (const name of names) add(name);
  const inOrder = Object.keys(supportTable).filter((name) => chosen.has(name));
  return {
    imports: [...new Set(inOrder.flatMap((name) => pieceOf(name).imports ?? []))].toSorted(),
    text: layOut(inOrder.map(textOf)),
  };
};

/** Names of all support pieces: a translation must not use them for anything else. */
export const supportNames: ReadonlySet<string> = new Set([...Object.keys(supportTable), "Undefined"]);

const pieceOf = (name: string): (typeof supportTable)[string] => {
  const piece = supportTable[name];
  invariant(piece !== undefined, `there is no support function ${name}`);
  return piece;
};

const textOf = (name: string): string => {
  const { text } = pieceOf(name);
  return typeof text === "string" ? text : text();
};

/** Constants, which only functions need, then functions and classes two lines apart. */
const layOut = (pieces: readonly string[]): string => {
  const constants = pieces.filter((piece) => !isBlock(piece)).map((piece) => `${piece}\n`);
  const blocks = pieces.filter(isBlock).map((piece) => `${piece}\n`);
  return [...(constants.length > 0 ? [constants.join("")] : []), ...blocks].join("\n\n");
};

const isBlock = (piece: string): boolean => /^(?:def|class) /.test(piece);
