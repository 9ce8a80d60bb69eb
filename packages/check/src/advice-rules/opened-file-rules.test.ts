import { describe, expect, test } from "vitest";
import { showAdvice } from "./advice.fixture.ts";
import { answer, config, model } from "./python-model.fixture.ts";

const parameter = 'parameters { key: "table" value { string_value: "table.json" } }';
const read = `params = json.loads(args["model_config"])["parameters"]
name = params["table"]["string_value"]
`;

/**
 * The findings for a model with this `initialize`, a file `table.json` in its folder and `ids.json` in its version
 * folder.
 */
const advise = (initialize: string, imports = "import os"): string =>
  showAdvice({
    "m/config.pbtxt": config(parameter),
    "m/1/model.py": `${imports}\n${model(answer, initialize)}`,
    "m/table.json": "{}",
    "m/1/ids.json": "{}",
  });

const missing = (line: string, asset: string): string =>
  `m/1/model.py:${line} python/missing-asset: \`1/model.py\` of \`m\` reads \`${asset}\` in the model's folder, which has no such file`;
const elsewhere = (line: string, asset: string): string =>
  `m/1/model.py:${line} python/working-directory: \`1/model.py\` of \`m\` reads \`${asset}\` from the folder in which the server was started`;

describe("files that initialize reads", () => {
  test.each([
    ["by a relative path", 'self.table = open("table.json").read()', elsewhere("8:22", "table.json")],
    ["by a parameter's value", `${read}self.table = open(name).read()`, elsewhere("10:22", "table.json")],
    [
      "by a relative path in a folder",
      'self.rows = np.load("data/rows.npy")',
      elsewhere("8:21", "data/rows.npy"),
    ],
    ["by its own Path", 'self.table = Path("table.json").read_text()', elsewhere("8:22", "table.json")],
    ["in the model's folder", `${read}open(os.path.join(args["model_repository"], name))`, ""],
    [
      "in the model's folder, by its name",
      'open(Path(args["model_repository"]).parent.joinpath("m", "table.json"))',
      "",
    ],
    [
      "that is not in the model's folder, by its name",
      'open(Path(args["model_repository"]).parent.absolute() / "m" / "1" / "rows")',
      missing("8:9", "1/rows"),
    ],
    ["of another model", 'open(Path(args["model_repository"]).parent / "other" / "rows")', ""],
    ["in the version's folder", 'open(os.path.join(os.path.dirname(__file__), "ids.json"))', ""],
    [
      "that is not in the version's folder",
      `${read}open(os.path.join(os.path.dirname(__file__), name))`,
      missing("10:9", "1/table.json"),
    ],
    [
      "that is in no folder",
      'np.load(os.path.join(args["model_repository"], "data", "rows.npy"))',
      missing("8:9", "data/rows.npy"),
    ],
    [
      "that does not exist, in a try that raises another error",
      'try:\n    open(args["model_repository"] + "/rows")\nexcept OSError as error:\n    raise ValueError(error)',
      missing("9:13", "rows"),
    ],
    ["in a try", 'try:\n    open(args["model_repository"] + "/rows")\nexcept OSError:\n    pass', ""],
    ["that it looks for first", 'if os.path.exists("rows"):\n    open("rows")', ""],
    ["that it writes first", 'open("rows", "w").close()\nopen("rows")', ""],
    ["that it downloads first", 'hf_hub_download("rows")\nopen("rows")', ""],
    ["after it moved", 'os.chdir(args["model_repository"])\nopen("table.json")', ""],
    ["by an absolute path", 'open("/models/table.json")', ""],
    ["by a path from the environment", 'open(os.environ["TABLE"])', ""],
    ["by an address", 'open("https://localhost/table.json")', ""],
  ])("%s", (_, initialize, says) =>
    expect(advise(initialize, "import os; from pathlib import Path; from hub import hf_hub_download")).toBe(
      says,
    ),
  );

  test("ignores a file that defines its own open function", () =>
    expect(advise('self.table = open("table.json")', "from tools import open")).toBe(""));
});

describe("exports that optimum loads", () => {
  const load = (options: string, folder = 'Path(args["model_repository"]) / "1" / "seq2seq"'): string =>
    showAdvice({
      "m/config.pbtxt": config(),
      "m/1/model.py": `from pathlib import Path\nfrom optimum.onnxruntime import ORTModelForSeq2SeqLM\n${model(
        answer,
        `folder = ${folder}\nself.model = ORTModelForSeq2SeqLM.from_pretrained(folder${options})`,
      )}`,
      "m/1/seq2seq/encoder_model.onnx": "",
      "m/1/seq2seq/decoder_model.onnx": "",
      "m/1/configuration/config.json": "{}",
    });
  const says = (file: string, column: number): string =>
    `m/1/model.py:10:${column} python/missing-export: \`1/model.py\` of \`m\` loads \`${file}\` from \`1/seq2seq\`, which has other ONNX files but not this one`;

  test.each([
    [
      "by names that exist",
      ', encoder_file_name="encoder_model.onnx", decoder_file_name="decoder_model.onnx"',
      "",
    ],
    [
      "by a name that does not exist",
      ', encoder_file_name="encoder_model_quantized.onnx", decoder_file_name="decoder_model.onnx"',
      says("encoder_model_quantized.onnx", 85),
    ],
    ["without names", ", use_cache=True", ""],
    ["with computed names", ', encoder_file_name="encoder" + args["model_version"]', ""],
    ["from a subfolder", ', subfolder="onnx", encoder_file_name="encoder_model_quantized.onnx"', ""],
    ["with other options", ', **args, encoder_file_name="encoder_model_quantized.onnx"', ""],
  ])("%s", (_, options, expected) => expect(load(options)).toBe(expected));

  const quantized = ', encoder_file_name="encoder_model_quantized.onnx"';
  test.each([
    ["that is not in the repository", 'Path(args["model_repository"]) / "weights"'],
    ["without ONNX files", 'Path(args["model_repository"]) / "1" / "configuration"'],
    ["on a model hub", '"facebook/m2m100_418M"'],
  ])("reports nothing for a folder %s", (_, folder) => expect(load(quantized, folder)).toBe(""));
});
