export { answerRequest, type Run } from "./answer-request.ts";
export { backOff } from "./child/back-off.ts";
export { openNodeChild, type NodeCall, type NodeCallAnswer, type NodeChild } from "./child/node-child.ts";
export { describeThrown } from "./tell-error.ts";
export { loadFunctions, type LoadFailure } from "./child/load-functions.ts";
export { InvalidRequest, InvalidResult } from "./function-failure.ts";
