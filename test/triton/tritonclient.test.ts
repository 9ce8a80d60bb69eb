import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type GrpcServer, type HttpServer, serveGrpc, serveHttp } from "@tritype/server";
import { afterAll, beforeAll, expect, test } from "vitest";
import { installTime, type Judged, judgeFiles } from "./judge.ts";
import { judgedModels } from "./judged-models.ts";

const script = fileURLToPath(new URL("query.py", import.meta.url));
const pipeline = fileURLToPath(new URL("../../packages/tritype/bin/pipeline.js", import.meta.url));

/** The output of query.py: a result for each case. */
type Answers = Readonly<Record<string, unknown>>;

let judged: Judged;
let server: HttpServer;
let grpcServer: GrpcServer;
let dev: DevServer;
let triton: Answers;
let overGrpc: Answers;
let local: Answers;
let localOverGrpc: Answers;
let served: Answers;
beforeAll(async () => {
  const files = await judgeFiles(judgedModels());
  judged = files;
  const python = await judged.python();
  server = await serveHttp(python, { port: 0 });
  grpcServer = await serveGrpc(python, { port: 0 });
  dev = await startDev(files.repository, judged.installation.python);
  const query = async (protocol: string, address: string): Promise<Answers> => {
    const { stdout } = await promisify(execFile)(judged.installation.python, [script, protocol, address]);
    return JSON.parse(stdout) as Answers;
  };
  const address = (url: string): string => url.replace("http://", "");
  [triton, overGrpc, local, localOverGrpc, served] = await Promise.all([
    query("http", address(judged.triton.httpUrl)),
    query("grpc", judged.triton.grpcAddress),
    query("http", address(server.url)),
    query("grpc", grpcServer.address),
    query("http", address(dev.url)),
  ]);
}, installTime);
afterAll(async () => {
  await Promise.all([server?.close(), grpcServer?.close(), dev?.stop()]);
  await judged?.stop();
});

test("all of query.py's requests to all servers", () => {
  const cases = Object.keys(triton);
  expect(cases.length).toBeGreaterThan(50);
  for (const answers of [overGrpc, local, localOverGrpc, served]) expect(Object.keys(answers)).toEqual(cases);
});

test("serveHttp answers the official client like Triton", () => expectAlike(local));

test("serveGrpc answers the official client like Triton", () => expectAlike(localOverGrpc, overGrpc));

test("pipeline dev answers the official client like Triton, and exits cleanly on Ctrl-C", async () => {
  expectAlike(served);
  expect(await dev.stop()).toBe(0);
});

test("gRPC and HTTP of Triton give the same answers", () => {
  expect(overGrpc).toEqual(
    Object.fromEntries(Object.entries(triton).map(([name, answer]) => [name, grpcAnswer(answer)])),
  );
});

const expectAlike = (answers: Answers, wanted = triton): void => {
  expect(answers).toEqual(wanted);
};

const grpcStatus: Answers = {
  400: "StatusCode.INVALID_ARGUMENT",
  404: "StatusCode.NOT_FOUND",
  500: "StatusCode.INTERNAL",
};
/** An answer over HTTP with gRPC's status; refusals by the client itself have none. */
const grpcAnswer = (answer: unknown): unknown => {
  const { status } = Object(answer) as { readonly status?: string | null };
  return typeof status === "string" ? { ...Object(answer), status: grpcStatus[status] } : answer;
};

interface DevServer {
  readonly url: string;
  /** Presses Ctrl-C; resolves to the exit code. */
  readonly stop: () => Promise<number | null>;
}

/** `pipeline dev` as a separate process, once it serves. */
const startDev = async (repository: string, python: string): Promise<DevServer> => {
  const child = spawn(
    process.execPath,
    [pipeline, "dev", repository, "--http-port", "0", "--device", "cpu"],
    {
      env: { ...process.env, TRITYPE_PYTHON: python },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  const ended = once(child, "exit") as Promise<[number | null]>;
  const url = await Promise.race([
    printedUrl(child),
    ended.then(([code]) => Promise.reject(new Error(`exit ${code}`))),
  ]);
  const stop = async (): Promise<number | null> => {
    child.kill("SIGINT");
    return (await ended)[0];
  };
  return { url, stop };
};

const printedUrl = (child: ChildProcess): Promise<string> =>
  new Promise((resolve) => {
    let said = "";
    child.stderr?.on("data", (chunk: Buffer) => {
      said += chunk.toString();
      const url = /at (http:\S+)/.exec(said)?.[1];
      if (url !== undefined) resolve(url);
    });
  });
