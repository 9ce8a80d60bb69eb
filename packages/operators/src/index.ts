export { dtypeArgument, jsonOf } from "./arguments.ts";
export type {
  Attributes,
  OnnxAttribute,
  OnnxBuilder,
  OnnxValue,
  Problem,
  ProblemCode,
  ReadArguments,
  Sides,
} from "./operator.ts";
export { operators } from "./operators.ts";
export type { PaddedOperand, Padding } from "./padding.ts";
export { recipes } from "./recipes.ts";
