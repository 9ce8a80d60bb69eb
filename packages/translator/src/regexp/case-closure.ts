import { type CodeSet, setOf } from "./code-set.ts";

/** A set with everything that flag `i` (without `u`) takes for one of its members. */
export const caseClosure = (set: CodeSet): CodeSet => {
  const { canonical, members } = (tables ??= makeTables());
  const added: [number, number][] = [];
  for (const [first, last] of set)
    for (let unit = first; unit <= last; unit++)
      for (const member of members.get(canonical[unit] ?? unit) ?? []) added.push([member, member]);
  return setOf([...set, ...added]);
};

interface CaseTables {
  readonly canonical: Uint16Array;
  /** Units of the same canonical form, where there are several. */
  readonly members: ReadonlyMap<number, readonly number[]>;
}

let tables: CaseTables | undefined;

/** ECMAScript's Canonicalize: the capital, unless it is of several units or an ASCII one of a letter beyond ASCII. */
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
