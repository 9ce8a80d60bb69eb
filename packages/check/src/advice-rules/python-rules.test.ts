import { describe, expect, test } from "vitest";
import { adviceOn } from "./advice.fixture.ts";
import { advise, answer, cases, config, head, model } from "./python-model.fixture.ts";

test("a plain model has no findings", () => expect(advise(model(answer))).toBe(""));

/** `TRITYPE_LOAD=long`: 2 MB. */
const numbers = process.env["TRITYPE_LOAD"] === "long" ? 250_000 : 50_000;

describe("the file", () => {
  cases([
    {
      name: `a table of ${numbers} numbers`,
      python: `TABLE = [${"123456, ".repeat(numbers)}]\n${model(`print(self.table)\n${answer}`)}`,
      says: "1/model.py:11:15 python/unset-attribute: `1/model.py` of `m` uses `self.table`, which nothing in the file sets",
    },
    {
      name: "a syntax error",
      python: model(answer).replace("return responses", "return = responses"),
      says: "1/model.py:14:16 python/syntax-error: `1/model.py` of `m` is not valid Python 3",
    },
    {
      name: "Python 2",
      python: `${model(answer)}print "loaded"\n`,
      says: "1/model.py:15:1 python/syntax-error: `1/model.py` of `m` is not valid Python 3",
    },
    {
      name: "syntax that the grammar lacks is not an error",
      python: `${model(answer)}
def rest(n):
    with open(n) as (a, b), make() as self.file:
        yield
    for a, *b in n: pass
    match n:
        case int(): return 2.
    return lambda a, /, b: rf"(\\{{{n}})"
`,
      says: "",
    },
    {
      name: "another name of the class",
      python: model(answer).replace("TritonPythonModel", "TritonModel"),
      says: "1/model.py:5:7 python/no-model-class: `1/model.py` of `m` defines no class `TritonPythonModel`",
    },
    { name: "a class that is imported", python: "from base.model import TritonPythonModel\n", says: "" },
    {
      name: "a class that is assigned",
      python: "class A:\n    def execute(self, requests): return []\nTritonPythonModel = A\n",
      says: "",
    },
    {
      name: "a class under a condition",
      python: "try:\n    from fast import *\nexcept ImportError:\n    pass\n",
      says: "",
    },
    {
      name: "no execute",
      python: `${head}class TritonPythonModel:\n    def initialize(self, args):\n        pass\n`,
      says: "1/model.py:5:7 python/no-execute: `TritonPythonModel` in `1/model.py` of `m` has no method `execute`",
    },
    {
      name: "methods that nothing calls",
      python: `${head}class TritonPythonModel:\n    @staticmethod\n    def auto_complete_configs(config):\n        return config\n    def initialise(self, args):\n        pass\n    def execute(self, requests):\n        return []\n    def finalise(self):\n        pass\n`,
      says: [
        "1/model.py:7:9 python/method-name: nothing calls `auto_complete_configs` of `TritonPythonModel` in `1/model.py` of `m`",
        "1/model.py:9:9 python/method-name: nothing calls `initialise` of `TritonPythonModel` in `1/model.py` of `m`",
        "1/model.py:13:9 python/method-name: nothing calls `finalise` of `TritonPythonModel` in `1/model.py` of `m`",
      ].join("\n"),
    },
    {
      name: "methods that the model calls itself, and others",
      python: `${head}class TritonPythonModel:\n    def initialise(self):\n        pass\n    def serialize(self):\n        pass\n    def execute(self, requests):\n        self.initialise()\n        return []\n`,
      says: "",
    },
    {
      name: "an inherited execute",
      python: `${head}from base import Base\nclass TritonPythonModel(Base):\n    pass\n`,
      says: "",
    },
    {
      name: "an execute that is assigned",
      python: `${head}def run(self, requests):\n    return []\nclass TritonPythonModel:\n    execute = run\n`,
      says: "",
    },
  ]);
});

