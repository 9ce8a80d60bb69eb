import { createHash } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { onTestFinished } from "vitest";
import { listen } from "../fixtures/listen.ts";

/** The contents of a repository of the server. */
export interface ServedRepository {
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly task?: string;
  /** Files of this size in bytes or larger are kept in LFS. Default 1000. */
  readonly lfsFrom?: number;
  /** Requests without a token, or with this one, are refused. */
  readonly access?: "private" | "gated" | "not-granted";
}

/** A fault injected into one request. */
export type Fault =
  | {
      readonly kind: "answer";
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string;
    }
  /**
   * Ends the connection after that many bytes of the body, once the client has read them: `fetch` drops unread ones.
   */
  | { readonly kind: "cut"; readonly after: number }
  /** Sends that many bytes, then nothing more. `whenRead` is called when the client has read them. */
  | { readonly kind: "stall"; readonly after: number; readonly whenRead?: () => void }
  /** Sends different bytes instead of the file's. */
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  /** Sends the whole file, even if only a part was requested. */
  | { readonly kind: "no-ranges" };

/** A request as it arrived. */
export interface Seen {
  /** `hub`, or `cdn`: the other host, which serves LFS files. */
  readonly host: "hub" | "cdn";
  readonly path: string;
  readonly range: string | undefined;
  readonly authorization: string | undefined;
}

export interface HubServer {
  readonly url: string;
  readonly seen: Seen[];
  /** The fault for a request, if any; called for each request. */
  fault: (request: Seen) => Fault | undefined;
  /** The client reports how many bytes of a file it has read. */
  readonly read: (bytes: number) => void;
  readonly repositories: Record<string, ServedRepository>;
  /** The commit that `main` points to. */
  readonly commitOf: (name: string) => string;
}

/** The only token that private repositories accept. */
export const goodToken = "hf_goodtoken";

/**
 * A server that speaks the hub's protocol like huggingface.co: model info, the tree in pages of three, `resolve` with a
 * redirect to another host for LFS files and to another path for small ones, ETag, X-Linked-Etag, X-Repo-Commit, Range;
 * no Xet headers.
 */
