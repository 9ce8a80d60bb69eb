import { lastCased } from "../unicode/case-beyond-python.ts";
import { type CodeSet, setOf } from "./code-set.ts";

/** A set plus all characters that flag `i` treats as equal to one of its members. */
export const caseClosure = (set: CodeSet, unicode: boolean): CodeSet => {
  if (unicode) {
    const folded = (foldings ??= makeFoldings()).filter((group) => group.some((code) => has(set, code)));
    return setOf([...set, ...folded.flat().map((code) => [code, code] as const)]);
  }
  const { canonical, members } = (tables ??= makeTables());
  const added: [number, number][] = [];
  for (const [first, last] of set)
    for (let unit = first; unit <= last; unit++)
      for (const member of members.get(canonical[unit] ?? unit) ?? []) added.push([member, member]);
  return setOf([...set, ...added]);
};

const has = (set: CodeSet, code: number): boolean =>
  set.some(([first, last]) => first <= code && code <= last);

let foldings: readonly (readonly number[])[] | undefined;

/** Code points that flags `i` and `u` together treat as equal, according to this Node. */
const makeFoldings = (): readonly (readonly number[])[] => {
  const cased: string[] = [];
  for (let code = 0; code <= lastCased; code++) {
    const character = String.fromCodePoint(code);
    if (/\p{Changes_When_Casemapped}|\p{Changes_When_Casefolded}/u.test(character)) cased.push(character);
  }
  const all = cased.join("");
  const seen = new Set<string>();
  return cased.flatMap((character) => {
    if (seen.has(character)) return [];
    const group = all.match(new RegExp(character, "giu")) ?? [];
    for (const member of group) seen.add(member);
    return group.length > 1 ? [group.map((member) => member.codePointAt(0) ?? 0)] : [];
  });
};

interface CaseTables {
  readonly canonical: Uint16Array;
  /** Units with the same canonical form, if there are several. */
  readonly members: ReadonlyMap<number, readonly number[]>;
}

let tables: CaseTables | undefined;

/** ECMAScript's Canonicalize: the upper case, unless that has several units or is ASCII for a non-ASCII unit. */
const makeTables = (): CaseTables => {
  const canonical = new Uint16Array(0x10000);
  const groups = new Map<number, number[]>();
  for (let unit = 0; unit <= 0xffff; unit++) {
    const capital = String.fromCharCode(unit).toUpperCase();
    const code = capital.charCodeAt(0);
    const to = capital.length === 1 && !(unit >= 0x80 && code < 0x80) ? code : unit;
    canonical[unit] = to;
    const group = groups.get(to);
    if (group === undefined) groups.set(to, [unit]);
    else group.push(unit);
  }
  return { canonical, members: new Map([...groups].filter(([, group]) => group.length > 1)) };
};
