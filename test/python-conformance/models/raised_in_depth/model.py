import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    def execute(self, requests):
        return [outer(request) for request in requests]


def outer(request):
    try:
        return inner(request)
    except KeyError as error:
        raise RuntimeError("from outer") from error


def inner(request):
    return {}[request.request_id()]
