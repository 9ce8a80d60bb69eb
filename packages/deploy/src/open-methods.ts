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
