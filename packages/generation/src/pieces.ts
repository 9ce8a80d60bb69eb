/** The settings for turning tokens into pieces of text. */
export interface PiecesOptions {
  /** The text of some tokens; it ends with U+FFFD while the last bytes do not form a whole character. */
  readonly decode: (tokens: readonly number[]) => Promise<string>;
  /** The token that is never part of the text. */
  readonly padId: number | null;
  /** @throws Error for a token that has no text. */
  readonly checkToken: (token: number) => void;
  /** Replacements, in this order. */
  readonly cleanUp: readonly (readonly [string, string])[];
  /** Strings that end the row. */
  readonly stop: readonly string[];
}

/** The text of a row. Its pieces are whole characters and never contain the start of a stop string. */
export interface Pieces {
  /** Takes the next token; returns whether a stop string has occurred. */
  add(token: number): Promise<boolean>;
  /** No more tokens follow, so bytes that do not yet form a character never will. Returns whether a stop string has occurred. */
  end(): Promise<boolean>;
  /** The part of the text since the previous call that can no longer change. */
  take(isLast: boolean): string;
}

/** The text that a decoder returns for bytes that do not form a character yet. */
const unfinished = "\ufffd";
/** The number of characters at the end of a text that clean-up may change when more text follows. */
const cleaned = 8;

/** Does the same as `Pieces` in `python/pieces.py`. */
export const openPieces = ({ decode, padId, checkToken, cleanUp, stop }: PiecesOptions): Pieces => {
  /** The tokens of the last whole characters, and those after them. */
  let ids: readonly number[] = [];
  /** The number of these tokens whose characters are already in the text. */
  let known = 0;
  /** The text of those tokens. */
  let before = "";
  /** All whole characters so far. */
  let raw = "";
  /** The length of the text that was emitted. */
  let given = 0;
  let stopped = false;

  const cleanedText = (): string =>
    cleanUp.reduce((text, [part, replacement]) => text.replaceAll(part, replacement), raw);
  /** The position at which the first stop string begins. */
  const stoppedAt = (text: string): number | undefined => {
    const found = stop.map((one) => text.indexOf(one, given)).filter((at) => at >= 0);
    return found.length === 0 ? undefined : Math.min(...found);
  };
  const grow = async (text: string): Promise<void> => {
    if (text.length <= before.length) return;
    raw += text.slice(before.length);
    ids = ids.slice(known);
    known = ids.length;
    before = await decode(ids);
    stopped = stop.length > 0 && stoppedAt(cleanedText()) !== undefined;
  };
  /** The number of characters at the end that may still change or become a stop string. */
  const held = (text: string): number => {
    const starts = stop.flatMap((one) =>
      Array.from({ length: Math.max(0, one.length - 1) }, (_, size) => size + 1).filter((size) =>
        text.endsWith(one.slice(0, size)),
      ),
    );
    return Math.max(cleanUp.length > 0 ? cleaned : 0, ...starts);
  };
  return {
    async add(token) {
      if (token === padId) return false;
      checkToken(token);
      ids = [...ids, token];
      const text = await decode(ids);
      if (text.startsWith(before) && !text.endsWith(unfinished)) await grow(text);
      return stopped;
    },
    async end() {
      await grow(await decode(ids));
      return stopped;
    },
    take(isLast) {
      const all = cleanedText();
      const text = all.slice(0, stoppedAt(all));
      const end = isLast || stopped ? text.length : Math.max(given, wholeEnd(text, text.length - held(text)));
      const piece = text.slice(given, end);
      given += piece.length;
      return piece;
    },
  };
};

/** Never splits a character. */
const wholeEnd = (text: string, end: number): number =>
  /[\ud800-\udbff]/.test(text.charAt(end - 1)) ? end - 1 : end;
