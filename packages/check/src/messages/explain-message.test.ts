import { expect, it } from "vitest";
import { entries } from "../registry.ts";
import { explainMessage } from "./explain-message.ts";
import { messagePattern } from "./message-pattern.ts";
import { serverMessages } from "./server-messages.ts";
import { wrappers } from "./wrappers.ts";

const says = serverMessages.flatMap((message) => message.says);

it("knows each message once", () => {
  expect(says.filter((one, i) => says.indexOf(one) < i)).toEqual([]);
});

it("speaks of rules that there are", () => {
  const known = new Set(entries.map(({ code }) => code));
  const codes = [
    ...serverMessages.flatMap(({ codes: own, atLoad, inEnsemble }) => [
      own,
      atLoad?.codes,
      inEnsemble?.codes,
    ]),
    ...wrappers.map(({ codes: own }) => own),
  ].flatMap((list) => (typeof list === "function" ? [] : (list ?? [])));
  expect(codes.filter((code) => !known.has(code))).toEqual([]);
  expect(new Set(codes).size).toBeGreaterThan(120);
});

it("has enough fixed words in every message to tell it from others", () => {
  for (const one of says) expect(messagePattern(one).weight, one).toBeGreaterThanOrEqual(7);
});

it("takes the message that says more, and what stands around it", () => {
  const text =
    "ensemble 'e' depends on 'm' which has no loaded version. Model 'm' loading failed with error: version 1 is at UNAVAILABLE state: Invalid argument: unable to find backend library for backend 'onnx', try specifying runtime on the model configuration.;";
  const explained = explainMessage(text);
  expect(explained).toMatchObject({
    means: "the server has no backend `onnx`",
    phase: "load",
    names: { ensemble: "e", model: "m", version: "1", backend: "onnx" },
    codes: ["backend/not-installed", "backend/misspelt", "ensemble/refused-model"],
  });
});

it("reads the same words otherwise where a model loads", () => {
  const words = "inference input 'x' data-type is 'INT32', but model 'm' expects 'FP32'";
  expect(explainMessage(words)).toMatchObject({ phase: "request", mend: "client", codes: [] });
  expect(
    explainMessage(`load failed for model 'm': version 1 is at UNAVAILABLE state: ${words};`),
  ).toMatchObject({
    phase: "load",
    mend: "model",
    codes: ["warmup/dtype"],
  });
  expect(explainMessage(`in ensemble 'e', ${words}`)?.codes).toContain("python/wrong-dtype");
});
