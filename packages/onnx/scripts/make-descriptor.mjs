// Generates src/generated/onnx-descriptor.ts from the onnx.proto of the PyPI package `onnx`. Usage: node
// packages/onnx/scripts/make-descriptor.mjs
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import protobuf from "protobufjs";

const version = "1.23.2";
const python = process.env.PYTHON ?? "python3";
const folder = mkdtempSync(join(tmpdir(), "onnx-descriptor-"));
try {
  const pip = ["-m", "pip", "download", "-q", "--no-deps", "--only-binary", ":all:", "-d", folder];
  execFileSync(python, [...pip, `onnx==${version}`], { stdio: "inherit" });
  const wheel = readdirSync(folder).find((name) => name.endsWith(".whl"));
  execFileSync(python, ["-m", "zipfile", "-e", join(folder, wheel), folder]);
  const source = readFileSync(join(folder, "onnx", "onnx.proto"), "utf8");
  const { root } = protobuf.parse(source, { keepCase: false, alternateCommentMode: true });
  const withoutProtoNames = (key, value) => (key === "protoName" ? undefined : value);
  const descriptor = JSON.stringify(root.toJSON({ keepComments: false }), withoutProtoNames);
  const text = `// Made by scripts/make-descriptor.mjs from onnx/onnx.proto of PyPI onnx ${version} (Apache-2.0, see NOTICE.md). Do not edit.
import type { INamespace } from "protobufjs/light.js";

/** The messages of ONNX as a protobufjs JSON descriptor, field names in camelCase. */
export const onnxDescriptor: INamespace = ${descriptor};
`;
  writeFileSync(new URL("../src/generated/onnx-descriptor.ts", import.meta.url), text);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