test("suggests `execute` for a method with a similar name", () => {
  const files = {
    "m/config.pbtxt": config(),
    "m/1/model.py": "class TritonPythonModel:\n    def excute(self, requests):\n        return []\n",
  };
  expect(adviceOn(files).map(({ help }) => help)).toEqual(["did you mean `execute` instead of `excute`?"]);
});

describe("names", () => {
  cases([
    {
      name: "an attribute that nothing sets",
      python: model(
        `for request in requests:\n    ids = self.tokenizer("x")\n${answer}`,
        "self._tokenizer = print",
      ),
      says: "1/model.py:11:19 python/unset-attribute: `1/model.py` of `m` uses `self.tokenizer`, which nothing in the file sets",
    },
    {
      name: "an attribute that another method sets",
      python: `${model(`self.load()\nself.tokenizer("x")\n${answer}`)}
    def load(self):
        self.tokenizer = print
`,
      says: "",
    },
    {
      name: "an attribute that foreign code may set",
      python: model(`self.tokenizer("x")\n${answer}`, "setup(self)\nfrom a import setup"),
      says: "",
    },
    {
      name: "an attribute of the class",
      python: model(`self.size()\n${answer}`).replace("def initialize", "size = print\n\n    def initialize"),
      says: "",
    },
    {
      name: "an attribute that is tested for first",
      python: model(`if hasattr(self, "extra"):\n    self.extra()\n${answer}`),
      says: "",
    },
    {
      name: "a name that nothing defines",
      python: model(answer, 'self.file = "decoder" + ".onnx"\nopen(MODEL_SUFFIX)'),
      says: "1/model.py:8:14 python/undefined-name: `1/model.py` of `m` uses `MODEL_SUFFIX`, which nothing in the file defines",
    },
    {
      name: "a name next to an operator",
      python: model(answer, 'self.p = "a" + SUFFIX'),
      says: "1/model.py:7:24 python/undefined-name: `1/model.py` of `m` uses `SUFFIX`, which nothing in the file defines",
    },
    {
      name: "names that are evaluated first",
      python: model(answer, "print(A and B, 1 if C else D, E < F < G, not (H or I))"),
      says: ["A", "C", "E", "F", "H"]
        .map(
          (name, i) =>
            `1/model.py:7:${[15, 29, 39, 43, 55][i]} python/undefined-name: \`1/model.py\` of \`m\` uses \`${name}\`, which nothing in the file defines`,
        )
        .join("\n"),
    },
    {
      name: "an attribute next to an operator",
      python: model(`print(self.scale * 2 + 1)\n${answer}`),
      says: "1/model.py:10:15 python/unset-attribute: `1/model.py` of `m` uses `self.scale`, which nothing in the file sets",
    },
    {
      name: "an attribute guarded by `hasattr`",
      python: model(
        `print(hasattr(self, "a") and self.a + 1, 2 if hasattr(self, "b") else self.b)\n${answer}`,
      ),
      says: "",
    },
    {
      name: "names of every scope",
      python: `${model(`global LATER
LATER = 1
print(LATER, __file__, [i for i, *j in {}.items()], lambda k: k)
with open("x") as f, open("y") as (g, h):
    pass
if (n := 3) > 2: print(n)
try:
    import torch as t
except ImportError as e:
    print(e)
print(t, f, make, Helper, len)
${answer}`)}

def make(a, *b, c=1, **d): return a, b, c, d
class Helper: pass
`,
      says: "",
    },
    { name: "a name that an argument binds", python: model(`print(n := 3)\nprint(n)\n${answer}`), says: "" },
    { name: "a name under a condition", python: model(`if False:\n    print(unicode)\n${answer}`), says: "" },
    {
      name: "names of a star import",
      python: `from numpy import *\n${model(`print(arange)\n${answer}`)}`,
      says: "",
    },
  ]);
});

