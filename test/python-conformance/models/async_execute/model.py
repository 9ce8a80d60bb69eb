import asyncio

import numpy as np
import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    async def execute(self, requests):
        return await asyncio.gather(*(self.answer(request) for request in requests))

    async def answer(self, request):
        await asyncio.sleep(0.001)
        text = request.inputs()[0].as_numpy()[0]
        if text == b"raise":
            raise ValueError("in a coroutine")
        return pb_utils.InferenceResponse([pb_utils.Tensor("Y", np.array([text], dtype=object))])
