import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeFiles } from "../../../packages/runtime/src/fixtures/temporary-repository.ts";
import { temporaryFolder } from "../judge.ts";
import { startBothServers } from "./both-servers.ts";
import { expectTable } from "./clients-page.ts";
import { controlRuns, exampleRuns } from "./example-runs.ts";
import { runPrograms } from "./run-programs.ts";
import { countedStandIns, standIns, textSequence } from "./stand-ins.ts";

/** If it is not set, `vitest.config.ts` excludes this file. */
const folder = process.env["TRITYPE_EXAMPLES"] ?? "";
const python = process.env["TRITYPE_EXAMPLES_PYTHON"] ?? "python3";

const comparable = (text: string): string =>
  text
    .replace(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, "UUID")
    .replace(/(["']?(?:ns|last_inference)["']?): "?[1-9]\d*"?/g, "$1: N")
    .replace(/0x[0-9a-f]{6,}/g, "ADDRESS");

/** Images with two colours each, in PPM, a format that every image reader supports. */
const pictures = (): Record<string, Uint8Array> => {
  const size = 48;
  const picture = (r: number, g: number, b: number): Uint8Array =>
    Buffer.concat([
      Buffer.from(`P6 ${size} ${size} 255\n`),
      Buffer.from(
        Array.from({ length: size * size }, (_, i) => (i % size < 20 ? [r, g, b] : [b, r, g])).flat(),
      ),
    ]);
  return {
    "pictures/a.ppm": picture(200, 40, 90),
    "pictures/b.ppm": picture(10, 240, 120),
    "pictures/c.ppm": picture(90, 90, 255),
  };
};

const words = (run: readonly string[]): readonly string[] => {
  const [program = "", ...argv] = run;
  return [python, join(folder, program), ...argv];
};

test("Triton's example programs get the same answers from both servers", async () => {
  const { path: cwd, remove } = await temporaryFolder();
  onTestFinished(remove);
  writeFiles(cwd, pictures());
  const servers = await startBothServers({ ...standIns(), ...textSequence });
  const rows = [...(await runPrograms(exampleRuns, servers, { words, cwd, comparable }))];
  expect(await servers.stopDev()).toBe(0);
  for (const [models, run] of controlRuns) {
    const controlled = await startBothServers(countedStandIns(models), "explicit");
    rows.push(...(await runPrograms([run], controlled, { words, cwd, comparable })));
  }
  const columns = ["program", "Triton", "`pipeline dev`", "results"];
  expectTable("Triton's example programs", columns, rows);
}, 1_800_000);
