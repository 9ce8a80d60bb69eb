"""The rows of a request: the ids that each one starts from, and its settings."""

import numpy as np
import triton_python_backend_utils as pb_utils
from decoding import Settings


class InvalidRequest(Exception):
    """A client's mistake, whose message is returned as the response."""


def read_rows(request, options):
    """For every row, the ids that the model starts from, those that the rules see, and the settings."""
    exported = options["exported"]
    ids, mask = required(request, "input_ids"), required(request, "attention_mask")
    if mask.shape != ids.shape:
        raise InvalidRequest(f"input_ids is {list(ids.shape)}, attention_mask is {list(mask.shape)}")
    said = {name: tensor(request, name) for name in options["perRequest"] if name != "stop"}
    rows = []
    for row in range(len(ids)):
        prompt = ids[row][mask[row] != 0].tolist()
        check_prompt(prompt, row, exported)
        settings = Settings(row=row, **options["settings"])
        for name, values in said.items():
            if values is not None:
                number = values[row, 0].item()
                check(name, number, row, options)
                setattr(settings, name, number)
        positions = exported["positions"]
        if "encoder" in exported:
            rows.append((prompt, [exported["start"]], settings))
            continue
        if positions is not None:
            settings.max_new_tokens = min(settings.max_new_tokens, positions - len(prompt))
        rows.append((prompt, prompt, settings))
    return rows


def check_prompt(prompt, row, exported):
    if not prompt:
        raise InvalidRequest(f"row {row} has no tokens")
    positions = exported["positions"]
    if positions is not None:
        most = positions if "encoder" in exported else positions - 1
        if len(prompt) > most:
            raise InvalidRequest(f"row {row} has {len(prompt)} tokens, but the maximum is {most}")
    for token in prompt:
        check_token(token, row, "input_ids", exported["vocabulary"])


def check_token(token, row, name, vocabulary):
    if not 0 <= token < vocabulary:
        raise InvalidRequest(f"row {row} of {name} has the id {token}, but the model's ids are 0 to {vocabulary - 1}")


def check(name, number, row, options):
    """Checks a request's settings for a row against what is allowed."""
    if name == "forced_bos_token_id":
        check_token(number, row, name, options["exported"]["scored"])
        return
    if name == "max_new_tokens":
        most = options["settings"]["max_new_tokens"]
        allows, bound = (lambda tokens: 1 <= tokens <= most), f"from 1 to {most}"
    else:
        allows, bound = LIMITS.get(name, (lambda _: True, ""))
    if not allows(number):
        raise InvalidRequest(f"row {row} of {name} must be {bound}")


NOT_NEGATIVE = (lambda number: number >= 0, "at least 0")
POSITIVE = (lambda number: 0 < number < np.inf, "above 0")
LIMITS = {
    "min_new_tokens": NOT_NEGATIVE,
    "no_repeat_ngram_size": NOT_NEGATIVE,
    "top_k": NOT_NEGATIVE,
    "repetition_penalty": POSITIVE,
    "temperature": POSITIVE,
    "top_p": (lambda number: 0 < number <= 1, "above 0 and at most 1"),
}


def required(request, name):
    found = tensor(request, name)
    if found is None:  # Triton only counts the inputs.
        raise InvalidRequest(f"input {name} is missing")
    return found


def tensor(request, name):
    """An input [rows, …]; None if the request omits it."""
    found = pb_utils.get_input_tensor_by_name(request, name)
    return None if found is None else found.as_numpy()
