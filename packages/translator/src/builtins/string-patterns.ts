import { pyCall, pyMethod, pyName } from "../python/build.ts";
import { argument, receiverOf } from "./arguments.ts";
import type { Rows } from "./row.ts";

/** Methods of texts that take a text or a regular expression. */
export const stringPatterns: Rows = {
  "string.split": {
    args: [1, 2],
    fresh: true,
    lower(call, lowering) {
      const separator = argument(call, 0);
      const text = lowering.expression(receiverOf(call));
      if (separator.kind === "text" && call.args.length === 1)
        return separator.value === ""
          ? pyCall("list", text)
          : pyMethod(text, "split", lowering.expression(separator));
      return pyCall("split", text, ...lowering.args(call));
    },
  },
  "string.replaceAll": {
    args: [2, 2],
    lower(call, lowering) {
      const [what, by] = [argument(call, 0), argument(call, 1)];
      if (what.kind !== "text" || by.kind !== "text" || by.value.includes("$"))
        return lowering.refuse(
          call.at,
          "function/built-in",
          "`.replaceAll()` with anything else than texts written there",
          "`split(a).join(b)`",
        );
      return pyMethod(
        lowering.expression(receiverOf(call)),
        "replace",
        lowering.expression(what),
        lowering.expression(by),
      );
    },
  },
  "string.replace": {
    args: [2, 2],
    lower: (call, lowering) => {
      lowering.refuse(call.at, "function/regexp", "`.replace()`");
      return pyName("undefined");
    },
  },
};
