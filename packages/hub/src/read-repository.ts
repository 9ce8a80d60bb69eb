import { PipelineError } from "@tritype/core";
import type { ContentHash } from "./content-hash.ts";
import type { HubFetch } from "./hub-fetch.ts";
import type { HubFile, HubRepository } from "./repository.ts";
import { hubError } from "./errors.ts";

/**
 * The hub's description of a repository: the commit of a revision, and the files of that commit with their hashes.
 * @throws PipelineError `hub/unreachable` for responses that do not come from a hub or that list files outside the
 * repository.
 */
export const readRepository = async (
  endpoint: string,
  name: string,
  revision: string,
  fetch: HubFetch,
): Promise<HubRepository> => {
  // Commands that only use `staysBelow` do not load the large library.
  const { listFiles, modelInfo } = await import("@huggingface/hub");
  const info = await understood(endpoint, () =>
    modelInfo({ name, revision, hubUrl: endpoint, fetch, additionalFields: ["sha"] }),
  );
  const commit: unknown = info.sha;
  if (typeof commit !== "string" || !/^[0-9a-f]{40}$/.test(commit))
    throw noHub(endpoint, `it does not name a commit of ${name}`);
  const files: HubFile[] = [];
  await understood(endpoint, async () => {
    const listed = listFiles({ repo: name, revision: commit, recursive: true, hubUrl: endpoint, fetch });
    for await (const entry of listed) if (entry.type === "file") files.push(fileOf(entry, name, endpoint));
  });
  const { task } = info;
  return {
    name,
    revision,
    commit,
    task: typeof task === "string" ? task : undefined,
    files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  };
};

type Listed = {
  readonly path: string;
  readonly size: number;
  readonly oid?: string;
  readonly lfs?: { readonly oid: string; readonly size: number };
};

const fileOf = ({ path, size, oid, lfs }: Listed, repository: string, endpoint: string): HubFile => {
  if (typeof path !== "string" || !staysBelow(path))
    throw hubError("hub/path-outside", { repository, path: escaped(path) });
  const hash: ContentHash =
    lfs === undefined ? { kind: "git-sha1", hex: oid ?? "" } : { kind: "sha256", hex: lfs.oid };
  const bytes = lfs?.size ?? size;
  if (!hashes[hash.kind].test(hash.hex) || !Number.isSafeInteger(bytes) || bytes < 0)
    throw noHub(endpoint, `it does not give the hash or size of ${path}`);
  return { path, size: bytes, hash };
};

const hashes = { sha256: /^[0-9a-f]{64}$/, "git-sha1": /^[0-9a-f]{40}$/ } as const;

/**
 * A path that consists of plain names: no `..`, root or drive, and nothing that another operating system
 * would read as one of these.
 */
export const staysBelow = (path: string): boolean =>
  // oxlint-disable-next-line no-control-regex
  !/[\u0000-\u001F\\:]/.test(path) &&
  path.split("/").every((part) => part !== "" && part !== "." && part !== "..");

const escaped = (text: unknown): string => JSON.stringify(text).slice(1, -1).slice(0, 200);

/** A response that does not come from a hub makes the library fail in unpredictable ways. */
const understood = async <T>(endpoint: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (PipelineError.is(error)) throw error;
    throw noHub(
      endpoint,
      error instanceof SyntaxError ? "its response is not JSON" : (error as Error).message,
      error,
    );
  }
};

const noHub = (endpoint: string, why: string, cause?: unknown): PipelineError =>
  hubError("hub/not-a-hub", { endpoint, why }, { cause });
