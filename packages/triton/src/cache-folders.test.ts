import { expect, test } from "vitest";
import { cacheFoldersOf } from "./cache-folders.ts";

const config = (parameters: Readonly<Record<string, string>>) => ({
  optimization: { execution_accelerators: { gpu_execution_accelerator: [{ name: "tensorrt", parameters }] } },
});

test("the folders of engines and of timings are listed once", () => {
  const configs = [
    {},
    config({ trt_engine_cache_path: "/var/cache/tensorrt/", trt_timing_cache_path: "/var/cache/timing" }),
    config({ trt_engine_cache_path: "/var/cache/tensorrt" }),
  ];
  expect(cacheFoldersOf(configs)).toEqual(["/var/cache/tensorrt", "/var/cache/timing"]);
});

test("folders below /tmp, relative ones and other parameters are left out", () => {
  const paths = ["/tmp", "/tmp/engines", "engines", "", "/", "/var/a b"];
  expect(cacheFoldersOf(paths.map((path) => config({ trt_engine_cache_path: path })))).toEqual([]);
  expect(cacheFoldersOf([config({ trt_engine_cache_prefix: "/var/cache" })])).toEqual([]);
  expect(cacheFoldersOf([config({ trt_engine_cache_path: "/tmpfs/engines" })])).toEqual(["/tmpfs/engines"]);
});
