import { serveGrpc, serveHttp } from "@tritype/server";
import { afterAll } from "vitest";
import { adder, copies, echoes, memoryRuntime, teller } from "../../server/src/memory-runtime.fixture.ts";
import { createHttpClient } from "./create-http-client.ts";
import { createGrpcClient } from "./grpc/create-grpc-client.ts";
import { streamingClientCases } from "./streaming-client.cases.ts";
import { everyDType, typedClientCases } from "./typed-client.cases.ts";

const runtime = memoryRuntime([adder, teller, ...copies, ...echoes]);
const http = await serveHttp(runtime, { port: 0 });
const grpc = await serveGrpc(runtime, { port: 0 });
afterAll(async () => {
  await grpc.close();
  await http.close();
});

/** `TRITYPE_LOAD=long`: 20 MB; otherwise 5 MB, which is still more than gRPC accepts by default. */
const largestElements = process.env["TRITYPE_LOAD"] === "long" ? 5_000_000 : 1_250_000;
typedClientCases(
  "HTTP against serveHttp",
  (ensemble) => createHttpClient({ url: http.url, ensemble }),
  largestElements,
);
typedClientCases(
  "gRPC against grpc-js",
  (ensemble) => createGrpcClient({ address: grpc.address, ensemble }),
  largestElements,
);

streamingClientCases("streams over HTTP against serveHttp", {
  open: (ensemble) => createHttpClient({ url: http.url, ensemble }),
  dtypes: everyDType.filter((dtype) => dtype !== "FP16" && dtype !== "BF16"),
  statuses: [400, undefined],
});
streamingClientCases("streams over gRPC against grpc-js", {
  open: (ensemble) => createGrpcClient({ address: grpc.address, ensemble }),
  dtypes: everyDType,
  statuses: [undefined, undefined],
});
