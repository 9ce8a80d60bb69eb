import { encodeUtf8 } from "@tritype/core";
import type { Entry, RepositoryHost } from "../repository-host.ts";

/** A repository in memory. Files are given by path, from which folders are derived. */
export const memoryHost = (files: Readonly<Record<string, string | Uint8Array>>): RepositoryHost => {
  const bytes = new Map<string, Uint8Array>();
  const folders = new Map<string, Map<string, Entry>>();
  for (const [path, content] of Object.entries(files)) {
    const data = typeof content === "string" ? encodeUtf8(content) : content;
    bytes.set(path, data);
    let entry: Entry = { name: "", kind: "file", size: data.length };
    for (let rest = path; rest !== ""; entry = { name: "", kind: "folder", size: 0 }) {
      const slash = rest.lastIndexOf("/");
      const folder = rest.slice(0, Math.max(0, slash));
      const name = rest.slice(slash + 1);
      const entries = folders.get(folder) ?? new Map<string, Entry>();
      entries.set(name, { ...entry, name });
      folders.set(folder, entries);
      rest = folder;
    }
  }
  return {
    list: (folder) => {
      const entries = folders.get(folder);
      return entries && [...entries.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    read: (path, limit) => bytes.get(path)?.slice(0, limit),
  };
};
