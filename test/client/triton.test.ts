import { serveTriton, type TritonServer } from "@tritype/tritonserver";
import { createClient } from "tritype/client";
import { createGrpcClient } from "tritype/client/grpc";
import { afterAll, beforeAll, expect, test } from "vitest";
import { embed } from "../../examples/sentence-embedding/pipeline.ts";
import type { ProjectFixture } from "../fixtures/project.ts";
import { installJudge, installTime, killTriton } from "../triton/judge.ts";
import { buildExample } from "./built-example.ts";
import { embedCases } from "./embed-cases.ts";
import { importEmitted } from "./emitted.ts";

let project: ProjectFixture;
let server: TritonServer;
let emitted: Awaited<ReturnType<typeof importEmitted>>;
beforeAll(async () => {
  project = await buildExample();
  emitted = await importEmitted(project);
  server = await serveTriton(await installJudge(), { repository: project.path("build/model_repository") });
  await server.waitReady();
}, installTime);
afterAll(async () => {
  await killTriton(server);
  project?.remove();
});

embedCases("HTTP against Triton", {
  contract: () => emitted.embedContract,
  open: (ensemble, options = {}) => emitted.createHttpClient({ url: server.httpUrl, ensemble, ...options }),
  others: () => ({
    "embedClient of the build": emitted.embedClient({ url: server.httpUrl }),
    "by name": createClient<typeof embed>({ url: server.httpUrl, ensemble: "embed" }),
    "by definition": createClient({ url: server.httpUrl, ensemble: embed }),
  }),
});
embedCases("gRPC against Triton", {
  contract: () => emitted.embedContract,
  open: (ensemble, options = {}) =>
    emitted.createGrpcClient({ address: server.grpcAddress, ensemble, ...options }),
  others: () => ({
    "by name": createGrpcClient<typeof embed>({ address: server.grpcAddress, ensemble: "embed" }),
    "by definition": createGrpcClient({ address: server.grpcAddress, ensemble: embed }),
  }),
});

test("Triton returns the contract's hash, and does not answer pages of another origin", async () => {
  const config = (await (await fetch(`${server.httpUrl}/v2/models/embed/config`)).json()) as object;
  expect(config).toMatchObject({
    parameters: { tritype_contract: { string_value: emitted.embedContract.hash } },
  });
  const preflight = await fetch(`${server.httpUrl}/v2/models/embed/infer`, {
    method: "OPTIONS",
    headers: { Origin: "http://elsewhere", "Access-Control-Request-Method": "POST" },
  });
  expect([preflight.status, preflight.headers.get("Access-Control-Allow-Origin")]).toEqual([405, null]);
});
