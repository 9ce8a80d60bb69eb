import { expect, test } from "vitest";
import { readPython } from "../python/parse/read-python.ts";
import { showAdvice } from "./advice.fixture.ts";

const text = `
input { name: "text" data_type: TYPE_STRING dims: 1 }
output { name: "label" data_type: TYPE_STRING dims: 1 }
output { name: "score" data_type: TYPE_FP32 dims: 1 }`;

const plain = `
input { name: "x" data_type: TYPE_FP32 dims: 4 }
output { name: "y" data_type: TYPE_FP32 dims: 4 }`;

/** Correct models in common styles. */
const models: Readonly<Record<string, readonly [config: string, python: string]>> = {
  "one batch of all requests, split again": [
    `backend: "python" max_batch_size: 8 dynamic_batching { } ${plain}`,
    `
import json
import numpy as np
import triton_python_backend_utils as pb_utils

class TritonPythonModel:
    def initialize(self, args):
        self.model_config = model_config = json.loads(args["model_config"])
        output_config = pb_utils.get_output_config_by_name(model_config, "y")
        self.output_dtype = pb_utils.triton_string_to_numpy(output_config["data_type"])
        self.scale = float(model_config["parameters"].get("scale", {"string_value": "1"})["string_value"])

    def execute(self, requests):
        arrays = [pb_utils.get_input_tensor_by_name(r, "x").as_numpy() for r in requests]
        sizes = [len(array) for array in arrays]
        result = (np.concatenate(arrays) * self.scale).astype(self.output_dtype)
        responses, start = [], 0
        for size in sizes:
            tensor = pb_utils.Tensor("y", result[start : start + size])
            responses.append(pb_utils.InferenceResponse([tensor]))
            start += size
        return responses
`,
  ],
  "a pipeline with lazy parts and errors as answers": [
    `backend: "python" max_batch_size: 8 ${text}`,
    `
import logging
import os
from functools import cached_property

import numpy as np
import triton_python_backend_utils as pb_utils
from transformers import pipeline

logger = logging.getLogger(__name__)
LABELS = {0: "bad", 1: "good"}


def to_texts(tensor):
    return [t.decode("utf-8") if isinstance(t, bytes) else str(t) for t in tensor.as_numpy().reshape(-1)]


class TritonPythonModel:
    _classifier = None

    @cached_property
    def device(self):
        return int(os.environ.get("DEVICE", -1))

    @property
    def classifier(self):
        if self._classifier is None:
            self._classifier = pipeline("text-classification", device=self.device)
        return self._classifier

    def execute(self, requests):
        responses = []
        for index, request in enumerate(requests):
            try:
                texts = to_texts(pb_utils.get_input_tensor_by_name(request, "text"))
                found = self.classifier(texts, padding=True, truncation=True, max_length=512)
                labels = np.array([[f["label"].encode()] for f in found], dtype=object)
                scores = np.asarray([[f["score"]] for f in found], np.float32)
                outputs = [pb_utils.Tensor("label", labels)]
                outputs.append(pb_utils.Tensor("score", scores))
                responses.append(pb_utils.InferenceResponse(output_tensors=outputs))
            except Exception as error:
                logger.exception("request %d", index)
                responses.append(pb_utils.InferenceResponse(error=pb_utils.TritonError(str(error))))
        return responses

    def finalize(self):
        del self._classifier
`,
  ],
  "decoupled, with a thread": [
    `backend: "python" model_transaction_policy { decoupled: true } ${plain}`,
    `
import threading
import triton_python_backend_utils as pb_utils

class TritonPythonModel:
    def initialize(self, args):
        self.inflight = 0
        self.lock = threading.Lock()

    def execute(self, requests):
        for request in requests:
            thread = threading.Thread(target=self.work, args=(request.get_response_sender(), request))
            thread.daemon = True
            with self.lock:
                self.inflight += 1
            thread.start()
        return None

    def work(self, sender, request):
        x = pb_utils.get_input_tensor_by_name(request, "x")
        for row in x.as_numpy():
            sender.send(pb_utils.InferenceResponse([pb_utils.Tensor("y", row)]))
        sender.send(flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL)
        with self.lock:
            self.inflight -= 1
`,
  ],
  "calls to other models, async": [
    `backend: "python" ${plain}`,
    `
import asyncio
import triton_python_backend_utils as pb_utils

class TritonPythonModel:
    async def execute(self, requests):
        from triton_python_backend_utils import InferenceRequest, Tensor as T
        responses = []
        for request in requests:
            x = pb_utils.get_input_tensor_by_name(request, "x")
            calls = [
                InferenceRequest(model_name=name, requested_output_names=["OUT"], inputs=[T("IN", x.as_numpy())]).async_exec()
                for name in ("first", "second")
            ]
            answers = await asyncio.gather(*calls)
            for answer in answers:
                if answer.has_error():
                    raise pb_utils.TritonModelException(answer.error().message())
            total = sum(pb_utils.get_output_tensor_by_name(a, "OUT").as_numpy() for a in answers)
            responses.append(pb_utils.InferenceResponse(output_tensors=[T("y", total)]))
        return responses
`,
  ],
  "it completes its own configuration": [
    'backend: "python"',
    `
import triton_python_backend_utils as pb_utils

class TritonPythonModel:
    @staticmethod
    def auto_complete_config(auto_complete_model_config):
        auto_complete_model_config.add_input({"name": "a", "data_type": "TYPE_FP32", "dims": [4]})
        auto_complete_model_config.add_output({"name": "b", "data_type": "TYPE_FP32", "dims": [4]})
        auto_complete_model_config.set_max_batch_size(0)
        return auto_complete_model_config

    def execute(self, requests):
        return [pb_utils.InferenceResponse([pb_utils.Tensor("b", pb_utils.get_input_tensor_by_name(r, "a").as_numpy())]) for r in requests]
`,
  ],
  "a base class in another file": [
    `backend: "python" ${plain}`,
    `
import sys
from pathlib import Path
sys.path.append(str(Path(__file__).parent))
from common import BaseModel, make_outputs

class TritonPythonModel(BaseModel):
    outputs = ("y", "other")

    def handle(self, request):
        return make_outputs(self.session, request, self.outputs)
`,
  ],
  "torch, DLPack and outputs by loop": [
    `backend: "python" parameters { key: "weights" value { string_value: "model.pt" } } ${plain}`,
    `
import json, os
import torch
import triton_python_backend_utils as pb_utils
from torch.utils.dlpack import from_dlpack, to_dlpack

class TritonPythonModel:
    def initialize(self, args: dict) -> None:
        config = json.loads(args["model_config"])
        params = {k: v["string_value"] for k, v in config.get("parameters", {}).items()}
        self.names = [o["name"] for o in config["output"]]
        path = os.path.join(args["model_repository"], args["model_version"], params["weights"])
        device = "cuda" if args["model_instance_kind"] == "GPU" else "cpu"
        self.net = torch.jit.load(path, map_location=f"{device}:{args['model_instance_device_id']}" if device == "cuda" else device)
        setattr(self, "device", device)

    @torch.inference_mode()
    def execute(self, requests):
        responses = []
        for request in requests:
            x = from_dlpack(pb_utils.get_input_tensor_by_name(request, "x").to_dlpack()).to(self.device)
            results = self.net(x)
            responses.append(
                pb_utils.InferenceResponse(
                    output_tensors=[
                        pb_utils.Tensor.from_dlpack(name, to_dlpack(result)) for name, result in zip(self.names, results)
                    ]
                )
            )
        return responses
`,
  ],
  "one request at a time, and says so": [
    `backend: "python" ${plain}`,
    `
import numpy as np
import triton_python_backend_utils as pb_utils

class TritonPythonModel:
    def execute(self, requests):
        assert len(requests) == 1
        (request,) = requests
        x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
        return [pb_utils.InferenceResponse([pb_utils.Tensor("y", np.float32(2) * x)])]
`,
  ],
};

test.each(Object.entries(models))("%s", (_, [config, python]) =>
  expect([readPython(python).kind, showAdvice({ "m/config.pbtxt": config, "m/1/model.py": python })]).toEqual(
    ["module", ""],
  ),
);
