"""Definitions that several models have: `from shared import …` in a template is replaced by them."""

import time

import triton_python_backend_utils as pb_utils


class InvalidRequest(Exception):
    """The client's mistake; its text is the answer."""


def hold_errors(execute):
    """Errors wait for 10 ms: Triton before 26.05 may hang or end when a step fails before the parallel steps have started."""

    def held(self, requests):
        responses = execute(self, requests)
        if any(response.has_error() for response in responses):
            time.sleep(0.01)
        return responses

    return held


def read_texts(request, name):
    values = pb_utils.get_input_tensor_by_name(request, name).as_numpy()
    texts = []
    for row, value in enumerate(values.reshape(-1)):
        try:
            texts.append(value.decode("utf-8"))
        except UnicodeDecodeError:
            raise InvalidRequest(f"row {row} of {name} is not valid UTF-8") from None
    return texts
