import { describe, expect, test } from "vitest";
import { lateMembers } from "../python/backend-utils.ts";
import { advise, answer, cases, model } from "./python-model.fixture.ts";

const early = (at: string, member: string): string =>
  `1/model.py:${at} python/too-early: \`1/model.py\` of \`m\` uses \`${member}\` of triton_python_backend_utils too early: Triton adds it after the import`;
/** Code at line 15, below a model without findings. */
const below = (code: string): string => model(answer) + code;

describe("code that runs during the import", () => {
  cases([
    { name: "a value", python: below("T = pb_utils.Tensor\n"), says: early("15:5", "Tensor") },
    { name: "a call", python: below("pb_utils.Logger.log_info('loaded')\n"), says: early("15:1", "Logger") },
    {
      name: "an import",
      python: below("from triton_python_backend_utils import ModelConfig, Tensor as T, Logger\n"),
      says: [early("15:1", "Tensor"), early("15:1", "Logger")].join("\n"),
    },
    {
      name: "annotations of parameters and of a result",
      python: below(
        "def f(a, *b: pb_utils.Tensor, c: list[pb_utils.InferenceRequest] = ()) -> pb_utils.TritonError | None: ...\n",
      ),
      says: [
        early("15:14", "Tensor"),
        early("15:39", "InferenceRequest"),
        early("15:75", "TritonError"),
      ].join("\n"),
    },
    {
      name: "annotations of variables",
      python: below("x: pb_utils.Tensor\njson.x: pb_utils.MetricFamily = None\n"),
      says: [early("15:4", "Tensor"), early("16:9", "MetricFamily")].join("\n"),
    },
    {
      name: "a default value and a decorator",
      python: below("@np.vectorize(pb_utils.Tensor)\nasync def f(dir=pb_utils.get_model_dir()): ...\n"),
      says: [early("15:15", "Tensor"), early("16:17", "get_model_dir")].join("\n"),
    },
    {
      name: "a class: its base, its body and its methods",
      python: below(
        "class E(pb_utils.TritonModelException):\n  T = pb_utils.Tensor\n  x: pb_utils.Logger\n  def f(self) -> pb_utils.MetricFamily: ...\n",
      ),
      says: [
        early("15:9", "TritonModelException"),
        early("16:7", "Tensor"),
        early("17:6", "Logger"),
        early("18:18", "MetricFamily"),
      ].join("\n"),
    },
    {
      name: "each member once",
      python: below("def f(a: pb_utils.Tensor, b: pb_utils.Tensor): ...\n"),
      says: early("15:10", "Tensor"),
    },
    {
      name: "a module imported in a try, for tests elsewhere",
      python: below("T = pb_utils.Tensor\n").replace(
        "import triton_python_backend_utils as pb_utils",
        "try: import triton_python_backend_utils as pb_utils\nexcept ImportError: pb_utils = None",
      ),
      says: early("16:5", "Tensor"),
    },
    {
      name: "handlers that raise again",
      python: below("try:\n  T = pb_utils.Tensor\nexcept AttributeError:\n  print('none')\n  raise\n"),
      says: early("16:7", "Tensor"),
    },
    {
      name: "contexts that catch nothing",
      python: below(
        "import threading\n_LOCK = threading.RLock()\nwith open(__file__) as f, threading.Lock():\n  T = pb_utils.Tensor\n\nwith _LOCK:\n  L = pb_utils.Logger\n",
      ),
      says: [early("18:7", "Tensor"), early("21:7", "Logger")].join("\n"),
    },
    {
      name: "another member than the one that the file sets",
      python: below("pb_utils.Tensor = object\nL = pb_utils.Logger\n"),
      says: early("16:5", "Logger"),
    },
    {
      name: "code after the use of a name",
      python: below("if hasattr(pb_utils, 'x'):\n  pass\n\nT = pb_utils.Tensor\nraise ValueError('no')\n"),
      says: early("18:5", "Tensor"),
    },
  ]);
});

