import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { PipelineError } from "@tritype/core";
import { type CachedRepository, findCached, showInSnapshot } from "./hub-cache.ts";
import { backOff, type HubFetch, type Patience, tries, within } from "./hub-fetch.ts";
import { reasonOf, request, unreachable } from "./hub-failure.ts";
import { openPartial, type PartialFile } from "./partial-file.ts";
import type { HubFile } from "./repository.ts";
import { showBytes } from "./show-bytes.ts";
import { hubError } from "./errors.ts";

export interface DownloadOptions extends Patience {
  readonly endpoint: string;
  /** `owner/name`. */
  readonly repository: string;
  readonly commit: string;
  readonly cached: CachedRepository;
  readonly fetch: HubFetch;
  readonly offline: boolean;
  readonly idleMs: number;
  /** Called from time to time with the number of bytes that have arrived. */
  readonly progress: (done: number) => void;
}

/**
 * The cache path of a file with the bytes that the hub announces. A complete file is used unchanged; a partial download
 * is continued, even after a lost connection. The download is hashed, and discarded if the hash is wrong.
 * @throws PipelineError `hub/*`, `file/not-writable`
 */
export const downloadFile = async (file: HubFile, options: DownloadOptions): Promise<string> => {
  const { cached, commit, notice, offline } = options;
  const found = await findCached(cached, commit, file, (path) =>
    notice(`${path} is damaged: downloading it again`),
  );
  if (found === cached.blob(file.hash)) return showInSnapshot(cached, commit, file);
  if (found !== undefined) return found;
  if (offline) throw hubError("hub/offline-file", { path: file.path });
  const part = await openPartial(cached.blob(file.hash), file.hash, file.size);
  try {
    await demandSpace(part.path, file.size - part.size());
    await receiveRight(file, part, options);
    await part.become();
  } catch (error) {
    await part.close().catch(() => undefined);
    throw error;
  }
  return showInSnapshot(cached, commit, file);
};

/** Tries twice if the first bytes came from an earlier attempt, because they may be the wrong ones. */
const receiveRight = async (file: HubFile, part: PartialFile, options: DownloadOptions): Promise<void> => {
  const url = fileUrl(file, options);
  for (let continued = part.size() > 0; ; continued = false) {
    const pieces = await receive(url, file, part, options);
    if (part.size() === file.size && part.hex() === file.hash.hex) return;
    const size = part.size();
    await part.restart();
    if (continued || pieces > 1) {
      options.notice(
        `${file.path} arrived in pieces that do not fit together: downloading it from the start`,
      );
      continue;
    }
    await part.discard();
    throw wrongBytes(url, file, size);
  }
};

/** Appends until the file is complete; returns the number of responses that it took. */
const receive = async (
  url: string,
  file: HubFile,
  part: PartialFile,
  options: DownloadOptions,
): Promise<number> => {
  const { fetch, notice, wait, progress } = options;
  let pieces = 0;
  for (let failures = 0; part.size() < file.size; ) {
    const before = part.size();
    progress(before);
    const response = await fetch(url, {
      headers: {
        "Accept-Encoding": "identity",
        ...(before === 0 ? {} : { Range: `bytes=${before}-` }),
      },
    });
    pieces++;
    try {
      await placeAt(response, part, file);
      await appendBody(response, part, file, options);
      if (part.size() >= file.size) break;
      throw Object.assign(new Error("it ended early"), { code: "UND_ERR_SOCKET" });
    } catch (error) {
      if (PipelineError.is(error)) throw error;
      failures = part.size() > before ? 1 : failures + 1;
      if (failures >= tries || !reasonOf(error).passing) throw unreachable(url, error);
      notice(
        `${file.path}: ${reasonOf(error).what} after ${showBytes(part.size())} of ${showBytes(file.size)}; continuing from there`,
      );
      await wait(backOff(failures));
    }
  }
  progress(part.size());
  return pieces;
};

/**
 * Checks a response against the bytes that we already have, because a server may send the whole file when asked for a
 * range.
 */
const placeAt = async (response: Response, part: PartialFile, { size }: HubFile): Promise<void> => {
  if (part.size() === 0 && response.status === 200) return;
  const [, start, total] =
    /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(response.headers.get("Content-Range") ?? "") ?? [];
  const fits =
    response.status === 206 && Number(start) === part.size() && (total === "*" || Number(total) === size);
  if (fits) return;
  await part.restart();
  if (response.status === 200) return;
  await response.body?.cancel();
  throw Object.assign(new Error("it sent a different range than requested"), { code: "WRONG_RANGE" });
};

const appendBody = async (
  response: Response,
  part: PartialFile,
  { size }: HubFile,
  { idleMs, progress, timer }: DownloadOptions,
): Promise<void> => {
  const reader = response.body?.getReader();
  if (reader === undefined) return;
  try {
    for (;;) {
      const { done, value } = await within(idleMs, reader.read(), timer);
      if (done) return;
      await part.append(value);
      progress(part.size());
      // If more bytes arrive than announced, the rest is not worth reading.
      if (part.size() > size) return;
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
};

const fileUrl = ({ path }: HubFile, { endpoint, repository, commit }: DownloadOptions): string =>
  `${endpoint}/${repository}/resolve/${commit}/${path.split("/").map(encodeURIComponent).join("/")}`;

const wrongBytes = (url: string, { path, size, hash }: HubFile, arrived: number): PipelineError =>
  hubError("hub/wrong-bytes", {
    path,
    difference:
      arrived === size
        ? `its ${hash.kind === "sha256" ? "SHA-256" : "git blob id"} is not ${hash.hex}`
        : `it has ${arrived > size ? "more than " : ""}${arrived > size ? size : arrived} bytes, not ${size}`,
    request: request(url),
  });

const demandSpace = async (path: string, needed: number): Promise<void> => {
  const { bavail, bsize } = await statfs(dirname(path));
  if (bavail * bsize >= needed) return;
  throw hubError("hub/no-space", {
    needed: showBytes(needed),
    folder: dirname(path),
    free: showBytes(bavail * bsize),
  });
};
