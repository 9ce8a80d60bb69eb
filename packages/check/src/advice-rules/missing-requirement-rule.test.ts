import { expect, test } from "vitest";
import { showAdvice } from "./advice.fixture.ts";
import { answer, config, model } from "./python-model.fixture.ts";

const installed = [
  "numpy==1.26.4",
  "Sentence_Transformers==3.0.1",
  "opencv-python==4.10.0.84",
  "onnxruntime-gpu==1.19.2",
];

/** The findings for the imports of a model.py; `initialize` is the body of that method. */
const onImports = (
  imports: string,
  { initialize = "pass", pbtxt = config(), files = {}, pythonPackages = installed }: Options = {},
): readonly string[] => {
  const python = `${imports}\n${model(answer, initialize)}`;
  const said = showAdvice({ "m/config.pbtxt": pbtxt, "m/1/model.py": python, ...files }, { pythonPackages });
  return said === "" ? [] : said.split("\n");
};
interface Options {
  readonly initialize?: string;
  readonly pbtxt?: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly pythonPackages?: readonly string[];
}

const says = (place: string, module: string): string =>
  `m/1/model.py:${place} python/missing-requirement: \`1/model.py\` of \`m\` imports \`${module}\`, which none of the image's requirements provide`;

test.each([
  ["import pandas", says("1:8", "pandas")],
  ["import pandas as pd, os", says("1:8", "pandas")],
  ["import os.path, pandas.io", says("1:17", "pandas")],
  ["from pandas.io import json", says("1:6", "pandas")],
  ["from pandas import *", says("1:6", "pandas")],
  ["import pandas\nfrom pandas import DataFrame", says("1:8", "pandas")],
  ["with open('x') as f:\n    import yaml", says("2:12", "yaml")],
])("%s", (imports, said) => expect(onImports(imports)).toEqual([said]));

test("reports an import in a method", () => {
  expect(onImports("", { initialize: "from PIL import Image" })).toEqual([says("8:14", "PIL")]);
});

test("the help names the package that usually provides the module", () => {
  const pythonPackages = ["numpy"];
  for (const [requirement, module] of [
    ["pillow", "PIL"],
    ["opencv-python-headless", "cv2"],
    ["scikit-learn", "sklearn"],
    ["pyyaml", "yaml"],
    ["beautifulsoup4", "bs4"],
    ["python-dateutil", "dateutil"],
    ["sentence-transformers", "sentence_transformers"],
  ] as const) {
    expect(onImports(`import ${module}`, { pythonPackages })).toHaveLength(1);
    expect(onImports(`import ${module}`, { pythonPackages: ["numpy", `${requirement}==1.0`] })).toEqual([]);
  }
});

test.each([
  ["standard modules", "import json, os.path, __future__\nfrom collections.abc import Mapping"],
  ["Triton's own modules", "import triton_python_backend_utils as pb_utils"],
  [
    "installed packages",
    "import cv2, numpy\nimport onnxruntime as ort\nfrom sentence_transformers import util",
  ],
  ["relative imports", "from . import helper\nfrom .helper import helped\nfrom .. import more"],
  ["an import in a try", "try:\n    import pandas\nexcept ImportError:\n    pandas = None"],
  ["imports for types only", "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import pandas"],
  ["a model with its own sys.path", "import sys\nsys.path.append('/opt/packages')\nimport pandas"],
])("reports nothing for %s", (_, imports) => expect(onImports(imports)).toEqual([]));

test("files next to the model give no findings", () => {
  const files = { "m/1/helper.py": "", "m/1/tools/__init__.py": "", "m/shared.py": "" };
  expect(onImports("import helper, shared\nfrom tools import tool", { files })).toEqual([]);
});

test("reports nothing if the packages are unknown or the model has its own Python", () => {
  const pbtxt = config('parameters { key: "EXECUTION_ENV_PATH" value { string_value: "/opt/env.tar.gz" } }');
  expect(onImports("import pandas", { pbtxt })).toEqual([]);
  expect(showAdvice({ "m/config.pbtxt": config(), "m/1/model.py": `import pandas\n${model(answer)}` })).toBe(
    "",
  );
});
