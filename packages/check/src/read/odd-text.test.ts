import { defaultRelease, releases } from "@tritype/triton";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { backendCases } from "../config-rules/cases/backend-cases.fixture.ts";
import { batchCases } from "../config-rules/cases/batch-cases.fixture.ts";
import { executionCases } from "../config-rules/cases/execution-cases.fixture.ts";
import { tensorCases } from "../config-rules/cases/tensor-cases.fixture.ts";
import { checkConfigText, checkRepository } from "./check-repository.ts";
import { memoryRepository } from "./memory-repository.fixture.ts";

const texts = [...backendCases, ...batchCases, ...executionCases, ...tensorCases].map(
  ({ breaks }) => breaks.config,
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

/** A configuration with a few of its tokens replaced, left out or doubled. */
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

it("judges damaged configurations without failing itself, each finding within the text", () => {
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
    { numRuns: 1500 },
  );
});

it("judges any characters", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
      checkConfigText(text, { file: "x.pbtxt" }, { release: defaultRelease });
    }),
  );
});

it("refuses a text of 100 MB at once", () => {
  const start = performance.now();
  const { diagnostics } = checkConfigText(
    " ".repeat(100e6),
    { file: "x.pbtxt" },
    { release: defaultRelease },
  );
  expect(diagnostics.map(({ code }) => code)).toEqual(["config/too-large"]);
  expect(performance.now() - start).toBeLessThan(1000);
});
