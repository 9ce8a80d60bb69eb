import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tensorOf } from "@tritype/core";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createExtensions, type Extensions } from "../extensions.ts";
import { memoryRuntime, rawEcho } from "../memory-runtime.fixture.ts";
import { serveHttp } from "../serve-http.ts";
import type { TraceFiles, TraceOptions } from "./trace-options.ts";

let folder: string;
const lines: string[] = [];
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tritype-traces-"));
  lines.length = 0;
});
afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

const open = (trace: TraceOptions): Extensions =>
  createExtensions({ trace, print: (line) => void lines.push(line) });
const files = (more: Partial<TraceFiles> = {}): TraceOptions => ({
  levels: ["TIMESTAMPS"],
  rate: 1,
  to: { kind: "files", file: join(folder, "t.json"), ...more },
});

/** A whole request, as a server traces it. */
const trace = ({ trace: traces }: Extensions, id: string, tensors = tensorOf("INT32", [1], [1])): void => {
  const one = traces.sample("m", "http", () => ({}));
  if (one === undefined) return;
  one.moment("HTTP_RECV_START");
  one.request.accepted({ model: "m", version: "1", id, inputs: new Map([["X", tensors]]) });
  one.request.responded(new Map());
  one.request.ended(true);
  one.release();
};
const written = async (name: string): Promise<readonly Readonly<Record<string, unknown>>[]> =>
  JSON.parse(await readFile(join(folder, name), "utf8")) as readonly Readonly<Record<string, unknown>>[];
const idsIn = (records: Awaited<ReturnType<typeof written>>): readonly unknown[] =>
  records.flatMap(({ request_id: id }) => (id === undefined ? [] : [id]));

describe("files", () => {
  test("a single file is complete when the server is closed; an id may contain quotation marks", async () => {
    const extensions = open(files());
    for (const id of ["a", 'q"q']) trace(extensions, id);
    expect(existsSync(join(folder, "t.json"))).toBe(false);
    await extensions.close();
    expect(idsIn(await written("t.json"))).toEqual(["a", 'q"q']);
    expect(await readdir(folder)).toEqual(["t.json"]);
  });

  test("records collected with one frequency are written when the settings change", async () => {
    const extensions = open(files({ logFrequency: 2 }));
    for (const id of ["a", "b", "c"]) trace(extensions, id);
    extensions.trace.update("", (name) => (name === "log_frequency" ? ["0"] : undefined), "");
    trace(extensions, "d");
    await extensions.close();
    expect(idsIn(await written("t.json.0"))).toEqual(["a", "b"]);
    expect(idsIn(await written("t.json.1"))).toEqual(["c"]);
    expect(idsIn(await written("t.json"))).toEqual(["d"]);
  });

  test("long text is written in parts, so that it does not fill memory", async () => {
    const extensions = open({ ...files(), levels: ["TENSORS"] });
    const large = tensorOf(
      "INT32",
      [200_000],
      Array.from({ length: 200_000 }, (_, i) => i),
    );
    for (const id of ["a", "b", "c"]) trace(extensions, id, large);
    await expect.poll(() => existsSync(join(folder, "t.json"))).toBe(true);
    await extensions.close();
    expect(await written("t.json")).toHaveLength(3);
  });

  test("a file that cannot be written is reported once, and no request fails", async () => {
    const extensions = open(files({ file: join(folder, "missing", "t.json"), logFrequency: 1 }));
    for (const id of ["a", "b"]) trace(extensions, id);
    await extensions.close();
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^failed creating trace file: ENOENT/);
  });

  test("a refused request has no trace, and a request that is still running at the end loses its trace", async () => {
    const extensions = open(files({ logFrequency: 1 }));
    const refused = extensions.trace.sample("m", "http", () => ({}));
    refused?.request.refused();
    refused?.release();
    const running = extensions.trace.sample("m", "http", () => ({}));
    running?.request.accepted({ model: "m", version: "1", id: "", inputs: new Map() });
    await extensions.close();
    expect(await readdir(folder)).toEqual([]);
  });
});

test("without an option, nothing is traced, and requests cannot change that", async () => {
  const extensions = open({});
  expect(extensions.trace.sample("m", "http", () => ({}))).toBeUndefined();
  const level = (name: string) => (name === "trace_level" ? ["TIMESTAMPS"] : undefined);
  expect(() => extensions.trace.update("", level, "")).toThrow("trace file name is not given");
  await extensions.close();
});

test("if a client disconnects before its answer, the trace ends", async () => {
  const extensions = open(files({ logFrequency: 1 }));
  const slow = { ...rawEcho, name: "slow", run: () => new Promise<never>(() => {}) };
  const server = await serveHttp(memoryRuntime([{ ...rawEcho, name: "m" }, slow]), { port: 0, extensions });
  const body = JSON.stringify({ inputs: [{ name: "INPUT", datatype: "FP32", shape: [1], data: [1] }] });
  await fetch(`${server.url}/v2/models/m/infer`, { method: "POST", body });
  await expect.poll(() => readdir(folder)).toEqual(["t.json.0"]);
  await server.close();
  await extensions.close();
});
