import { join } from "node:path";
import { expect, onTestFinished, test, vi } from "vitest";
import { folderWith, pythonModel, runIn } from "./check-fixture.ts";

const folder = (): string =>
  folderWith({
    ...pythonModel("50%, a:b", "max_batch_sise: 4\n"),
    ...pythonModel("slow", 'model_warmup { name: "w" batch_size: 0 }\nmax_batch_size: 4\n'),
  });

test("--json", async () => {
  const { code, out, err } = await runIn(folder(), "check", ".", "--json");
  expect(code).toBe(1);
  expect(err).toMatch(/^checked 2 models/);
  const { diagnostics, ...counts } = JSON.parse(out) as { readonly diagnostics: readonly object[] };
  expect(counts).toMatchObject({ target: "24.10", models: 2, errors: 1 });
  expect(diagnostics[0]).toEqual({
    code: "config/unknown-field",
    severity: "error",
    message: "ModelConfig has no field `max_batch_sise`",
    labels: [{ file: "50%, a:b/config.pbtxt", line: 4, column: 1, endColumn: 15, text: "unknown" }],
    notes: [],
    help: "did you mean `max_batch_size`?",
  });
});

test("--json lists no findings for a clean repository", async () => {
  const { code, out } = await runIn(folderWith(pythonModel("a")), "check", ".", "--json");
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ target: "24.10", models: 1, errors: 0, warnings: 0, diagnostics: [] });
});

test("--json of a command that could not run also prints the error on stdout", async () => {
  const { code, out, err } = await runIn(folder(), "check", "nowhere", "--json");
  expect(code).toBe(2);
  const { error } = JSON.parse(out) as { readonly error: Readonly<Record<string, string | null>> };
  expect(err).toContain(error["message"]);
  expect(Object.keys(error)).toEqual(["code", "reason", "message", "help"]);
  const misspelt = await runIn(folder(), "check", ".", "--json", "--strct");
  expect(JSON.parse(misspelt.out)).toMatchObject({ error: { code: "usage/invalid" } });
  expect((await runIn(folder(), "check", "nowhere")).out).toBe("");
});

test("a line break in a model's name does not break the message into lines", async () => {
  const root = folderWith(pythonModel("new\nline\u001b[31m", 'name: "other\\nname"\n'));
  const { out } = await runIn(root, "check", ".", "--json");
  const { diagnostics } = JSON.parse(out) as {
    readonly diagnostics: readonly { readonly message: string }[];
  };
  expect(diagnostics.map(({ message }) => message).join(" ")).toContain("other\\nname");
  // oxlint-disable-next-line no-control-regex
  expect(diagnostics.filter(({ message }) => /[\u0000-\u001F]/.test(message))).toEqual([]);
  expect((await runIn(root, "check", ".")).out).toContain("new\\nline\\u001b[31m");
});

test("--github", async () => {
  const { code, out } = await runIn(folder(), "check", ".", "--github");
  expect(code).toBe(1);
  const lines = out.trimEnd().split("\n");
  expect(lines[0]).toBe(
    "::error file=50%25%2C a%3Ab/config.pbtxt,line=4,col=1,title=config/unknown-field::ModelConfig has no field `max_batch_sise`%0Ahelp: did you mean `max_batch_size`?",
  );
  expect(lines.length).toBeGreaterThan(1);
  expect(lines.filter((line) => !/^::(error|warning) file=[^:]+::/.test(line))).toEqual([]);
  expect((await runIn(folderWith(pythonModel("a")), "check", ".", "--github")).out).toBe("");
});

interface SarifRun {
  readonly tool: { readonly driver: { readonly name: string; readonly rules: readonly SarifRule[] } };
  readonly results: readonly SarifResult[];
}
interface SarifRule {
  readonly id: string;
  readonly shortDescription: { readonly text: string };
  readonly help: { readonly text: string; readonly markdown: string };
}
interface SarifResult {
  readonly ruleId: string;
  readonly ruleIndex: number;
  readonly level: string;
  readonly message: { readonly text: string };
  readonly locations: readonly {
    readonly physicalLocation: {
      readonly artifactLocation: { readonly uri: string };
      readonly region: {
        readonly startLine: number;
        readonly startColumn: number;
        readonly endLine: number;
        readonly endColumn: number;
      };
    };
  }[];
}

