import asyncio

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    async def execute(self, requests):
        return [await self.respond(request) for request in requests]

    async def respond(self, request):
        texts = request.inputs()[0].as_numpy().tolist()
        answers = await asyncio.gather(*(ask(text.decode(), [f"{n}"]).async_exec() for n, text in enumerate(texts)))
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array([tell(one) for one in answers], dtype=object))])


def ask(model, texts, **more):
    inputs = [pb_utils.Tensor("X", np.array(texts, dtype=object))]
    return pb_utils.InferenceRequest(
        **{"model_name": model, "inputs": inputs, "requested_output_names": ["Y"], **more}
    )


def tell(response):
    if response.has_error():
        return f"{response.error().code()} {response.error().message()}"
    return str({tensor.name(): tensor.as_numpy().tolist() for tensor in response.output_tensors()})
