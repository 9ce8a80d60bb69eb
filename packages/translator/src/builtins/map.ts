import type { Invocation } from "../ir/code.ts";
import { isPrimitive, kindOf, mixesNumbers } from "../ir/value-type.ts";
import type { Lowering } from "../lower/lowering.ts";
import {
  pyAssign,
  pyAttribute,
  pyBinary,
  pyCall,
  pyDictComprehension,
  pyMethod,
  pyName,
  pyRun,
  pySubscript,
  pyTuple,
  pyVariable,
} from "../python/build.ts";
import type { PyEntry, PyExpression, PyStatement } from "../python/syntax.ts";
import { argument, orNothing, receiverOf, statementOnly } from "./arguments.ts";
import { mapKey } from "./map-key.ts";
import { type PropertyRows, type Rows, type TranslatedRow, untranslated } from "./row.ts";
import { lengthOf } from "./string.ts";

const object = (call: Invocation, lowering: Lowering): PyExpression => lowering.expression(receiverOf(call));

const keyOf = (call: Invocation, lowering: Lowering): PyExpression =>
  mapKey(lowering, argument(call, 0), call.receiver?.type);

const changing = { changes: true, resizes: true } as const;

const has: TranslatedRow = {
  lower: (call, lowering) => pyBinary("in", keyOf(call, lowering), object(call, lowering)),
};
const remove: TranslatedRow = {
  ...changing,
  lower: statementOnly("delete", "`has(k)`, and a separate `delete(k)`"),
  statement: (call, lowering) => [
    pyRun(pyMethod(object(call, lowering), "pop", keyOf(call, lowering), pyName("None"))),
  ],
};
const clear: TranslatedRow = {
  args: [0, 0],
  ...changing,
  lower: (call, lowering) => pyMethod(object(call, lowering), "clear"),
};
const itself: TranslatedRow = { args: [0, 0], lower: object };
const each: Rows[string] = {
  refuse: "function/effect-in-expression",
  why: "it is inside an expression",
  instead: "`for…of`",
};

const set = (call: Invocation, lowering: Lowering, value: PyExpression): readonly PyStatement[] => [
  pyAssign(pySubscript(object(call, lowering), keyOf(call, lowering)), value),
];

/** `new Map([[k, v], …])` as a dict display; any other argument as `dict(…)`. */
const newMap = (call: Invocation, lowering: Lowering): PyExpression => {
  const from = call.args[0]?.value;
  if (from === undefined || (from.kind === "constant" && from.value === "null"))
    return { kind: "dict", entries: [] };
  const entries =
    from.kind === "list"
      ? from.items.map(({ spread, value }) => (!spread && value.kind === "list" ? value.items : undefined))
      : [undefined];
  if (entries.every((items) => items?.length === 2 && items.every(({ spread }) => !spread)))
    return {
      kind: "dict",
      entries: entries.flatMap((items): readonly PyEntry[] => {
        const [key, value] = items ?? [];
        return key === undefined || value === undefined
          ? []
          : [{ key: mapKey(lowering, key.value), value: lowering.expression(value.value) }];
      }),
    };
  const keys = call.type.key;
  if (keys === undefined || keys.kinds.length !== 1 || !isPrimitive(keys))
    return lowering.refuse(
      call.at,
      "function/mixed-kinds",
      `a Map with keys of \`${keys?.text ?? "?"}\``,
      "strings or numbers as keys",
    );
  const source = (): PyExpression => orNothing(from, lowering.iterable(from, true), pyTuple([]));
  if (kindOf(keys) !== "number") return pyCall("dict", source());
  const [k, v] = [lowering.temporary("k", keys), lowering.temporary("v", call.type)];
  return pyDictComprehension(pyCall("key", pyVariable(k)), pyVariable(v), {
    target: pyTuple([pyVariable(k), pyVariable(v)]),
    iterable: lowering.source(source),
  });
};

const newSet = (call: Invocation, lowering: Lowering): PyExpression => {
  const from = call.args[0]?.value;
  if (from === undefined) return { kind: "dict", entries: [] };
  const { element } = call.type;
  if (element === undefined || !isPrimitive(element) || mixesNumbers([element]))
    return lowering.refuse(
      call.at,
      "function/mixed-kinds",
      `a Set of \`${element?.text ?? "?"}\``,
      "strings or numbers in it",
    );
  const source = orNothing(from, lowering.iterable(from), pyTuple([]));
  const keys = element.kinds.includes("number") ? pyCall("map", pyName("key"), source) : source;
  return pyCall(pyAttribute(pyName("dict"), "fromkeys"), keys);
};

/** Maps are dicts; sets are dicts with unused values, which keep their order. */
export const maps: Rows = {
  "new Map": { args: [0, 1], fresh: true, lower: newMap },
  "set.union": untranslated("`new Set([...a, ...b])`"),
  "set.intersection": untranslated("`new Set([...a].filter((x) => b.has(x)))`"),
  "set.difference": untranslated("`new Set([...a].filter((x) => !b.has(x)))`"),
  "set.symmetricDifference": untranslated("`filter` with `has` on both sets"),
  "set.isSubsetOf": untranslated("`[...a].every((x) => b.has(x))`"),
  "set.isSupersetOf": untranslated("`[...b].every((x) => a.has(x))`"),
  "set.isDisjointFrom": untranslated("`![...a].some((x) => b.has(x))`"),
  "new Set": { args: [0, 1], fresh: true, lower: newSet },
  "map.get": {
    lower: (call, lowering) =>
      pyMethod(object(call, lowering), "get", keyOf(call, lowering), pyName("undefined")),
  },
  "map.has": has,
  "map.set": {
    args: [2, 2],
    ...changing,
    lower: (call, lowering) =>
      pyCall("put_in", object(call, lowering), keyOf(call, lowering), lowering.expression(argument(call, 1))),
    statement: (call, lowering) => set(call, lowering, lowering.expression(argument(call, 1))),
  },
  "map.delete": remove,
  "map.clear": clear,
  "map.keys": itself,
  "map.values": { args: [0, 0], lower: (call, lowering) => pyMethod(object(call, lowering), "values") },
  "map.entries": { args: [0, 0], lower: (call, lowering) => pyMethod(object(call, lowering), "items") },
  "map.forEach": each,
  "set.has": has,
  "set.add": {
    ...changing,
    lower: (call, lowering) => pyCall("put_in", object(call, lowering), keyOf(call, lowering)),
    statement: (call, lowering) => set(call, lowering, pyName("None")),
  },
  "set.delete": remove,
  "set.clear": clear,
  "set.keys": itself,
  "set.values": itself,
  "set.forEach": each,
};

export const mapProperties: PropertyRows = { "map.size": lengthOf, "set.size": lengthOf };