describe("inputs", () => {
  const read = (name: string, more = ""): string =>
    answer.replace('get_input_tensor_by_name(request, "x")', `get_input_tensor_by_name(request, ${name})`) +
    more;
  cases([
    {
      name: "an input that is not declared",
      python: model(read('"X_IDS"')),
      says: "1/model.py:12:60 python/undeclared-input: `1/model.py` of `m` reads the input `X_IDS`, which the configuration does not declare",
    },
    {
      name: "under a name, and by a constant",
      python: model(
        `for request in requests:\n    t = pb_utils.get_input_tensor_by_name(request, name=NAME)\n    print(t.as_numpy())\n${answer}`,
      ).replace("class ", 'NAME = "ids"\nclass '),
      says: "1/model.py:12:65 python/undeclared-input: `1/model.py` of `m` reads the input `ids`, which the configuration does not declare",
    },
    {
      name: "an input that is tested for first",
      python: model(
        `for request in requests:\n    t = pb_utils.get_input_tensor_by_name(request, "ids")\n    if t is not None:\n        print(t.as_numpy())\n${answer}`,
      ),
      says: "",
    },
    {
      name: "a control of the sequence batcher",
      python: model(read('"START"')),
      pbtxt: config(
        'max_batch_size: 2 sequence_batching { control_input { name: "START" control { kind: CONTROL_SEQUENCE_START fp32_false_true: [ 0, 1 ] } } }',
      ),
      says: "",
    },
    { name: "a name from elsewhere", python: model(read("self.name"), 'self.name = args["x"]'), says: "" },
  ]);
});

