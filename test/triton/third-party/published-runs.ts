import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Files } from "../../../packages/runtime/src/fixtures/temporary-repository.ts";
import type { PublishedRun } from "./run-published.ts";
import { countedStandIns, identityModel, standIns } from "./stand-ins.ts";

type Models = PublishedRun["models"];

/** The files of a folder of the checkout. */
const tree = async (folder: string, prefix = ""): Promise<Files> => {
  const files: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true }))
    if (entry.isFile()) {
      const path = join(entry.parentPath, entry.name);
      files[`${prefix}${path.slice(folder.length + 1)}`] = await readFile(path, "utf8");
    }
  return files;
};

/** Models of a folder whose models are complete. */
const modelsOf =
  (folder: string): Models =>
  (qa) =>
    tree(join(qa, folder));

/** Models of `python_models`, where `model.py` is next to the configuration. */
const pythonModels =
  (...names: readonly string[]): Models =>
  async (qa) => {
    const all: Record<string, string | Uint8Array> = {};
    for (const name of names) {
      const files = await tree(join(qa, "python_models", name));
      for (const [path, text] of Object.entries(files))
        all[path === "config.pbtxt" ? `${name}/${path}` : `${name}/1/${path}`] = text;
    }
    return all;
  };

const of =
  (files: () => Files): Models =>
  async () =>
    files();

const some =
  (...names: readonly string[]): Models =>
  async () =>
    Object.fromEntries(
      Object.entries(standIns()).filter(([path]) => names.includes(path.split("/")[0] ?? "")),
    );

/** The variants of the model `response_sender` that its `test.sh` makes. */
const responseSenders: Models = async (qa) => {
  const { "config.pbtxt": config = "", ...code } = await tree(join(qa, "python_models", "response_sender"));
  const files: Record<string, string | Uint8Array> = {};
  for (const decoupled of [false, true])
    for (const asynchronous of [false, true])
      for (const batching of [false, true]) {
        const name = `response_sender${decoupled ? "_decoupled" : ""}${asynchronous ? "_async" : ""}${batching ? "_batching" : ""}`;
        files[`${name}/config.pbtxt`] =
          `${String(config)}${decoupled ? "\nmodel_transaction_policy { decoupled: True }" : ""}${batching ? "\ndynamic_batching { max_queue_delay_microseconds: 500000 }" : ""}\n`;
        files[`${name}/1/model_common.py`] = code["model_common.py"] ?? "";
        files[`${name}/1/model.py`] = code[asynchronous ? "model_async.py" : "model.py"] ?? "";
      }
  return files;
};

const parameterModels: Models = async (qa) => ({
  ...(await tree(join(qa, "L0_parameters/model_repository"))),
  "ensemble/1/": "",
  ...identityModel("identity", "TYPE_FP32", 0),
});

const spaces =
  "Node removes spaces at the end of a header (HTTP) or the header (gRPC); the test sends one that ends in a space";

const twice =
  "Triton delivers the first of two responses of a model that is not decoupled; `pipeline dev` reports an error";

const parameters = (header: string, ...flags: readonly string[]): PublishedRun => ({
  file: "L0_parameters/parameters_test.py",
  models: parameterModels,
  env: { TEST_HEADER: header },
  flags,
  differ: { "": spaces },
});

const simple = some("simple");

const sharedMemory = (type: string): PublishedRun => ({
  file: "L0_shared_memory/shared_memory_test.py",
  models: simple,
  env: { CLIENT_TYPE: type },
  unregisters: true,
  only: ["^SharedMemoryTest"],
});

/** Triton's own tests that start no server themselves and need no GPU. */
export const publishedRuns: readonly PublishedRun[] = [
  { file: "L0_http/python_http_aio_test.py", models: of(() => countedStandIns(7)) },
  {
    file: "L0_grpc/python_grpc_aio_test.py",
    models: of(() => countedStandIns(8)),
    differ: { register_cuda: "CUDA shared memory is not supported, and the message says so" },
  },
  {
    file: "L0_http/http_restricted_api_test.py",
    models: simple,
    flags: [
      "--http-restricted-api=model-repository:admin-key=admin-value",
      "--http-restricted-api=inference,metadata:infer-key=infer-value",
    ],
  },
  {
    file: "L0_grpc/python_unit_test.py",
    models: simple,
    flags: [
      "--grpc-restricted-protocol=model-repository:admin-key=admin-value",
      "--grpc-restricted-protocol=inference,health:infer-key=infer-value",
    ],
  },
  { file: "L0_http/generate_endpoint_test.py", models: modelsOf("L0_http/generate_models") },
  parameters("test_params"),
  parameters(
    "test_headers",
    "--grpc-header-forward-pattern=my_header.*",
    "--http-header-forward-pattern=my_header.*",
  ),
  parameters(
    "test_header_forward_pattern_case_insensitive",
    "--grpc-header-forward-pattern=MY_HEADER.*",
    "--http-header-forward-pattern=MY_HEADER.*",
  ),
  { file: "L0_nan_inf/nan_inf_test.py", models: modelsOf("L0_nan_inf/models") },
  {
    file: "L0_input_validation/input_validation_test.py",
    models: modelsOf("L0_input_validation/models"),
    only: ["^InputValTest"],
  },
  { file: "L0_logging/logging_endpoint_test.py", models: simple },
  {
    file: "L0_trace/trace_endpoint_test.py",
    models: simple,
    flags: [
      "--trace-config=triton,file=global_unittest.log",
      "--trace-config=level=TIMESTAMPS",
      "--trace-config=rate=1",
    ],
  },
  sharedMemory("http"),
  sharedMemory("grpc"),
  {
    file: "L0_backend_python/response_sender/response_sender_test.py",
    models: responseSenders,
    differ: { two_response_pre_return: twice, pre_and_on_return: twice },
  },
  {
    file: "L0_backend_python/async_execute/concurrency_test.py",
    models: pythonModels("async_execute_decouple", "async_execute_decouple_bls"),
  },
];
