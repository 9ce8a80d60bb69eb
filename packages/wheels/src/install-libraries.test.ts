import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PipelineError } from "@tritype/core";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { installLibraries, librariesFolder, type LibrarySet } from "./install-libraries.ts";
import { type IndexFault, makeWheel, type PackageIndex, serveIndex } from "./package-index.fixture.ts";

const limit = 60_000;
const first = makeWheel("made-first", {
  "vendor/lib/libfirst.so.1": "first",
  "vendor/lib/libother.so": "other",
});
const second = makeWheel("made-second", { "second/libsecond.so.2": "second" });
const set: LibrarySet = {
  name: "made-1.0",
  bytes: 16,
  wheels: [{ ...first.pin, libraries: ["libfirst.so.1"] }, second.pin],
};

let index: PackageIndex;
beforeAll(async () => {
  index = await serveIndex([first, second]);
});
afterAll(() => index.close());
beforeEach(() => {
  index.faults = {};
  index.sent.length = 0;
});

const temporary = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "tritype-wheels-"));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

interface Attempt {
  readonly said: readonly string[];
  readonly folder?: string;
  readonly error?: unknown;
}

const install = async (
  root: string,
  options: { force?: boolean; of?: LibrarySet } = {},
): Promise<Attempt> => {
  const said: string[] = [];
  const env = {
    ...process.env,
    PIP_INDEX_URL: index.url,
    PIP_FIND_LINKS: "",
    PIP_RETRIES: "0",
    PIP_RESUME_RETRIES: "0",
  };
  try {
    const { force = false, of = set } = options;
    return {
      said,
      folder: await installLibraries({ root, set: of, force, notice: (line) => said.push(line), env }),
    };
  } catch (error) {
    return { said, error };
  }
};

const contents = async (folder: string): Promise<Readonly<Record<string, string>>> =>
  Object.fromEntries(
    await Promise.all(
      (await readdir(folder)).map(async (name) => [name, await readFile(join(folder, name), "utf8")]),
    ),
  );

test("two concurrent processes unpack libraries from their wheels into one folder, once", {
  timeout: limit,
}, async () => {
  const root = await temporary();
  const [one, other] = await Promise.all([install(root), install(root)]);
  expect([one.error, other.error, other.folder]).toEqual([undefined, undefined, one.folder]);
  const { folder = "" } = one;
  expect(folder).toBe(librariesFolder(root, set));
  expect(await contents(folder)).toEqual({ "libfirst.so.1": "first", "libsecond.so.2": "second" });
  expect([...one.said, ...other.said]).toEqual([
    `installing made-1.0 into ${folder}: 2 kB to fetch, 1 kB on disk`,
    "fetching made-first 1.0 (1 kB), 1 of 2",
    "fetching made-second 1.0 (1 kB), 2 of 2",
  ]);
  expect((await readdir(root)).toSorted()).toEqual(["lock", folder.slice(root.length + 1)].toSorted());

  expect(await install(root)).toEqual({ folder, said: [] });
  await writeFile(join(folder, "libfirst.so.1"), "spoilt");
  expect((await install(root, { force: true })).said).toHaveLength(3);
  expect((await contents(folder))["libfirst.so.1"]).toBe("first");
  expect(index.sent).toEqual(["made-first", "made-second", "made-first", "made-second"]);
});

const notPinned = /^file\/not-readable the file downloaded for made-second 1\.0 is not the pinned wheel/;
const notFetched = /^server\/unreachable made-second 1\.0 could not be fetched:\n/;
const faults: readonly (readonly [fault: IndexFault, problem: RegExp])[] = [
  ["other bytes", notPinned],
  // Older pips accept a truncated download as complete.
  ["cut", new RegExp(`${notPinned.source}|${notFetched.source}`)],
  ["gone", new RegExp(`${notFetched.source}[^]*No matching distribution`)],
];

test("a faulty index leaves nothing half done, and each further attempt continues", {
  timeout: limit,
}, async () => {
  const root = await temporary();
  const continues = (said: readonly string[]): void => {
    expect(index.sent).not.toContain("made-first");
    expect(said[1]).toBe("fetching made-second 1.0 (1 kB), 2 of 2");
  };
  for (const [attempt, [fault, problem]] of faults.entries()) {
    index.faults = { "made-second": fault };
    const { error, folder, said } = await install(root);
    expect(folder).toBeUndefined();
    const { code, message, help } = error as PipelineError;
    expect(`${code} ${message}`).toMatch(problem);
    expect(help).toContain("PIP_INDEX_URL");
    expect(await readdir(root)).not.toContain(librariesFolder(root, set).slice(root.length + 1));
    if (attempt > 0) continues(said);
    index.sent.length = 0;
  }
  index.faults = {};
  const { folder = "", said } = await install(root);
  expect(await contents(folder)).toEqual({ "libfirst.so.1": "first", "libsecond.so.2": "second" });
  expect(index.sent).toEqual(["made-second"]);
  continues(said);
});

test("a wheel without a required library is refused", { timeout: limit }, async () => {
  const of = { ...set, wheels: [{ ...first.pin, libraries: ["libabsent.so"] }] };
  expect((await install(await temporary(), { of })).error).toMatchObject({
    code: "file/not-readable",
    message: "the wheel of made-first 1.0 has no libabsent.so",
  });
});

test("an unwritable folder is refused before anything is fetched", async () => {
  const folder = await temporary();
  await writeFile(join(folder, "file"), "");
  expect((await install(join(folder, "file", "gpu"))).error).toMatchObject({
    code: "file/not-writable",
    message: `cannot write to ${join(folder, "file", "gpu")}: there is a file where a folder must be (ENOTDIR)`,
    help: "set TRITYPE_CACHE to a writable folder",
  });
  const root = join(folder, "root");
  await mkdir(`${librariesFolder(root, set)}.part`, { recursive: true });
  await writeFile(join(`${librariesFolder(root, set)}.part`, "libraries"), "");
  expect((await install(root)).error).toMatchObject({ code: "file/not-writable" });
  expect(index.sent).toEqual([]);
});

test("a disk that is too small is refused before anything is fetched", async () => {
  const of = { ...set, bytes: 1e18 };
  expect((await install(await temporary(), { of })).error).toMatchObject({
    code: "file/not-writable",
    message: expect.stringMatching(/ needs \d+ MB during installation, but only \d+ MB are free$/),
  });
  expect(index.sent).toEqual([]);
});
