import { serveGrpc, serveHttp } from "@tritype/server";
import { afterAll } from "vitest";
import { adder, echoes, memoryRuntime } from "../../server/src/memory-runtime.fixture.ts";
import { createHttpClient } from "./create-http-client.ts";
import { createGrpcClient } from "./grpc/create-grpc-client.ts";
import { typedClientCases } from "./typed-client.cases.ts";

const runtime = memoryRuntime([adder, ...echoes]);
const http = await serveHttp(runtime, { port: 0 });
const grpc = await serveGrpc(runtime, { port: 0 });
afterAll(async () => {
  await grpc.close();
  await http.close();
});

typedClientCases("HTTP against serveHttp", (ensemble) => createHttpClient({ url: http.url, ensemble }));
typedClientCases("gRPC against grpc-js", (ensemble) => createGrpcClient({ address: grpc.address, ensemble }));
