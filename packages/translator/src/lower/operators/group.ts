import type { Lowering } from "../lowering.ts";
import { pyBinary, pyIf, pyInt, pyName, pySubscript } from "../../python/build.ts";
import type { PyExpression } from "../../python/syntax.ts";
import { typeOfKind } from "../../ir/value-type.ts";

/** A group of a match; Python's None becomes undefined. The whole match (group 0) always exists. */
export const groupOf = (lowering: Lowering, match: PyExpression, group: number): PyExpression => {
  const value = pySubscript(match, pyInt(group));
  if (group === 0) return value;
  return lowering.hold(value, typeOfKind("string"), (first, again) =>
    pyIf(pyBinary("is not", first, pyName("None")), again, pyName("undefined")),
  );
};
