import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { HubFile, HubRepository } from "@tritype/hub";
import { expect, test } from "vitest";
import { type Client, clientOf, failureOf, freshFolder } from "./hub-client.ts";
import { type Fault, goodToken, type HubServer, hex, startHub } from "./hub-server.ts";

/** 3 MB without repetition, so that a misplaced piece is noticed. */
const model = Uint8Array.from({ length: 3_000_000 }, (_, i) => (i * 2_654_435_761) >>> 13);
const config = '{ "model_type": "bert" }';

interface Opened {
  readonly server: HubServer;
  readonly client: Client;
  readonly repository: HubRepository;
  readonly file: (path: string) => HubFile;
  /** Downloads the model; the server tracks how much has been read. */
  readonly download: () => Promise<string>;
}

const opened = async (
  env: Readonly<Record<string, string>> = {},
  more: Parameters<typeof clientOf>[2] = {},
): Promise<Opened> => {
  const server = await startHub({
    "intfloat/e5": { files: { "onnx/model.onnx": model, "config.json": config } },
  });
  const client = clientOf(server, env, more);
  const repository = await client.hub.readRepository({ repository: "intfloat/e5", revision: undefined });
  server.seen.length = 0;
  const file = (path: string): HubFile =>
    repository.files.find((one) => one.path === path) ?? expect.fail(path);
  return {
    server,
    client,
    repository,
    file,
    download: () => client.hub.download(repository, file("onnx/model.onnx"), server.read),
  };
};

/** Ranges requested from the other host. */
const ranges = ({ server }: Opened): readonly (string | undefined)[] =>
  server.seen.filter(({ host }) => host === "cdn").map(({ range }) => range);

const onCdn = (server: HubServer, faults: readonly (Fault | undefined)[]): void => {
  let n = 0;
  server.fault = ({ host }) => (host === "cdn" ? faults[n++] : undefined);
};

const partsIn = ({ client }: Opened): readonly string[] => {
  const blobs = join(client.cache, "models--intfloat--e5", "blobs");
  return existsSync(blobs) ? readdirSync(blobs).filter((name) => name.endsWith(".part")) : [];
};

test("a large and a small file are stored in the layout of Python's cache", async () => {
  const { client, repository, file, server } = await opened();
  const steps: number[] = [];
  const path = await client.hub.download(
    repository,
    file("onnx/model.onnx"),
    (done) => void steps.push(done),
  );
  await client.hub.download(repository, file("config.json"));
  const folder = join(client.cache, "models--intfloat--e5");
  expect(path).toBe(join(folder, "snapshots", repository.commit, "onnx", "model.onnx"));
  expect(readlinkSync(path)).toBe(`../../../blobs/${hex("sha256", model)}`);
  expect(readFileSync(path).equals(model)).toBe(true);
  expect(readFileSync(join(folder, "snapshots", repository.commit, "config.json"), "utf8")).toBe(config);
  expect(readFileSync(join(folder, "refs", "main"), "utf8")).toBe(repository.commit);
  expect(steps[0]).toBe(0);
  expect(steps.at(-1)).toBe(model.length);
  expect(steps).toEqual(steps.toSorted((a, b) => a - b));
  expect(
    server.seen.every(
      ({ path: asked }) => !asked.startsWith("/intfloat") || asked.includes(repository.commit),
    ),
  ).toBe(true);
});

test("cached files are not downloaded again, damaged ones are", async () => {
  const all = await opened();
  const { client, repository, file, server } = all;
  const path = await client.hub.download(repository, file("onnx/model.onnx"));
  server.seen.length = 0;
  await client.hub.download(repository, file("onnx/model.onnx"));
  expect(server.seen).toEqual([]);
  writeFileSync(join(client.cache, "models--intfloat--e5", "blobs", hex("sha256", model)), model.with(9, 0));
  await client.hub.download(repository, file("onnx/model.onnx"));
  expect(readFileSync(path).equals(model)).toBe(true);
  expect(client.notices.some((line) => line.endsWith("is damaged: downloading it again"))).toBe(true);
});

