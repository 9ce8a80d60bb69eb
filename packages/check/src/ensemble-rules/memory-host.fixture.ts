import { encodeUtf8 } from "@tritype/core";
import type { Entry, RepositoryHost } from "../repository-host.ts";

/** A repository in memory: files by path; folders are those of the paths. */
export const memoryHost = (files: Readonly<Record<string, string | Uint8Array>>): RepositoryHost => {
  const bytes = new Map(
    Object.entries(files).map(([path, content]) => [
      path,
      typeof content === "string" ? encodeUtf8(content) : content,
    ]),
  );
  return {
    list: (folder) => {
      const prefix = folder === "" ? "" : `${folder}/`;
      const entries = new Map<string, Entry>();
      for (const [path, content] of bytes) {
        if (!path.startsWith(prefix)) continue;
        const [name = "", ...rest] = path.slice(prefix.length).split("/");
        const kind = rest.length > 0 ? "folder" : "file";
        entries.set(name, { name, kind, size: kind === "file" ? content.length : 0 });
      }
      return entries.size === 0
        ? undefined
        : [...entries.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    read: (path, limit) => bytes.get(path)?.slice(0, limit),
  };
};
