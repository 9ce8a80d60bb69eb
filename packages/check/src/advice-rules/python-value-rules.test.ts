import { describe } from "vitest";
import { answer, cases, config, model } from "./python-model.fixture.ts";

describe("parameters", () => {
  const parameter = 'parameters { key: "max_seq_len" value { string_value: "512" } }';
  const read = 'params = json.loads(args["model_config"])["parameters"]\n';
  const parameterObject =
    "python/parameter-object: `1/model.py` of `m` passes the parameter `max_seq_len` to `int`, but it is an object with a `string_value`";
  const atLoad =
    "python/parameter-at-load: `initialize` in `1/model.py` of `m` passes the parameter `max_seq_len` to `int`, but it is an object with a `string_value`";
  cases([
    {
      name: "a parameter as a number",
      python: model(answer, `${read}self.length = int(params.get("max_seq_len", 512))`),
      pbtxt: config(parameter),
      says: `1/model.py:8:27 ${atLoad}`,
    },
    {
      name: "a parameter as a number that is not set yet",
      python: model(answer, `${read}self.length = int(params.get("max_seq_len", 512))`),
      says: `1/model.py:8:27 ${parameterObject}`,
    },
    {
      name: "a parameter as a number, under a condition",
      python: model(answer, `${read}if wanted(args):\n    self.length = int(params["max_seq_len"])`).replace(
        "class ",
        "from tools import wanted\nclass ",
      ),
      pbtxt: config(parameter),
      says: `1/model.py:10:31 ${parameterObject}`,
    },
    {
      name: "a parameter as a number, in a try",
      python: model(
        answer,
        `${read}try:\n    self.length = int(params["max_seq_len"])\nexcept Exception:\n    self.length = 512`,
      ),
      pbtxt: config(parameter),
      says: `1/model.py:9:31 ${parameterObject}`,
    },
    {
      name: "a parameter as a number, in a method that initialize calls",
      python: model(answer, "self.read(args)").replace(
        "    def execute",
        `    def read(self, args):
        ${read}        self.length = int(params["max_seq_len"])

    def execute`,
      ),
      pbtxt: config(parameter),
      says: `1/model.py:11:27 ${atLoad}`,
    },
    {
      name: "a parameter as a number, in execute",
      python: model(
        `self.length = int(self.params["max_seq_len"])\n${answer}`,
        `self.params = json.loads(args["model_config"])["parameters"]`,
      ),
      pbtxt: config(parameter),
      says: `1/model.py:10:27 ${parameterObject}`,
    },
    {
      name: "a parameter that does not exist, as a number",
      python: model(answer, `${read}self.length = int(params["max_seq_len"])`),
      says: [
        "1/model.py:8:27 python/missing-parameter: `1/model.py` of `m` needs the parameter `max_seq_len`, which the configuration does not have",
        `1/model.py:8:27 ${parameterObject}`,
      ].join("\n"),
    },
    {
      name: "a parameter that the file itself sets, as a number",
      python: model(answer, `${read}params["max_seq_len"] = "512"\nself.length = int(params["max_seq_len"])`),
      pbtxt: config(parameter),
      says: "",
    },
    {
      name: "a parameter as a path",
      python: model(answer, `${read}self.folder = Path(params["max_seq_len"])`).replace(
        "class ",
        "from pathlib import Path\nclass ",
      ),
      pbtxt: config(parameter),
      says: `1/model.py:9:28 ${atLoad.replace("`int`", "`Path`")}`,
    },
    {
      name: "a Path of another library",
      python: model(answer, `${read}self.folder = Path(params["max_seq_len"])`).replace(
        "class ",
        "from shapes import Path\nclass ",
      ),
      pbtxt: config(parameter),
      says: "",
    },
    {
      name: "an `int` that the file defines",
      python: model(answer, `${read}self.length = int(params["max_seq_len"])`).replace(
        "class ",
        "from tools import int\nclass ",
      ),
      pbtxt: config(parameter),
      says: "",
    },
    {
      name: "with its string_value",
      python: model(answer, `${read}self.length = int(params["max_seq_len"]["string_value"])`),
      pbtxt: config(parameter),
      says: "",
    },
    {
      name: "with get and string_value",
      python: model(
        answer,
        `${read}self.length = int(params.get("max_seq_len", {}).get("string_value", 512))`,
      ),
      says: "",
    },
    {
      name: "a helper that unwraps",
      python: model(
        answer,
        `${read}params = {k: v["string_value"] for k, v in params.items()}\nself.length = int(params["max_seq_len"])`,
      ),
      says: "",
    },
    {
      name: "parameters that a loop unwraps in place",
      python: model(
        answer,
        `${read}for key, value in params.items():\n    params[key] = value["string_value"]\nself.length = int(params["max_seq_len"])`,
      ),
      says: "",
    },
    {
      name: "parameters that a helper is given",
      python: model(answer, `${read}unwrap(params)\nself.length = int(params["max_seq_len"])`).replace(
        "class ",
        "from tools import unwrap\nclass ",
      ),
      says: "",
    },
    {
      name: "a parameter that does not exist",
      python: model(answer, `${read}self.length = int(params["max_seq_len"]["string_value"])`),
      says: "1/model.py:8:27 python/missing-parameter: `1/model.py` of `m` needs the parameter `max_seq_len`, which the configuration does not have",
    },
    {
      name: "a parameter that is tested for first",
      python: model(
        answer,
        `${read}if "max_seq_len" in params:\n    self.length = params["max_seq_len"]["string_value"]`,
      ),
      says: "",
    },
    {
      name: "a parameter that the file itself sets",
      python: model(answer, `${read}params["max_seq_len"] = 512\nself.length = params["max_seq_len"]`),
      says: "",
    },
    {
      name: "a parameter in a try",
      python: model(
        answer,
        `${read}try:\n    self.length = params["max_seq_len"]["string_value"]\nexcept KeyError:\n    self.length = "512"`,
      ),
      says: "",
    },
  ]);
});

