import { buildModel } from "@tritype/onnx";
import { expect, test } from "vitest";
import { showAdvice } from "./advice.fixture.ts";

type Attributes = Parameters<Parameters<Parameters<typeof buildModel>[1]>[0]["node"]>[2];

const type = { dtype: "BYTES", dims: [-1] } as const;

const advise = (attributes: Attributes): string =>
  showAdvice({
    "m/config.pbtxt": `backend: "onnxruntime"
input { name: "x" data_type: TYPE_STRING dims: -1 }
output { name: "y" data_type: TYPE_STRING dims: -1 }`,
    "m/1/model.onnx": buildModel(
      { name: "lower", inputs: [{ name: "x", type }], outputs: [{ name: "y", type }] },
      (builder) => ({ y: builder.node("StringNormalizer", ["x"], attributes)[0] }),
    ),
  });

const says = (locale: string): string =>
  `m/1/model.onnx:1:1 onnx-model/missing-locale: \`1/model.onnx\` of \`m\` changes the case of texts with the locale \`${locale}\`; a server without that locale cannot load it`;

const lower = { case_change_action: { text: "LOWER" } };
const stopwords = { texts: ["a"] };

test.each<[string, Attributes, string]>([
  ["of scikit-learn's converter", { ...lower, locale: { text: "en_US.UTF-8" } }, says("en_US.UTF-8")],
  ["that ONNX Runtime uses if none is named", lower, says("en_US.UTF-8")],
  ["for stop words in any case", { stopwords, locale: { text: "de_DE" } }, says("de_DE")],
  ["that every image has", { ...lower, locale: { text: "C.UTF-8" } }, ""],
  ["that is never opened", { locale: { text: "de_DE" } }, ""],
  [
    "for case-sensitive stop words",
    { stopwords, is_case_sensitive: { int: 1 }, locale: { text: "de_DE" } },
    "",
  ],
])("checks a locale %s", (_, attributes, expected) => expect(advise(attributes)).toBe(expected));
