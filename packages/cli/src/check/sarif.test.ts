import { expect, test } from "vitest";
import { printSarif } from "./sarif.ts";

test.each([
  ["models/m/config.pbtxt", "models/m/config.pbtxt"],
  ["/srv/my models/config.pbtxt", "file:///srv/my%20models/config.pbtxt"],
  ["C:/my models/config.pbtxt", "file:///C%3A/my%20models/config.pbtxt"],
])("the URI of %s", (file, uri) => {
  const label = { span: { file, line: 1, column: 1 }, text: "" };
  const finding = {
    code: "backend/none",
    severity: "error" as const,
    message: "",
    labels: [label],
    notes: [],
    help: undefined,
  };
  const findings = { target: "24.10", diagnostics: [finding] } as unknown as Parameters<typeof printSarif>[0];
  const { runs } = JSON.parse(
    printSarif(
      findings,
      "1.0.0",
      () => undefined,
      (path) => path,
    ),
  );
  expect(runs[0].results[0].locations[0].physicalLocation.artifactLocation).toEqual({ uri });
});
