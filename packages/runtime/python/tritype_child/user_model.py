"""Imports, initializes and executes the user's model.py as Triton does."""

from __future__ import annotations

import inspect
import json
import os
import sys
import threading

import triton_python_backend_utils

from .config import set_model_dir, using_decoupled_model_transaction_policy
from .errors import ContractError, TritonError, TritonModelException, exception_text
from .late_members import LATE_MEMBERS
from .logger import Logger
from .model_config import ModelConfig
from .request import TRITONSERVER_REQUEST_RELEASE_RESCHEDULE
from .response import InferenceResponse
from .response_sender import TRITONSERVER_RESPONSE_COMPLETE_FINAL

_NOT_ITERATIVE = (
    "Request is released with TRITONSERVER_REQUEST_RELEASE_RESCHEDULE, while the model is not configured to handle such a flag."
)


class UserModel:
    """One instance of a TritonPythonModel."""

    def __init__(self, path: str, arguments: dict):
        """Imports `path` (<model>/<version>/<file>.py), then runs the constructor and `initialize`. Their errors are not caught."""
        self.name = arguments["model_name"]
        self.instance = arguments["model_instance_name"]
        config = json.loads(arguments["model_config"])
        self.decoupled = using_decoupled_model_transaction_policy(config)
        self._iterative = config.get("sequence_batching", {}).get("iterative_sequence", False)
        self._path = path
        self._warned = False
        self._loop = None
        self._model = _import(path).TritonPythonModel()
        if hasattr(self._model, "initialize"):
            self._model.initialize(arguments)

    def start(self, requests: list) -> list:
        """Passes requests to a decoupled model. Returns for each whether it was rescheduled. Raises ContractError and the model's exceptions."""
        returned = self._execute(requests)
        if inspect.iscoroutine(returned):
            self._schedule(returned)
        elif returned is not None:
            raise ContractError(
                f"Python model '{self.instance}' is using the decoupled mode and the execute function must return None."
            )
        for request in requests:
            if request._is_rescheduled() and not self._iterative:
                Logger.log_error(_NOT_ITERATIVE)
        return [request._is_rescheduled() and self._iterative for request in requests]

    def execute(self, requests: list) -> list:
        """Returns an InferenceResponse per request, or None if it was rescheduled. Raises ContractError and the model's exceptions."""
        try:
            returned = self._execute(requests)
            if inspect.iscoroutine(returned):
                returned = self._schedule(returned).result()
            responses = self._checked(returned, requests)
        except BaseException as error:
            if not any(request._answer.response for request in requests):
                raise
            return self._answered_before(error, requests)
        else:
            self._warn_of_late_ends(requests)
            return responses
        finally:
            for request in requests:
                request._answer.close()

    def finalize(self) -> None:
        if hasattr(self._model, "finalize"):
            self._model.finalize()

    def failure(self, error: BaseException) -> str:
        """The message that a client gets for an error that ended an execution."""
        return f"Failed to process the request(s) for model '{self.instance}', message: {exception_text(error)}"

    def _execute(self, requests: list):
        if not hasattr(self._model, "execute"):
            raise ContractError(f"Python model {self._path} does not implement `execute` method.")
        return self._model.execute(requests)

    def _answered_before(self, error: BaseException, requests: list) -> list:
        """As in Triton, responses of senders are delivered even if the execution fails. The other requests fail."""
        text = self.failure(error)
        Logger.log_error(text)
        Logger.log_warn(
            f"Python model '{self.instance}' is not decoupled, but failed after it had sent a response. It must send exactly "
            "one response to each request and mark it with TRITONSERVER_RESPONSE_COMPLETE_FINAL."
        )
        for request in requests:
            request._answer.failure = text
        return [request._answer.response or InferenceResponse([], TritonError(text)) for request in requests]

    def _warn_of_late_ends(self, requests: list) -> None:
        late = any(request._answer.complete() and request._answer.afterwards() for request in requests)
        if late and not self._warned:
            self._warned = True
            Logger.log_warn(
                f"Python model '{self.instance}' is not decoupled, but marks a response as the last one only after it has sent "
                "it. Pass TRITONSERVER_RESPONSE_COMPLETE_FINAL together with the response: Triton 24.10 may crash if a model "
                "calls this one."
            )

    def _checked(self, responses, requests: list) -> list:
        if responses is None:
            responses = [None] * len(requests)
        if not isinstance(responses, list):
            raise ContractError(f"Expected a list in the execute return, found type '{type(responses)}'.")
        if len(responses) != len(requests):
            raise ContractError(
                "Number of InferenceResponse objects do not match the number of InferenceRequest objects. "
                f"InferenceRequest(s) size is:{len(requests)}, and InferenceResponse(s) size is:{len(responses)}\n"
            )
        for request, response in zip(requests, responses):
            if response is not None and request._release_flags == TRITONSERVER_REQUEST_RELEASE_RESCHEDULE:
                raise ContractError(
                    "Expected a None object in the execute function return list for reschduled request, "
                    f"found type '{type(response)}'."
                )
            if response is not None and not isinstance(response, InferenceResponse):
                raise ContractError(
                    "Expected an 'InferenceResponse' object in the execute function return list, "
                    f"found type '{type(response)}'."
                )
        return [self._answer(request, response) for request, response in zip(requests, responses)]

    def _answer(self, request, response: InferenceResponse | None) -> InferenceResponse | None:
        if response is not None:
            try:
                request._answer.send(response, TRITONSERVER_RESPONSE_COMPLETE_FINAL)
            except TritonModelException as error:
                raise ContractError(str(error)) from None
            return response
        if request._is_rescheduled():
            return self._rescheduled(request)
        sent = request._answer.wait() if request._has_sender() else None
        if sent is None:
            raise ContractError(
                f"Python model '{self.instance}' returned None from execute, so its requests have no response "
                "(Triton would let the client wait forever)."
            )
        if not request._answer.complete():
            return InferenceResponse(
                [],
                TritonError(
                    f"Python model '{self.instance}' sent a response and released its sender without marking the response "
                    "as the last (Triton would let the client wait until its deadline). Add "
                    "flags=pb_utils.TRITONSERVER_RESPONSE_COMPLETE_FINAL to send()."
                ),
            )
        return sent

    def _rescheduled(self, request) -> InferenceResponse | None:
        if not self._iterative:
            return InferenceResponse([], TritonError(_NOT_ITERATIVE))
        if request._answer.response is not None:
            raise ContractError(
                f"Python model '{self.instance}' sent a response to a request that it reschedules; only decoupled models "
                "may (Triton's client gets several answers to one request)."
            )
        return None

    def _schedule(self, coroutine):
        """Runs the coroutine on an event loop in another thread. Returns its future."""
        import asyncio  # takes 50 ms to import, so it is imported only for models with coroutines

        if self._loop is None:
            self._loop = asyncio.new_event_loop()
            threading.Thread(target=self._loop.run_forever, daemon=True).start()
        return asyncio.run_coroutine_threadsafe(coroutine, self._loop)