describe("code that is fine", () => {
  cases(
    [
      [
        "members that exist from the start",
        "C = pb_utils.ModelConfig\ndef f(c: pb_utils.ModelConfig): ...\n",
      ],
      [
        "annotations in a file that postpones them",
        "def f(a: pb_utils.Tensor) -> pb_utils.Tensor: ...\nx: pb_utils.Tensor\n",
        "from __future__ import annotations\n",
      ],
      ["annotations that are text", "def f(a: 'pb_utils.Tensor') -> list['pb_utils.Tensor']: ...\n"],
      [
        "code and annotations of local variables in a function",
        "def f():\n  from triton_python_backend_utils import Tensor\n  x: pb_utils.Tensor = Tensor\n  class C(Tensor):\n    y: pb_utils.Tensor\n",
      ],
      ["lambdas", "make = lambda name, x: pb_utils.Tensor(name, x)\n"],
      ["generators", "all = (pb_utils.Tensor for _ in [])\n"],
      [
        "type checkers only",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n  from triton_python_backend_utils import Tensor\n",
      ],
      [
        "a handled error",
        "try:\n  from triton_python_backend_utils import Tensor\nexcept (ImportError, AttributeError):\n  Tensor = None\nx: Tensor\n",
      ],
      [
        "a suppressed error",
        "import contextlib\nwith contextlib.suppress(AttributeError):\n  T = pb_utils.Tensor\n",
      ],
      ["a condition", "T = pb_utils.Tensor if hasattr(pb_utils, 'Tensor') else None\n"],
      ["another module of that name", "import fake as pb_utils\nT = pb_utils.Tensor\n"],
      ["a class of that name from another module", "from torch import Tensor\ndef f(x: Tensor): ...\n"],
      ["a member that the file sets", "pb_utils.Tensor = object\nT = pb_utils.Tensor\n"],
      [
        "a member that the file sets in a handler or with others",
        "try:\n  pb_utils.Tensor\nexcept AttributeError:\n  pb_utils.Tensor, pb_utils.Logger = object, None\n\nT = pb_utils.Tensor, pb_utils.Logger\n",
      ],
      ["members that a function sets", "def f():\n  pb_utils.Tensor = object\n\nf()\nT = pb_utils.Tensor\n"],
      ["members set by name", "setattr(pb_utils, 'Tensor', object)\nT = pb_utils.Tensor\n"],
      ["members set through another name", "p = pb_utils\np.Tensor = object\nT = pb_utils.Tensor\n"],
      ["members set in the dictionary", "pb_utils.__dict__['Tensor'] = object\nT = pb_utils.Tensor\n"],
      [
        "another module in its place",
        "T = pb_utils.Tensor\n",
        "import sys, fake\nsys.modules['triton_python_backend_utils'] = fake\n",
      ],
      ["a class with its own name", "class C:\n  pb_utils = np\n  T = pb_utils.Tensor\n"],
      ["a name that is bound with others", "pb_utils, x = np, 1\nT = pb_utils.Tensor\n"],
      ["a name that is bound in an expression", "print(pb_utils := np)\nT = pb_utils.Tensor\n"],
      [
        "a name that a function sets",
        "def f():\n  global pb_utils\n  pb_utils = np\n\nf()\nT = pb_utils.Tensor\n",
      ],
      ["a name that another module may set", "from fake import *\nT = pb_utils.Tensor\n"],
      [
        "a context that catches errors",
        "import pytest\nwith pytest.raises(AttributeError):\n  T = pb_utils.Tensor\n",
      ],
      [
        "a context that catches errors, next to one that does not",
        "import pytest\nwith open(__file__), pytest.raises(AttributeError):\n  T = pb_utils.Tensor\n",
      ],
      ["code after the end of the process", "import sys\nsys.exit()\nT = pb_utils.Tensor\n"],
      ["code after an end under a condition", "import sys\nif np.x:\n  sys.exit(1)\nT = pb_utils.Tensor\n"],
      ["code after an error", "raise RuntimeError('old')\nT = pb_utils.Tensor\n"],
      ["code after an error in a class", "class C:\n  raise RuntimeError('old')\nT = pb_utils.Tensor\n"],
      ["parameters of a generic function", "def f[T: pb_utils.Tensor](x: T) -> T: ...\n"],
    ].map(([name = "", code = "", before = ""]) => ({ name, python: before + below(code), says: "" })),
  );
});

test("each late member is reported", () => {
  const code = [...lateMembers].map((member) => `pb_utils.${member}\n`).join("");
  expect(advise(below(code)).split("\n")).toHaveLength(14);
});