test("--sarif has everything that SARIF 2.1.0 requires", async () => {
  const { code, out } = await runIn(folder(), "check", ".", "--sarif");
  expect(code).toBe(1);
  const log = JSON.parse(out) as { readonly version: string; readonly runs: readonly [SarifRun] };
  expect(log.version).toBe("2.1.0");
  const [{ tool, results }] = log.runs;
  expect(tool.driver.name).toBe("tritype");
  expect(new Set(tool.driver.rules.map(({ id }) => id)).size).toBe(tool.driver.rules.length);
  expect(results.length).toBeGreaterThan(1);
  for (const { id, help } of tool.driver.rules) {
    expect(help.text).not.toBe("");
    expect(help.markdown.startsWith(`# ${id}\n`)).toBe(true);
  }
  for (const { ruleId, ruleIndex, level, message, locations } of results) {
    expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
    expect(tool.driver.rules[ruleIndex]?.shortDescription.text).not.toBe("");
    expect(["error", "warning"]).toContain(level);
    expect(message.text).not.toBe("");
    expect(locations.length).toBe(1);
    for (const { physicalLocation } of locations) {
      expect(physicalLocation.artifactLocation.uri).toMatch(/^[A-Za-z0-9/._~%-]+$/);
      const { startLine, startColumn, endLine, endColumn } = physicalLocation.region;
      expect(endLine).toBe(startLine);
      expect(endColumn).toBeGreaterThan(startColumn);
      expect(Number.isInteger(startLine) && startLine >= 1).toBe(true);
      expect(Number.isInteger(startColumn) && startColumn >= 1).toBe(true);
    }
  }
  expect(decodeURIComponent(results[0]?.locations[0]?.physicalLocation.artifactLocation.uri ?? "")).toBe(
    "50%, a:b/config.pbtxt",
  );
});

test("--sarif prints a run without results for a clean repository", async () => {
  const { out } = await runIn(folderWith(pythonModel("a")), "check", ".", "--sarif");
  const { runs } = JSON.parse(out) as { readonly runs: readonly SarifRun[] };
  expect(runs.map(({ results }) => results)).toEqual([[]]);
});

test("reports contain paths relative to the root of the checkout, regardless of the current folder", async () => {
  const root = folderWith({
    ...pythonModel("b/m", "max_batch_sise: 4\n"),
    "a/x": "",
    ".git/HEAD": "",
  });
  const cwd = join(root, "a");
  expect((await runIn(cwd, "check", "../b", "--github")).out).toContain("file=b/m/config.pbtxt,line=4");
  expect((await runIn(cwd, "check", "../b", "--sarif")).out).toContain('"uri": "b/m/config.pbtxt"');
  expect((await runIn(cwd, "check", "../b")).out).toContain("┌─ ../b/m/config.pbtxt:4:1");
  expect((await runIn(join(root, "b"), "check", ".", "--github")).out).toContain("file=b/m/config.pbtxt");
  vi.stubEnv("GITHUB_WORKSPACE", join(root, "b"));
  onTestFinished(() => void vi.unstubAllEnvs());
  expect((await runIn(join(root, "b"), "check", ".", "--github")).out).toContain("file=m/config.pbtxt");
  expect((await runIn(cwd, "check", "../b", "--github")).out).toContain("file=b/m/config.pbtxt");
});

test("a finding about a model without a configuration names a file", async () => {
  const root = folderWith({ "m/1/model.onnx": "<html>", ...pythonModel("a") });
  const { out } = await runIn(root, "check", ".", "--github");
  expect(out.match(/file=[^,]*/g)).toEqual(["file=m/1/model.onnx"]);
});

test("for thousands of findings, the terminal shows some and the total; --json shows all", async () => {
  const inputs = 'input { name: "x" data_type: TYPE_FP32 dims: 0 }\n'.repeat(3000);
  const root = folderWith({ ...pythonModel("a"), "a/config.pbtxt": `backend: "python"\n${inputs}` });
  const { out, err } = await runIn(root, "check", ".");
  const shown = (code: string): number => out.split("\n").filter((line) => line.includes(`[${code}]`)).length;
  expect([shown("tensor/bad-dim"), shown("tensor/duplicate-input")]).toEqual([50, 50]);
  expect(out).toContain("= note: and 2950 more `tensor/bad-dim` in this file");
  expect(out).toContain("= note: and 2949 more `tensor/duplicate-input` in this file");
  expect(err).toContain(": 5999 errors");
  const { diagnostics } = JSON.parse((await runIn(root, "check", ".", "--json")).out) as {
    readonly diagnostics: readonly object[];
  };
  expect(diagnostics.length).toBeGreaterThan(5998);
  expect((await runIn(root, "check", ".", "--github")).out.split("\n").length).toBeLessThan(200);
});

test("if a thousand models have findings, the first thousand findings are shown", async () => {
  const wrong = Array.from({ length: 40 }, (_, i) => `wrong_${i}: 1\n`).join("");
  const files = Array.from({ length: 30 }, (_, i) => pythonModel(`m${i}`, wrong));
  const { out } = await runIn(folderWith(Object.assign({}, ...files)), "check", ".");
  expect(out.split("\n").filter((line) => line.startsWith("error["))).toHaveLength(1000);
  expect(out).toContain("= note: and 200 more findings in total; --json lists all of them");
});