describe("outputs", () => {
  const outputs = (...rows: string[]): string =>
    `backend: "python" input { name: "x" data_type: TYPE_FP32 dims: 2 } ${rows
      .map((row) => `output { ${row} dims: 2 }`)
      .join("\n")}`;
  cases([
    {
      name: "another name",
      python: model(answer.replace('"y"', '"yy"')),
      says: "1/model.py:13:89 python/undeclared-output: `1/model.py` of `m` creates a tensor `yy`, which the configuration does not declare as an output",
    },
    {
      name: "a name that resembles no declared one",
      python: model(answer.replace('"y"', '"probabilities"')),
      says: `1/model.py:13:89 python/undeclared-output: \`1/model.py\` of \`m\` creates a tensor \`probabilities\`, which the configuration does not declare as an output
config.pbtxt:4:10 python/missing-output: \`1/model.py\` of \`m\` never creates the declared output \`y\``,
    },
    {
      name: "names in constants",
      python: `OUTPUT = "y"\n${model(answer.replace('"y"', "OUTPUT"))}`,
      says: "",
    },
    {
      name: "names that come from the configuration",
      python: model(
        answer.replace('"y"', "self.name"),
        'self.name = json.loads(args["model_config"])["output"][0]["name"]',
      ),
      says: "",
    },
    {
      name: "an output that is only created on request",
      python: model(
        answer
          .replace(
            "    responses",
            '    tensors = [pb_utils.Tensor("y", x)]\n    if "z" in request.requested_output_names():\n        tensors.append(pb_utils.Tensor("z", x))\n    responses',
          )
          .replace('[pb_utils.Tensor("y", x)]))', "tensors))"),
      ),
      pbtxt: outputs('name: "y" data_type: TYPE_FP32', 'name: "z" data_type: TYPE_FP32'),
      says: "",
    },
    {
      name: "tensors for another model",
      python: model(
        `pb_utils.InferenceRequest(model_name=request.request_id(), inputs=[pb_utils.Tensor("ids", 1)], requested_output_names=["o"]).exec()\n${answer}`,
      ),
      says: "",
    },
    {
      name: "int64 under FP32",
      python: model(answer.replace('"y", x', '"y", x.astype(np.int64)')),
      says: "1/model.py:13:94 python/wrong-dtype: `y` of `m` is declared TYPE_FP32, but `1/model.py` returns TYPE_INT64",
    },
    {
      name: "zeros under FP32",
      python: model(answer.replace('"y", x', '"y", np.zeros((1, 2)).reshape(-1)')),
      says: "1/model.py:13:94 python/wrong-dtype: `y` of `m` is declared TYPE_FP32, but `1/model.py` returns TYPE_FP64",
    },
    {
      name: "numbers with a fraction, and results computed from them, declared as FP32",
      python: model(answer.replace('"y", x', '"y", np.exp(np.array([0.5, 1]).max(axis=0, keepdims=True))')),
      says: "1/model.py:13:94 python/wrong-dtype: `y` of `m` is declared TYPE_FP32, but `1/model.py` returns TYPE_FP64",
    },
    {
      name: "the exponential of int64, declared as FP32",
      python: model(answer.replace('"y", x', '"y", np.exp(x.astype(np.int64))')),
      says: "1/model.py:13:94 python/wrong-dtype: `y` of `m` is declared TYPE_FP32, but `1/model.py` returns TYPE_FP64",
    },
    {
      name: "the exponential of float32, and of numbers of unknown type",
      python: model(
        answer
          .replace("    responses", '    print(pb_utils.Tensor("y", np.exp(x)))\n    responses')
          .replace('"y", x', '"y", np.exp(x.astype(np.float32))'),
      ),
      says: "",
    },
    ...[
      'np.array(["ab", "c"])',
      'np.array([["ab"], ["c"]]).reshape(2)',
      'np.array(x, dtype="<U8")',
      "x.astype(str)",
      "np.asarray(x, dtype=np.str_)",
      'np.full((2,), "ab")',
    ].map((array) => ({
      name: `text as ${array}`,
      python: model(answer.replace('"y", x', `"y", ${array}`)),
      pbtxt: outputs('name: "y" data_type: TYPE_STRING'),
      says: array.includes("reshape")
        ? ""
        : "1/model.py:13:94 python/text-array: `1/model.py` of `m` creates `y` from an array of Unicode text, which Triton refuses",
    })),
    ...[
      'np.array([b"ab"])',
      'np.array(["ab"], dtype=object)',
      "np.array(x.tolist())",
      'np.array(["ab", x])',
    ].map((array) => ({
      name: `text as ${array}`,
      python: model(answer.replace('"y", x', `"y", ${array}`)),
      pbtxt: outputs('name: "y" data_type: TYPE_STRING'),
      says: "",
    })),
    {
      name: "zeros that are converted, and zeros of a type",
      python: model(
        answer
          .replace(
            "    responses",
            '    print(pb_utils.Tensor("y", np.zeros((1, 2), self.dtype)))\n    responses',
          )
          .replace('"y", x', '"y", np.zeros(2).astype(np.float32)'),
        'self.dtype = pb_utils.triton_string_to_numpy("TYPE_FP32")',
      ),
      says: "",
    },
    {
      name: "an array whose type depends on its values",
      python: model(answer.replace('"y", x', '"y", np.array([x]) + np.zeros(2)')),
      says: "",
    },
    {
      name: "generated ids, declared as FP32",
      python: model(
        answer
          .replace("    responses", "    ids = self.model.generate(x, num_beams=2)\n    responses")
          .replace('"y", x', '"y", ids.cpu().numpy()'),
        "self.model = print",
      ),
      says: "1/model.py:14:94 python/wrong-dtype: `y` of `m` is declared TYPE_FP32, but `1/model.py` returns TYPE_INT64",
    },
    {
      name: "float32 under FP32",
      python: model(answer.replace('"y", x', '"y", np.array([x], dtype=np.float32).reshape(-1)')),
      says: "",
    },
    {
      name: "a type from the configuration",
      python: model(
        answer.replace('"y", x', '"y", x.astype(self.dtype)'),
        'self.dtype = pb_utils.triton_string_to_numpy("TYPE_FP32")',
      ),
      says: "",
    },
    {
      name: "an array with two meanings",
      python: model(
        answer.replace("    responses", "    x = x.astype(np.int64)\n    x = x / 2\n    responses"),
      ),
      says: "",
    },
    {
      name: "objects are strings",
      python: model(answer.replace('"y", x', '"y", np.array(["a"], dtype=np.object_)')),
      pbtxt: outputs('name: "y" data_type: TYPE_STRING'),
      says: "",
    },
  ]);
});

