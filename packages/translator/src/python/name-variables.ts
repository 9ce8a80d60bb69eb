import { liesIn, type Scope, type Variable } from "../ir/variable.ts";
import type { Mentions } from "./mentions.ts";
import { builtIns, keywords } from "./reserved-names.ts";

/**
 * Names for the variables of a module: the user's, with a suffix if Python, a support function or another variable has
 * the same name. A built-in name of Python is never reused, because emitted and support code may call any of them.
 * Variables of separate blocks share a name, but a variable captured by a function shares its name with no other in the
 * same function. `taken`: names of Python and of the support code that the text uses. `takenByModule`: names that no
 * constant or function of the module may have.
 */
export const nameVariables = (
  { variables }: Mentions,
  taken: ReadonlySet<string>,
  takenByModule: ReadonlySet<string>,
): ((variable: Variable) => string) => {
  const given = new Map<Variable, string>();
  const captured = (variable: Variable): boolean => (variables.get(variable)?.size ?? 0) > 1;
  const rank = (variable: Variable): number =>
    variable.scope.kind === "module" ? 0 : variable.kind === "temporary" ? 3 : captured(variable) ? 1 : 2;
  const order = [...variables.keys()].toSorted((a, b) => rank(a) - rank(b));
  const clash = (a: Variable, b: Variable): boolean =>
    liesIn(a.scope, b.scope) ||
    liesIn(b.scope, a.scope) ||
    ((captured(a) || captured(b)) && outermost(a.scope) === outermost(b.scope));
  for (const variable of order) {
    const used = new Set([...given].filter(([other]) => clash(variable, other)).map(([, name]) => name));
    const isFree = (name: string): boolean =>
      !(keywords.has(name) || builtIns.has(name) || taken.has(name) || used.has(name)) &&
      !(variable.scope.kind === "module" && takenByModule.has(name));
    given.set(variable, firstFree(pythonName(variable.name), isFree));
  }
  return (variable) => given.get(variable) ?? pythonName(variable.name);
};

const firstFree = (name: string, isFree: (name: string) => boolean): string => {
  if (isFree(name)) return name;
  const plain = name.endsWith("_") ? name : `${name}_`;
  if (isFree(plain)) return plain;
  for (let count = 2; ; count++) if (isFree(`${plain}${count}`)) return `${plain}${count}`;
};

/** Python normalizes names to NFKC and has no `$`. */
const pythonName = (name: string): string =>
  name
    .normalize("NFKC")
    .replaceAll("$", "S_")
    .replaceAll(/[\u200c\u200d]/g, "_");

const outermost = (scope: Scope): Scope => {
  let found = scope;
  for (let inner: Scope | undefined = scope; inner !== undefined; inner = inner.parent)
    if (inner.kind === "function") found = inner;
  return found;
};
