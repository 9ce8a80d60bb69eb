"""Definitions that several models share, and that replace `from shared import …` in a template."""

import time

import triton_python_backend_utils as pb_utils


class InvalidRequest(Exception):
    """A client's mistake, whose message is returned as the response."""


def hold_errors(execute):
    """Delays errors by 10 ms: Triton before 26.05 may hang or crash if a step fails before the parallel steps have started."""

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
