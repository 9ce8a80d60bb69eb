import { decodeUtf8 } from "@tritype/core";
import { readModelOutline, readOnnxModel } from "@tritype/onnx";
import { createRepositoryHost, leavesFolder, readRegularFile } from "@tritype/runtime/host";
import {
  locateFields,
  type ModelConfig,
  parseModelConfig,
  printModelConfig,
  servedVersions,
} from "@tritype/triton";
import type { ModelDetail, OnnxView, PlaceView, TextView } from "./api.ts";
import { configFields } from "./config-fields.ts";
import { commentAbove, docstringOf } from "./source-comment.ts";

/** The files of a repository, and of the project that it was built from. */
export interface ModelFiles {
  /** undefined if it is missing or broken. */
  config(model: string): ModelConfig | undefined;
  /** @param version Default: the latest that is served. */
  detail(model: string, config: ModelConfig, source: PlaceView | undefined, version?: number): ModelDetail;
  /**
   * The lines of a text in the model's folder, without empty lines at its end; undefined if it cannot be read or has
   * more than 4096 lines or 256 KiB.
   */
  lines(model: string, path: string): readonly string[] | undefined;
  /** How often the ONNX file that is shown contains each operator. */
  operators(model: string, config: ModelConfig): Readonly<Record<string, number>> | undefined;
  /** The comment above a place in the project or, without a place, the docstring of the model's Python. */
  description(model: string, config: ModelConfig, source: PlaceView | undefined): string | undefined;
  /** Bytes of a file in the model's folder; undefined if it is missing, too large, or a link that leads out of it. */
  bytes(model: string, path: string, limit: number): Uint8Array | undefined;
}

const longestText = 256 * 2 ** 10;
const mostLines = 4096;
const mostOperators = 2000;
/** Number of lines shown before and after the line. */
const around = [3, 60] as const;

/**
 * @param root Folder that the manifest's positions are relative to; if undefined, sources are not shown.
 * @param configName As in `RuntimeOptions`.
 */
