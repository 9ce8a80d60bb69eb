import { expect, test } from "vitest";
import { tritonMissing } from "./install-triton.ts";

test("the error for a missing Triton names the three ways to get one", () => {
  const error = tritonMissing("/usr/bin/python3.11 (Python 3.11) lacks x", "apt-get install libpython3.11");
  expect(error.code).toBe("tool/missing");
  expect(error.message).toBe("No Triton server can run here: /usr/bin/python3.11 (Python 3.11) lacks x");
  expect(error.help).toBe(
    [
      "There are three ways to get a Triton:",
      "  PyPI's wheel (Linux x86-64): apt-get install libpython3.11",
      "  Docker: start it; nvcr.io/nvidia/tritonserver:24.10-py3 is then used",
      "  a running server: --triton-url http://host:8000",
    ].join("\n"),
  );
});
