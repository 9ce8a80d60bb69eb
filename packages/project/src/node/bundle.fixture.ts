import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { createBuildInputs } from "../build-inputs.ts";
import { bundleFunction } from "./bundle-function.ts";
import type { BundledFunction } from "@tritype/compiler";

/** The files of a project, by path from its root. */
export type Files = Readonly<Record<string, string>>;

/** A project in a temporary folder, with packages of this workspace in its node_modules. */
export const projectOf = (files: Files, packages: readonly string[] = []): string => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "tritype-bundle-")));
  onTestFinished(() => rmSync(root, { recursive: true }));
  writeFiles(root, { "package.json": '{ "type": "module" }\n', ...files });
  mkdirSync(join(root, "node_modules"), { recursive: true });
  const here = createRequire(import.meta.url);
  for (const name of packages) {
    const folder = join(root, "node_modules", name);
    symlinkSync(dirname(here.resolve(`${name}/package.json`)), folder);
  }
  return root;
};

export const writeFiles = (root: string, files: Files): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
};

/** Bundles the step whose call is on the line with the comment `// here`, in any of the files. */
export const bundleStep = (
  root: string,
  files: Files,
  options: { readonly step?: string; readonly inputs?: ReturnType<typeof createBuildInputs> } = {},
): Promise<BundledFunction> => {
  const [file, text] = Object.entries(files).find(([, text]) => text.includes("// here")) ?? [
    "pipeline.ts",
    "",
  ];
  const line = text.split("\n").findIndex((line) => line.includes("// here")) + 1;
  const { step = "clean", inputs = createBuildInputs() } = options;
  return bundleFunction({ root, step, file, line, nodeMajor: 20, inputs });
};

/** A program's output and result from a separate process that can only read its own folder. */
export interface Answer {
  readonly answer?: unknown;
  /** The stack of the error that `run` or the import threw. */
  readonly stack?: string;
  readonly printed: string;
}

/** Imports a bundle into Node as a server would, and calls it. */
export const runBundle = ({ files }: BundledFunction, row: unknown, others: Files = {}): Answer => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "tritype-version-")));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFiles(folder, { ...Object.fromEntries(files), ...others, "host.mjs": host });
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const permission =
    major > 22 || (major === 22 && minor >= 13) ? "--permission" : "--experimental-permission";
  const text = execFileSync(
    process.execPath,
    [permission, `--allow-fs-read=${folder}/*`, "--enable-source-maps", "host.mjs", JSON.stringify(row)],
    { cwd: folder, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
  );
  const end = text.trimEnd().lastIndexOf("\n") + 1;
  const { stack, ...answer } = JSON.parse(text.slice(end)) as Answer;
  const shown = stack?.replaceAll(`file://${folder}/`, "").replaceAll(`${folder}/`, "");
  return { ...answer, ...(shown === undefined ? {} : { stack: shown }), printed: text.slice(0, end) };
};

const host = `
try {
  const { run } = await import("./run.mjs");
  const answer = await run(JSON.parse(process.argv[2]));
  console.log(JSON.stringify({ answer }));
} catch (error) {
  console.log(JSON.stringify({ stack: String(error?.stack ?? error) }));
}
`;
