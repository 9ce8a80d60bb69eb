"""Runs an exported model as a decoder that turns ids into scores of the next token.

Tensors are NumPy arrays, which ONNX Runtime reads and returns without copying; with its own type, `OrtValue`, a step takes 0.1 ms longer.
"""

import numpy as np
import onnxruntime as ort

CACHE_TYPES = {"FP16": np.float16, "FP32": np.float32}


def open_sessions(exported, folder, threads):
    """The sessions of the files, by name. A file that is used twice is opened once."""
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 4  # errors are still raised as exceptions
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    names = {exported[part]["file"] for part in ("encoder", "first", "next") if part in exported}
    return {
        name: ort.InferenceSession(str(folder / name), options, providers=["CPUExecutionProvider"])
        for name in sorted(names)
    }


class Decoder:
    """Runs the decoder for some rows. `exported` describes the tensors of the files."""

    def __init__(self, exported, sessions, pad):
        self.exported, self.sessions, self.pad = exported, sessions, pad
        self.tensors = {}  # tensors that are passed again at every step, by input name
        self.mask = None  # for a decoder-only model: the positions of the cache that are tokens
        self.prompts = []  # the prompt of each row

    def start(self, prompts):
        """The scores [rows, vocabulary] of each row's first token."""
        exported = self.exported
        self.prompts = list(range(len(prompts)))
        width = max(map(len, prompts))
        right = "encoder" in exported
        ids = np.full((len(prompts), width), self.pad, np.int64)
        mask = np.zeros((len(prompts), width), np.int64)
        for row, prompt in enumerate(prompts):
            place = slice(0, len(prompt)) if right else slice(width - len(prompt), width)
            ids[row, place] = prompt
            mask[row, place] = 1
        if not right:
            self.mask = mask
            return self.run(exported["first"], ids)
        encoder = exported["encoder"]
        given = {"input_ids": ids, "attention_mask": mask}
        (hidden,) = self.sessions[encoder["file"]].run(
            ["last_hidden_state"], {name: given[name] for name in encoder["inputs"]}
        )
        self.tensors = {"encoder_hidden_states": hidden, "encoder_attention_mask": mask}
        return self.run(exported["first"], np.full((len(prompts), 1), exported["start"], np.int64))

    def advance(self, parents, tokens):
        """The scores after one more token: row i continues row `parents[i]` with `tokens[i]`."""
        self.select(parents)
        if self.mask is not None:
            self.mask = np.hstack([self.mask, np.ones((len(tokens), 1), np.int64)])
        return self.run(self.exported["next"], np.array(tokens, np.int64)[:, None])

    def select(self, parents):
        """Selects rows of the repeated inputs. The beams of a prompt share the tensors that depend only on the prompt."""
        part = self.exported["next"]
        prompts = [self.prompts[parent] for parent in parents]
        changing = {cache["past"] for cache in part["keeps"]}
        is_moved, is_other = parents != list(range(self.rows)), prompts != self.prompts
        for name in list(self.tensors):
            if name not in part["inputs"]:
                del self.tensors[name]
            elif is_moved if name in changing else is_other:
                self.tensors[name] = self.tensors[name][parents]
        if self.mask is not None:
            self.mask = self.mask[parents]
        self.prompts, self.rows = prompts, len(parents)

    def run(self, part, ids):
        self.rows = len(ids)
        tensors = self.tensors
        feeds = {name: tensors[name] if name in tensors else self.feed(name, ids, part) for name in part["inputs"]}
        outputs = ["logits", *(cache["present"] for cache in part["keeps"])]
        logits, *kept = self.sessions[part["file"]].run(outputs, feeds)
        self.tensors.update((cache["past"], tensor) for cache, tensor in zip(part["keeps"], kept))
        return logits[:, -1].astype(np.float32, copy=False)

    def feed(self, name, ids, part):
        if name == "input_ids":
            return ids
        if name == "attention_mask":
            return self.mask
        if name == "position_ids":
            positions = np.maximum(self.mask.cumsum(axis=1) - 1, 0)
            return positions[:, -ids.shape[1] :]
        if name == "use_cache_branch":
            return np.array([part is self.exported["next"]])
        self.tensors[name] = self.empty(name, part)
        return self.tensors[name]

    def empty(self, name, part):
        """A cache without tokens. A merged decoder requires one position before it first uses the cache, but ignores it."""
        cache = next(cache for cache in self.exported["caches"] if cache["past"] == name)
        places = 1 if "use_cache_branch" in part["inputs"] else 0
        shape = [self.rows, *cache["shape"]]
        shape[cache["axis"]] = places
        return np.zeros(shape, CACHE_TYPES[cache["dtype"]])
