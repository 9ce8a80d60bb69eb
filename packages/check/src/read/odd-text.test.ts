import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { decodeUtf8, encodeUtf8 } from "@tritype/core";
import { defaultRelease, locateFields, parseModelConfig, printModelConfig, releases } from "@tritype/triton";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { fencesOf } from "../../../../test/docs/markdown-fences.ts";
import { checkConfigText, checkRepository } from "./check-repository.ts";
import { memoryRepository } from "./memory-repository.fixture.ts";

/** `TRITYPE_LOAD=long`: four times as many texts. */
const long = process.env["TRITYPE_LOAD"] === "long";

const pages = fileURLToPath(new URL("../../../../docs/diagnostics/", import.meta.url));
/** The invalid configurations on the diagnostics pages. */
const texts = ["backend", "batch", "cache", "config", "instance", "tensor"].flatMap((group) =>
  readdirSync(pages + group).flatMap((file) =>
    fencesOf(readFileSync(`${pages}${group}/${file}`, "utf8"))
      .filter(({ language, info }) => language === "pbtxt" && info.startsWith("wrong "))
      .map(({ text }) => text),
  ),
);
const tokens = [...new Set(texts.flatMap((text) => text.match(/"[^"]*"|[\w.+-]+|[^\s\w]/g) ?? []))];
const oddWords = [
  '"constructor"',
  '"__proto__"',
  '"toString"',
  '"\\000"',
  '"../../.."',
  '"/"',
  "-1",
  "99",
  "9223372036854775807",
  "nan",
  "{",
  "}",
];

/** A configuration with a few of its tokens replaced, removed or duplicated. */
const damaged = fc
  .tuple(
    fc.constantFrom(...texts),
    fc.array(fc.tuple(fc.nat(), fc.constantFrom(...tokens, ...oddWords, ""), fc.nat({ max: 1 })), {
      maxLength: 4,
    }),
  )
  .map(([text, changes]) => {
    const parts = text.match(/\s+|"[^"]*"|[\w.+-]+|[^\s\w]/g) ?? [];
    for (const [place, word, removed] of changes)
      parts.splice(place % (parts.length + 1), removed, ` ${word} `);
    return parts.join("");
  });

it("checks damaged configurations without crashing, and each finding is within the text", () => {
  fc.assert(
    fc.property(damaged, fc.constantFrom(...releases), fc.boolean(), (text, release, strict) => {
      const options = { release, strict, gpus: [0] };
      const files = {
        "m/config.pbtxt": text,
        "m/1/model.py": "def f(:",
        "m/1/model.onnx": "junk",
        "n/1/x": "",
      };
      const lines = text.split("\n");
      const { diagnostics } = checkRepository(memoryRepository(files), options);
      for (const { code, message, labels } of diagnostics) {
        const own = message.replaceAll(/`[^`]*`/g, "");
        expect(own, code).not.toMatch(/undefined|NaN|\[object|\{\w+\}/);
        for (const { span } of labels.filter(({ span: { file } }) => file === "m/config.pbtxt")) {
          expect(span.line, code).toBeLessThanOrEqual(lines.length);
          expect(span.column, code).toBeLessThanOrEqual((lines[span.line - 1]?.length ?? 0) + 1);
        }
      }
    }),
    { numRuns: long ? 1500 : 400 },
  );
});

it("checks a configuration made of arbitrary characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      checkConfigText(text, { file: "x.pbtxt" }, { release: defaultRelease });
    }),
  );
});

/** Bytes with a special meaning in strings, and other bytes. */
const inner = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...["\\", "\\u", "\\U", "\\x", "\\ud83d", "\\U0010", "\\U0011", "\\377", "0", "f", "'"].map(
          encodeUtf8,
        ),
      ),
      fc.uint8Array({ minLength: 1, maxLength: 3 }),
    ),
    { maxLength: 12 },
  )
  .map((pieces) => pieces.flatMap((piece) => [...piece]));

it("checks arbitrary bytes in strings and comments, and prints what it parsed", () => {
  const places = [
    ['name: "', '"'],
    ["# ", "\nmax_batch_size: 1"],
    ['input { name: "', '" dims: 1 }'],
    ['parameters { key: "', '" value { string_value: "x" } }'],
    ['max_batch_size: "', '"'],
    ["model_warmup { name: '", "' inputs { key: 'X' } }"],
  ] as const;
  fc.assert(
    fc.property(fc.constantFrom(...places), inner, ([before, after], bytes) => {
      const content = Uint8Array.of(...encodeUtf8(before), ...bytes, ...encodeUtf8(after));
      const text = decodeUtf8(content);
      const lines = text.split("\n");
      locateFields(text)(["parameters", "x"]);
      const { diagnostics } = checkConfigText(content, { file: "x.pbtxt" }, { release: defaultRelease });
      expect(JSON.parse(JSON.stringify(diagnostics))).toHaveLength(diagnostics.length);
      for (const { code, labels } of diagnostics)
        for (const { span } of labels)
          expect(span.column, code).toBeLessThanOrEqual((lines[span.line - 1]?.length ?? 0) + 1);
      const read = parseModelConfig(text);
      if ("config" in read) expect(parseModelConfig(printModelConfig(read.config))).toEqual(read);
      else expect(diagnostics.length).toBeGreaterThan(0);
    }),
    { numRuns: long ? 3000 : 800 },
  );
});

it("refuses a text of 100 MB without reading it", () => {
  const { diagnostics } = checkConfigText(
    "}".repeat(100e6),
    { file: "x.pbtxt" },
    { release: defaultRelease },
  );
  expect(diagnostics.map(({ code }) => code)).toEqual(["config/too-large"]);
});

it.each([
  [51, "and 1 more in this text"],
  [900, "and 850 more in this text"],
  [40_000, "and at least 951 more in this text"],
])("reports only 50 of %i mistakes in a text", (mistakes, note) => {
  const text = 'output { dims: [ 1 ] nam: "x" }\n'.repeat(mistakes);
  const { diagnostics } = checkConfigText(text, { file: "x.pbtxt" }, { release: defaultRelease });
  expect(diagnostics.map(({ labels }) => labels[0]?.span.line)).toEqual(
    Array.from({ length: 50 }, (_, i) => i + 1),
  );
  expect(diagnostics.flatMap(({ notes }) => notes)).toEqual([note]);
});
