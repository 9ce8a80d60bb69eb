"""The model.py of the user: imported, initialised, executed by Triton's rules."""

from __future__ import annotations

import inspect
import os
import sys
import threading

from .config import set_model_dir
from .errors import ContractError
from .response import InferenceResponse


class UserModel:
    """One instance of a TritonPythonModel."""

    def __init__(self, path: str, arguments: dict):
        """Imports `path` (<model>/<version>/<file>.py), then runs the constructor and `initialize`; their errors pass."""
        self.name = arguments["model_name"]
        self.instance = arguments["model_instance_name"]
        self._path = path
        self._loop = None
        module = _import(path)
        self._model = module.TritonPythonModel()
        if hasattr(self._model, "initialize"):
            self._model.initialize(arguments)

    def execute(self, requests: list) -> list:
        """One InferenceResponse per request. Raises what the model raises, or ContractError."""
        if not hasattr(self._model, "execute"):
            raise ContractError(f"Python model {self._path} does not implement `execute` method.")
        returned = self._model.execute(requests)
        if inspect.iscoroutine(returned):
            returned = self._run_coroutine(returned)
        return self._checked(returned, len(requests))

    def finalize(self) -> None:
        if hasattr(self._model, "finalize"):
            self._model.finalize()

    def _checked(self, responses, count: int) -> list:
        if responses is None:
            raise ContractError(
                f"Python model '{self.instance}' returned None from execute, so its requests have no response "
                "(Triton would let the client wait forever)."
            )
        if not isinstance(responses, list):
            raise ContractError(f"Expected a list in the execute return, found type '{type(responses)}'.")
        if len(responses) != count:
            raise ContractError(
                "Number of InferenceResponse objects do not match the number of InferenceRequest objects. "
                f"InferenceRequest(s) size is:{count}, and InferenceResponse(s) size is:{len(responses)}\n"
            )
        for response in responses:
            if not isinstance(response, InferenceResponse):
                raise ContractError(
                    "Expected an 'InferenceResponse' object in the execute function return list, "
                    f"found type '{type(response)}'."
                )
        return responses

    def _run_coroutine(self, coroutine):
        import asyncio  # takes 50 ms, which models without coroutines need not wait for

        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._loop.run_forever, daemon=True).start()
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop).result()


def _import(path: str):
    """Imports `1.model` as Triton does: version folder, then model folder at the end of sys.path."""
    version_folder, file = os.path.split(path)
    model_folder, version = os.path.split(version_folder)
    stem, extension = os.path.splitext(file)
    if extension != ".py":
        raise ContractError(f'Model name must end with \'.py\'. Model name is "{file}".')
    set_model_dir(version_folder)
    sys.path += [version_folder, model_folder]
    # The builtin, and not importlib, gives an ImportError the frames that Triton shows.
    return getattr(__import__(f"{version}.{stem}"), stem)
