import type { ServerMessage } from "./server-message.ts";

/** Messages about missing models, sequences, queues, shared memory and routes. */
export const servingMessages: readonly ServerMessage[] = [
  {
    says: "Request for unknown model: '{model}' is not found",
    means: "the server has no model `{model}`",
    why: "The name is misspelt, the model is not in the repository, or it was refused before it had a version; in that case, the log has `Poll failed for model directory`.",
    help: "`POST /v2/repository/index` lists the models that the server knows; the log shows what it refused",
  },
  {
    says: "Request for unknown model: '{model}' version {version:n} is not found",
    means: "the server has no version {version} of `{model}`",
    why: "The default version policy serves only the latest version.",
    help: "remove the version, or let `version_policy` serve it",
  },
  {
    says: "Request for unknown model: '{model}' has no available versions",
    fixIn: "model",
    means: "`{model}` is known, but none of its versions could be loaded",
    why: "The reason is in the log and in the repository index.",
    help: "`POST /v2/repository/index` shows the reason; you can also look in the log for `failed to load '{model}'`",
  },
  {
    says: "Request for unknown model : {model}",
    means: "the server has no model `{model}`",
    help: "`POST /v2/repository/index` lists the models that the server knows",
  },
  {
    says: "requested model '{model}' is not available",
    means: "the server does not serve model `{model}`, or not in that version",
    help: "`POST /v2/repository/index` lists the models that the server knows",
  },
  {
    says: "Model version not ready",
    fixIn: "model",
    means: "the model is not served: it is unknown, still loading, or could not be loaded",
    help: "`POST /v2/repository/index` shows the state of every model and the reason for it",
  },
  {
    says: "failed to get model version from specified version string '{version}'",
    means: "`{version}` is not a version",
    help: "write a whole number, or remove the version",
  },
  {
    says: [
      "HTTP end point doesn't support models with decoupled transaction policy",
      "ModelInfer RPC doesn't support models with decoupled transaction policy",
    ],
    means: "the model is decoupled: it may send any number of responses, but this call waits for exactly one",
    help: "call it with gRPC streaming (`start_stream`, `async_stream_infer`) or `POST …/generate_stream`",
  },
  {
    says: "generate expects model to produce exactly 1 response, use generate stream",
    means: "the model did not send exactly one response, which `generate` requires",
    why: "The status is still 200.",
    help: "use `generate_stream`",
  },
  {
    says: "The schema can not convert input '{tensor}' to tensor with proper shape",
    means: "`generate` cannot create a tensor with the shape of `{tensor}` from this value",
    why: "It turns a scalar into a tensor whose dims are all 1; a list fills the only variable dim.",
    help: "send a scalar or a flat list, or use `infer`",
  },
  {
    says: "requested model version is not available for model '{model}'",
    means: "`{model}` is served, but not in the version whose statistics you requested",
    help: "`GET /v2/models/{model}` lists the versions; omit the version to get all",
  },
  {
    says: "string correlation ID cannot be longer than 128 characters",
    means: "the text in `sequence_id` is too long",
    help: "use an ID of up to 128 bytes, or a number",
  },
  {
    says: "inference request to model '{model}' must specify a non-zero or non-empty correlation ID",
    means: "`{model}` serves sequences, and the request does not say which one it belongs to",
    help: "send `sequence_id`, and `sequence_start: true` with the first request",
  },
  {
    says: "inference request for sequence {sequence} to model '{model}' must specify the START flag on the first request of the sequence",
    means: "sequence {sequence} of `{model}` has not been started, or was idle for too long",
    why: "After `max_sequence_idle_microseconds` (default 1 s) without a request, the server forgets a sequence.",
    help: "send `sequence_start: true` with the first request, or raise the idle time",
  },
  {
    says: "inference request to model '{model}' must specify batch-size 1 due to requirements of sequence batcher",
    means: "`{model}` serves sequences, whose requests have one row",
    help: "send each row as a request of a separate sequence",
  },
  {
    says: "Request timeout expired",
    fixIn: "server",
    means: "the request waited in the queue for longer than its timeout",
    why: "The timeout is the request's own or `default_timeout_microseconds` of the queue policy; it limits waiting, not computing.",
    help: "add instances, raise the timeout, or send fewer requests at once",
  },
  {
    says: "Exceeds maximum queue size",
    fixIn: "server",
    means: "the model's queue is full",
    why: "The number of waiting requests has reached `max_queue_size` in its queue policy.",
    help: "try again later, add instances, or raise `max_queue_size`",
  },
  {
    says: "Server is stopping, scheduler for model has stopped accepting new inference requests",
    fixIn: "server",
    means: "the server is shutting down",
    help: "send the request to another server",
  },
  {
    says: "Unable to find shared memory region: '{region}'",
    means: "no shared memory region `{region}` is registered",
    why: "Regions are lost when the server restarts.",
    help: "register it first, with the key and size that it was created with",
  },
  {
    says: [
      "Unable to find system shared memory region: '{region}'",
      "Unable to find cuda shared memory region: '{region}'",
    ],
    means: "no shared memory region `{region}` is registered",
    help: "register it first",
  },
  {
    says: "Unable to open shared memory region: '{key}'",
    means: "the server cannot find the shared memory `{key}`",
    why: "It must be on the same machine; a container can only see the host's shared memory with `--ipc=host`.",
    help: "create it before you register it, under the same key, which begins with `/`",
  },
  {
    says: "Shared memory register request has no '{field}' field",
    means: "the request to register a region has no `{field}`",
    help: "send `key`, `offset` and `byte_size`",
  },
  {
    says: "'raw_handle' must be a valid base64 encoded cudaIpcMemHandle_t",
    means: "`raw_handle` is not a CUDA handle",
    help: "send `get_raw_handle()` of the CUDA region",
  },
  {
    says: "shared memory region '{region}' already in manager",
    means: "region `{region}` is already registered",
    help: "unregister it first, or use another name",
  },
  {
    says: "invalid argument for --log_format, got: {value}",
    means: "`{value}` is not a log format",
    help: "use `default` or `ISO8601`",
  },
  {
    says: '{"error":"attempt to access JSON non-unsigned-integer as unsigned-integer',
    means: "a setting of the request is not a whole number of 0 or more",
    help: "send a number",
  },
  {
    says: '{"error":"Not Found',
    means: "the server has no such address",
    why: "Paths must match exactly: they have no trailing slash, versions are digits, and `/v2/models` does not list the models.",
    help: "use `/v2/models/<model>/infer` for requests and `POST /v2/repository/index` to list the models",
  },
  {
    says: "Method Not Allowed",
    means: "the address is correct, but the method is not",
    help: "use POST for infer, generate, index, load and unload, and GET for metadata, config, stats and health",
  },
];
