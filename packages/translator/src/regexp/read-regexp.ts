import { caseClosure } from "./case-closure.ts";
import { type CodeSet, complement, digits, lineEnds, setOf, whitespace } from "./code-set.ts";
import { Refused } from "./refused.ts";
import { type RegExpMode, type RegExpTree, topOf } from "./regexp-tree.ts";
import { wordsOf } from "./words-of.ts";

/** Parses the source of a regular expression that Node accepts. Throws `Refused`. */
export const readRegExp = (source: string, mode: RegExpMode): RegExpTree => {
  const names = captureNames(source);
  let at = 0;
  let captures = 0;

  const take = (text: string): boolean => {
    if (!source.startsWith(text, at)) return false;
    at += text.length;
    return true;
  };
  const match = (pattern: RegExp): RegExpExecArray | undefined => {
    pattern.lastIndex = at;
    const found = pattern.exec(source) ?? undefined;
    if (found !== undefined) at += found[0].length;
    return found;
  };
  const nextCharacter = (): number => {
    const code = (mode.unicode ? source.codePointAt(at) : source.charCodeAt(at)) ?? 0;
    at += code > 0xffff ? 2 : 1;
    return code;
  };

  const readAlternatives = (): RegExpTree => {
    const items = [readSequence()];
    while (take("|")) items.push(readSequence());
    return items.length === 1 ? (items[0] as RegExpTree) : { kind: "alternatives", items };
  };

  const readSequence = (): RegExpTree => {
    const items: RegExpTree[] = [];
    while (at < source.length && source[at] !== "|" && source[at] !== ")") items.push(readRepeat(readItem()));
    return items.length === 1 ? (items[0] as RegExpTree) : { kind: "sequence", items };
  };

  const readRepeat = (body: RegExpTree): RegExpTree => {
    const start = at;
    const found = match(/[*+?]|\{(\d+)(,(\d*))?\}/y);
    if (found === undefined) return body;
    const [sign, exactly, range, most] = found;
    const [least, limit] = bounds(sign, exactly, range, most);
    if (limit !== Number.POSITIVE_INFINITY && limit > 65_535)
      throw new Refused(start, "a repetition of more than 65,535 times", "`+` or `*`");
    return { kind: "repeat", body, least, most: limit, lazy: take("?"), at: start };
  };

  const readItem = (): RegExpTree => {
    const start = at;
    if (take("^")) return { kind: "assertion", what: "start" };
    if (take("$")) return { kind: "assertion", what: "end" };
    if (take("(")) return readGroup(start);
    if (take(".")) return { kind: "set", set: complement(mode.dotAll ? [] : lineEnds, topOf(mode)) };
    if (take("[")) return { kind: "set", set: readClass() };
    if (take("\\")) return readEscape(start);
    return character(nextCharacter());
  };

  const readGroup = (start: number): RegExpTree => {
    const look = match(/\?(<?)([=!])/y);
    const opened = look !== undefined || match(/\?:/y) !== undefined;
    const name = opened ? undefined : match(/\?<([^>]*)>/y)?.[1];
    if (!opened && name === undefined && source[at] === "?")
      throw new Refused(start, "a group with its own flags", "flags for the whole expression");
    if (name !== undefined && !/^[A-Za-z_]\w*$/.test(name))
      throw new Refused(start, `a group named \`${name}\``, "a name of ASCII letters and digits");
    const number = opened ? 0 : ++captures;
    const body = readAlternatives();
    take(")");
    if (look !== undefined)
      return { kind: "look", ahead: look[1] === "", negative: look[2] === "!", body, at: start };
    return opened ? { kind: "group", body } : { kind: "capture", number, name, body, at: start };
  };

  const readEscape = (start: number): RegExpTree => {
    if (take("b")) return { kind: "assertion", what: "word-bound" };
    if (take("B")) return { kind: "assertion", what: "no-word-bound" };
    const named = match(/k<([^>]*)>/y);
    if (named !== undefined) return { kind: "reference", to: names.indexOf(named[1]) + 1, at: start };
    const numbered = match(/[1-9]\d*/y);
    if (numbered !== undefined) {
      if (Number(numbered[0]) > names.length) throw new Refused(start, "an octal escape", "`\\xHH`");
      return { kind: "reference", to: Number(numbered[0]), at: start };
    }
    const set = readClassEscape(start);
    if (set === undefined) return character(readCharacterEscape(start, false));
    return { kind: "set", set: mode.unicode ? folded(set) : set };
  };

  /** `\d`, `\s`, `\w`, `\p{…}` and their opposites, after the backslash. */
  const readClassEscape = (start: number): CodeSet | undefined => {
    const letter = match(/[dDsSwW]/y)?.[0];
    if (letter !== undefined) {
      const set = { d: digits, s: whitespace, w: wordsOf(mode) }[letter.toLowerCase()] ?? [];
      return letter === letter.toLowerCase() ? set : complement(set, topOf(mode));
    }
    if (source[at] !== "p" && source[at] !== "P") return undefined;
    const property = mode.unicode ? match(/[pP]\{[^}]*\}/y)?.[0] : undefined;
    if (property === undefined) throw new Refused(start, "`\\p` without flag `u`", "the flag, or `p`");
    return propertySet(`\\${property}`);
  };

  const readCharacterEscape = (start: number, inClass: boolean): number => {
    const control = match(/c([A-Za-z])/y)?.[1];
    if (control !== undefined) return control.charCodeAt(0) % 32;
    const braced = mode.unicode ? match(/u\{([0-9a-fA-F]+)\}/y)?.[1] : undefined;
    if (braced !== undefined) return Number.parseInt(braced, 16);
    const hex = match(/x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})/y);
    if (hex !== undefined) return joined(Number.parseInt(hex[1] ?? hex[2] ?? "", 16));
    if (match(/0(?![0-9])/y)) return 0;
    const letter = match(/[tnvfr]/y)?.[0];
    if (letter !== undefined) return { t: 9, n: 10, v: 11, f: 12, r: 13 }[letter] ?? 0;
    if (inClass && take("b")) return 8;
    if (/[A-Za-z0-9]/.test(source[at] ?? ""))
      throw new Refused(start, `the escape \`\\${source[at]}\``, "the character itself, or `\\xHH`");
    return nextCharacter();
  };

  /** With `u`, `\ud83d\ude00` is one character. */
  const joined = (code: number): number => {
    if (!mode.unicode || code < 0xd800 || code > 0xdbff) return code;
    const low = match(/\\u([dD][c-fC-F][0-9a-fA-F]{2})/y)?.[1];
    return low === undefined ? code : 0x10000 + ((code - 0xd800) << 10) + (Number.parseInt(low, 16) - 0xdc00);
  };

  const readClass = (): CodeSet => {
    const negative = take("^");
    const ranges: (readonly [number, number])[] = [];
    while (!take("]")) {
      const start = at;
      const from = readMember();
      if (source[at] !== "-" || source[at + 1] === "]") ranges.push(...from);
      else {
        at++;
        ranges.push(rangeOf(start, from, readMember()));
      }
    }
    const set = folded(setOf(ranges));
    return negative ? complement(set, topOf(mode)) : set;
  };

  const readMember = (): CodeSet => {
    const start = at;
    if (!take("\\")) return single(nextCharacter());
    return readClassEscape(start) ?? single(readCharacterEscape(start, true));
  };

  const character = (code: number): RegExpTree => {
    const set = folded(single(code));
    // `re.I` already matches the other case of ASCII letters.
    const plain = set.every(
      ([first, last]) => (first === code && last === code) || Math.max(last, code) < 0x80,
    );
    return plain ? { kind: "character", code } : { kind: "set", set };
  };

  const folded = (set: CodeSet): CodeSet => (mode.ignoreCase ? caseClosure(set, mode.unicode) : set);

  return readAlternatives();
};

