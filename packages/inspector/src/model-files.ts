import { decodeUtf8 } from "@tritype/core";
import { readOnnxModel } from "@tritype/onnx";
import { createRepositoryHost, leavesFolder, readRegularFile } from "@tritype/runtime/host";
import { type ModelConfig, parseModelConfig, printModelConfig } from "@tritype/triton";
import type { ModelDetail, OnnxView, PlaceView, TextView } from "./api.ts";

/** The files of a repository, and of the project that it was built from. */
export interface ModelFiles {
  /** undefined: it is missing or broken. */
  config(model: string): ModelConfig | undefined;
  detail(model: string, config: ModelConfig, source: PlaceView | undefined): ModelDetail;
  /** Bytes of a file in the model's folder; undefined if it is missing, too large, or a link that leads out. */
  bytes(model: string, path: string, limit: number): Uint8Array | undefined;
}

const longestText = 256 * 2 ** 10;
const longestOnnx = 512 * 2 ** 20;
const mostOperators = 2000;
/** Lines before and after the line that is shown. */
const around = [3, 60] as const;

/** @param root Folder that the manifest's positions are relative to; undefined: sources are not shown. */
export const openModelFiles = (repository: string, root: string | undefined): ModelFiles => {
  const host = createRepositoryHost(repository);
  const bytes = (model: string, path: string, limit: number): Uint8Array | undefined => {
    const file = `${model}/${path}`;
    if (path.split("/").includes("..") || host.leaves?.(file) === true) return undefined;
    const read = host.read(file, limit + 1);
    return read === undefined || read.byteLength > limit ? undefined : read;
  };
  const text = (model: string, path: string): TextView | undefined => {
    const file = `${model}/${path}`;
    if (host.leaves?.(file) === true) return undefined;
    const read = host.read(file, longestText + 1);
    if (read === undefined) return undefined;
    const cut = read.byteLength > longestText;
    return { path: file, firstLine: 1, text: decodeUtf8(read.subarray(0, longestText)), cut };
  };
  const config = (model: string): ModelConfig | undefined => {
    const found = text(model, "config.pbtxt");
    if (found === undefined || found.cut) return undefined;
    const parsed = parseModelConfig(found.text);
    return "config" in parsed ? parsed.config : undefined;
  };
  return {
    config,
    bytes,
    detail: (model, served, place) => {
      const source = place === undefined || root === undefined ? undefined : sourceAt(root, place);
      const version = latestVersion(model, host);
      const python = version === undefined ? undefined : text(model, `${version}/model.py`);
      const onnxPath = `${version}/${served.default_model_filename || "model.onnx"}`;
      const onnx =
        version === undefined || !(served.backend ?? served.platform ?? "").startsWith("onnxruntime")
          ? undefined
          : onnxView(`${model}/${onnxPath}`, bytes(model, onnxPath, longestOnnx));
      return {
        config: text(model, "config.pbtxt") ?? {
          path: "the server's configuration",
          firstLine: 1,
          text: printModelConfig(served),
          cut: false,
        },
        ...(source === undefined ? {} : { source }),
        ...(python === undefined ? {} : { python }),
        ...(onnx === undefined ? {} : { onnx }),
      };
    },
  };
};

type Host = ReturnType<typeof createRepositoryHost>;

const latestVersion = (model: string, host: Host): number | undefined => {
  const versions = (host.list(model) ?? []).flatMap(({ name, kind }) =>
    kind === "folder" && /^[1-9]\d*$/.test(name) ? Number(name) : [],
  );
  return versions.length === 0 ? undefined : Math.max(...versions);
};

const sourceAt = (root: string, { file, line }: PlaceView): TextView | undefined => {
  if (file.startsWith("/") || file.split("/").includes("..") || leavesFolder(root)(file)) return undefined;
  const read = readRegularFile(`${root}/${file}`, longestText);
  if (read === undefined) return undefined;
  const lines = decodeUtf8(read).split("\n");
  const from = Math.max(0, line - 1 - around[0]);
  const shown = lines.slice(from, line + around[1]);
  return {
    path: file,
    firstLine: from + 1,
    marked: line,
    text: shown.join("\n"),
    cut: from + shown.length < lines.length,
  };
};

const onnxView = (path: string, bytes: Uint8Array | undefined): OnnxView | undefined => {
  if (bytes === undefined) return undefined;
  const model = readOnnxModel(bytes);
  if ("problem" in model) return undefined;
  const nodes = model.graph.node ?? [];
  const counts = new Map<string, number>();
  for (const { opType = "?" } of nodes) counts.set(opType, (counts.get(opType) ?? 0) + 1);
  const opset = (model.opsetImport ?? []).find(({ domain = "" }) => domain === "" || domain === "ai.onnx");
  return {
    path,
    opset: Number(opset?.version ?? 0),
    total: nodes.length,
    counts: [...counts].toSorted(([, a], [, b]) => b - a),
    operators: nodes.slice(0, mostOperators).map(({ opType = "?", name = "", input = [], output = [] }) => ({
      operator: opType,
      name,
      inputs: input,
      outputs: output,
    })),
  };
};
