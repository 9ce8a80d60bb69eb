const one = (names: string, instead: string): Readonly<Record<string, string>> =>
  Object.fromEntries(names.split(" ").map((name) => [name, instead]));

/**
 * The options of tritonserver 24.10 that `pipeline dev` does not have, and what applies instead. The options that it does have work in the
 * same way as in Triton.
 */
export const tritonOptions: Readonly<Record<string, string>> = {
  ...one("model-repository model-store", "name the repository without an option: pipeline dev <repository>"),
  ...one("http-address grpc-address metrics-address", "use --host, for all three ports"),
  ...one("response-cache-byte-size", "use --cache-config local,size=<bytes>, as in newer releases of Triton"),
  ...one(
    "exit-on-error",
    "the local server always starts: it reports a model that cannot be loaded, and serves the others",
  ),
  ...one(
    "disable-auto-complete-config strict-model-config",
    "the local server always completes configurations; `pipeline check` finds those that only load on a server that completes them",
  ),
  ...one("id", "the local server's name cannot be changed: it is always triton"),
  ...one(
    "log-info log-warning log-error log-format",
    "the local server starts with Triton's defaults, which you can change with POST /v2/logging",
  ),
  ...one("log-file", "the local server logs only to stderr: redirect it to keep the log"),
  ...one("allow-http allow-grpc allow-metrics", "the local server always opens its three ports"),
  ...one("reuse-http-port reuse-grpc-port", "start the second server on another port: --http-port"),
  ...one(
    "http-thread-count buffer-manager-thread-count model-load-thread-count grpc-infer-allocation-pool-size",
    "the local server has no such setting: it chooses based on the number of cores",
  ),
  ...one("model-load-retry-count", "a model is loaded again when one of its files changes"),
  ...one("model-namespacing", "the local server serves one repository"),
  ...one(
    "grpc-use-ssl grpc-use-ssl-mutual grpc-server-cert grpc-server-key grpc-root-cert",
    "the local server does not support TLS: put a proxy in front of it",
  ),
  ...one(
    "grpc-infer-response-compression-level",
    "the local server does not compress gRPC; over HTTP, clients can request it",
  ),
  ...one(
    "grpc-keepalive-time grpc-keepalive-timeout grpc-keepalive-permit-without-calls grpc-http2-max-pings-without-data grpc-http2-min-recv-ping-interval-without-data grpc-http2-max-ping-strikes grpc-max-connection-age grpc-max-connection-age-grace",
    "gRPC's default connection settings apply",
  ),
  ...one(
    "allow-sagemaker sagemaker-port sagemaker-safe-port-range sagemaker-thread-count",
    "the local server has no endpoint for SageMaker",
  ),
  ...one(
    "allow-vertex-ai vertex-ai-port vertex-ai-thread-count vertex-ai-default-model",
    "the local server has no endpoint for Vertex AI",
  ),
  ...one(
    "backend-directory backend-config repoagent-directory cache-directory",
    "the local server has its own backends and cache, and no repository agents",
  ),
  ...one(
    "enable-peer-access pinned-memory-pool-byte-size cuda-memory-pool-byte-size cuda-virtual-address-size min-supported-compute-capability host-policy model-load-gpu-limit",
    "in the local server, ONNX Runtime manages memory and devices",
  ),
};