const single = (code: number): CodeSet => [[code, code]];

const rangeOf = (at: number, from: CodeSet, to: CodeSet): readonly [number, number] => {
  const [first, last] = [from[0], to[0]];
  const isOne = (set: CodeSet): boolean => set.length === 1 && set[0]?.[0] === set[0]?.[1];
  if (first === undefined || last === undefined || !isOne(from) || !isOne(to))
    throw new Refused(at, "a character range that starts or ends with a class", "the `-` escaped: `\\-`");
  return [first[0], last[0]];
};

const bounds = (
  sign: string,
  exactly: string | undefined,
  range: string | undefined,
  most: string | undefined,
): readonly [number, number] => {
  if (sign === "*") return [0, Number.POSITIVE_INFINITY];
  if (sign === "+") return [1, Number.POSITIVE_INFINITY];
  if (sign === "?") return [0, 1];
  const least = Number(exactly);
  if (range === undefined) return [least, least];
  return [least, most === "" ? Number.POSITIVE_INFINITY : Number(most)];
};

/** Name of each capturing group, in order; undefined for a group without a name. */
const captureNames = (source: string): readonly (string | undefined)[] => {
  const tokens = source.matchAll(/\\.|\[(?:\\.|[^\]\\])*\]|\((?!\?)|\(\?<([^>=!][^>]*)>/gs);
  return [...tokens].filter(([text]) => text.startsWith("(")).map(([, name]) => name);
};

/** Code points of `\p{…}`, according to this Node. */
const propertySet = (escape: string): CodeSet => {
  const known = asked.get(escape);
  if (known !== undefined) return known;
  const pattern = new RegExp(`^${escape}$`, "u");
  const ranges: [number, number][] = [];
  for (let code = 0; code <= 0x10ffff; code++)
    if (pattern.test(String.fromCodePoint(code))) {
      const previous = ranges.at(-1);
      if (previous?.[1] === code - 1) previous[1] = code;
      else ranges.push([code, code]);
    }
  const set = setOf(ranges);
  asked.set(escape, set);
  return set;
};

const asked = new Map<string, CodeSet>();
