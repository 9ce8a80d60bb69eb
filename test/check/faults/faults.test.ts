import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { checkRepository } from "@tritype/check";
import { defaultRelease } from "@tritype/triton";
import { expect, test } from "vitest";
import { type CaseFiles, caseHost } from "../judge/case-files.ts";
import { type Fault, faults } from "./faults.ts";

const here = fileURLToPath(new URL(".", import.meta.url));

const readFolder = (folder: string): CaseFiles =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = `${entry.parentPath}/${entry.name}`;
        return [path.slice(folder.length + 1), readFileSync(path, "utf8")];
      }),
  );

const codesOf = ({ folder, binaries }: Fault, variant: "fault" | "mended"): readonly string[] => {
  const files = { ...readFolder(`${here}${folder}/${variant}`), ...binaries?.(variant) };
  return checkRepository(caseHost(files), { release: defaultRelease }).diagnostics.map(({ code }) => code);
};

test.each(faults)("$folder: exactly its fault is reported", (fault) =>
  expect(codesOf(fault, "fault")).toEqual(fault.codes),
);

test.each(faults)("$folder: the fixed version has no findings", (fault) =>
  expect(codesOf(fault, "mended")).toEqual([]),
);

test("every folder is in the table", () =>
  expect(
    readdirSync(here, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual(faults.map(({ folder }) => folder)));
