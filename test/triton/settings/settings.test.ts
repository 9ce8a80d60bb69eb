import { createExtensions, type GrpcServer, type HttpServer, serveGrpc, serveHttp } from "@tritype/server";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type GrpcCaller, openCaller } from "../grpc-call.ts";
import { shown } from "../http-reply.ts";
import { installTime, type Judged, judgeFiles } from "../judge.ts";
import { sendRaw } from "../raw-request.ts";
import { memoryModels } from "../shared-memory/memory-models.ts";
import * as overGrpc from "./grpc-corpus.ts";
import * as overHttp from "./http-corpus.ts";

let judged: Judged;
let http: HttpServer;
let grpc: GrpcServer;
let theirs: GrpcCaller;
let ours: GrpcCaller;
beforeAll(async () => {
  judged = await judgeFiles(memoryModels());
  const extensions = createExtensions();
  http = await serveHttp(judged.local, { port: 0, extensions });
  grpc = await serveGrpc(judged.local, { port: 0, extensions });
  theirs = openCaller(judged.triton.grpcAddress);
  ours = openCaller(grpc.address);
}, installTime);
beforeEach(async () => {
  for (const caller of [theirs, ours])
    for (const request of overGrpc.resets) expect(await caller.call(request)).toHaveProperty("message");
});
afterAll(async () => {
  theirs?.close();
  ours?.close();
  await Promise.all([http?.close(), grpc?.close()]);
  await judged?.stop();
});

describe.each(Object.entries({ ...overHttp.logs, ...overHttp.traces }))("%s", (_, requests) => {
  test("answers over HTTP as Triton does", async () => {
    const answers = async (url: string): Promise<readonly object[]> => {
      const replies: object[] = [];
      for (const request of requests) replies.push(shown(await sendRaw(url, request)));
      return replies;
    };
    const wanted = await answers(judged.triton.httpUrl);
    expect(await answers(http.url)).toEqual(wanted);
  });
});

describe.each(Object.entries({ ...overGrpc.logs, ...overGrpc.traces }))("%s", (_, requests) => {
  test("answers over gRPC as Triton does", async () => {
    const answers = async (caller: GrpcCaller): Promise<readonly object[]> => {
      const replies: object[] = [];
      for (const request of requests) replies.push(await caller.call(request));
      return replies;
    };
    const wanted = await answers(theirs);
    expect(await answers(ours)).toEqual(wanted);
  });
});

test("the settings are the same over HTTP and gRPC", async () => {
  await sendRaw(http.url, { path: "/v2/logging", body: '{"log_info":false}' });
  expect(await ours.call({ method: "LogSettings", message: {} })).toMatchObject({
    message: { settings: { log_info: { bool_param: false } } },
  });
});
