"""Calls a model eight times at once and adds the answers, written by hand."""

import asyncio

import triton_python_backend_utils as pb_utils


class TritonPythonModel:
    async def execute(self, requests):
        return await asyncio.gather(*map(self.respond, requests))

    async def respond(self, request):
        x = pb_utils.get_input_tensor_by_name(request, "x").as_numpy()
        try:
            answers = await asyncio.gather(*(self.ask(x * n) for n in range(8)))
        except pb_utils.TritonModelException as error:
            return pb_utils.InferenceResponse(error=pb_utils.TritonError(str(error)))
        return pb_utils.InferenceResponse([pb_utils.Tensor("x", sum(answers))])

    async def ask(self, x):
        response = await pb_utils.InferenceRequest(
            model_name="noop_numbers_python",
            requested_output_names=["x"],
            inputs=[pb_utils.Tensor("x", x)],
            preferred_memory=pb_utils.PreferredMemory(pb_utils.TRITONSERVER_MEMORY_CPU),
        ).async_exec()
        if response.has_error():
            raise pb_utils.TritonModelException(response.error().message())
        return pb_utils.get_output_tensor_by_name(response, "x").as_numpy()
