import type { ProgramRun } from "./run-programs.ts";

const ids = "24.10 does not pass string ids of less than 128 bytes to models";
const server = "the version, and that the extension for CUDA shared memory is missing";
const counts = "Triton counts a request after answering it, so its counts may be lower by one";
const order = "the order in which simultaneous requests are answered";

const http = [
  ["simple_http_infer_client.py"],
  ["simple_http_infer_client.py --request-compression-algorithm gzip --response-compression-algorithm gzip"],
  [
    "simple_http_infer_client.py --request-compression-algorithm deflate --response-compression-algorithm deflate",
  ],
  ["simple_http_async_infer_client.py"],
  ["simple_http_aio_infer_client.py"],
  ["simple_http_string_infer_client.py"],
  ["simple_http_health_metadata.py", server],
  ["simple_http_sequence_sync_infer_client.py"],
  ["simple_http_sequence_sync_infer_client.py -d", ids],
  ["simple_http_shm_client.py"],
  ["simple_http_shm_string_client.py"],
  ["simple_http_cudashm_client.py"],
  ["reuse_infer_objects_client.py -i HTTP"],
  ["image_client.py -i HTTP -m images -c 3 -b 2 -s INCEPTION pictures"],
  ["image_client.py -i HTTP -m images -a pictures"],
  ["image_client.py -i HTTP -m densenet_onnx -c 2 -s VGG pictures"],
  ["ensemble_image_client.py -i HTTP -c 2 pictures"],
] as const;

const grpc = [
  ["simple_grpc_infer_client.py"],
  ["simple_grpc_infer_client.py -C gzip"],
  ["simple_grpc_infer_client.py -t 0.00001"],
  ["simple_grpc_async_infer_client.py"],
  ["simple_grpc_aio_infer_client.py", counts],
  ["simple_grpc_string_infer_client.py"],
  ["simple_grpc_health_metadata.py", server],
  ["simple_grpc_sequence_sync_infer_client.py"],
  ["simple_grpc_sequence_sync_infer_client.py -d", ids],
  ["simple_grpc_sequence_stream_infer_client.py"],
  ["simple_grpc_sequence_stream_infer_client.py -d", ids],
  ["simple_grpc_aio_sequence_stream_infer_client.py"],
  ["simple_grpc_aio_sequence_stream_infer_client.py -d", ids],
  ["simple_grpc_custom_repeat.py"],
  ["simple_grpc_custom_args_client.py"],
  ["simple_grpc_keepalive_client.py"],
  ["simple_grpc_shm_client.py"],
  ["simple_grpc_shm_string_client.py"],
  ["simple_grpc_cudashm_client.py"],
  ["grpc_client.py", server],
  ["grpc_explicit_int_content_client.py"],
  ["grpc_explicit_int8_content_client.py"],
  ["grpc_explicit_byte_content_client.py"],
  ["reuse_infer_objects_client.py -i gRPC"],
  ["image_client.py -i gRPC -m images -c 3 -b 2 --streaming pictures"],
  ["image_client.py -i gRPC -m images -a -s VGG pictures", order],
  ["grpc_image_client.py -m images -c 2 -b 2 pictures"],
  ["grpc_image_client.py -m images --streaming pictures"],
  ["ensemble_image_client.py -i gRPC -c 2 pictures"],
] as const;

const runs = (list: readonly (readonly [string, string?])[], address: string): readonly ProgramRun[] =>
  list.map(([command, differs]) => ({
    command: command.endsWith(" pictures")
      ? command.replace(/pictures$/, `-u ${address} pictures`)
      : `${command} -u ${address}`,
    ...(differs === undefined ? {} : { differs }),
  }));

/** Triton's example programs that need no GPU, with the models of `standIns`. */
export const exampleRuns: readonly ProgramRun[] = [...runs(http, "HTTP"), ...runs(grpc, "GRPC")];

/** The programs that load and unload models, with the number of models that each expects in the repository. */
export const controlRuns: readonly (readonly [models: number, run: ProgramRun])[] = [
  [7, { command: "simple_http_model_control.py -u HTTP" }],
  [
    8,
    {
      command: "simple_grpc_model_control.py -u GRPC",
      differs: "24.10 crashes on a file name of 256 bytes, which later releases refuse",
    },
  ],
];
