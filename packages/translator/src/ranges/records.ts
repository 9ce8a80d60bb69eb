import type { Declaration, Expression, Pattern, Statement } from "../ir/code.ts";
import { kindOf, type ValueType } from "../ir/value-type.ts";
import { walk } from "../ir/walk.ts";
import type { Write } from "./flows.ts";
import { anyNumber } from "./num.ts";

/** The values that the gathered code writes to properties of records. */
export interface Records {
  /** All values written to properties with this name, in any record; undefined if they are not all known. */
  readonly writesTo: (name: string) => readonly Write[] | undefined;
  /** Names that are written to. */
  readonly names: readonly string[];
}

/** `outside`: types of values from elsewhere. `open`: whether records of any kind come from elsewhere. */
export const recordsOf = (
  declarations: readonly Declaration[],
  outside: readonly ValueType[],
  open: boolean,
): Records => {
  const writes = new Map<string, Write[]>();
  let hasOthers = open;
  const write = (name: string, made: Write): void => {
    const found = writes.get(name);
    if (found === undefined) writes.set(name, [made]);
    else found.push(made);
  };
  const assign = (target: Expression, made: Write): void => {
    if (target.kind === "property") write(target.name, made);
    else if (
      target.kind === "element" &&
      kindOf(target.object.type) !== "array" &&
      kindOf(target.object.type) !== "typed"
    )
      hasOthers = true;
  };
  const pattern = (of: Pattern | undefined, made: Write): void => {
    if (of === undefined || of.kind === "bind") return;
    if (of.kind === "place") return assign(of.target, made);
    const any: Write = { kind: "num", num: anyNumber };
    for (const part of of.kind === "items" ? of.items : of.fields) pattern(part?.pattern, any);
    pattern(of.rest, any);
  };
  const statement = ({ does }: Statement): void => {
    if (does.kind === "declare") pattern(does.pattern, { kind: "num", num: anyNumber });
    else if (does.kind === "for of") pattern(does.pattern, { kind: "num", num: anyNumber });
    else if (does.kind === "count")
      assign(does.target, { kind: "step", value: one(does.target), sign: does.by });
    else if (does.kind === "assign" && does.target.kind === "place")
      assign(does.target.target, writeOf(does, does.target.target));
    else if (does.kind === "assign") pattern(does.target, { kind: "num", num: anyNumber });
  };
  const record = (entries: (Expression & { readonly kind: "record" })["entries"]): void => {
    for (const entry of entries) {
      if ("spread" in entry) {
        if (kindOf(entry.spread.type) !== "record") hasOthers = true;
      } else if (typeof entry.key === "string") write(entry.key, { kind: "value", value: entry.value });
      else hasOthers = true;
    }
  };
  const expression = (seen: Expression): void => {
    if (seen.kind === "record") record(seen.entries);
    else if (seen.kind === "lambda")
      for (const { pattern: of } of seen.parameters) pattern(of, { kind: "num", num: anyNumber });
    else if (seen.kind === "invocation" && makesRecords(seen.row)) hasOthers = true;
  };
  walk(declarations, { statement, expression });
  for (const type of outside)
    for (const name of type.fields?.keys() ?? []) write(name, { kind: "num", num: anyNumber });
  return {
    names: hasOthers ? [] : [...writes.keys()],
    writesTo: (name) => (hasOthers ? undefined : writes.get(name)),
  };
};

/** Whether a built-in creates records whose keys are not written in the code. */
const makesRecords = (row: string): boolean =>
  row === "JSON.parse" || (row.startsWith("Object.") && !readers.has(row));
const readers: ReadonlySet<string> = new Set(
  ["keys", "entries", "values", "hasOwn", "freeze"].map((name) => `Object.${name}`),
);

type Assign = Statement["does"] & { readonly kind: "assign" };

const writeOf = ({ operator, value }: Assign, target: Expression): Write => {
  if (operator === undefined) return { kind: "value", value };
  if (operator === "+" || operator === "-") return { kind: "step", value, sign: operator === "+" ? 1 : -1 };
  const place = { left: target, right: value, type: target.type, at: target.at };
  return {
    kind: "value",
    value:
      operator === "??" || operator === "||" || operator === "&&"
        ? { kind: "logical", operator, ...place }
        : { kind: "binary", operator, ...place },
  };
};

const one = ({ type, at }: Expression): Expression => ({ kind: "number", value: 1, type, at });
