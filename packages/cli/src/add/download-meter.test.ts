import { expect, test } from "vitest";
import { createDownloadMeter, progressLine } from "./download-meter.ts";

const GB = 1_000_000_000;

test.each([
  [100, "model.onnx [#########---------------] 40 % of 2.24 GB, 12.5 MB/s, 107 s left"],
  [72, "model.onnx [#######-----------] 40 % of 2.24 GB, 12.5 MB/s, 107 s left"],
  [50, "model.onnx: 40 % of 2.24 GB, 12.5 MB/s, 107 s lef"],
])("in %i columns", (columns, line) => {
  const shown = progressLine({
    label: "model.onnx",
    done: 0.9 * GB,
    total: 2.24 * GB,
    rate: 12_500_000,
    columns,
  });
  expect(shown).toBe(line);
  expect(shown.length).toBeLessThan(columns);
});

/** Downloads 2 GB in 50 steps of one second each. */
const download = async (columns: number | undefined, from = 0): Promise<readonly string[]> => {
  const shown: string[] = [];
  let ms = 0;
  const meter = createDownloadMeter(
    {
      columns,
      note: (text) => void shown.push(text),
      progress: (text) => void shown.push(`status ${text}`),
    },
    () => ms,
  );
  await meter.during("model.onnx", 2 * GB, async (progress) => {
    for (let done = from; done <= 2 * GB; done += 0.04 * GB) {
      progress(done);
      ms += 1000;
    }
  });
  return shown;
};

test("a pipe gets a line at regular intervals", async () => {
  expect(await download(undefined, 0.4 * GB)).toEqual([
    "downloading model.onnx (2 GB, 400 MB already here)",
    "model.onnx: 60 % of 2 GB, 40 MB/s",
    "status ",
    "model.onnx (2 GB) in 41 s",
    "status ",
  ]);
});

test("a terminal gets a progress bar", async () => {
  const shown = await download(80);
  expect(shown.length).toBe(53);
  expect(shown[1]).toBe("status model.onnx [------------------------] 4 % of 2 GB, 40 MB/s, 48 s left");
  expect(shown.at(-4)).toBe(
    "status model.onnx [########################] 100 % of 2 GB, 40 MB/s, 0.0 s left",
  );
});

test("a file from the cache is shown as cached", async () => {
  const shown: string[] = [];
  const meter = createDownloadMeter({
    columns: undefined,
    note: (text) => void shown.push(text),
    progress: () => undefined,
  });
  expect(await meter.during("model.onnx", 2 * GB, async () => "path")).toBe("path");
  expect(shown).toEqual(["model.onnx (2 GB) was in the cache"]);
});
