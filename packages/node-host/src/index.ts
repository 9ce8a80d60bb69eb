export { answerRequest, type Run, type Tell } from "./answer-request.ts";
export {
  openNodeChild,
  type NodeCall,
  type NodeCallAnswer,
  type NodeChild,
  type NodeChildOptions,
} from "./child/node-child.ts";
export { InvalidRequest, InvalidResult } from "./function-failure.ts";
