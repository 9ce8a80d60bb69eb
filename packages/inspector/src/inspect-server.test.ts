import { foreignError, PipelineError, tensorOf } from "@tritype/core";
import { serveApis } from "@tritype/server";
import { expect, onTestFinished, test } from "vitest";
import { inspectServer, type ServerClient } from "./inspect-server.ts";
import { createInspector } from "./inspector.ts";

/** A server with one model, and the names of the models that get a request. */
const serverOf = (changes: Partial<ServerClient> = {}) => {
  const asked: string[] = [];
  const client: ServerClient = {
    repositoryIndex: async () => [{ name: "embed", version: "1", state: "READY" }],
    modelMetadata: async (name) => ({ name, versions: ["1"], platform: "", inputs: [], outputs: [] }),
    modelConfig: async (name) => ({ name }),
    statistics: async () => [],
    infer: async ({ model }) => {
      asked.push(model);
      return new Map([["y", tensorOf("FP32", [1], [2])]]);
    },
    ...changes,
  };
  return {
    asked,
    open: () =>
      inspectServer({
        url: "http://plain",
        server: { name: "plain", version: "1", extensions: [] },
        client,
        models: [],
      }),
  };
};

test("unknown properties of an unavailable model are omitted", async () => {
  const { open } = serverOf({
    repositoryIndex: async () => [{ name: "embed", version: "1", state: "UNAVAILABLE", reason: "no file" }],
  });
  const { overview, detail } = await (await open()).describe();
  const [model] = overview.models;
  expect(model).toMatchObject({ state: "UNAVAILABLE", reason: "no file", kind: "unknown" });
  expect(model).not.toHaveProperty("maxBatchSize");
  expect(model && detail(model)).toEqual({});
});

/** The events with which the page's API answers a request to a model. */
const runOn = async (server: Awaited<ReturnType<typeof inspectServer>>, model: string): Promise<string> => {
  const page = await serveApis({
    apis: [createInspector(server).api],
    stream: server.stream,
    host: "127.0.0.1",
    port: 0,
    portOption: "--port",
  });
  onTestFinished(() => page.close(0));
  const body = '{"inputs":[{"name":"x","datatype":"FP32","shape":[1],"data":[1]}]}';
  const head = JSON.stringify({ model, headerLength: body.length, record: false });
  const answer = await fetch(`${page.url}/inspector/api/run`, { method: "POST", body: `${head}\n${body}` });
  return answer.text();
};

test("the page's requests reach the server's models", async () => {
  const { asked, open } = serverOf();
  expect(await runOn(await open(), "embed")).toContain('"elements":[2]');
  expect(asked).toEqual(["embed"]);
});

test.each(["../repository/models/embed/unload?", "embed/versions/2", "unlisted", ""])(
  "a page's request to %j does not reach the server",
  async (model) => {
    const { asked, open } = serverOf();
    const text = await runOn(await open(), model);
    expect(text).toContain(`Request for unknown model: '${model}' is not found`);
    expect(asked).toEqual([]);
  },
);

/** The errors of the client for a timeout and for HTTP 503. */
const silent = new PipelineError("server/unreachable", "no answer within 5 ms", { reason: "server/silent" });
const busy = foreignError("model/unavailable", "try again later");

test.each([silent, busy])(
  "a server that cannot answer now is not mistaken for one without that API: %s",
  async (error) => {
    const fail = (): Promise<never> => Promise.reject(error);
    await expect(serverOf({ repositoryIndex: fail }).open()).rejects.toBe(error);
    await expect(serverOf({ statistics: fail }).open()).rejects.toBe(error);
    const server = await serverOf({ modelConfig: fail }).open();
    await expect(server.describe()).rejects.toBe(error);
  },
);

test("a server is described without the parts of the API that it lacks", async () => {
  const refused = (): Promise<never> => Promise.reject(foreignError("model/not-found", "Not Found"));
  const server = await serverOf({ statistics: refused, modelConfig: refused }).open();
  expect((await server.describe()).overview).toMatchObject({
    statistics: false,
    models: [{ name: "embed", state: "READY" }],
  });
});