export const startHub = async (repositories: Record<string, ServedRepository>): Promise<HubServer> => {
  const seen: Seen[] = [];
  const cdnFiles = new Map<string, Uint8Array>();
  const listed = new Map<ServedRepository, readonly Entry[]>();
  const filesOf = (name: string): readonly Entry[] => {
    const repository = repositories[name] ?? { files: {} };
    const known = listed.get(repository) ?? entriesOf(repository);
    listed.set(repository, known);
    return known;
  };
  const commitOf = (name: string): string =>
    hex("sha1", JSON.stringify([name, filesOf(name).map(({ path, sha256 }) => [path, sha256])]));

  let read = 0;
  const waiting: { readonly bytes: number; readonly run: () => void }[] = [];
  const whenRead: WhenRead = (bytes, run) => {
    if (read >= bytes) run();
    else waiting.push({ bytes, run });
  };

  const note = (host: Seen["host"], request: IncomingMessage): Seen => {
    const { range, authorization } = request.headers;
    const one: Seen = { host, path: decodeURIComponent(request.url ?? ""), range, authorization };
    seen.push(one);
    return one;
  };

  const cdn = createServer((request, response) => {
    const one = note("cdn", request);
    const bytes = cdnFiles.get((request.url ?? "").split("?")[0] ?? "");
    if (bytes === undefined) response.writeHead(403).end("<Error><Code>AccessDenied</Code></Error>");
    else sendFile(request, response, bytes, `"${hex("md5", bytes)}"`, server.fault(one), whenRead);
  });
  const hub = createServer((request, response) => {
    const one = note("hub", request);
    const url = new URL(request.url ?? "/", server.url);
    const path = decodeURIComponent(url.pathname);
    const blob = cdnFiles.get(path);
    const fault = server.fault(one);
    if (fault?.kind === "answer") return void response.writeHead(fault.status, fault.headers).end(fault.body);
    if (fault?.kind === "stall" && blob === undefined) return;
    if (fault?.kind === "cut" && blob === undefined) {
      response.writeHead(200, { "Content-Type": "application/json" });
      return void response.write('{"_id":', () => response.socket?.end());
    }
    if (blob !== undefined) return sendFile(request, response, blob, `"${gitId(blob)}"`, fault, whenRead);
    const [, name = "", kind = "", revision = "", file = ""] =
      /^\/api\/models\/([^/]+\/[^/]+)\/(revision|tree)\/(.+)$/.exec(path) ??
      /^\/([^/]+\/[^/]+)\/(resolve)\/([^/]+)\/(.+)$/.exec(path) ??
      [];
    const repository = repositories[name];
    const refusal = refusalOf(repository, one.authorization);
    if (repository === undefined || refusal !== undefined)
      return refuse(response, refusal ?? [404, "RepoNotFound", "Repository not found"]);
    const commit = commitOf(name);
    if (revision !== "main" && revision !== commit && revision !== "refs/pr/1")
      return refuse(response, [404, "RevisionNotFound", `Invalid rev id: ${revision}`]);
    response.setHeader("X-Repo-Commit", commit);
    const entries = filesOf(name);
    if (kind === "revision")
      return sendJson(response, {
        _id: "621ffdc136468d709f17ea5f",
        id: name,
        sha: commit,
        private: repository.access === "private",
        gated: repository.access === "gated" ? "auto" : false,
        downloads: 1,
        likes: 1,
        lastModified: "2026-01-01T00:00:00.000Z",
        pipeline_tag: repository.task,
        siblings: entries.map(({ path: rfilename }) => ({ rfilename })),
      });
    if (kind === "tree") return sendTree(url, response, entries);
    const entry = entries.find((candidate) => candidate.path === file);
    if (entry === undefined) return refuse(response, [404, "EntryNotFound", "Entry not found"]);
    if (entry.lfs) {
      const place = `/repos/${hex("sha1", name)}/${entry.sha256}`;
      cdnFiles.set(place, entry.bytes);
      response.writeHead(302, {
        Location: `http://localhost:${cdnPort}${place}?Signature=abc`,
        "X-Linked-Etag": `"${entry.sha256}"`,
        "X-Linked-Size": String(entry.bytes.length),
        ETag: `"${entry.sha256}"`,
      });
      return void response.end("Found. Redirecting");
    }
    const place = `/api/resolve-cache/models/${name}/${commit}/${file}`;
    cdnFiles.set(place, entry.bytes);
    response.writeHead(307, {
      Location: place.split("/").map(encodeURIComponent).join("/"),
      ETag: `"${gitId(entry.bytes)}"`,
      "X-Linked-Etag": `"${gitId(entry.bytes)}"`,
    });
    response.end("Temporary Redirect");
  });
  const [cdnPort, hubPort] = [await listen(cdn), await listen(hub)];
  onTestFinished(() => {
    for (const one of [cdn, hub]) {
      one.close();
      one.closeAllConnections();
    }
  });
  const server: HubServer = {
    url: `http://127.0.0.1:${hubPort}`,
    seen,
    fault: () => undefined,
    read(bytes) {
      read = bytes;
      for (const one of waiting.splice(0)) whenRead(one.bytes, one.run);
    },
    repositories,
    commitOf,
  };
  return server;
};

interface Entry {
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly lfs: boolean;
  readonly sha256: string;
}

const entriesOf = ({ files, lfsFrom = 1000 }: ServedRepository): readonly Entry[] =>
  Object.entries(files).map(([path, content]) => {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    return { path, bytes, lfs: bytes.length >= lfsFrom, sha256: hex("sha256", bytes) };
  });