def complete_config(path: str, model: str, config: str) -> str:
    """The configuration (JSON) after the model's `auto_complete_config`, if it has one. Errors are not caught."""
    model_class = _import(path).TritonPythonModel
    completed = ModelConfig(config)
    if hasattr(model_class, "auto_complete_config"):
        completed = model_class.auto_complete_config(completed)
    if not isinstance(completed, ModelConfig):
        raise ContractError(
            f"auto_complete_config function in model '{model}' must return a valid pb.ModelConfig object."
        )
    return json.dumps(completed.as_dict())


def _import(path: str):
    """Imports `1.model` as Triton does, with the version folder and then the model folder at the end of sys.path."""
    version_folder, _, file = path.replace(os.sep, "/").rpartition("/")
    model_folder = version_folder.rpartition("/")[0]
    version = version_folder.rstrip("/").rpartition("/")[2]
    stem, extension = os.path.splitext(file)
    if extension != ".py":
        raise ContractError(f'Model name must end with \'.py\'. Model name is "{file}".')
    set_model_dir(version_folder)
    sys.path += [version_folder, model_folder]
    try:
        # The built-in import, unlike importlib, gives an ImportError the frames that Triton shows.
        return getattr(__import__(f"{version}.{stem}"), stem)
    finally:
        vars(triton_python_backend_utils).update(LATE_MEMBERS)