test("a damaged copy of a cached file is replaced, as on file systems without links", async () => {
  const { client, repository, file, server } = await opened();
  const path = await client.hub.download(repository, file("onnx/model.onnx"));
  for (const damaged of [model.subarray(0, 1_000_000), new Uint8Array()]) {
    rmSync(path);
    writeFileSync(path, damaged);
    server.seen.length = 0;
    expect(await client.hub.download(repository, file("onnx/model.onnx"))).toBe(path);
    expect(readFileSync(path).equals(model)).toBe(true);
    expect(server.seen).toEqual([]);
  }
});

test("a folder in the place of a cached file is reported", async () => {
  const { client, repository, file } = await opened();
  const blob = join(client.cache, "models--intfloat--e5", "blobs", hex("sha256", model));
  mkdirSync(blob, { recursive: true });
  expect(await failureOf(client.hub.download(repository, file("onnx/model.onnx")))).toContain(
    `error[file/not-writable]: cannot write to ${blob}: `,
  );
});

test("a cut connection is resumed where it was cut", async () => {
  const all = await opened();
  onCdn(all.server, [
    { kind: "cut", after: 1_000_000 },
    { kind: "cut", after: 500_000 },
  ]);
  const path = await all.download();
  expect(readFileSync(path).equals(model)).toBe(true);
  expect(ranges(all)).toEqual([undefined, "bytes=1000000-", "bytes=1500000-"]);
  expect(all.client.notices).toEqual([
    "onnx/model.onnx: the connection was cut after 1 MB of 3 MB; continuing from there",
    "onnx/model.onnx: the connection was cut after 1.5 MB of 3 MB; continuing from there",
  ]);
});

test("a download that is cut repeatedly without progress is abandoned, and the next run resumes it", async () => {
  const all = await opened();
  onCdn(all.server, [
    { kind: "cut", after: 2_000_000 },
    ...Array.from({ length: 5 }, (): Fault => ({ kind: "cut", after: 0 })),
  ]);
  expect(await failureOf(all.download())).toMatchInlineSnapshot(`
    "error[hub/unreachable]: no answer from the hub: the connection was cut
      GET http://127.0.0.1:<port>/intfloat/e5/resolve/<commit>/onnx/model.onnx
      = help: check the network, and run the command again: a download continues where it stopped"
  `);
  expect(partsIn(all).length).toBe(1);
  all.server.seen.length = 0;
  all.server.fault = () => undefined;
  await all.download();
  expect(ranges(all)).toEqual(["bytes=2000000-"]);
  expect(partsIn(all)).toEqual([]);
});

test("if a server stops sending halfway, the rest is requested again", async () => {
  const silences = new Set<() => void>();
  const timer = (_ms: number, run: () => void): (() => void) => {
    silences.add(run);
    return () => silences.delete(run);
  };
  const all = await opened({ HF_HUB_DOWNLOAD_TIMEOUT: "0.2" }, { timer });
  const elapse = (): void => void setImmediate(() => silences.forEach((run) => run()));
  onCdn(all.server, [{ kind: "stall", after: 1_000_000, whenRead: elapse }]);
  await all.download();
  expect(ranges(all)).toEqual([undefined, "bytes=1000000-"]);
  expect(all.client.notices).toEqual([
    "onnx/model.onnx: no data for 0.2 s after 1 MB of 3 MB; continuing from there",
  ]);
});

test("a server without range support sends the whole file again", async () => {
  const all = await opened();
  onCdn(all.server, [{ kind: "cut", after: 1_000_000 }, { kind: "no-ranges" }]);
  const path = await all.download();
  expect(readFileSync(path).equals(model)).toBe(true);
});

