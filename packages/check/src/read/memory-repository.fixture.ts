import { encodeUtf8 } from "@tritype/core";
import type { Entry, RepositoryHost } from "../repository-host.ts";

/** The content of a path: text, bytes, a folder (`null`), or a broken link (`"→"`). */
export type Content = string | Uint8Array | null;

/** A repository in memory, by path. Parent folders are created; those in `locked` cannot be listed or read. */
export const memoryRepository = (
  files: Readonly<Record<string, Content>>,
  locked: readonly string[] = [],
): RepositoryHost => {
  const folders = new Map<string, Map<string, Entry>>([["", new Map()]]);
  const bytes = new Map<string, Uint8Array>();
  const add = (path: string, kind: Entry["kind"], size: number): void => {
    const slash = path.lastIndexOf("/");
    const parent = path.slice(0, Math.max(slash, 0));
    if (slash > 0 && !folders.has(parent)) add(parent, "folder", 0);
    if (kind === "folder" && !folders.has(path)) folders.set(path, new Map());
    const name = path.slice(slash + 1);
    folders.get(parent)?.set(name, { name, kind, size, ...(kind === "other" ? { deadLink: "gone" } : {}) });
  };
  for (const [path, content] of Object.entries(files)) {
    if (content === null) add(path, "folder", 0);
    else if (content === "→") add(path, "other", 0);
    else {
      const data = typeof content === "string" ? encodeUtf8(content) : content;
      bytes.set(path, data);
      add(path, "file", data.length);
    }
  }
  return {
    list: (folder) => {
      const entries = locked.includes(folder) ? undefined : folders.get(folder);
      return (
        entries && [...entries.values()].toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
      );
    },
    read: (file, limit) => (locked.includes(file) ? undefined : bytes.get(file)?.subarray(0, limit)),
  };
};