const refusalOf = (
  repository: ServedRepository | undefined,
  authorization: string | undefined,
): readonly [number, string, string] | undefined => {
  if (authorization !== undefined && authorization !== `Bearer ${goodToken}`)
    return [401, "", "Invalid credentials in Authorization header"];
  if (repository === undefined)
    return authorization === undefined ? [401, "RepoNotFound", "Repository not found"] : undefined;
  const { access } = repository;
  if (access === "private" && authorization === undefined)
    return [401, "RepoNotFound", "Repository not found"];
  if (access === "gated" && authorization === undefined)
    return [
      401,
      "GatedRepo",
      "Access to model is restricted. You must have access to it and be authenticated.",
    ];
  if (access === "not-granted")
    return [authorization === undefined ? 401 : 403, "GatedRepo", "You are not in the authorized list."];
  return undefined;
};

const refuse = (
  response: ServerResponse,
  [status, code, message]: readonly [number, string, string],
): void => {
  response.writeHead(status, {
    "Content-Type": "application/json; charset=utf-8",
    ...(code === "" ? {} : { "X-Error-Code": code }),
    "X-Error-Message": message,
  });
  response.end(JSON.stringify({ error: message }));
};

const sendJson = (response: ServerResponse, value: unknown): void => {
  response.writeHead(200, { "Content-Type": "application/json; charset=utf-8" });
  response.end(JSON.stringify(value));
};

const pageSize = 3;
const sendTree = (url: URL, response: ServerResponse, entries: readonly Entry[]): void => {
  const start = Number(url.searchParams.get("cursor") ?? 0);
  const folders = new Set(
    entries.flatMap(({ path }) => (path.includes("/") ? [path.split("/")[0] ?? ""] : [])),
  );
  const all = [
    ...[...folders].map((path) => ({ type: "directory", oid: gitId(new Uint8Array()), size: 0, path })),
    ...entries.map(({ path, bytes, lfs, sha256 }) => ({
      type: "file",
      oid: gitId(lfs ? new TextEncoder().encode(`pointer ${sha256}`) : bytes),
      size: bytes.length,
      path,
      ...(lfs ? { lfs: { oid: sha256, size: bytes.length, pointerSize: 135 } } : {}),
    })),
  ];
  const next = new URL(url);
  next.searchParams.set("cursor", String(start + pageSize));
  if (start + pageSize < all.length) response.setHeader("Link", `<${next.href}>; rel="next"`);
  sendJson(response, all.slice(start, start + pageSize));
};

/** Calls `run` when the client has read this many bytes of the file. */
type WhenRead = (bytes: number, run: () => void) => void;

const sendFile = (
  request: IncomingMessage,
  response: ServerResponse,
  file: Uint8Array,
  etag: string,
  fault: Fault | undefined,
  whenRead: WhenRead,
): void => {
  if (fault?.kind === "answer") return void response.writeHead(fault.status, fault.headers).end(fault.body);
  const bytes = fault?.kind === "bytes" ? fault.bytes : file;
  const range = fault?.kind === "no-ranges" ? null : /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? "");
  const start = Number(range?.[1] ?? 0);
  const end = range?.[2] ? Number(range[2]) + 1 : bytes.length;
  if (range !== null && start >= bytes.length)
    return void response.writeHead(416, { "Content-Range": `bytes */${bytes.length}` }).end();
  const body = bytes.subarray(start, end);
  response.writeHead(range === null ? 200 : 206, {
    "Content-Length": body.length,
    "Accept-Ranges": "bytes",
    ETag: etag,
    ...(range === null ? {} : { "Content-Range": `bytes ${start}-${end - 1}/${bytes.length}` }),
  });
  if (fault?.kind !== "cut" && fault?.kind !== "stall") return void response.end(body);
  response.write(body.subarray(0, fault.after), () =>
    whenRead(start + fault.after, () => {
      // Not destroyed, because the bytes written must arrive.
      if (fault.kind === "cut") response.socket?.end();
      else fault.whenRead?.();
    }),
  );
};

export const hex = (algorithm: string, content: string | Uint8Array): string =>
  createHash(algorithm).update(content).digest("hex");

/** Git's hash of a blob. */
export const gitId = (bytes: Uint8Array): string =>
  createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
