import type { RawRequest } from "../triton/raw-request.ts";

const post = (path: string, body: unknown = {}): RawRequest => ({ path, body: JSON.stringify(body) });
const x = { name: "X", datatype: "FP32", shape: [2], data: [1, 2] };
const infer = (model: string, change: object = {}, request: object = {}): RawRequest =>
  post(`/v2/models/${model}/infer`, { inputs: [{ ...x, ...change }], ...request });

/** Requests that a server of `oddModels` refuses, in addition to those of the differential test. */
export const httpQuestions: Readonly<Record<string, RawRequest>> = {
  "a model that does not load": infer("raises"),
  "ready of a model that does not load": { path: "/v2/models/raises/ready" },
  "a region that is not there": infer("odd_target", {
    data: undefined,
    parameters: { shared_memory_region: "q", shared_memory_byte_size: 8 },
  }),
  "a region without its size": infer("odd_target", {
    data: undefined,
    parameters: { shared_memory_region: "q" },
  }),
  "an output into a region that is not there": infer(
    "odd_target",
    {},
    {
      outputs: [{ name: "Y", parameters: { shared_memory_region: "q", shared_memory_byte_size: 8 } }],
    },
  ),
  "no inputs of a model with optional inputs and a max_batch_size": post("/v2/models/all_optional_4/infer", {
    inputs: [],
  }),
  "status of a region": { path: "/v2/systemsharedmemory/region/a/status" },
  "status of a CUDA region": { path: "/v2/cudasharedmemory/region/a/status" },
  "a region that the system does not have": post("/v2/systemsharedmemory/region/a/register", {
    key: "/nope",
    offset: 0,
    byte_size: 8,
  }),
  "a region without a key": post("/v2/systemsharedmemory/region/a/register", { byte_size: 8 }),
  "a CUDA region": post("/v2/cudasharedmemory/region/a/register", {
    raw_handle: { b64: "AAAA" },
    device_id: 0,
    byte_size: 8,
  }),
  "load without explicit mode": post("/v2/repository/models/odd/load"),
  "unload without explicit mode": post("/v2/repository/models/odd/unload"),
  "statistics of an unknown model": { path: "/v2/models/nope/stats" },
  "a trace level": post("/v2/trace/setting", { trace_level: ["EVERYTHING"] }),
  "a trace rate": post("/v2/trace/setting", { trace_rate: "-5" }),
  "trace of an unknown model": { path: "/v2/models/nope/trace/setting" },
  "a log format": post("/v2/logging", { log_format: "json" }),
  "a log level": post("/v2/logging", { log_verbose_level: "high" }),
  "generate with another shape": post("/v2/models/odd_target/generate", { X: [[1, 2]] }),
  "generate with a text": post("/v2/models/odd_target/generate", { X: "a" }),
  "generate of an unknown model": post("/v2/models/nope/generate", { X: 1 }),
  "generate without an input": post("/v2/models/odd_target/generate", {}),
  "generate of a decoupled model": post("/v2/models/stream/generate", { X: [1, 2] }),
  "a sequence id of text for numbers": infer("seq", { shape: [1, 2] }, { parameters: { sequence_id: "" } }),
  "a sequence's control": post("/v2/models/seq/infer", {
    inputs: [
      { ...x, shape: [1, 2] },
      { name: "START", datatype: "INT32", shape: [1, 1], data: [1] },
    ],
    parameters: { sequence_id: 3, sequence_start: true },
  }),
  "a timeout that is text": infer("odd_target", {}, { parameters: { timeout: "1s" } }),
  "a priority below 0": infer("odd_target", {}, { parameters: { priority: -1 } }),
};
