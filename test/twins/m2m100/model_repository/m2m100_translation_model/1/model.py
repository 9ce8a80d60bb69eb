import json
from pathlib import Path

import numpy as np
import onnxruntime
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def initialize(self, args):
        folder = Path(args["model_repository"]) / args["model_version"] / "m2m100"
        parameters = json.loads(args["model_config"])["parameters"]
        suffix = parameters["model_suffix"]["string_value"]
        self.max_length = int(parameters["max_length"]["string_value"])
        with open(folder / "config.json") as file:
            config = json.load(file)
        self.start = config["decoder_start_token_id"]
        self.eos = config["eos_token_id"]
        self.pad = config["pad_token_id"]
        self.positions = config["max_position_embeddings"]
        self.vocabulary = config["vocab_size"]
        self.encoder = session(folder / f"encoder_model{suffix}.onnx")
        self.decoder = session(folder / f"decoder_model_merged{suffix}.onnx")
        self.past = [given for given in self.decoder.get_inputs() if given.name.startswith("past_key_values.")]

    def execute(self, requests):
        responses = [None] * len(requests)
        waiting = []
        for at, request in enumerate(requests):
            try:
                waiting.append((at, *self.rows_of(request)))
            except ValueError as error:
                responses[at] = failure(error)
        try:
            answers = self.translate([inputs for _, *inputs in waiting])
        except Exception as error:
            answers = [error] * len(waiting)
        for (at, *_), answer in zip(waiting, answers):
            if isinstance(answer, Exception):
                responses[at] = failure(answer)
            else:
                tensor = pb_utils.Tensor("generated_indices", answer)
                responses[at] = pb_utils.InferenceResponse(output_tensors=[tensor])
        return responses

    def rows_of(self, request):
        ids = pb_utils.get_input_tensor_by_name(request, "input_ids").as_numpy()
        mask = pb_utils.get_input_tensor_by_name(request, "attention_mask").as_numpy()
        first = pb_utils.get_input_tensor_by_name(request, "forced_bos_token_id").as_numpy()
        if ids.shape != mask.shape:
            raise ValueError("input_ids and attention_mask have different shapes")
        if not 0 < ids.shape[1] <= self.positions:
            raise ValueError(f"a row has {ids.shape[1]} tokens, the model takes 1 to {self.positions}")
        for tokens in (ids, first):
            if tokens.min() < 0 or tokens.max() >= self.vocabulary:
                raise ValueError(f"a token is not one of the model's {self.vocabulary}")
        return ids, mask, first[:, 0]

    def translate(self, requests):
        """The tokens of each request's rows; all requests run as one batch."""
        if not requests:
            return []
        longest = max(ids.shape[1] for ids, _, _ in requests)
        ids = np.concatenate([widened(ids, longest, self.pad) for ids, _, _ in requests])
        mask = np.concatenate([widened(mask, longest, 0) for _, mask, _ in requests])
        tokens = self.generate(ids, mask, np.concatenate([first for _, _, first in requests]))
        ends = np.cumsum([len(first) for _, _, first in requests])
        return np.split(tokens, ends[:-1])

    def generate(self, ids, mask, first):
        (hidden,) = self.encoder.run(["last_hidden_state"], {"input_ids": ids, "attention_mask": mask})
        rows = len(ids)
        past = {given.name: np.zeros((rows, given.shape[1], 1, given.shape[3]), np.float32) for given in self.past}
        token = np.full(rows, self.start, dtype=np.int64)
        done = np.zeros(rows, dtype=bool)
        generated = []
        for step in range(self.max_length - 1):
            logits, *present = self.decoder.run(
                None,
                {
                    "input_ids": token[:, None],
                    "encoder_attention_mask": mask,
                    "encoder_hidden_states": hidden,
                    "use_cache_branch": np.array([step > 0]),
                    **past,
                },
            )
            for given, value in zip(self.past, present):
                # Later steps do not return the encoder's part, which stays as it was after the first step.
                if step == 0 or ".decoder." in given.name:
                    past[given.name] = value
            chosen = first if step == 0 else logits[:, -1].argmax(axis=-1)
            token = np.where(done, self.pad, chosen).astype(np.int64)
            generated.append(token)
            done |= token == self.eos
            if done.all():
                break
        return np.stack(generated, axis=1)


def session(path):
    return onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])


def widened(rows, length, value):
    return np.pad(rows, ((0, 0), (0, length - rows.shape[1])), constant_values=value)


def failure(error):
    return pb_utils.InferenceResponse(error=pb_utils.TritonError(str(error)))
