import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { writeWhole } from "./write-whole.ts";

test.skipIf(process.platform === "win32")(
  "a link with the name of the temporary file is not followed",
  () => {
    const folder = mkdtempSync(join(tmpdir(), "write-whole-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const [report, other] = [join(folder, "report.json"), join(folder, "other")];
    writeFileSync(other, "of another program");
    symlinkSync(other, `${report}.${process.pid}.part`);
    writeWhole(report, "{}");
    expect(readFileSync(other, "utf8")).toBe("of another program");
    expect([readFileSync(report, "utf8"), lstatSync(report).isFile()]).toEqual(["{}", true]);
  },
);
