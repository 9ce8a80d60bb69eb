export type { Backend, LoadedModel, ModelRequest, ModelResult, ModelVersion } from "./backend.ts";
export { installCuda, removeCuda } from "./backends/onnx/cuda/install-cuda.ts";
export { type InstalledBinding, installedBinding } from "./backends/onnx/cuda/installed-binding.ts";
export { probeInstalledCuda } from "./backends/onnx/cuda/probe-installed-cuda.ts";
export type { Device } from "./backends/onnx/device-policy.ts";
export { readRepositoryManifest } from "./repository/read-manifest.ts";
export { type Repository, readRepository } from "./repository/read-repository.ts";
export type {
  InferRequest,
  InferResponse,
  ModelMetadata,
  ModelProcess,
  ModelStatus,
  StreamedMessage,
  Parameter,
  Parameters,
  ReloadReport,
  Runtime,
  ServerMetadata,
  TensorMetadata,
  VersionLatency,
  VersionStatistics,
} from "./runtime.ts";
export { type RuntimeOptions, startRuntime } from "./service.ts";
export type { CustomMetric, MetricFamily } from "./statistics/custom-metrics.ts";
export type { RequestTrace, TracedRequest } from "./tracing/request-trace.ts";
export { openTokenCounters, type TokenCounters } from "./twins/token-counters.ts";
export { loadTwin } from "./twins/twin.ts";
export { runtimeErrors } from "./errors.ts";
export { abortSignalOf, Cancellation, type CancelSignal, onAbort } from "./scheduling/cancellation.ts";
export type { ServerResource } from "./scheduling/rate-limiter.ts";
export { cacheKey, type ResponseCacheCounts, storedSize } from "./scheduling/response-cache.ts";
