import { findInType, type Kind, isAlways } from "../ir/value-type.ts";
import type { Lowering } from "../lower/lowering.ts";
import { pyCall, pyText } from "../python/build.ts";
import type { PyExpression } from "../python/syntax.ts";
import { argument, receiverOf } from "./arguments.ts";
import type { Rows, TranslatedRow } from "./row.ts";

/** A function of a single string. */
const ofText = (name: string, facts: Partial<TranslatedRow> = {}): TranslatedRow => ({
  lower: (call, lowering) => text(lowering, call, (value) => pyCall(name, value)),
  ...facts,
});

const text = (
  lowering: Lowering,
  call: Parameters<TranslatedRow["lower"]>[0],
  made: (value: PyExpression) => PyExpression,
): PyExpression => {
  const of = argument(call, 0);
  return isAlways(of.type, "string")
    ? made(lowering.expression(of))
    : lowering.refuseKind(of, "{type} where a string is expected", "a string");
};

/** Kinds of values that `structuredClone` turns into another kind, or for which it throws. */
const unclonable: ReadonlySet<Kind> = new Set([
  "unknown",
  "function",
  "iterator",
  "match",
  "regexp",
  "error",
]);

/** UTF-8, base64, percent encoding and `structuredClone`. */
export const encodings: Rows = {
  "new TextEncoder": { args: [0, 0], lower: () => pyText("utf-8") },
  "new TextDecoder": {
    args: [0, 1],
    lower(call, lowering) {
      const label = call.args[0]?.value;
      return label === undefined || (label.kind === "text" && /^utf-?8$/i.test(label.value))
        ? pyText("utf-8")
        : lowering.refuse(
            label.at,
            "function/built-in",
            "a `TextDecoder` for anything other than UTF-8",
            "`new TextDecoder()`, or a `python` step with `bytes.decode`",
          );
    },
  },
  "encoder.encode": ofText("utf8", {
    fresh: true,
    lower: (call, lowering) => text(lowering, call, (value) => pyCall("list", pyCall("utf8", value))),
  }),
  "decoder.decode": {
    lower(call, lowering) {
      const of = argument(call, 0);
      // Lowered only for its refusals.
      lowering.expression(receiverOf(call));
      return of.type.array === "Uint8Array"
        ? pyCall("from_utf8", lowering.expression(of))
        : lowering.refuseKind(of, "`.decode()` of {type}", "a `Uint8Array`");
    },
  },
  btoa: ofText("to_base64"),
  atob: ofText("from_base64"),
  encodeURIComponent: ofText("encode_component"),
  decodeURIComponent: ofText("decode_component"),
  structuredClone: {
    fresh: true,
    deep: true,
    lower(call, lowering) {
      const of = argument(call, 0);
      const problem = findInType(of.type, (type) =>
        type.kinds.some((kind) => unclonable.has(kind)) ? type : undefined,
      );
      return problem === undefined
        ? pyCall("clone", lowering.expression(of))
        : lowering.refuse(
            of.at,
            "function/mixed-kinds",
            `\`structuredClone\` of \`${problem.text}\``,
            "a copy of what you need: `{ ...record }`, `[...list]`",
          );
    },
  },
};
