"""A plain greedy loop over an export's encoder and merged decoder, for reports and tests. All rows of a batch have the same source length, so none are padded."""

from pathlib import Path

import numpy as np
import onnxruntime

PAD, EOS = 1, 2


def session(file: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(file), options, providers=["CPUExecutionProvider"])


class Translator:
    def __init__(self, folder: Path):
        suffix = "_quantized" if (folder / "encoder_model_quantized.onnx").exists() else ""
        self.encoder = session(folder / f"encoder_model{suffix}.onnx")
        self.decoder = session(folder / f"decoder_model_merged{suffix}.onnx")
        self.past = [i for i in self.decoder.get_inputs() if i.name.startswith("past_key_values.")]

    def translate(self, rows: list[list[int]], targets: list[int], limit: int = 64) -> list[list[int]]:
        """Generated tokens of each row, from the target language's code to EOS, both included."""
        longest = max(map(len, rows))
        ids = np.array([row + [PAD] * (longest - len(row)) for row in rows], np.int64)
        mask = (ids != PAD).astype(np.int64)
        (hidden,) = self.encoder.run(None, {"input_ids": ids, "attention_mask": mask})
        batch = len(rows)
        past = {i.name: np.zeros((batch, i.shape[1], 1, i.shape[3]), np.float32) for i in self.past}
        token = np.full((batch, 1), EOS, np.int64)
        done = np.zeros(batch, bool)
        answers: list[list[int]] = [[] for _ in rows]
        for step in range(limit):
            logits, *present = self.decoder.run(
                None,
                {
                    "input_ids": token,
                    "encoder_attention_mask": mask,
                    "encoder_hidden_states": hidden,
                    "use_cache_branch": np.array([step > 0]),
                    **past,
                },
            )
            for spec, value in zip(self.past, present):
                # With the cache, the model returns an empty cross-attention, so the one from the first step is kept.
                if step == 0 or ".decoder." in spec.name:
                    past[spec.name] = value
            chosen = np.array(targets) if step == 0 else logits[:, -1].argmax(-1)
            for at, value in enumerate(chosen):
                if not done[at]:
                    answers[at].append(int(value))
            done |= chosen == EOS
            if done.all():
                break
            token = np.where(done, PAD, chosen).astype(np.int64)[:, None]
        return answers
