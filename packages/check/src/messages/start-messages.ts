import type { ServerMessage } from "./server-message.ts";

/** Messages about the server's startup and shutdown, its devices and its options. */
export const startMessages: readonly ServerMessage[] = [
  {
    says: "failed to load all models",
    fixIn: "model",
    means: "at least one model could not be loaded; without `--exit-on-error=false`, the server now exits",
    help: "look in the previous lines for `failed to load` and `Poll failed`",
  },
  {
    says: "error: creating server: {cause:line}",
    means: "the server did not start: {cause}",
    help: "look in the previous lines for the models that were refused, or start with `--exit-on-error=false`",
  },
  {
    says: [
      "failed to start HTTP service: Unavailable - Socket '{address}' already in use",
      "Socket '{address}' already in use",
    ],
    means: "another process is already listening on {address}",
    help: "stop it, or use other ports: `--http-port`, `--grpc-port`, `--metrics-port`",
  },
  {
    says: "Address already in use",
    means: "another process is already listening on the server's port",
    help: "stop it, or use other ports: `--http-port`, `--grpc-port`, `--metrics-port`",
  },
  {
    says: "failed to stat file {path}: No such file or directory",
    means: "`{path}` does not exist from the server's point of view",
    help: "check `--model-repository` and the container's mounts",
  },
  {
    says: "Failed to initialize NVML",
    harmless: true,
    fixIn: "machine",
    means: "the server sees no NVIDIA driver",
    why: "Without a GPU this is normal: models on KIND_CPU load and run.",
    help: "pass the GPUs to the container (`docker run --gpus all`), or ignore the message",
  },
  {
    says: "CudaDriverHelper has not been initialized",
    harmless: true,
    fixIn: "machine",
    means: "the server sees no NVIDIA driver",
    why: "Without a GPU this is normal: models on KIND_CPU load and run.",
    help: "ignore it on a machine without a GPU",
  },
  {
    says: "DCGM unable to start",
    harmless: true,
    fixIn: "machine",
    means: "the server collects no GPU metrics",
    help: "ignore it on a machine without a GPU",
  },
  {
    says: "CUDA driver version is insufficient for CUDA runtime version",
    harmless: true,
    fixIn: "machine",
    means: "the machine has no NVIDIA driver, or one that is older than the server's CUDA",
    why: "Without a GPU this is normal: models on KIND_CPU load and run.",
    help: "update the driver, use an older container, or ignore the message on a machine without a GPU",
  },
  {
    says: "no pinned memory pool, falling back to non-pinned system memory",
    harmless: true,
    fixIn: "machine",
    means: "the server has no pinned memory, which speeds up copies to a GPU",
    help: "ignore it on a machine without a GPU",
  },
  {
    says: ["Wildcard model name '*' must be the ONLY startup model"],
    means: "`--load-model=*` is combined with other models",
    help: "use it alone, or name all models",
  },
  {
    says: "Signal (11) received",
    means: "the server crashed with a segmentation fault",
    why: "A backend or the core failed to check something, or the machine lacks a library.",
    help: "see the stack below; `pipeline check` detects configurations that crash a server",
  },
  {
    says: "Signal (6) received",
    means: "the server exited because of an uncaught exception",
    help: "see the previous line; `pipeline check` detects configurations that crash a server",
  },
  {
    says: "terminate called after throwing an instance of '{type}'",
    codes: ["version/too-large"],
    means: "the server exited because of an uncaught exception: {type}",
    why: "Usually, a number is too large: a folder's name has too many digits, or a parameter is out of range.",
    help: "see the `what():` after it; `pipeline check` detects configurations that crash a server",
  },
  {
    says: "Timeout {seconds:n}: Found {count:n} live models and {requests:n} in-flight non-inference requests",
    means: "the server is stopping and is still waiting for {count} models",
    help: "wait; the server exits after `--exit-timeout-secs`",
  },
];
