/** Methods of `inference.GRPCInferenceService` for clients outside: inference, metadata, statistics and health. */
export const openMethods: readonly string[] = [
  "ModelInfer",
  "ModelStreamInfer",
  "ModelReady",
  "ModelMetadata",
  "ModelConfig",
  "ModelStatistics",
  "ServerLive",
  "ServerReady",
  "ServerMetadata",
];

/** The same over HTTP, as regular expressions for whole paths that are not decoded, like Triton's own. */
export const openPaths: readonly string[] = [
  "/v2/?",
  "/v2/health/(live|ready)",
  "/v2/models/stats",
  "/v2/models/[^/]+(/versions/[0-9]+)?(/(infer|generate|generate_stream|ready|config|stats))?",
];