test("unexpected bytes are discarded", async () => {
  const all = await opened();
  const wrong = (bytes: Uint8Array): Promise<string> => {
    onCdn(all.server, [{ kind: "bytes", bytes }]);
    return failureOf(all.download());
  };
  expect(await wrong(model.with(2_999_999, 1))).toMatchInlineSnapshot(`
    "error[hub/wrong-bytes]: onnx/model.onnx is not what the hub announced: its SHA-256 is not c7763b8eeb0b5b00a80497cca2153df62c490b3689ae812a4c500fbd0d6480a8
      GET http://127.0.0.1:<port>/intfloat/e5/resolve/<commit>/onnx/model.onnx
      = help: the download was discarded; run the command again, and if it fails again, use another mirror (HF_ENDPOINT): a proxy may be changing files"
  `);
  expect(await wrong(Uint8Array.from([...model, 1]))).toMatchInlineSnapshot(`
    "error[hub/wrong-bytes]: onnx/model.onnx is not what the hub announced: it has more than 3000000 bytes, not 3000000
      GET http://127.0.0.1:<port>/intfloat/e5/resolve/<commit>/onnx/model.onnx
      = help: the download was discarded; run the command again, and if it fails again, use another mirror (HF_ENDPOINT): a proxy may be changing files"
  `);
  expect(partsIn(all)).toEqual([]);
  expect(existsSync(join(all.client.cache, "models--intfloat--e5", "blobs", hex("sha256", model)))).toBe(
    false,
  );
  onCdn(all.server, []);
  await all.download();
});

test("a small file with wrong bytes is detected by its git hash", async () => {
  const all = await opened();
  all.server.fault = ({ path }) =>
    path.includes("resolve-cache")
      ? { kind: "bytes", bytes: new TextEncoder().encode(config.toUpperCase()) }
      : undefined;
  expect(
    await failureOf(all.client.hub.download(all.repository, all.file("config.json"))),
  ).toMatchInlineSnapshot(`
    "error[hub/wrong-bytes]: config.json is not what the hub announced: its git blob id is not <commit>
      GET http://127.0.0.1:<port>/intfloat/e5/resolve/<commit>/config.json
      = help: the download was discarded; run the command again, and if it fails again, use another mirror (HF_ENDPOINT): a proxy may be changing files"
  `);
});

test("pieces that do not fit together are downloaded again from the start", async () => {
  const all = await opened();
  onCdn(all.server, [
    { kind: "cut", after: 1_000_000 },
    { kind: "bytes", bytes: model.with(2_500_000, 1) },
  ]);
  const path = await all.download();
  expect(readFileSync(path).equals(model)).toBe(true);
  expect(all.client.notices.at(-1)).toBe(
    "onnx/model.onnx arrived in pieces that do not fit together: downloading it from the start",
  );
});

test("the partial file of a dead process is completed, and that of a running process is not touched", async () => {
  const all = await opened();
  const { hostname } = await import("node:os");
  const blobs = join(all.client.cache, "models--intfloat--e5", "blobs");
  mkdirSync(blobs, { recursive: true });
  const blob = join(blobs, hex("sha256", model));
  writeFileSync(`${blob}.${hostname()}.999999999.part`, model.subarray(0, 2_000_000));
  writeFileSync(`${blob}.${hostname()}.${process.ppid}.part`, model.subarray(0, 1_000_000));
  await all.download();
  expect(ranges(all)).toEqual(["bytes=2000000-"]);
  expect(partsIn(all)).toEqual([`${hex("sha256", model)}.${hostname()}.${process.ppid}.part`]);
});

test("the partial file of another machine is completed if it has not grown for a day", async () => {
  const all = await opened();
  const blobs = join(all.client.cache, "models--intfloat--e5", "blobs");
  mkdirSync(blobs, { recursive: true });
  const part = (host: string, bytes: number, hours: number): string => {
    const path = join(blobs, `${hex("sha256", model)}.${host}.7.part`);
    writeFileSync(path, model.subarray(0, bytes));
    const time = Date.now() / 1000 - hours * 3600;
    utimesSync(path, time, time);
    return path;
  };
  part("gone.example", 2_000_000, 25);
  part("older", 1_000_000, 50);
  const fresh = part("busy.example", 2_500_000, 2);
  await all.download();
  expect(ranges(all)).toEqual(["bytes=2000000-"]);
  expect(partsIn(all).map((name) => join(blobs, name))).toEqual([fresh]);
});

