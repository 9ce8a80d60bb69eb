from triton_python_backend_utils import InferenceResponse, Tensor


def answers(requests):
    return [InferenceResponse([Tensor("Y", request.inputs()[0].as_numpy())]) for request in requests]
