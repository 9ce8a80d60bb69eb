export { jsonOf } from "./arguments.ts";
export { knownAxis, type ResolvedAxis, resolveAxis } from "./axis.ts";
export { axesNamed, broadcastDim, broadcastDims, equalDim, equalDims } from "./dims.ts";
export type {
  Attributes,
  Inferred,
  MixedAxis,
  OnnxAttribute,
  OnnxBuilder,
  OnnxValue,
  Operator,
  Problem,
  ProblemCode,
  ReadArguments,
  Sides,
} from "./operator.ts";
export { operators } from "./operators.ts";
export type { PaddedOperand, Padding } from "./padding.ts";
export { recipes } from "./recipes.ts";
