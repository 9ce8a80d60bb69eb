"""A language model with TensorRT-LLM's tensors, whose tokens are words."""

import random

import numpy as np
import triton_python_backend_utils as pb_utils

FINAL = pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL
WORDS = "machine learning is a field of study, in which models learn from data. They are trained, then tested".split()


class TritonPythonModel:
    def execute(self, requests):
        for request in requests:
            given = {tensor.name(): tensor.as_numpy().reshape(-1) for tensor in request.inputs()}
            sender = request.get_response_sender()
            prompt = given["text_input"][0].decode()
            if prompt == "fail":
                error = pb_utils.InferenceResponse(error=pb_utils.TritonError("out of words"))
                sender.send(error, flags=FINAL)
                continue
            words = self.words(prompt, given)
            if "exclude_input_in_output" in given and not given["exclude_input_in_output"][0]:
                words = [prompt, *words]
            if not given["stream"][0]:
                words = ["".join(words)]
            for index, word in enumerate(words):
                last = index == len(words) - 1
                sender.send(self.response(word, prompt), flags=FINAL if last else 0)

    def words(self, prompt, given):
        temperature = given["temperature"][0]
        seed = 0 if temperature == 0 else given.get("seed", [0])[0]
        chosen = random.Random(f"{prompt} {seed} {temperature:.3f}")
        words = []
        for _ in range(given["max_tokens"][0]):
            word = " " + chosen.choice(WORDS)
            if any(stop.decode() in word for stop in given.get("stop_words", [])):
                break
            words.append(word)
        return words or [""]

    def response(self, text, prompt):
        return pb_utils.InferenceResponse(
            [
                pb_utils.Tensor("text_output", np.array([[text.encode()]], np.object_)),
                pb_utils.Tensor("num_input_tokens", np.array([[len(prompt.split())]], np.uint32)),
                pb_utils.Tensor("num_output_tokens", np.array([[len(text.split())]], np.uint32)),
            ]
        )
