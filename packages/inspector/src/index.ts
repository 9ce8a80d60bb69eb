export { createInspector, type Inspector, type InspectorOptions, type PlacedFinding } from "./inspector.ts";
export { createRecorder, type RecordLimits, type RequestRecorder } from "./record-request.ts";
export { type Call, type Content, inspectorPath, type Recording } from "./api.ts";
