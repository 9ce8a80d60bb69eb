import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type GrpcServer, type HttpServer, serveGrpc, serveHttp } from "@tritype/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serve } from "../../cli/served-dev.ts";
import { installTime } from "../judge.ts";
import type { Servers } from "./servers.ts";

const script = fileURLToPath(new URL("../query.py", import.meta.url));

/** The output of query.py: a result for each case. */
type Answers = Readonly<Record<string, unknown>>;

export const clientTests = (servers: () => Servers): void => {
  const query = async (protocol: string, address: string): Promise<Answers> => {
    const { stdout } = await promisify(execFile)(servers().installation.python, [script, protocol, address]);
    return JSON.parse(stdout) as Answers;
  };
  const hostOf = (url: string): string => url.replace("http://", "");

  let server: HttpServer;
  let grpcServer: GrpcServer;
  let triton: Answers;
  let overGrpc: Answers;
  let local: Answers;
  let localOverGrpc: Answers;
  beforeAll(async () => {
    const judged = servers();
    const python = await judged.python();
    server = await serveHttp(python, { port: 0 });
    grpcServer = await serveGrpc(python, { port: 0 });
    [triton, overGrpc, local, localOverGrpc] = await Promise.all([
      query("http", hostOf(judged.triton.httpUrl)),
      query("grpc", judged.triton.grpcAddress),
      query("http", hostOf(server.url)),
      query("grpc", grpcServer.address),
    ]);
  }, installTime);
  afterAll(async () => {
    await Promise.all([server?.close(), grpcServer?.close()]);
  });

  test("every server gets every request of query.py", () => {
    const cases = Object.keys(triton);
    expect(cases.length).toBeGreaterThan(50);
    for (const answers of [overGrpc, local, localOverGrpc]) expect(Object.keys(answers)).toEqual(cases);
  });

  const expectAlike = (answers: Answers, wanted = triton): void => {
    expect(answers).toEqual(wanted);
  };

  test("serveHttp answers the official client like Triton", () => expectAlike(local));

  test("serveGrpc answers the official client like Triton", () => expectAlike(localOverGrpc, overGrpc));

  test(
    "pipeline dev answers the official client like Triton, and exits cleanly on Ctrl-C",
    async () => {
      const { repository, installation } = servers();
      const env = { TRITYPE_PYTHON: installation.python };
      const dev = await serve({ root: repository }, [repository, "--device", "cpu"], { env });
      const served = await query("http", hostOf(dev.url));
      expect(Object.keys(served)).toEqual(Object.keys(triton));
      expectAlike(served);
      dev.child.kill("SIGINT");
      expect((await dev.ended).code).toBe(0);
    },
    installTime,
  );

  test("Triton gives the same answers over gRPC and HTTP", () => {
    expect(overGrpc).toEqual(
      Object.fromEntries(Object.entries(triton).map(([name, answer]) => [name, grpcAnswer(answer)])),
    );
  });
};

const grpcStatus: Answers = {
  400: "StatusCode.INVALID_ARGUMENT",
  404: "StatusCode.NOT_FOUND",
  500: "StatusCode.INTERNAL",
};
/** An HTTP answer with gRPC's status. Refusals by the client itself have no status. */
const grpcAnswer = (answer: unknown): unknown => {
  const { status } = Object(answer) as { readonly status?: string | null };
  return typeof status === "string" ? { ...Object(answer), status: grpcStatus[status] } : answer;
};
