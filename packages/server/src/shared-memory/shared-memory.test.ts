import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TensorData } from "@tritype/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createExtensions, type Extensions } from "../extensions.ts";
import { type MemoryModel, memoryRuntime, rawEcho } from "../memory-runtime.fixture.ts";
import type { HttpServer } from "../serve-answers.ts";
import { serveHttp } from "../serve-http.ts";
import { createRegions } from "./regions.ts";

/** `OUTPUT = INPUT`, once `release` is called. */
let release: () => void;
let started: Promise<void>;
const slow = (): MemoryModel => {
  let begin: () => void;
  started = new Promise((resolve) => {
    begin = resolve;
  });
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return {
    ...rawEcho,
    name: "slow",
    run: async (inputs) => {
      begin();
      await released;
      return new Map([["OUTPUT", inputs.get("INPUT") as TensorData]]);
    },
  };
};

let folder: string;
let extensions: Extensions;
let server: HttpServer;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "tritype-regions-"));
  extensions = createExtensions({ sharedMemory: folder });
  server = await serveHttp(memoryRuntime([rawEcho, slow()]), { port: 0, extensions });
});
afterEach(async () => {
  release();
  await server.close();
  await extensions.close();
  rmSync(folder, { recursive: true });
});

const post = async (path: string, body: object = {}, signal?: AbortSignal): Promise<readonly unknown[]> => {
  const reply = await fetch(`${server.url}/v2/${path}`, {
    method: "POST",
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  const text = await reply.text();
  return [reply.status, text === "" ? "" : JSON.parse(text)];
};
const register = (name: string, key: string, byte_size: number, offset = 0) =>
  post(`systemsharedmemory/region/${name}/register`, { key, offset, byte_size });
const unregister = (name?: string) =>
  post(`systemsharedmemory/${name === undefined ? "" : `region/${name}/`}unregister`);

const place = (region: string, size: number, offset = 0): object => ({
  parameters: {
    shared_memory_region: region,
    shared_memory_byte_size: size,
    shared_memory_offset: offset,
  },
});
/** Reads `rows` rows of two INT32 from a region, and writes them to another. */
const echo = (model: string, rows: number, from: object, to: object | undefined, signal?: AbortSignal) =>
  post(
    `models/${model}/infer`,
    {
      inputs: [{ name: "INPUT", datatype: "INT32", shape: [rows, 2], ...from }],
      ...(to && { outputs: [{ name: "OUTPUT", ...to }] }),
    },
    signal,
  );
const described = (rows: number) => ({ name: "OUTPUT", datatype: "INT32", shape: [rows, 2] });

const file = (name: string): string => join(folder, name);
const integers = (count: number): Uint8Array =>
  new Uint8Array(Int32Array.from({ length: count }, (_, i) => i).buffer);

describe("a region", () => {
  test("a region of many blocks is read and written completely", async () => {
    const rows = 5_000_001;
    const bytes = integers(2 * rows);
    writeFileSync(file("in"), bytes);
    writeFileSync(file("out"), new Uint8Array(bytes.byteLength + 8));
    await register("in", "/in", bytes.byteLength);
    await register("out", "/out", bytes.byteLength + 8);
    const [status, answer] = await echo(
      "raw_echo",
      rows,
      place("in", bytes.byteLength),
      place("out", bytes.byteLength, 8),
    );
    expect(status).toBe(200);
    expect(answer).toMatchObject({ outputs: [described(rows)] });
    expect(readFileSync(file("out")).subarray(8).equals(bytes)).toBe(true);
  });

  test("a region begins at its offset in the object, and cannot extend past the object's end", async () => {
    writeFileSync(file("o"), integers(2048));
    expect(await register("r", "/o", 4096, 4096)).toEqual([200, ""]);
    const [, answer] = await echo("raw_echo", 1, place("r", 8, 8), undefined);
    expect(answer).toMatchObject({ outputs: [{ data: [1026, 1027] }] });
    const [status, refused] = await echo("raw_echo", 1, place("r", 8, 4096), undefined);
    expect([status, refused]).toEqual([400, { error: "Invalid offset for shared memory region: 'r'" }]);
    const body = {
      inputs: [{ name: "INPUT", datatype: "INT32", shape: [1, 2], ...place("r", 8, 1234) }],
    };
    const reply = await fetch(`${server.url}/v2/models/raw_echo/infer`, {
      method: "POST",
      body: JSON.stringify(body).replace(":1234", ":18446744073709551584"),
    });
    expect([reply.status, await reply.json()]).toEqual([
      400,
      { error: "Invalid offset for shared memory region: 'r'" },
    ]);
  });

  test("several regions may be registered in the same object", async () => {
    writeFileSync(file("o"), integers(4));
    await register("one", "/o", 16);
    expect(await register("other", "o", 8)).toEqual([200, ""]);
    await unregister("one");
    const [, answer] = await echo("raw_echo", 1, place("other", 8), undefined);
    expect(answer).toMatchObject({ outputs: [{ data: [0, 1] }] });
  });

  test("a region keeps its object when the object's name is removed", async () => {
    writeFileSync(file("o"), integers(2));
    await register("r", "/o", 8);
    rmSync(file("o"));
    writeFileSync(file("o"), new Uint8Array(8));
    const [, answer] = await echo("raw_echo", 1, place("r", 8), undefined);
    expect(answer).toMatchObject({ outputs: [{ data: [0, 1] }] });
  });

  test("a region of an object that has shrunk is refused, and the object does not grow again", async () => {
    writeFileSync(file("in"), integers(4));
    writeFileSync(file("out"), integers(4));
    await register("in", "/in", 16);
    await register("out", "/out", 16);
    const shrunk = (name: string) => [
      400,
      {
        error: `the file of shared memory region '${name}' has shrunk since the region was registered`,
      },
    ];
    truncateSync(file("out"), 8);
    expect(await echo("raw_echo", 1, place("in", 8), place("out", 8, 8))).toEqual(shrunk("out"));
    expect(readFileSync(file("out")).byteLength).toBe(8);
    truncateSync(file("in"), 4);
    expect(await echo("raw_echo", 1, place("in", 8), undefined)).toEqual(shrunk("in"));
  });

  test("a region that shrinks while its request runs is not written, and the server continues to answer", async () => {
    writeFileSync(file("in"), integers(4));
    writeFileSync(file("out"), integers(4));
    await register("in", "/in", 16);
    await register("out", "/out", 16);
    const answer = echo("slow", 1, place("in", 8), place("out", 8, 8));
    await started;
    truncateSync(file("in"), 0);
    truncateSync(file("out"), 8);
    release();
    const error = "the file of shared memory region 'out' has shrunk since the region was registered";
    expect(await answer).toEqual([400, { error }]);
    expect(readFileSync(file("out")).byteLength).toBe(8);
    rmSync(file("out"));
    writeFileSync(file("out"), new Uint8Array(16));
    expect([await unregister("out"), await register("out", "/out", 16)]).toEqual([
      [200, ""],
      [200, ""],
    ]);
    await expect(echo("raw_echo", 1, place("out", 8), place("out", 8))).resolves.toMatchObject([200, {}]);
  });

  test("a region of many megabytes may be truncated or removed while it is read", async () => {
    const rows = 4_000_000;
    const size = rows * 8;
    for (const cut of [(): void => truncateSync(file("big"), 100), (): void => rmSync(file("big"))]) {
      writeFileSync(file("big"), integers(2 * rows));
      await register("big", "/big", size);
      const answers = Array.from({ length: 4 }, () =>
        echo("raw_echo", rows, place("big", size), place("big", size)),
      );
      setTimeout(cut, 5);
      for (const [status] of await Promise.all(answers)) expect([200, 400]).toContain(status);
      expect(await unregister("big")).toEqual([200, ""]);
    }
  });

  test("a region is in use until its request ends", async () => {
    writeFileSync(file("o"), integers(4));
    await register("b", "/o", 8);
    await register("a", "/o", 8);
    await register("c", "/o", 8);
    const answer = echo("slow", 1, place("a", 8), place("b", 8));
    await started;
    expect(await unregister("a")).toEqual([
      500,
      { error: "Cannot unregister shared memory region 'a', it is currently in use." },
    ]);
    expect(await unregister()).toEqual([
      500,
      { error: "Failed to unregister the following system shared memory regions: a ,b ," },
    ]);
    release();
    expect(await answer).toMatchObject([200, { outputs: [described(1)] }]);
    expect(await unregister()).toEqual([200, ""]);
    expect(extensions.regions.status("")).toEqual([]);
  });

  test("a region is free once the client that sent the request has disconnected", async () => {
    writeFileSync(file("o"), integers(2));
    await register("r", "/o", 8);
    const gone = new AbortController();
    const answer = echo("slow", 1, place("r", 8), undefined, gone.signal);
    await started;
    gone.abort();
    await expect(answer).rejects.toThrow();
    release();
    await expect.poll(() => unregister("r")).toEqual([200, ""]);
  });

  test("a region that two clients register at the same time is registered once", async () => {
    writeFileSync(file("o"), integers(2));
    const answers = await Promise.all([register("r", "/o", 8), register("r", "/o", 8)]);
    expect(answers.toSorted(([one], [other]) => Number(one) - Number(other))).toEqual([
      [200, ""],
      [400, { error: "shared memory region 'r' already in manager" }],
    ]);
  });

  test("a region of many outputs is written only if there is room for each", async () => {
    writeFileSync(file("o"), integers(4));
    await register("r", "/o", 16);
    const [status, answer] = await echo("raw_echo", 1, place("r", 8), place("r", 4, 8));
    expect([status, answer]).toEqual([
      500,
      {
        error:
          "shared memory size specified with the request for output 'OUTPUT' (4 bytes) should be at least 8 bytes to hold the results",
      },
    ]);
  });
});

test.each(["/../secret", "/link", "/inner", "..", "/", ""])(
  "%j is not a shared memory object",
  async (key) => {
    writeFileSync(file("o"), integers(2));
    symlinkSync(file("o"), file("link"));
    mkdirSync(file("inner"));
    expect(await register("r", key, 8)).toEqual([
      500,
      { error: `Unable to open shared memory region: '${key}'` },
    ]);
  },
);

test("on a system without /dev/shm, registering a region fails with the reason", async () => {
  const regions = createRegions("");
  expect(regions.status("")).toEqual([]);
  await regions.unregister("");
  await expect(regions.register("r", "/o", 0, 8)).rejects.toMatchObject({
    code: "request/unsupported",
    reason: "region/not-on-this-system",
  });
});
