import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { int32, text } from "../http-requests/infer-message.ts";

/** Prefix of the shared memory objects. It is unique because several test files may run at once. */
const name = `tritype-test-${process.pid}`;

/** The key of the object that all requests use. */
export const key = `/${name}`;
/** The object's size: three pages. */
export const objectSize = 12_288;
const path = `/dev/shm${key}`;

/** Offsets of the data in the object: inputs `A` and `B` of `sum`, strings, and integers. */
export const places = {
  a: 0,
  b: 8,
  half: 64,
  text: 128,
  brokenText: 256,
  integers: 384,
  /** Contains only 0xee. */
  free: 4096,
} as const;

const floats = (...values: readonly number[]): Buffer => Buffer.from(new Float32Array(values).buffer);
export const textBytes: Buffer = text("über", "");

/** Writes the object again, with links and folders next to it. */
export const writeObject = (): void => {
  const bytes = Buffer.alloc(objectSize, 0xee);
  floats(1, 2).copy(bytes, places.a);
  floats(0.5, -3).copy(bytes, places.b);
  Buffer.from([0x00, 0x3c, 0x00, 0xc0]).copy(bytes, places.half);
  textBytes.copy(bytes, places.text);
  int32(100, 1).copy(bytes, places.brokenText);
  int32(7, 8, 9, 10).copy(bytes, places.integers);
  writeFileSync(path, bytes);
};

/** The contents of the object: each run of bytes that are not 0xee, with its offset. */
export const objectContent = (): readonly string[] =>
  [...readFileSync(path, "latin1").matchAll(/[^\xee]+/g)].map(
    ({ index, 0: run }) => `${index}: ${Buffer.from(run, "latin1").toString("hex")}`,
  );

export const removeObject = (): void => rmSync(path, { force: true });

/** Things that are not shared memory objects: a link to the object, and a folder. */
export const others = { link: `${key}-link`, folder: `${key}-folder`, long: `/${"n".repeat(254)}` } as const;

export const writeOthers = (): void => {
  removeOthers();
  symlinkSync(path, `/dev/shm${others.link}`);
  mkdirSync(`/dev/shm${others.folder}`);
};

export const removeOthers = (): void => {
  for (const other of [others.link, others.folder])
    rmSync(`/dev/shm${other}`, { force: true, recursive: true });
};
