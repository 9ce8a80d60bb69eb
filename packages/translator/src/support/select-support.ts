import { invariant } from "@tritype/core";
import { supportTable } from "./support-table.ts";

/** Support code for one translation. */
export interface Support {
  /** Sorted names of the standard-library modules that the code uses. */
  readonly imports: readonly string[];
  /** Python text: constants, then functions; "" if nothing is used. */
  readonly text: string;
}

/** Selects pieces of support code by name, with all their dependencies. Throws for an unknown name. */
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

/** Names of all support pieces, which a translation must not use for anything else. */
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

/** Prints constants first, then functions and classes with two blank lines between them. */
const layOut = (pieces: readonly string[]): string => {
  const constants = pieces.filter((piece) => !isBlock(piece)).map((piece) => `${piece}\n`);
  const blocks = pieces.filter(isBlock).map((piece) => `${piece}\n`);
  return [...(constants.length > 0 ? [constants.join("")] : []), ...blocks].join("\n\n");
};

const isBlock = (piece: string): boolean => /^(?:def|class) /.test(piece);
