import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { bootstrap } from "./bootstrap.mjs";
import { installTriton } from "./install-triton.mjs";
import { installSystemPackages } from "./system-packages.mjs";
import { root, runTool } from "./workspace.mjs";

const filters = process.argv.slice(2);
if (filters.length === 0) await installSystemPackages();
await bootstrap();
if (filters.length === 0) await installTriton();
const { passed, failed, skipped, failures } = await runTests(filters);
for (const failure of failures) console.log(`failed: ${failure}`);
if (skipped > 0) console.log(`${skipped} skipped`);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;

async function runTests(filters) {
  const folder = mkdtempSync(join(tmpdir(), "tritype-test-"));
  const report = join(folder, "report.json");
  const retried = join(root, "test/workspace/retried-tests.mjs");
  const reporters = [
    "--reporter=default",
    `--reporter=${retried}`,
    "--reporter=json",
    `--outputFile.json=${report}`,
  ];
  const code = await runTool("vitest/vitest.mjs", ["run", ...reporters, ...filters]);
  try {
    return countTests(JSON.parse(readFileSync(report, "utf8")), code);
  } catch (error) {
    console.error(`vitest left no report: ${error.message}`);
    return { passed: 0, failed: 1, skipped: 0, failures: ["the run left no report"] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A file that fails outside its tests, and a run that fails outside its files, each count as one failure. */
function countTests({ testResults }, code) {
  const tests = testResults.flatMap((file) => file.assertionResults.map((test) => test.status));
  const count = (status) => tests.filter((one) => one === status).length;
  const failures = testResults.flatMap(failuresOf);
  if (failures.length === 0 && (code !== 0 || tests.length === 0))
    failures.push("the run, outside its tests");
  const passed = count("passed");
  return { passed, failed: failures.length, skipped: tests.length - passed - count("failed"), failures };
}

/**
 * The names of a file's failed tests, each with the first line of its error; the file's own error if no test has one.
 */
function failuresOf({ name, status, message, assertionResults }) {
  const path = relative(root, name);
  const failed = assertionResults.filter((test) => test.status === "failed");
  if (failed.length > 0)
    return failed.map((test) => `${path} > ${test.fullName}: ${firstLine(test.failureMessages[0])}`);
  return status === "failed" ? [`${path}: ${firstLine(message)}`] : [];
}

function firstLine(text = "") {
  return text.split("\n")[0].slice(0, 200);
}
