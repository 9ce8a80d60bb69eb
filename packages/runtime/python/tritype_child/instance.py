"""The commands that the host sends to the model of this process."""

from __future__ import annotations

import os
import queue
import threading
import weakref

from . import frames
from .errors import exception_text
from .frames import Channel, Frame, Packer, Unpacker
from .host_calls import session
from .logger import write_logs_with
from .messages import pack_failure, pack_responses, pack_returned, read_requests, read_texts
from .response_stream import ResponseStream, tell_dropped
from .user_model import UserModel, complete_config


class Instance:
    """One instance of a model, controlled by frames. Each frame is answered exactly once."""

    def __init__(self, channel: Channel):
        self._channel = channel
        self._model: UserModel | None = None
        self._running = (0, [])
        self._cancelled = []
        """The requests that were cancelled since the last execution began, perhaps before their own begins."""
        self._streams = weakref.WeakValueDictionary()
        self._dropped = queue.SimpleQueue()
        self._starting = threading.Lock()
        self._handlers = {
            frames.AUTO_COMPLETE: self._auto_complete,
            frames.INITIALIZE: self._initialize,
            frames.EXECUTE: self._execute,
            frames.FINALIZE: self._finalize,
        }
        write_logs_with(self._log)

    def handle(self, frame: Frame) -> None:
        """Handles a command, on the main thread."""
        self._handlers[frame.type](frame)

    def cancel(self, frame: Frame) -> None:
        """Cancels one request of the execution with this id. Runs on the thread for urgent frames."""
        key = (frame.id, Unpacker(frame.meta).u32())
        # First remembered, then marked; `_begin` does the opposite, so one of the two threads marks the request.
        self._cancelled.append(key)
        self._mark(*key)

    def acknowledge(self, frame: Frame) -> None:
        """Handles the notification that the client of a request has read a response. Runs on the thread for urgent frames."""
        stream = self._streams.get((frame.id, Unpacker(frame.meta).u32()))
        if stream:
            stream.read()

    def _auto_complete(self, frame: Frame) -> None:
        arguments = read_texts(frame)
        session.instance = arguments["model_name"]
        try:
            completed = complete_config(arguments["@path"], arguments["model_name"], arguments["model_config"])
        except BaseException as error:
            self._fail(frame, error)
        else:
            self._channel.send(frames.AUTO_COMPLETE_RESULT, frame.id, Packer().text(completed).finish())

    def _initialize(self, frame: Frame) -> None:
        arguments = read_texts(frame)
        session.instance = arguments["model_instance_name"]
        try:
            self._model = UserModel(arguments.pop("@path"), arguments)
        except BaseException as error:
            self._fail(frame, error)
        else:
            session.decoupled = self._model.decoupled
            if session.decoupled:
                threading.Thread(target=self._tell_dropped, daemon=True).start()
            session.executing = True
            self._channel.send(frames.READY, frame.id)

    def _execute(self, frame: Frame) -> None:
        model = self._model
        if model.decoupled:
            with self._starting:
                self._start_streams(frame, model)
            return
        try:
            requests = read_requests(frame, model.name)
            self._running = (frame.id, requests)
            self._begin()
            meta, body = pack_responses(requests, model.execute(requests))
        except BaseException as error:
            meta, body = pack_failure(model.failure(error)), None
        self._running = (0, [])
        self._channel.send(frames.DONE, frame.id, meta, body)
        session.host.flush_releases()

    def _start_streams(self, frame: Frame, model: UserModel) -> None:
        requests = read_requests(frame, model.name)
        for index, request in enumerate(requests):
            key = (frame.id, index)
            stream = ResponseStream(self._channel, key, request.requested_output_names(), self._dropped.put)
            self._streams[key] = request._answer = stream
        self._begin()
        try:
            rescheduled = model.start(requests)
        except BaseException as error:
            for request in requests:
                request._answer.close()
            done = pack_failure(model.failure(error))
        else:
            done = pack_returned(rescheduled)
        self._channel.send(frames.DONE, frame.id, done)
        session.host.flush_releases()

    def _begin(self) -> None:
        """Marks the requests that were cancelled earlier. From now on, `cancel` marks them."""
        cancelled, self._cancelled = self._cancelled, []
        for key in cancelled:
            self._mark(*key)

    def _mark(self, id_: int, index: int) -> None:
        running, requests = self._running
        stream = self._streams.get((id_, index))
        if stream:
            stream.cancelled = True
        elif running == id_ and index < len(requests):
            requests[index]._answer.cancelled = True

    def _tell_dropped(self) -> None:
        """Tells the host which streams the model has dropped. Runs on its own thread, because a finalizer must not wait for the connection."""
        while True:
            key = self._dropped.get()
            # The host first has to know how the execution ended.
            with self._starting:
                tell_dropped(self._channel, key)

    def _finalize(self, frame: Frame) -> None:
        session.executing = False
        try:
            if self._model:
                self._model.finalize()
        except BaseException as error:
            self._log(2, exception_text(error))
        self._channel.send(frames.READY, frame.id)
        os._exit(0)

    def _fail(self, frame: Frame, error: BaseException) -> None:
        self._channel.send(frames.FAIL, frame.id, Packer().text(exception_text(error)).finish())

    def _log(self, level: int, message: str) -> None:
        self._channel.send(frames.LOG, 0, Packer().u8(level).text(message).finish())
