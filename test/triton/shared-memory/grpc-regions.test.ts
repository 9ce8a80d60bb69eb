import { type GrpcServer, serveGrpc } from "@tritype/server";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { type Differences, namesOf, requestNames } from "../differences.ts";
import { type GrpcCaller, type GrpcRequest, openCaller } from "../grpc-call.ts";
import { shownReply } from "../grpc-reply.ts";
import { installTime, type Judged, judgeFiles } from "../judge.ts";
import { cudaRegions, inference, registration } from "./grpc-corpus.ts";
import { memoryModels } from "./memory-models.ts";
import { objectContent, removeObject, removeOthers, writeObject, writeOthers } from "./memory-object.ts";

const subjects = { registration, "CUDA regions": cudaRegions, inference };

const differences: Differences = {
  "a Triton built with GPU support asks CUDA, which refuses": ["register a CUDA region"],
};
const different = namesOf(differences, requestNames(subjects));

/** Does the same for a stream. */
const streamDifferences: Differences = {
  "strings are read before the model is asked, which does not answer then": [
    "strings with a length that is too large",
  ],
};
const differentInStream = namesOf(streamDifferences, requestNames({ inference }));

let judged: Judged;
let server: GrpcServer;
let theirs: GrpcCaller;
let ours: GrpcCaller;
beforeAll(async () => {
  writeOthers();
  judged = await judgeFiles(memoryModels());
  server = await serveGrpc(judged.local, { port: 0 });
  theirs = openCaller(judged.triton.grpcAddress);
  ours = openCaller(server.address);
}, installTime);
beforeEach(async () => {
  for (const caller of [theirs, ours])
    await caller.call({ method: "SystemSharedMemoryUnregister", message: {} });
});
afterAll(async () => {
  removeObject();
  removeOthers();
  theirs?.close();
  ours?.close();
  await server?.close();
  await judged?.stop();
});

/** The replies to the requests, and the contents of the object afterwards. */
const answersOf = async (caller: GrpcCaller, requests: readonly GrpcRequest[]): Promise<object> => {
  writeObject();
  const replies: object[] = [];
  for (const request of requests) replies.push(shownReply(await caller.call(request)));
  return { replies, content: objectContent() };
};

describe.each(Object.entries(subjects))("%s", (_, sequences) => {
  test.each(Object.entries(sequences))("%s", async (name, requests) => {
    const wanted = await answersOf(theirs, requests);
    const got = await answersOf(ours, requests);
    if (different.has(name)) expect(got).not.toEqual(wanted);
    else expect(got).toEqual(wanted);
  });
});

/** Every inference request again, as the only message of a stream. */
describe("inference in a stream is answered alike", () => {
  test.each(Object.entries(inference))("%s", async (name, requests) => {
    const wanted = await streamOf(theirs, requests);
    const got = await streamOf(ours, requests);
    if (differentInStream.has(name)) expect(got).not.toEqual(wanted);
    else expect(got).toEqual(wanted);
  });
});

const streamOf = async (caller: GrpcCaller, requests: readonly GrpcRequest[]): Promise<object> => {
  writeObject();
  const answers: object[] = [];
  for (const request of requests)
    if (request.method === "ModelInfer") answers.push(...(await caller.stream([request.message])));
    else answers.push(await caller.call(request));
  return { answers: answers.map(shownStreamed), content: objectContent() };
};

const shownStreamed = (answer: object): object => {
  const { error_message, infer_response: message } = answer as {
    readonly error_message?: string;
    readonly infer_response?: object | null;
  };
  return message === undefined || message === null ? answer : { error_message, ...shownReply({ message }) };
};
