import type { StepDefinition } from "@tritype/core";
import { expect, test } from "vitest";
import type { EmittedModel } from "../emitted-model.ts";
import { resolveRequirements } from "./resolve-requirements.ts";

const at = (name: string, line: number): StepDefinition => ({
  kind: "python",
  name,
  inputs: {},
  outputs: {},
  options: {},
  site: [{ file: "pipeline.ts", line, column: 14 }],
});

/** Models on `backend`, one per line, with these requirements. */
const models = (needs: Readonly<Record<string, readonly string[]>>, backend = "python"): EmittedModel[] =>
  Object.entries(needs).map(([name, requirements], index) => ({
    name,
    kind: "python",
    definition: at(name, index + 1),
    config: { backend },
    files: new Map(),
    versions: new Map(),
    profiles: [],
    placesIn: () => () => ({ authors: false, span: undefined }),
    listed: false,
    requirements,
    needs: [],
  }));

test.each([
  ["the python backend imports numpy itself", { a: [] }, ["numpy==1.26.4"], true],
  [
    "packages of emitted code have default versions",
    { a: ["tokenizers", "numpy"] },
    ["numpy==1.26.4", "tokenizers==0.23.2"],
    true,
  ],
  ["a step's version wins over ours", { a: ["numpy"], b: ["numpy==1.25.2"] }, ["numpy==1.25.2"], true],
  [
    "names are compared as pip compares them",
    { a: ["Sentence_Piece==0.2.0"], b: ["sentence-piece == v0.2"] },
    ["numpy==1.26.4", "sentence-piece==0.2.0"],
    false,
  ],
  [
    "extras are combined",
    { a: ["fire[web]==1.0"], b: ["fire[cli, web]==1.0"] },
    ["fire[cli,web]==1.0", "numpy==1.26.4"],
    false,
  ],
] as const)("%s", (_, needs, pins, complete) => {
  const resolved = resolveRequirements(models(needs));
  expect({ ...resolved, pins: resolved.pins.map((pin) => pin.split(" ")[0]) }).toMatchObject({
    pins,
    complete,
    diagnostics: [],
  });
});

const a = "a".repeat(64);
const b = "b".repeat(64);

test.each([
  ["of the packages that emitted code imports", { a: ["tokenizers"] }, { numpy: 6, tokenizers: 2 }],
  ["of the author's packages", { a: [`x==1 --hash=sha256:${a}`] }, { numpy: 6, x: 1 }],
  [
    "of two steps together, once each",
    { a: [`x==1 --hash=sha256:${a} --hash=sha256:${b}`], b: [`X == 1.0   --hash=sha256:${b}`] },
    { numpy: 6, x: 2 },
  ],
  [
    "of the author's instead of ours",
    { a: [`numpy==1.26.4 --hash=sha256:${a}`, "tokenizers"] },
    { numpy: 1, tokenizers: 2 },
  ],
] as const)("hashes %s", (_, needs, counts) => {
  const { pins, unhashed, diagnostics } = resolveRequirements(models(needs));
  expect({ unhashed, diagnostics }).toEqual({ unhashed: [], diagnostics: [] });
  expect(
    Object.fromEntries(
      pins.map((pin) => [pin.split("==")[0], pin.match(/ \\\n {4}--hash=sha256:/g)?.length]),
    ),
  ).toEqual(counts);
});

test.each([
  ["a version that differs from ours", { a: ["numpy==1.25.2"] }, ["numpy"]],
  ["a package without hashes next to one with hashes", { a: [`x==1 --hash=sha256:${a}`, "y==1"] }, ["y"]],
])("lists no hashes unless every package has some, as pip requires: %s", (_, needs, missing) => {
  const { pins, unhashed } = resolveRequirements(models(needs));
  expect(unhashed).toEqual(missing);
  expect(pins.join()).not.toContain("--hash");
});

test("a repository without Python needs no packages", () => {
  expect(resolveRequirements(models({ a: [] }, "onnxruntime"))).toEqual({
    pins: [],
    complete: true,
    unhashed: [],
    diagnostics: [],
  });
});

test("two versions of one package are an error at both steps", () => {
  const { diagnostics } = resolveRequirements(models({ a: ["numpy==1.26.4"], b: ["NumPy==2.1.0"] }));
  expect(diagnostics).toEqual([
    {
      code: "python/requirement-conflict",
      severity: "error",
      message: "`b` needs NumPy==2.1.0, but `a` needs numpy==1.26.4",
      labels: [
        { span: { file: "pipeline.ts", line: 2, column: 14 }, text: "NumPy==2.1.0" },
        { span: { file: "pipeline.ts", line: 1, column: 14 }, text: "numpy==1.26.4" },
      ],
      notes: [],
      help: "use the same version in both: all Python models on a server share its packages",
    },
  ]);
});

test("every step with a conflicting version is named", () => {
  const { diagnostics } = resolveRequirements(
    models({ a: ["x==1"], b: ["x==1.0"], c: ["x==2"], d: ["x==3"] }),
  );
  expect(diagnostics.map(({ message }) => message)).toEqual([
    "`c` needs x==2, but `a` needs x==1",
    "`d` needs x==3, but `a` needs x==1",
  ]);
});

test.each([
  ["requests", 'write "requests==<version>", so that every image of this build is the same'],
  ["requests>=2", 'write "requests==<version>", so that every image of this build is the same'],
  ["requests==2.*", 'write "requests==<version>", so that every image of this build is the same'],
  ["requests==2.0,<3", 'write "requests==<version>", so that every image of this build is the same'],
  ["numpy>=1.26", 'write "numpy", which gets 1.26.4, or "numpy==<version>"'],
  ["git+ssh://example/x", 'write "git==<version>", so that every image of this build is the same'],
  ["x==1 --hash=sha256:abc", 'write "x==<version>", so that every image of this build is the same'],
  ["x==1\n--index-url=evil", 'write "x==<version>", so that every image of this build is the same'],
  ["", 'write "name==<version>", so that every image of this build is the same'],
])("%j has no exact version", (requirement, help) => {
  const { diagnostics } = resolveRequirements(models({ a: [requirement] }));
  expect(diagnostics).toMatchObject([
    {
      code: "python/requirement-not-pinned",
      message: `\`a\` needs the Python package ${JSON.stringify(requirement)}, without an exact version`,
      labels: [{ span: { line: 1 } }],
      help,
    },
  ]);
});
