import { readFileSync } from "node:fs";
import { connect } from "node:http2";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Runtime, type RuntimeOptions, startRuntime } from "@tritype/runtime";
import { serveGrpc, serveHttp } from "@tritype/server";
import { expect, onTestFinished, test } from "vitest";
import { serve } from "../cli/served-dev.ts";
import { installJudge, installTime, temporaryFolder, writeFiles } from "../triton/judge.ts";
import { deafGrpc, deafSse, grpcStream, type Order, type Seen, sseStream, told } from "./stream-clients.ts";
import { talkerFiles } from "./talker.ts";

interface Started {
  readonly runtime: Runtime;
  readonly url: string;
  readonly address: string;
  readonly notices: readonly string[];
}

const start = async (options: Partial<RuntimeOptions> = {}): Promise<Started> => {
  const folder = await temporaryFolder();
  const repository = join(folder.path, "model_repository");
  await writeFiles(repository, talkerFiles);
  const { python: pythonCommand } = await installJudge();
  const notices: string[] = [];
  const runtime = await startRuntime({
    repository,
    device: "cpu",
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
  return { runtime, url: http.url, address: grpc.address, notices };
};

/** 20 streams of three requests over gRPC and 20 over HTTP, once each request has a message. */
const openStreams = async ({ url, address }: Started, order: Order) => {
  const grpc = Array.from({ length: 20 }, () => grpcStream(address, [order, order, order]));
  const sse = Array.from({ length: 20 }, () => sseStream(url, order));
  const seen = [...grpc.flatMap((stream) => stream.seen), ...sse.map((stream) => stream.seen)];
  await expect.poll(() => seen.filter(({ messages }) => messages === 0)).toEqual([]);
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
    const { seen, ended } = await openStreams(started, [1000, 10, 10]);
    process.kill(pid, "SIGKILL");
    await ended;
    expect(seen).toHaveLength(80);
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
  "clients that leave in mid-stream cancel their requests, and only those",
  async () => {
    const started = await start();
    const { grpc, sse, seen, ended } = await openStreams(started, [60, 10, 20]);
    for (const stream of [...grpc.slice(10), ...sse.slice(10)]) stream.leave();
    await ended;
    const stayed = [
      ...grpc.slice(0, 10).flatMap((one) => one.seen),
      ...sse.slice(0, 10).map((one) => one.seen),
    ];
    expect(stayed).toEqual(stayed.map(() => ({ messages: 60, ends: ["end"] })));
    expect(seen.filter(({ ends }) => ends.length > 1)).toEqual([]);
    await expect.poll(() => told(started.url)).toMatchObject({ open: 0, finished: 40, cancelled: 40 });
    expect(started.runtime.statistics("talker")[0]).toMatchObject({ pending: 0 });
  },
  installTime,
);

test(
  "a model that is reloaded and unloaded lets its open streams end first",
  async () => {
    const started = await start({ control: { kind: "explicit", load: ["talker"] } });
    const { runtime, url } = started;
    const { pid } = await told(url);
    const old = await openStreams(started, [60, 10, 20]);
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

/** `pipeline dev` as a process of its own. */
const serveTalker = async () => {
  const folder = await temporaryFolder();
  onTestFinished(folder.remove);
  await writeFiles(join(folder.path, "models"), talkerFiles);
  const { python } = await installJudge();
  const argv = [join(folder.path, "models"), "--no-watch", "--device", "cpu", "--exit-timeout-secs", "1"];
  const served = await serve({ root: folder.path }, [...argv, "--grpc-port", "0", "--metrics-port", "0"], {
    env: { TRITYPE_PYTHON: python },
  });
  return { ...served, address: /gRPC at (\S+?),/.exec(served.err())?.[1] ?? "" };
};

test(
  "a server that stops ends every open stream once, and does not wait for them",
  async () => {
    const { url, address, child, ended } = await serveTalker();
    const grpc = Array.from({ length: 10 }, () => grpcStream(address, [[100_000, 10, 10]]));
    const sse = Array.from({ length: 10 }, () => sseStream(url, [100_000, 10, 10]));
    const seen = [...grpc.flatMap((stream) => stream.seen), ...sse.map((stream) => stream.seen)];
    await expect.poll(() => seen.filter(({ messages }) => messages === 0)).toEqual([]);
    child.kill("SIGINT");
    const codes = await Promise.all(grpc.map(({ status }) => status));
    await Promise.all(sse.map(({ closed }) => closed));
    // An error in the stream, or the connection's end.
    for (const [index, { ends }] of seen.entries())
      expect(index < grpc.length ? ends.length + Number(codes[index] !== 0) : ends.length).toBe(1);
    expect(await ended).toMatchObject({ signal: null });
  },
  installTime,
);

test(
  "1,000 readers that do not read cost bounded memory, and others are answered",
  async () => {
    const { url, address, child } = await serveTalker();
    const port = Number(new URL(url).port);
    const resident = (pid: number | undefined): number =>
      Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
    const before = await told(url);
    const [server, model] = [resident(child.pid), resident(before.pid)];
    // 20 MB each, 20 GB together.
    const order: Order = [2000, 10_000, 0];
    const sessions = Array.from({ length: 10 }, () => connect(`http://${address}`));
    onTestFinished(() => {
      for (const session of sessions) session.destroy();
    });
    for (const session of sessions) for (let i = 0; i < 50; i++) deafGrpc(session, order);
    const sockets = await Promise.all(Array.from({ length: 500 }, () => deafSse(port, order)));
    let now = await told(url);
    for (let last = -1; now.open < 1000 || now.messages !== last; now = await told(url)) {
      last = now.messages;
      await sleep(1000);
    }
    expect(now).toMatchObject({ open: 1000, finished: 0, cancelled: 0 });
    const grown = { server: resident(child.pid) - server, model: resident(before.pid) - model };
    console.log(grown, now);
    expect(grown.server).toBeLessThan(800);
    expect(grown.model).toBeLessThan(400);
    for (const socket of sockets) socket.destroy();
    for (const session of sessions) session.destroy();
    await expect.poll(() => told(url), { timeout: 60_000 }).toMatchObject({ open: 0, cancelled: 1000 });
  },
  installTime,
);
