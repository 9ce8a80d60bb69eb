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

/** The same over HTTP: regular expressions of whole paths, like Triton's own, which do not decode them. */
export const openPaths: readonly string[] = [
  "/v2/?",
  "/v2/health/(live|ready)",
  "/v2/models/stats",
  "/v2/models/[^/]+(/versions/[0-9]+)?(/(infer|generate|generate_stream|ready|config|stats))?",
];
