import { expect, test } from "vitest";
import { furtherRequirements } from "./with-requirements.ts";

test("packages that are already installed do not need an extra environment", () => {
  const text = "# What the models' Python imports.\nnumpy==1.26.4\ntokenizers==0.23.2\r\nnumpy\n\n";
  expect(furtherRequirements(text)).toEqual([]);
});

test("only other versions and other packages are returned, in canonical order", () => {
  const text = "regex==2024.11.6  # fast\npillow\nnumpy==1.26.3\n";
  expect(furtherRequirements(text)).toEqual(["numpy==1.26.3", "pillow", "regex==2024.11.6"]);
});

test("hashes belong to the wheels of another Python and are ignored", () => {
  const text =
    "numpy==1.26.4 \\\n    --hash=sha256:00 \\\n    --hash=sha256:11\nregex==1.0 --hash=sha256:22\n";
  expect(furtherRequirements(text)).toEqual(["regex==1.0"]);
});
