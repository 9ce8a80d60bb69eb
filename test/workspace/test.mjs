import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { bootstrap } from "./bootstrap.mjs";
import { root, runTool } from "./workspace.mjs";

await bootstrap();
await installTriton();
const { passed, failed, skipped } = await runTests(process.argv.slice(2));
if (skipped > 0) console.log(`${skipped} skipped`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

/** Before the tests, so that their time limits are not spent on downloads. Tests that need it fail where it cannot run. */
async function installTriton() {
  const { installTriton } = await import("../../packages/tritonserver/dist/index.js");
  const notice = (line) => console.log(line);
  await installTriton({ cache: join(root, ".cache"), notice }).catch((error) => {
    console.error(`${error.message}\n${error.help ?? ""}`);
  });
}

async function runTests(filters) {
  const folder = mkdtempSync(join(tmpdir(), "tritype-test-"));
  const report = join(folder, "report.json");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
  const code = await runTool("vitest/vitest.mjs", [
    "run",
    "--config",
    "test/vitest.config.ts",
    ...reporters,
    ...filters,
  ]);
  try {
    return countTests(JSON.parse(readFileSync(report, "utf8")), code);
  } catch (error) {
    console.error(`vitest left no report: ${error.message}`);
    return { passed: 0, failed: 1, skipped: 0 };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A file that fails outside its tests, and a run that fails outside its files, count as one failure. */
function countTests({ testResults }, code) {
  const tests = testResults.flatMap((file) => file.assertionResults.map((test) => test.status));
  const count = (status) => tests.filter((one) => one === status).length;
  const brokenFiles = testResults.filter(
    (file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"),
  ).length;
  const passed = count("passed");
  const failed = count("failed") + brokenFiles;
  const outside = failed === 0 && (code !== 0 || tests.length === 0) ? 1 : 0;
  return { passed, failed: failed + outside, skipped: tests.length - passed - count("failed") };
}
