import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { pipeline } from "./run-pipeline.ts";

/** Creates a folder with these files for the test, and removes it when the test ends. A path that ends in "/" is an empty folder. */
export const folderWith = (files: Readonly<Record<string, string | Uint8Array>>): string => {
  const root = mkdtempSync(join(tmpdir(), "check-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    if (path.endsWith("/")) mkdirSync(join(root, path), { recursive: true });
    else {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
  }
  return root;
};

export interface Checked {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

/** Runs `pipeline` with these arguments in this process, in this working folder. */
export const runIn = async (cwd: string, ...args: readonly string[]): Promise<Checked> => {
  const { code, out, err } = await pipeline({ root: cwd }, args);
  return { code, out, err };
};

/** A python model that loads. */
export const pythonModel = (name: string, config = ""): Readonly<Record<string, string>> => ({
  [`${name}/config.pbtxt`]: `backend: "python"
input [ { name: "TEXT" data_type: TYPE_STRING dims: [ 1 ] } ]
output [ { name: "SCORE" data_type: TYPE_FP32 dims: [ 1 ] } ]
${config}`,
  [`${name}/1/model.py`]: `import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [
            pb_utils.InferenceResponse([pb_utils.Tensor("SCORE", np.zeros([1], np.float32))])
            for _ in requests
        ]
`,
});
