import { readFileSync } from "node:fs";
import { connect } from "node:http2";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Runtime, type RuntimeOptions, startRuntime } from "@tritype/runtime";
import { serveGrpc, serveHttp } from "@tritype/server";
import { expect, onTestFinished, test } from "vitest";
import { writeFiles } from "../../packages/runtime/src/fixtures/temporary-repository.ts";
import { serve } from "../cli/served-dev.ts";
import { installJudge, installTime, temporaryFolder } from "../triton/judge.ts";
import { deafGrpc, deafSse, grpcStream, type Order, type Seen, sseStream, told } from "./stream-clients.ts";
import { talkerFiles } from "./talker.ts";

/** Only for checks that take a long time on a loaded machine. */
const patient = { timeout: 60_000 };
/** So many messages that the stream does not end during a test. */
const endless: Order = [1_000_000, 10, 20];

interface Started {
  readonly runtime: Runtime;
  readonly url: string;
  readonly address: string;
  readonly notices: readonly string[];
  /** Changes the model's file. */
  readonly edit: () => void;
}

const start = async (options: Pick<RuntimeOptions, "control"> = {}): Promise<Started> => {
  const folder = await temporaryFolder();
  const repository = join(folder.path, "model_repository");
  writeFiles(repository, talkerFiles);
  const { python: pythonCommand } = await installJudge();
  const notices: string[] = [];
  const runtime = await startRuntime({
    repository,
    device: "cpu",
    python: "always",
    notice: (text) => void notices.push(text),
    pythonCommand,
    ...options,
  });
  const [http, grpc] = [await serveHttp(runtime, { port: 0 }), await serveGrpc(runtime, { port: 0 })];
  onTestFinished(async () => {
    await Promise.all([http.close(), grpc.close()]);
    await runtime.close(true);
    await folder.remove();
  });
  const changed = { "talker/1/model.py": `${String(talkerFiles["talker/1/model.py"])}\n# changed\n` };
  const edit = (): void => writeFiles(repository, changed);
  return { runtime, url: http.url, address: grpc.address, notices, edit };
};

/** Five streams with three requests over gRPC and five over HTTP, once each request has received a message. */
const openStreams = async ({ url, address }: Pick<Started, "url" | "address">, order: Order) => {
  const grpc = Array.from({ length: 5 }, () => grpcStream(address, [order, order, order]));
  const sse = Array.from({ length: 5 }, () => sseStream(url, order));
  const seen = [...grpc.flatMap((stream) => stream.seen), ...sse.map((stream) => stream.seen)];
  await expect.poll(() => seen.filter(({ messages }) => messages === 0), patient).toEqual([]);
  const ended = Promise.all([...grpc.map(({ status }) => status), ...sse.map(({ closed }) => closed)]);
  return { grpc, sse, seen, ended };
};

const endsOf = (seen: readonly Seen[]): readonly string[] => [
  ...new Set(seen.map(({ ends }) => ends.join(" and "))),
];

test(
  "a process that is killed ends each of its requests once, and the next one answers",
  async () => {
    const started = await start();
    const { pid } = await told(started.url);
    const { seen, ended } = await openStreams(started, endless);
    process.kill(pid, "SIGKILL");
    await ended;
    expect(seen).toHaveLength(20);
    for (const one of endsOf(seen)) {
      expect(one).toContain("Stub process 'talker_0' is not healthy. It ended by signal SIGKILL");
      expect(one).not.toContain(" and ");
    }
    expect(await told(started.url)).toMatchObject({ open: 0, messages: 0 });
    const [again] = grpcStream(started.address, [[3, 10, 0]]).seen;
    await expect.poll(() => again).toEqual({ messages: 3, ends: ["end"] });
  },
  installTime,
);

test(
  "clients that leave mid-stream cancel their requests, and only those",
  async () => {
    const started = await start();
    const leaving = await openStreams(started, endless);
    const staying = await openStreams(started, [60, 10, 20]);
    for (const stream of [...leaving.grpc, ...leaving.sse]) stream.leave();
    await Promise.all([leaving.ended, staying.ended]);
    expect(staying.seen).toEqual(staying.seen.map(() => ({ messages: 60, ends: ["end"] })));
    expect(leaving.grpc.flatMap(({ seen }) => seen.flatMap(({ ends }) => ends))).toEqual([]);
    await expect
      .poll(() => told(started.url), patient)
      .toMatchObject({ open: 0, finished: 20, cancelled: 20 });
    expect(started.runtime.statistics("talker")[0]).toMatchObject({ pending: 0 });
  },
  installTime,
);

