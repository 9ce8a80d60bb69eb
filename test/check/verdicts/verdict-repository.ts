import type { Entry, RepositoryHost } from "@tritype/check";
import type { Verdict } from "./verdict.ts";
import { verdictModel } from "./verdict-graph.ts";

/** The repository of the verdict, in memory: one model in the folder `m`. */
export const verdictRepository = ({ onnx, config, files }: Verdict): RepositoryHost => {
  const entries: Record<string, string> = { ...(files ?? { "1/model.onnx": "onnx" }) };
  if (config !== null) entries["config.pbtxt"] = `text:${config}`;
  const contents = new Map<string, Uint8Array | "folder">([["m", "folder"]]);
  for (const [path, content] of Object.entries(entries)) {
    const parts = `m/${path}`.split("/");
    for (let end = 1; end < parts.length; end++) contents.set(parts.slice(0, end).join("/"), "folder");
    contents.set(parts.join("/"), bytesOf(content, onnx));
  }
  return {
    list: (folder) =>
      folder === "" || contents.get(folder) === "folder" ? entriesOf(contents, folder) : undefined,
    read: (file, limit) => {
      const found = contents.get(file);
      return found === undefined || found === "folder" ? undefined : found.subarray(0, limit);
    },
  };
};

const entriesOf = (
  contents: ReadonlyMap<string, Uint8Array | "folder">,
  folder: string,
): readonly Entry[] => {
  const prefix = folder === "" ? "" : `${folder}/`;
  const found: Entry[] = [];
  for (const [path, content] of contents) {
    const name = path.slice(prefix.length);
    if (!path.startsWith(prefix) || name === "" || name.includes("/")) continue;
    found.push(
      content === "folder" ? { name, kind: "folder", size: 0 } : { name, kind: "file", size: content.length },
    );
  }
  return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

const bytesOf = (content: string, onnx: Verdict["onnx"]): Uint8Array | "folder" => {
  if (content === "dir") return "folder";
  if (content === "empty") return new Uint8Array();
  if (content.startsWith("text:")) return Buffer.from(content.slice("text:".length));
  if (content.startsWith("base64:")) return Buffer.from(content.slice("base64:".length), "base64");
  const whole = verdictModel(onnx);
  return content === "onnx-half" ? whole.subarray(0, whole.length >> 1) : whole;
};
