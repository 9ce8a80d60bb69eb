import { expect, test } from "vitest";
import { splitParameters } from "./request-parameters.ts";

test("negative timeouts wrap, and only the fields that Triton reads are removed", () => {
  const parameters = { timeout: -5, priority: 1, binary_data_output: true, note: "x" };
  expect(splitParameters({ parameters })).toEqual({
    correlation: 0n,
    flags: 0,
    timeout: 18446744073709551611n,
    json: '{"binary_data_output":true,"note":"x"}',
  });
});
