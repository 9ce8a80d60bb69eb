import type { Entry, RepositoryHost } from "@tritype/check";
import { encodeUtf8 } from "@tritype/core";

/**
 * A repository in memory, by path; a path that ends in "/" is an empty folder, `path →` is a dangling link, and `path
 * ✗` is unreadable.
 */
export const pageRepository = (files: Readonly<Record<string, string | Uint8Array>>): RepositoryHost => {
  const folders = new Map<string, Map<string, Entry>>([["", new Map()]]);
  const contents = new Map<string, Uint8Array>();
  const folderAt = (path: string): Map<string, Entry> => {
    const known = folders.get(path);
    if (known !== undefined) return known;
    const made = new Map<string, Entry>();
    folders.set(path, made);
    const { parent, name } = split(path);
    folderAt(parent).set(name, { name, kind: "folder", size: 0 });
    return made;
  };
  const locked = new Set<string>();
  for (const [given, content] of Object.entries(files)) {
    const link = given.endsWith(" →");
    const path = given.replace(/ [→✗]$/, "");
    if (given.endsWith(" ✗")) locked.add(path.replace(/\/$/, ""));
    if (path.endsWith("/")) {
      folderAt(path.slice(0, -1));
      continue;
    }
    const bytes = typeof content === "string" ? encodeUtf8(content) : content;
    const { parent, name } = split(path);
    folderAt(parent).set(name, { name, kind: link ? "other" : "file", size: bytes.length });
    if (!link) contents.set(path, bytes);
  }
  return {
    list: (folder) => {
      const entries = locked.has(folder) ? undefined : folders.get(folder);
      return entries && [...entries.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    read: (file, limit) => (locked.has(file) ? undefined : contents.get(file)?.subarray(0, limit)),
  };
};

const split = (path: string): { readonly parent: string; readonly name: string } => {
  const slash = path.lastIndexOf("/");
  return { parent: path.slice(0, Math.max(slash, 0)), name: path.slice(slash + 1) };
};
