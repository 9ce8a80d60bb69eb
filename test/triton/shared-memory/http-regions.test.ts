import { type HttpServer, serveHttp } from "@tritype/server";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Differences, namesOf, requestNames } from "../differences.ts";
import { shown } from "../http-reply.ts";
import { installTime, type Judged, judgeFiles } from "../judge.ts";
import { type RawRequest, sendRaw } from "../raw-request.ts";
import { cudaRegions, inference, registration } from "./http-corpus.ts";
import { memoryModels } from "./memory-models.ts";
import { objectContent, removeObject, removeOthers, writeObject, writeOthers } from "./memory-object.ts";

const subjects = { registration, "CUDA regions": cudaRegions, inference };

const differences: Differences = {
  "a Triton built with GPU support asks CUDA, which refuses": ["register a CUDA region"],
  "the name of a dtype is looked at before the model is": ["an unknown dtype in a region"],
};
const different = namesOf(differences, requestNames(subjects));

let judged: Judged;
let server: HttpServer;
beforeAll(async () => {
  writeOthers();
  judged = await judgeFiles(memoryModels());
  server = await serveHttp(judged.local, { port: 0 });
}, installTime);
beforeEach(async () => {
  for (const { url } of servers())
    await sendRaw(url, { path: "/v2/systemsharedmemory/unregister", body: "" });
});
afterAll(async () => {
  removeObject();
  removeOthers();
  await server?.close();
  await judged?.stop();
});

const servers = () => [{ url: judged.triton.httpUrl }, { url: server.url }];

/** The replies to the requests, and the contents of the object afterwards. */
const answersOf = async (url: string, requests: readonly RawRequest[]): Promise<object> => {
  writeObject();
  const replies: object[] = [];
  for (const request of requests) replies.push(shown(await sendRaw(url, request)));
  return { replies, content: objectContent() };
};

describe.each(Object.entries(subjects))("%s", (_, sequences) => {
  test.each(Object.entries(sequences))("%s", async (name, requests) => {
    const wanted = await answersOf(judged.triton.httpUrl, requests);
    const got = await answersOf(server.url, requests);
    if (different.has(name)) expect(got).not.toEqual(wanted);
    else expect(got).toEqual(wanted);
  });
});