describe("texts", () => {
  const text = (more = ""): string => `backend: "python"
input { name: "text" data_type: TYPE_STRING dims: 1 }
output { name: "y" data_type: TYPE_FP32 dims: 2 }
${more}`;
  const decode = (expression: string): string =>
    model(`responses = []
for request in requests:
    x = pb_utils.get_input_tensor_by_name(request, "text").as_numpy()
    texts = [${expression}]
    responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("y", np.zeros((2,), np.float32))]))
return responses`);
  cases([
    {
      name: "rows of a model without batches",
      python: decode('i[0].decode("utf-8") for i in x'),
      pbtxt: text(),
      says: "1/model.py:13:22 python/wrong-rank: `1/model.py` of `m` treats values of `text` as having 2 dimensions, but they have one dimension",
    },
    {
      name: "rows of a model with batches",
      python: decode('i[0].decode("utf-8") for i in x'),
      pbtxt: text("max_batch_size: 8"),
      says: "",
    },
    {
      name: "values of a model with batches",
      python: decode('i.decode("utf-8") for i in x'),
      pbtxt: text("max_batch_size: 8"),
      says: "1/model.py:13:22 python/wrong-rank: `1/model.py` of `m` treats values of `text` as having one dimension, but they have 2 dimensions",
    },
    {
      name: "values that are inspected first",
      python: model(`for request in requests:
    for t in pb_utils.get_input_tensor_by_name(request, "text").as_numpy():
        if isinstance(t, np.ndarray):
            t = t[0]
        text = t.decode("utf-8")
${answer.replace('"x"', '"text"')}`),
      pbtxt: text("max_batch_size: 8"),
      says: "",
    },
    {
      name: "flattened values",
      python: decode('i.decode("utf-8") for i in x.flatten()'),
      pbtxt: text("max_batch_size: 8"),
      says: "",
    },
    {
      name: "padding to thousands",
      python: model(
        `self.tokenizer(["a"], padding="max_length", max_length=self.length)\n${answer}`,
        "self.tokenizer = print\nself.length = 8128",
      ),
      says: "1/model.py:11:39 python/long-padding: `1/model.py` of `m` pads every text to 8128 tokens",
    },
    {
      name: "padding to 512",
      python: model(
        `self.tokenizer(["a"], padding="max_length", max_length=512)\n${answer}`,
        "self.tokenizer = print",
      ),
      says: "",
    },
    {
      name: "truncation at thousands",
      python: model(
        `self.tokenizer(["a"], padding=True, max_length=8192)\n${answer}`,
        "self.tokenizer = print",
      ),
      says: "",
    },
  ]);
});

describe("paths that exist on only one machine", () => {
  cases([
    {
      name: "in model.py",
      python: model(answer, 'open("/home/anna/models/vocab.txt")'),
      says: "1/model.py:7:14 python/machine-path: `1/model.py` of `m` contains a path on a personal machine: `/home/anna/models/vocab.txt`",
    },
    {
      name: "in parameters",
      python: model(answer),
      pbtxt: config('parameters { key: "vocab" value { string_value: "C:\\\\Users\\\\anna\\\\vocab.txt" } }'),
      says: "config.pbtxt:5:1 config/machine-path: the parameter `vocab` of `m` is a path on a personal machine: `C:\\Users\\anna\\vocab.txt`",
    },
    { name: "in a docstring", python: model(answer, '"""/home/anna/models/vocab.txt"""'), says: "" },
    {
      name: "of the server's image",
      python: model(answer, 'open("/opt/tritonserver/x")\nopen("/models/x")\nopen("/home/triton-server/x")'),
      says: "",
    },
  ]);
});