test(
  "a model that is reloaded and unloaded first lets its open streams end",
  async () => {
    const started = await start({ control: { kind: "explicit", load: ["talker"] } });
    const { runtime, url } = started;
    const { pid } = await told(url);
    const old = await openStreams(started, [60, 10, 20]);
    started.edit();
    await runtime.load("talker");
    expect((await told(url)).pid).not.toBe(pid);
    const next = await openStreams(started, [60, 10, 20]);
    await runtime.unload("talker");
    const refused = sseStream(url, [1, 1, 1]);
    await Promise.all([old.ended, next.ended, refused.closed]);
    const all = [...old.seen, ...next.seen];
    expect(all).toEqual(all.map(() => ({ messages: 60, ends: ["end"] })));
    expect(refused.seen.messages).toBe(0);
    await expect
      .poll(() => started.notices.filter((line) => line.includes("finalized with")))
      .toEqual(["[talker_0] finalized with 0 open", "[talker_0] finalized with 0 open"]);
  },
  installTime,
);

/** `pipeline dev` as a separate process. */
const serveTalker = async () => {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  writeFiles(join(folder.path, "models"), talkerFiles);
  const { python } = await installJudge();
  const argv = [join(folder.path, "models"), "--no-watch", "--device", "cpu", "--exit-timeout-secs", "1"];
  return serve({ root: folder.path }, [...argv, "--grpc-port", "0", "--metrics-port", "0"], {
    env: { TRITYPE_PYTHON: python },
  });
};

test(
  "a server that stops ends every open stream once, and does not wait for them",
  async () => {
    const { url, address, child, ended } = await serveTalker();
    const { grpc, sse, seen } = await openStreams({ url, address }, endless);
    child.kill("SIGINT");
    const codes = await Promise.all(grpc.map(({ status }) => status));
    await Promise.all(sse.map(({ closed }) => closed));
    // An error in the stream, or the connection's end.
    for (const [index, stream] of grpc.entries())
      for (const { ends } of stream.seen) expect(ends.length + Number(codes[index] !== 0)).toBe(1);
    expect(endsOf(sse.map((stream) => stream.seen))).toEqual(["broken off"]);
    expect(seen).toHaveLength(20);
    expect(await ended).toMatchObject({ signal: null });
  },
  installTime,
);

/** `TRITYPE_LOAD=long`: 1,000. */
const readers = process.env["TRITYPE_LOAD"] === "long" ? 1000 : 40;

test(
  "readers that do not read cost bounded memory, and others are answered",
  async () => {
    const { url, address, child } = await serveTalker();
    const port = Number(new URL(url).port);
    const resident = (pid: number | undefined): number =>
      Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
    const before = await told(url);
    const [server, model] = [resident(child.pid), resident(before.pid)];
    // 40 MB each.
    const order: Order = [4000, 10_000, 1];
    const sessions = Array.from({ length: 5 }, () => connect(`http://${address}`));
    onTestFinished(() => {
      for (const session of sessions) session.destroy();
    });
    for (const session of sessions) for (let i = 0; i < readers / 10; i++) deafGrpc(session, order);
    const sockets = await Promise.all(Array.from({ length: readers / 2 }, () => deafSse(port, order)));
    let now = await told(url);
    for (let last = -1; now.open < readers || now.messages !== last; now = await told(url)) {
      last = now.messages;
      await sleep(1000);
    }
    expect(now).toMatchObject({ open: readers, finished: 0, cancelled: 0 });
    const grown = { server: resident(child.pid) - server, model: resident(before.pid) - model };
    // Each reader has 8 responses in the server and a thread in the model.
    expect(grown.server).toBeLessThan(100 + readers * 0.7);
    expect(grown.model).toBeLessThan(50 + readers * 0.3);
    for (const socket of sockets) socket.destroy();
    for (const session of sessions) session.destroy();
    await expect.poll(() => told(url), patient).toMatchObject({ open: 0, cancelled: readers });
  },
  readers === 1000 ? 900_000 : installTime,
);