test("a partial file that is too long is downloaded again from the start", async () => {
  const all = await opened();
  const { hostname } = await import("node:os");
  const blobs = join(all.client.cache, "models--intfloat--e5", "blobs");
  mkdirSync(blobs, { recursive: true });
  writeFileSync(
    join(blobs, `${hex("sha256", model)}.${hostname()}.999999999.part`),
    new Uint8Array(model.length + 1),
  );
  await all.download();
  expect(ranges(all)).toEqual([undefined]);
});

test("a file that no longer exists is reported", async () => {
  const all = await opened();
  all.server.fault = ({ path }) =>
    path.endsWith("config.json")
      ? {
          kind: "answer",
          status: 404,
          headers: { "X-Error-Code": "EntryNotFound", "X-Error-Message": "Entry not found" },
        }
      : undefined;
  expect(
    await failureOf(all.client.hub.download(all.repository, all.file("config.json"))),
  ).toMatchInlineSnapshot(`
    "error[hub/not-found]: a file of intfloat/e5 is gone from revision \`<commit>\`
      GET http://127.0.0.1:<port>/intfloat/e5/resolve/<commit>/config.json answered 404: Entry not found
      = help: run the command again with --revision to use another state of the repository"
  `);
});

test("a refusal by the download host is reported", async () => {
  const all = await opened({ HF_TOKEN: goodToken });
  onCdn(all.server, [{ kind: "answer", status: 403, body: "<Error>Request has expired</Error>" }]);
  expect(await failureOf(all.download())).toMatchInlineSnapshot(`
    "error[hub/denied]: the hub redirects this download to localhost:<port>, which refuses it
      GET http://localhost:<port>/repos/<commit>/c7763b8eeb0b5b00a80497cca2153df62c490b3689ae812a4c500fbd0d6480a8 answered 403
      = help: run the command again; if it fails again, a proxy or firewall allows the hub but not that host"
  `);
});

test("a cache that cannot be written is reported", async () => {
  const cache = join(freshFolder(), "cache");
  writeFileSync(cache, "a file");
  const all = await opened({ HF_HUB_CACHE: cache });
  const failure = await failureOf(all.client.hub.download(all.repository, all.file("config.json")));
  expect(failure).toContain(`error[file/not-writable]: cannot write to ${cache}/models--intfloat--e5/blobs/`);
  expect(failure).toContain("ENOTDIR");
  expect(failure).toContain(
    "= help: free some space or fix its permissions, or set HF_HUB_CACHE to another folder",
  );
});

test("a read-only cache is enough for the files that it contains", async () => {
  const all = await opened();
  await all.client.hub.download(all.repository, all.file("config.json"));
  const folder = join(all.client.cache, "models--intfloat--e5");
  chmodSync(folder, 0o555);
  expect(
    lstatSync(await all.client.hub.download(all.repository, all.file("config.json"))).isSymbolicLink(),
  ).toBe(true);
});

test("offline, only files in the cache are used", async () => {
  const all = await opened();
  await all.client.hub.download(all.repository, all.file("config.json"));
  const offline = clientOf(all.server, { HF_HUB_CACHE: all.client.cache, HF_HUB_OFFLINE: "1" });
  all.server.seen.length = 0;
  await offline.hub.download(all.repository, all.file("config.json"));
  expect(
    await failureOf(offline.hub.download(all.repository, all.file("onnx/model.onnx"))),
  ).toMatchInlineSnapshot(`
    "error[hub/unreachable]: HF_HUB_OFFLINE is set, and the cache has no onnx/model.onnx
      = help: unset HF_HUB_OFFLINE to download it"
  `);
  expect(all.server.seen).toEqual([]);
});
