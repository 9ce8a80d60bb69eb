export { createInspector, type Inspector } from "./inspector.ts";
export type { Description, Inspected } from "./inspected.ts";
export { inspectRuntime, type PlacedFinding, type RuntimeSource } from "./inspect-runtime.ts";
export {
  type InspectedServer,
  inspectServer,
  type ServerClient,
  type ServerSource,
} from "./inspect-server.ts";
export {
  createRecorder,
  type RecordedTensor,
  type RecordLimits,
  type RequestRecorder,
} from "./record-request.ts";
export { type Call, type Content, inspectorPath, type Recording } from "./api.ts";
export { inspectorErrors } from "./errors.ts";
