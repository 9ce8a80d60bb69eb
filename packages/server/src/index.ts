export type { TraceCollector, TraceFiles, TraceLevel, TraceOptions } from "./tracing/trace-options.ts";
export type { AllowedCallers } from "./caller-check.ts";
export { createExtensions, type ExtensionOptions, type Extensions } from "./extensions.ts";
export { type GrpcOptions, type GrpcServer, serveGrpc } from "./serve-grpc.ts";
export type { HttpDoor, HttpDoorRequest } from "./http-door.ts";
export type { HttpServer } from "./serve-answers.ts";
export { type HttpOptions, serveHttp } from "./serve-http.ts";
export { type MetricsOptions, serveMetrics } from "./serve-metrics.ts";
export { serverErrors } from "./errors.ts";
