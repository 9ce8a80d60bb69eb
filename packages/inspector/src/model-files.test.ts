import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildModel } from "@tritype/onnx";
import { afterAll, expect, test } from "vitest";
import { openModelFiles } from "./model-files.ts";

const root = mkdtempSync(join(tmpdir(), "inspected-"));
afterAll(() => rmSync(root, { recursive: true }));

const addVersion = (version: number): void => {
  const type = { dtype: "FP32" as const, dims: [1] };
  const model = buildModel(
    { name: "m", inputs: [{ name: "X", type }], outputs: [{ name: "Y", type }] },
    (b) => ({ Y: b.node("Identity", ["X"])[0] }),
  );
  mkdirSync(join(root, `m/${version}`), { recursive: true });
  writeFileSync(join(root, `m/${version}/model.onnx`), model);
};

test("the panel shows the highest version that is served, even if it was added later", () => {
  const files = openModelFiles(root, undefined);
  const shown = (config: object) => files.detail("m", { backend: "onnxruntime", ...config }, undefined).onnx;
  for (const version of [2, 9]) addVersion(version);
  expect(shown({})).toMatchObject({ path: "m/9/model.onnx", total: 1, counts: [["Identity", 1]] });
  addVersion(10);
  expect(shown({})?.path).toBe("m/10/model.onnx");
  expect(shown({ version_policy: { specific: { versions: [2n, 9n] } } })?.path).toBe("m/9/model.onnx");
  expect(files.detail("m", { backend: "onnxruntime" }, undefined, 2).onnx?.path).toBe("m/2/model.onnx");
  expect(shown({ default_model_filename: "../9/model.onnx" })).toBeUndefined();
  expect(shown({ default_model_filename: "gone.onnx" })).toBeUndefined();
});

test("the lines of a label file, but none of a file outside of the model's folder", () => {
  mkdirSync(join(root, "l"));
  writeFileSync(join(root, "l/names.txt"), "cat\ndog\n");
  writeFileSync(join(root, "secret.txt"), "secret");
  const files = openModelFiles(root, undefined);
  expect(files.lines("l", "names.txt")).toEqual(["cat", "dog"]);
  writeFileSync(join(root, "l/windows.txt"), "cat\r\n\r\ndog\r\n\r\n\r\n");
  expect(files.lines("l", "windows.txt")).toEqual(["cat", "", "dog"]);
  writeFileSync(join(root, "l/long.txt"), "a\n".repeat(4096));
  expect(files.lines("l", "long.txt")).toHaveLength(4096);
  writeFileSync(join(root, "l/too-long.txt"), "a\n".repeat(4097));
  expect(files.lines("l", "too-long.txt")).toBeUndefined();
  expect(files.lines("l", "../secret.txt")).toBeUndefined();
  expect(files.lines("l", "gone.txt")).toBeUndefined();
});

test("the configuration is the file that is served, with the lines of its fields", () => {
  mkdirSync(join(root, "c/configs"), { recursive: true });
  writeFileSync(join(root, "c/config.pbtxt"), "max_batch_size: 8\n");
  writeFileSync(join(root, "c/configs/gpu.pbtxt"), 'backend: "python"\nmax_batch_size: 4\n');
  const shown = (configName?: string) => {
    const files = openModelFiles(root, undefined, configName);
    const { config, lines } = files.detail("c", files.config("c") ?? {}, undefined);
    return [config?.path, lines];
  };
  expect(shown()).toEqual(["c/config.pbtxt", { max_batch_size: 1 }]);
  expect(shown("gpu")).toEqual(["c/configs/gpu.pbtxt", { backend: 1, max_batch_size: 2 }]);
  expect(shown("cpu")).toEqual(["c/config.pbtxt", { max_batch_size: 1 }]);
});