describe("responses", () => {
  cases([
    {
      name: "one response after the loop",
      python: model(`for request in requests:
    x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
return [pb_utils.InferenceResponse([pb_utils.Tensor("y", x)])]`),
      says: "1/model.py:12:16 python/one-response: `execute` in `1/model.py` of `m` returns one response for all requests, after the loop over the requests",
    },
    {
      name: "one response made of all tensors",
      python: model(`responses = []
for request in requests:
    responses.append(pb_utils.Tensor("y", pb_utils.get_input_tensor_by_name(request, "x").as_numpy()))
responses = [pb_utils.InferenceResponse(output_tensors=responses)]
return responses`),
      says: "1/model.py:13:21 python/one-response: `execute` in `1/model.py` of `m` returns one response for all requests, after the loop over the requests",
    },
    {
      name: "a return in the loop",
      python: model(`for request in requests:
    x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
    return [pb_utils.InferenceResponse([pb_utils.Tensor("y", x)])]`),
      says: "1/model.py:12:20 python/one-response: `execute` in `1/model.py` of `m` returns one response for all requests, in the first iteration of the loop over the requests",
    },
    {
      name: "one response after a comprehension",
      python:
        model(`batch = np.concatenate([pb_utils.get_input_tensor_by_name(r, "x").as_numpy() for r in requests])
return [pb_utils.InferenceResponse([pb_utils.Tensor("y", batch)])]`),
      says: "1/model.py:11:16 python/one-response: `execute` in `1/model.py` of `m` returns one response for all requests, after a comprehension over the requests",
    },
    {
      name: "one response under a name after a comprehension",
      python: model(`arrays = [pb_utils.get_input_tensor_by_name(r, "x").as_numpy() for r in requests]
responses = [pb_utils.InferenceResponse([pb_utils.Tensor("y", np.concatenate(arrays))])]
return responses`),
      says: "1/model.py:11:21 python/one-response: `execute` in `1/model.py` of `m` returns one response for all requests, after a comprehension over the requests",
    },
    {
      name: "one append after a comprehension",
      python: model(`responses = []
arrays = [pb_utils.get_input_tensor_by_name(r, "x").as_numpy() for r in requests]
responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("y", np.concatenate(arrays))]))
return responses`),
      says: "1/model.py:12:26 python/one-response: `execute` in `1/model.py` of `m` returns one response for all requests, after a comprehension over the requests",
    },
    {
      name: "one append after the loop",
      python: model(`responses = []
for request in requests:
    x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("y", x)]))
return responses`),
      says: "1/model.py:13:26 python/one-response: `execute` in `1/model.py` of `m` returns one response for all requests, after the loop over the requests",
    },
    {
      name: "one append in a 'with' after the loop",
      python: model(`responses = []
with open("x"):
    for request in requests:
        x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
    responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("y", x)]))
return responses`),
      says: "1/model.py:14:30 python/one-response: `execute` in `1/model.py` of `m` returns one response for all requests, after the loop over the requests",
    },
    {
      name: "one batch, split by appends in a loop",
      python: model(`arrays = [pb_utils.get_input_tensor_by_name(r, "x").as_numpy() for r in requests]
responses = []
for array in arrays:
    responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("y", array)]))
return responses`),
      says: "",
    },
    {
      name: "an append in the loop and one after it",
      python: model(`responses = []
for request in requests[1:]:
    responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("y", 1)]))
x = [r for r in requests]
responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("y", x)]))
return responses`),
      says: "",
    },
    {
      name: "a list that a helper fills",
      python: `${model(`responses = []
x = [pb_utils.get_input_tensor_by_name(r, "x").as_numpy() for r in requests]
self.fill(responses, x)
responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("y", x)]))
return responses`)}\n    def fill(self, a, b): a.append(b)\n    def answer(self, a): return a\n`,
      says: "",
    },
    {
      name: "a list that a helper creates",
      python: `${model(`x = [pb_utils.get_input_tensor_by_name(r, "x").as_numpy() for r in requests]
responses = self.answer(x)
return responses`)}\n    def fill(self, a, b): a.append(b)\n    def answer(self, a): return a\n`,
      says: "",
    },
    {
      name: "one response, repeated for every request",
      python: model(`x = [pb_utils.get_input_tensor_by_name(r, "x").as_numpy() for r in requests]
return [pb_utils.InferenceResponse([pb_utils.Tensor("y", x)])] * len(requests)`),
      says: "",
    },
    {
      name: "a conditional append for each request",
      python: model(`responses = []
for request in requests:
    x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
if x.any():
    responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("y", x)]))
return responses`),
      says: "",
    },
    {
      name: "a guard for a single request",
      python: model(`assert len(requests) == 1
x = [pb_utils.get_input_tensor_by_name(r, "x").as_numpy() for r in requests]
return [pb_utils.InferenceResponse([pb_utils.Tensor("y", x)])]`),
      says: "",
    },
    {
      name: "a guard for a single request, by a name",
      python: model(`n = len(requests)
if n != 1:
    raise ValueError(n)
for request in requests:
    x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
return [pb_utils.InferenceResponse([pb_utils.Tensor("y", x)])]`),
      says: "",
    },
    {
      name: "one response of a decoupled model: another fault",
      python: model(`responses = []
for request in requests:
    x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
responses.append(pb_utils.InferenceResponse([pb_utils.Tensor("y", x)]))
return responses`),
      pbtxt: config("model_transaction_policy { decoupled: true }"),
      says: "1/model.py:14:16 python/decoupled-returns: `execute` in `1/model.py` of `m` returns a list, but the model is decoupled",
    },
    {
      name: "only the first request, with a batcher",
      python: model(`x = pb_utils.get_input_tensor_by_name(requests[0], "x")
return [pb_utils.InferenceResponse([pb_utils.Tensor("y", x.as_numpy())])]`),
      pbtxt: config("max_batch_size: 8 dynamic_batching { }"),
      says: "1/model.py:10:47 python/one-response: `execute` in `1/model.py` of `m` returns one response for all requests, without a loop over the requests",
    },
    {
      name: "only the first request, without a batcher",
      python: model(`x = pb_utils.get_input_tensor_by_name(requests[0], "x")
return [pb_utils.InferenceResponse([pb_utils.Tensor("y", x.as_numpy())])]`),
      says: "",
    },
    {
      name: "a list comprehension",
      python: model('return [pb_utils.InferenceResponse([pb_utils.Tensor("y", r)]) for r in requests]'),
      says: "",
    },
    {
      name: "one batch, split again",
      python: model(`arrays = []
for request in requests:
    arrays.append(pb_utils.get_input_tensor_by_name(request, "x").as_numpy())
responses = [None] * len(requests)
for i, array in enumerate(arrays):
    responses[i] = pb_utils.InferenceResponse([pb_utils.Tensor("y", array)])
return responses`),
      says: "",
    },
    {
      name: "nothing is returned",
      python: model(answer.replace("\nreturn responses", "")),
      says: "1/model.py:9:9 python/returns-nothing: `execute` in `1/model.py` of `m` returns nothing",
    },
    {
      name: "a decoupled model returns nothing",
      python: model(answer.replace("\nreturn responses", "")),
      pbtxt: config("model_transaction_policy { decoupled: true }"),
      says: "",
    },
    {
      name: "a decoupled model returns a list",
      python: model(answer),
      pbtxt: config("model_transaction_policy { decoupled: true }"),
      says: "1/model.py:14:16 python/decoupled-returns: `execute` in `1/model.py` of `m` returns a list, but the model is decoupled",
    },
    {
      name: "a decoupled model returns a helper's result",
      python: model("return self.stream(requests)", "self.stream = print"),
      pbtxt: config("model_transaction_policy { decoupled: true }"),
      says: "",
    },
    {
      name: "a response sender",
      python: model("for request in requests:\n    request.get_response_sender().send(flags=1)\nreturn None"),
      says: "",
    },
  ]);
});
