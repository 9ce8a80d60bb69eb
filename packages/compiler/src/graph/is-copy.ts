import type { OperatorNode } from "@tritype/core";
import { operators } from "@tritype/operators";

/** Whether a node only gives a tensor a second name. */
export const isCopy = ({ operator }: Pick<OperatorNode, "operator">): boolean =>
  operators.get(operator)?.copies === true;
