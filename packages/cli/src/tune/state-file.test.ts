import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import type { Terminal } from "../terminal.ts";
import { openState } from "./state-file.ts";

let version = "1.0.0";
vi.mock("../own-version.ts", () => ({ ownVersion: () => version }));

const opened = () => {
  const cache = mkdtempSync(join(tmpdir(), "tune-state-"));
  onTestFinished(() => rmSync(cache, { recursive: true }));
  const folder = join(cache, "tune");
  const open = () =>
    openState({ env: { TRITYPE_CACHE: cache } } as Pick<Terminal, "env"> as Terminal, {
      plan: { runs: 24 } as never,
      profile: { base: undefined, ensemble: "embed", name: "tuned" },
      knobs: [],
      files: { "model_repository/m/1/model.onnx": "abc" },
      served: [],
      fresh: false,
    });
  return { folder, open };
};

const trial = { point: "{}", against: "{}", settings: {}, why: "", verdict: "start", steps: [] } as const;

test("measurements of another version of Tritype are not used", () => {
  const { folder, open } = opened();
  const { known, keep } = open();
  keep({ ...known, trials: [trial] });
  expect(open().known.trials).toEqual([trial]);
  version = "1.0.1";
  expect(open().known.trials).toEqual([]);
  open().keep(open().known);
  expect(readdirSync(folder)).toHaveLength(2);
  version = "1.0.0";
  expect(open().known.trials).toEqual([trial]);
});

test.each(["", "{", "[]", '{"formatVersion":3}'])("a damaged or newer file (%j) counts as none", (text) => {
  const { folder, open } = opened();
  const { known, keep } = open();
  keep({ ...known, trials: [trial] });
  const [file = ""] = readdirSync(folder);
  writeFileSync(join(folder, file), text);
  expect(open().known.trials).toEqual([]);
});
