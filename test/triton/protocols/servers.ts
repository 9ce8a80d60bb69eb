import { type GrpcServer, type HttpServer, serveGrpc, serveHttp } from "@tritype/server";
import { afterAll, beforeAll } from "vitest";
import { type GrpcCaller, openCaller } from "../grpc-call.ts";
import { installTime, type Judged, judgeFiles } from "../judge.ts";
import { judgedModels } from "../judged-models.ts";
import { tellerModels } from "../teller-models.ts";

/** The real Triton, and the local runtime behind our servers, with the same models. */
export interface Servers extends Judged {
  readonly repository: string;
  readonly http: HttpServer;
  readonly grpc: GrpcServer;
  readonly theirs: GrpcCaller;
  readonly ours: GrpcCaller;
}

/** Starts the servers once for all tests of a file, because starting them takes longer than most tests. */
export const useServers = (): (() => Servers) => {
  let servers: Servers;
  beforeAll(async () => {
    const judged = await judgeFiles({ ...judgedModels(), ...tellerModels() });
    const http = await serveHttp(judged.local, { port: 0, allowedHosts: ["triton.example"] });
    const grpc = await serveGrpc(judged.local, { port: 0 });
    const [theirs, ours] = [openCaller(judged.triton.grpcAddress), openCaller(grpc.address)];
    servers = { ...judged, http, grpc, theirs, ours };
  }, installTime);
  afterAll(async () => {
    const { http, grpc, theirs, ours, stop } = servers;
    theirs.close();
    ours.close();
    await Promise.all([http.close(), grpc.close()]);
    await stop();
  });
  return () => servers;
};
