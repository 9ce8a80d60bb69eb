import { jsonShapeOf, type KnownRecords } from "../builtins/json-shape.ts";
import type { ValueType } from "../ir/value-type.ts";
import { writeJson } from "../json/write-json.ts";
import { pyName } from "../python/build.ts";
import type { PyExpression } from "../python/syntax.ts";

/** Generated functions that write JSON, one for each type. */
export interface JsonWriters {
  /** The function for values of a type: a generated function or a support function. */
  readonly of: (type: ValueType) => PyExpression;
  /** The generated Python, placed after the support code. */
  readonly text: () => string;
  /** Support functions that the code uses. */
  readonly needs: () => readonly string[];
  /** Names that the code defines. */
  readonly names: () => readonly string[];
}

export const newJsonWriters = (known: KnownRecords): JsonWriters => {
  const made = new Map<string, ReturnType<typeof writeJson>>();
  const written = (): readonly ReturnType<typeof writeJson>[] =>
    [...made.values()].filter(({ python }) => python !== "");
  return {
    of(type) {
      const found = jsonShapeOf(type, known);
      if (found === undefined) return pyName("stringify");
      const key = JSON.stringify(found.shape);
      const count = written().length;
      const writer = made.get(key) ?? writeJson(count === 0 ? "value" : `value${count + 1}`, found.shape);
      made.set(key, writer);
      return pyName(writer.call);
    },
    text: () =>
      written()
        .map(({ python }) => python)
        .join("\n\n"),
    needs: () => written().flatMap(({ needs }) => needs),
    names: () =>
      written().flatMap(({ python }) =>
        [...python.matchAll(/^(?:def )?([A-Za-z_]\w*)(?:\(| =)/gm)].map(([, name = ""]) => name),
      ),
  };
};