export const openModelFiles = (
  repository: string,
  root: string | undefined,
  configName?: string,
): ModelFiles => {
  // A host caches its listings, so each query opens a new host.
  const open = (): RepositoryHost => createRepositoryHost(repository);
  const configText = (host: RepositoryHost, model: string): TextView | undefined =>
    (configName === undefined ? undefined : textOf(host, `${model}/configs/${configName}.pbtxt`)) ??
    textOf(host, `${model}/config.pbtxt`);
  return {
    config: (model) => {
      const found = configText(open(), model);
      if (found === undefined || found.cut) return undefined;
      const parsed = parseModelConfig(found.text);
      return "config" in parsed ? parsed.config : undefined;
    },
    lines: (model, path) => {
      const found = textOf(open(), `${model}/${path}`);
      if (found === undefined || found.cut) return undefined;
      const all = found.text.split(/\r?\n/);
      const lines = all.slice(0, all.findLastIndex((line) => line !== "") + 1);
      return lines.length > mostLines ? undefined : lines;
    },
    bytes: (model, path, limit) => {
      const host = open();
      const file = `${model}/${path}`;
      const read = leadsOut(host, file) ? undefined : host.read(file, limit + 1);
      return read === undefined || read.byteLength > limit ? undefined : read;
    },
    detail: (model, served, place, version) => {
      const host = open();
      const source = place === undefined || root === undefined ? undefined : sourceAt(root, place);
      const python = pythonOf(host, model, served, version);
      const onnx = onnxOf(host, model, served, version);
      const config = configText(host, model);
      return {
        ...(config === undefined ? {} : { lines: linesOf(config.text, Object.keys(configFields(served))) }),
        config: config ?? {
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
    operators: (model, served) => {
      const onnx = onnxOf(open(), model, served);
      return onnx && Object.fromEntries(onnx.counts);
    },
    description: (model, served, place) => {
      if (place !== undefined) {
        const lines = root === undefined ? undefined : linesAt(root, place);
        return lines && commentAbove(lines, place.line);
      }
      const python = served.backend === "python" ? pythonOf(open(), model, served) : undefined;
      return python && docstringOf(python.text);
    },
  };
};

const onnxOf = (
  host: RepositoryHost,
  model: string,
  served: ModelConfig,
  version = latestVersion(model, served, host),
): OnnxView | undefined =>
  version === undefined || !(served.backend ?? served.platform ?? "").startsWith("onnxruntime")
    ? undefined
    : onnxView(host, `${model}/${version}/${served.default_model_filename || "model.onnx"}`);

const pythonOf = (
  host: RepositoryHost,
  model: string,
  served: ModelConfig,
  version = latestVersion(model, served, host),
): TextView | undefined => (version === undefined ? undefined : textOf(host, `${model}/${version}/model.py`));

type RepositoryHost = ReturnType<typeof createRepositoryHost>;

const leadsOut = (host: RepositoryHost, file: string): boolean =>
  file.split("/").includes("..") || host.leaves?.(file) === true;

const textOf = (host: RepositoryHost, file: string): TextView | undefined => {
  const read = leadsOut(host, file) ? undefined : host.read(file, longestText + 1);
  if (read === undefined) return undefined;
  const cut = read.byteLength > longestText;
  return { path: file, firstLine: 1, text: decodeUtf8(read.subarray(0, longestText)), cut };
};

/** The lines of those fields that are in the text. */
const linesOf = (text: string, paths: readonly string[]): Readonly<Record<string, number>> => {
  const locate = locateFields(text);
  return Object.fromEntries(
    paths.flatMap((path) => {
      const line = locate(path.split("."))?.line;
      return line === undefined ? [] : [[path, line]];
    }),
  );
};

const latestVersion = (
  model: string,
  { version_policy }: ModelConfig,
  host: RepositoryHost,
): number | undefined => servedVersions(versionsOf(model, host), version_policy).at(-1);

const versionsOf = (model: string, host: RepositoryHost): readonly number[] =>
  (host.list(model) ?? [])
    .flatMap(({ name, kind }) => (kind === "folder" && /^[1-9]\d*$/.test(name) ? Number(name) : []))
    .toSorted((a, b) => a - b);

/** The lines of a source file. */
const linesAt = (root: string, { file }: PlaceView): readonly string[] | undefined => {
  if (file.startsWith("/") || file.split("/").includes("..") || leavesFolder(root)(file)) return undefined;
  const read = readRegularFile(`${root}/${file}`, longestText);
  return read && decodeUtf8(read).split(/\r?\n/);
};

const sourceAt = (root: string, { file, line }: PlaceView): TextView | undefined => {
  const lines = linesAt(root, { file, line });
  if (lines === undefined) return undefined;
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

/** The values of the tensors are not read: a file can have gigabytes of them. */
const onnxView = (host: RepositoryHost, path: string): OnnxView | undefined => {
  if (leadsOut(host, path)) return undefined;
  const slash = path.lastIndexOf("/");
  const entry = host.list(path.slice(0, slash))?.find(({ name }) => name === path.slice(slash + 1));
  if (entry?.kind !== "file") return undefined;
  const outline = readModelOutline(entry.size, (at, length) => host.readAt?.(path, at, length));
  const model = outline === undefined ? undefined : readOnnxModel(outline);
  if (model === undefined || "problem" in model) return undefined;
  const nodes = model.graph.node ?? [];
  const counts = new Map<string, number>();
  for (const { opType = "?" } of nodes) counts.set(opType, (counts.get(opType) ?? 0) + 1);
  const opset = (model.opsetImport ?? []).find(({ domain = "" }) => domain === "" || domain === "ai.onnx");
  return {
    path,
    opset: Number(opset?.version ?? 0),
    total: nodes.length,
    counts: [...counts].toSorted(([, a], [, b]) => b - a),
    operators: nodes.slice(0, mostOperators).map(({ opType = "?", input = [], output = [] }) => ({
      operator: opType,
      inputs: input,
      outputs: output,
    })),
  };
};
