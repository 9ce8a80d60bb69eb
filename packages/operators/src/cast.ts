import { isDType, showType } from "@tritype/core";
import { dtypeArgument } from "./arguments.ts";
import { castNode } from "./carrier.ts";
import { refuseBf16 } from "./dtype-rules.ts";
import { operandAt, outOf, single } from "./inferred.ts";
import { notADType } from "./not-a-dtype.ts";
import type { Operator } from "./operator.ts";
import { elementwisePadding } from "./padding.ts";

/**
 * Attribute: `to`, a dtype. Casts from floats to integers truncate towards zero, and are undefined outside the
 * integer's range; integers wrap. BYTES are parsed as decimal numbers; any other text makes the run fail.
 */
export const cast: Operator = {
  name: "cast",
  readArguments: ([to]) => ({ operands: [], attributes: { to: dtypeArgument(to) } }),
  infer(operands, { to }) {
    const x = operandAt(operands, 0);
    if (typeof to !== "string" || !isDType(to)) return notADType(to);
    return refuseBf16(to, `${showType(x)} cast to BF16`) ?? single(to, x.dims);
  },
  // A cast may change any number other than these three.
  padding: (operands) =>
    elementwisePadding(operands, (x) => (x === 0 || x === 1 || x === -Infinity ? x : undefined)),
  lower: (builder, operands, _attributes, outputs) => ({
    out: castNode(builder, operandAt(operands, 0).name, outOf(outputs).dtype),
  }),
};
