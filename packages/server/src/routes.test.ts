import { afterAll, describe, expect, it } from "vitest";
import { error, serveTest } from "./test-server.fixture.ts";

const { server, call } = await serveTest();
afterAll(() => server.close());

it("lists the repository, or only the ready models", async () => {
  const index = async (body?: string) => {
    const reply = await call("/v2/repository/index", {
      method: "POST",
      ...(body === undefined ? {} : { body }),
    });
    return [reply.status, JSON.parse(reply.body.toString()) as unknown];
  };
  const [status, entries] = await index();
  expect([status, entries]).toEqual(await index('{"ready":true}'));
  expect(status).toBe(200);
  expect(entries).toContainEqual({ name: "add", version: "1", state: "READY" });
  expect(await index("{")).toMatchObject([
    500,
    { error: expect.stringContaining("failed to parse the request JSON buffer") as unknown },
  ]);
});

describe("routes", () => {
  it.each<[string, string, number, string]>([
    ["GET", "/v2", 200, '{"name":"tritype","version":"0.1.0","extensions":["binary_tensor_data"]}'],
    ["GET", "/v2?x=1", 200, '{"name":"tritype","version":"0.1.0","extensions":["binary_tensor_data"]}'],
    ["GET", "/v2/health/live", 200, ""],
    ["GET", "/v2/health/ready", 200, ""],
    ["GET", "/v2/models/add/ready", 200, ""],
    ["GET", "/v2/models/add/versions/1/ready", 200, ""],
    ["GET", "/v2/models/add/versions/01/ready", 200, ""],
    ["GET", "/v2/models/add/versions/2/ready", 400, error("Model version not ready")],
    ["GET", "/v2/models/zzz/ready", 400, error("Model version not ready")],
    [
      "GET",
      "/v2/models/text_echo",
      200,
      '{"name":"text_echo","versions":["1"],"platform":"memory","inputs":[{"name":"INPUT","datatype":"BYTES","shape":[1]}],"outputs":[{"name":"OUTPUT","datatype":"BYTES","shape":[1]}]}',
    ],
    [
      "GET",
      "/v2/models/text_echo/config",
      200,
      '{"name":"text_echo","max_batch_size":0,"input":[{"name":"INPUT","data_type":"TYPE_STRING","dims":[1]}],"output":[{"name":"OUTPUT","data_type":"TYPE_STRING","dims":[1]}]}',
    ],
    ["GET", "/v2/models/a%20b/ready", 200, ""],
    ["GET", "/v2/models/zzz", 404, error("Request for unknown model: 'zzz' is not found")],
    [
      "GET",
      "/v2/models/add/versions/7",
      404,
      error("Request for unknown model: 'add' version 7 is not found"),
    ],
    [
      "GET",
      "/v2/models/add/versions/99999999999999999999",
      400,
      error(
        "failed to get model version from specified version string '99999999999999999999' (details: stol), version should be an integral value > 0",
      ),
    ],
    ["GET", "/v2/", 404, error("Not Found")],
    ["GET", "/v2/health", 404, error("Not Found")],
    ["GET", "/v2/models", 404, error("Not Found")],
    ["GET", "/v2/models/add/", 404, error("Not Found")],
    ["GET", "/v2/models/add/versions/x", 404, error("Not Found")],
    ["POST", "/v2/models/add/versions/1/trace/setting", 404, error("Not Found")],
    ["GET", "/", 404, error("Not Found")],
    ["POST", "/v2", 405, error("Method Not Allowed")],
    ["DELETE", "/v2/health/live", 405, error("Method Not Allowed")],
    ["GET", "/v2/models/add/infer", 405, error("Method Not Allowed")],
    ["POST", "/v2/models/add/config", 405, error("Method Not Allowed")],
    ["GET", "/v2/models/add/stats", 200, '{"model_stats":[]}'],
    ["GET", "/v2/models/stats", 200, '{"model_stats":[]}'],
    ["GET", "/v2/models/add/generate", 405, error("Method Not Allowed")],
    ["GET", "/v2/models/add/generate_stream", 405, error("Method Not Allowed")],
    [
      "POST",
      "/v2/repository/models/add/load",
      503,
      error("explicit model load / unload is not allowed if polling is enabled"),
    ],
    ["GET", "/v2/systemsharedmemory/status", 200, "[]"],
    ["POST", "/v2/systemsharedmemory/region/r/unregister", 200, ""],
    ["GET", "/v2/cudasharedmemory/status", 200, "[]"],
    ["POST", "/v2/cudasharedmemory/region/r/unregister", 200, ""],
    [
      "POST",
      "/v2/cudasharedmemory/region/r/register",
      500,
      error("failed to parse the request JSON buffer: The document is empty. at 0"),
    ],
    [
      "GET",
      "/v2/trace/setting",
      200,
      '{"trace_level":["OFF"],"trace_rate":"1000","trace_count":"-1","log_frequency":"0","trace_file":"","trace_mode":"triton"}',
    ],
    [
      "GET",
      "/v2/logging",
      200,
      '{"log_file":"","log_info":true,"log_warning":true,"log_error":true,"log_verbose_level":0,"log_format":"default"}',
    ],
  ])("%s %s is %i", async (method, path, status, body) => {
    const reply = await call(path, { method });
    expect([reply.status, reply.body.toString()]).toEqual([status, body]);
  });
});
