"""Compares a deployed server with the build, as `pipeline smoke` does: python3 smoke.py http://canary:8000

Written by `pipeline deploy`. smoke.json, next to this file, has the samples of the build, its answers to them in the local
runtime, and its latency there. Needs Python 3.8 or newer, and no packages. Exits with 0 if the server matches the build,
with 1 if something differs, and with 2 if the server cannot be reached.
"""

from __future__ import annotations

import argparse
import base64
import json
import math
import socket
import struct
import sys
import time
from http.client import HTTPException
from pathlib import Path
from re import fullmatch, sub
from typing import Any, Dict, Iterator, NamedTuple, Optional, Tuple
from urllib.error import HTTPError, URLError
from urllib.parse import quote
from urllib.request import Request, urlopen

FLOATS = {"FP16": "e", "FP32": "f", "FP64": "d", "BF16": "f"}
INTEGERS = dict(zip("BOOL UINT8 UINT16 UINT32 UINT64 INT8 INT16 INT32 INT64".split(), "?BHIQbhiq"))
Rule = Dict[str, int]
Limit = Optional[Tuple[int, float]]  # The percentile, and the time in milliseconds.


class Tensor(NamedTuple):
    datatype: str
    shape: list[int]
    data: bytes

    def values(self) -> list[Any]:
        data = self.data
        if self.datatype == "BYTES":
            at, found = 0, []
            while at < len(data):
                end = at + 4 + struct.unpack_from("<I", data, at)[0]
                found.append(data[at + 4 : end])
                at = end
            return found
        if self.datatype == "BF16":  # The upper half of an FP32.
            data = b"".join(b"\0\0" + data[at : at + 2] for at in range(0, len(data), 2))
        code = {**FLOATS, **INTEGERS}[self.datatype]
        return [value for (value,) in struct.iter_unpack(f"<{code}", data)]


def send(url: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> tuple[bytes, Any]:
    """Body and headers of the answer. Every request has its own connection, for which a Service chooses a server."""
    with urlopen(Request(url, body, headers or {})) as answer:
        return answer.read(), answer.headers


def config_of(url: str, model: str) -> dict[str, Any] | None:
    """None if the server does not have the model, or it is not ready."""
    try:
        return dict(json.loads(send(f"{url}/v2/models/{quote(model, '')}/config")[0]))
    except HTTPError as error:
        if error.code not in (400, 404):
            raise
        return None


def infer(url: str, model: str, inputs: dict[str, Tensor]) -> dict[str, Tensor]:
    """Sends and receives tensors in binary form."""
    described = [
        {"name": name, "datatype": datatype, "shape": shape, "parameters": {"binary_data_size": len(data)}}
        for name, (datatype, shape, data) in inputs.items()
    ]
    head = json.dumps({"inputs": described, "parameters": {"binary_data_output": True}}).encode()
    sizes = {"Inference-Header-Content-Length": str(len(head)), "Content-Type": "application/octet-stream"}
    request = b"".join([head, *(one.data for one in inputs.values())])
    body, headers = send(f"{url}/v2/models/{quote(model, '')}/infer", request, sizes)
    at = int(headers.get("Inference-Header-Content-Length", len(body)))
    outputs: dict[str, Tensor] = {}
    for output in json.loads(body[:at])["outputs"]:
        end = at + output["parameters"]["binary_data_size"]
        outputs[output["name"]] = Tensor(output["datatype"], output["shape"], body[at:end])
        at = end
    return outputs


def check_ready(url: str, wait: float) -> tuple[bool, str]:
    """Waits for a server to accept connections: network policies only learn of a new pod after it has started."""
    end = time.monotonic() + wait
    while True:
        try:
            send(f"{url}/v2/health/ready")
            return True, "all models"
        except HTTPError:
            break
        except OSError:
            if time.monotonic() >= end:
                raise
            time.sleep(1)
    index = json.loads(send(f"{url}/v2/repository/index", b"{}", {"Content-Type": "application/json"})[0])
    names = sorted({f"`{one['name']}`" for one in index if one.get("state") != "READY"})
    return False, ": ".join(["not every model is ready", *([", ".join(names)] if names else [])])


def check_build(url: str, wanted: str) -> tuple[bool, str] | None:
    """None if the server does not say which build it runs. Only servers of `pipeline deploy` do: their name ends with its hash."""
    served = str(json.loads(send(f"{url}/v2")[0])["name"])
    if fullmatch(r".*-[0-9a-f]{12}", served) is None:
        return None
    return served == wanted, served if served == wanted else f"the server runs {served}, the build is {wanted}"


def check_contract(url: str, model: str, wanted: str) -> tuple[bool, str]:
    config = config_of(url, model)
    if config is None:
        return False, f"the server does not have `{model}`, or it is not ready"
    served = config.get("parameters", {}).get("tritype_contract", {}).get("string_value", "none")
    ok = served == wanted
    return ok, wanted[:12] if ok else f"the server has {served[:12]}, the build {wanted[:12]}"


def check_warmup(url: str, wanted: dict[str, int]) -> tuple[bool, str]:
    """Whether each model has at least as many warmup requests as in the build."""
    cold = []
    for model, count in wanted.items():
        config = config_of(url, model)
        served = len((config or {}).get("model_warmup", []))
        if config is None:
            cold.append(f"the server does not have `{model}`, or it is not ready")
        elif served < count:
            cold.append(f"{model} has {served} of {count} warmup requests")
    return not cold, "; ".join(cold) or counted(len(wanted), "model")


def check_answers(url: str, model: str, samples: list[Any], tolerance: float) -> tuple[bool, str]:
    largest = 0.0
    for sample in samples:
        wanted = sample["outputs"]
        try:
            outputs = infer(url, model, sample["inputs"])
        except HTTPError as error:
            return False, f"`{next(iter(wanted))}` differs: no answer: {reason_of(error)}"
        for name in {**wanted, **outputs}:
            difference, problem = compare(outputs.get(name), wanted.get(name), tolerance)
            if problem is not None:
                return False, f"`{name}` differs: {problem}"
            largest = max(largest, difference)
    return True, f"{counted(len(samples), 'sample')}, max abs {exponential(largest)}"


def compare(got: Tensor | None, wanted: Tensor | None, tolerance: float) -> tuple[float, str | None]:
    """The largest absolute difference, and what differs by more than the tolerance."""
    if got is None or wanted is None:
        return math.inf, "missing" if got is None else "only this run returned it"
    if got.datatype != wanted.datatype:
        return math.inf, f"{got.datatype}, not {wanted.datatype}"
    if got.shape != wanted.shape:
        return math.inf, f"shape {got.shape}, not {wanted.shape}"
    values, others = got.values(), wanted.values()
    if len(values) != len(others):
        return math.inf, f"{len(values)} elements, not {len(others)}"
    pairs: list[tuple[Any, Any]] = []
    for at, (a, b) in enumerate(zip(values, others)):
        if wanted.datatype != "BYTES":
            pairs.append((a, b))
        elif a != b:
            text, other = (each.decode("utf-8", "replace") for each in (a, b))
            numbers = numbers_within(text, other)
            if numbers is None:
                return math.inf, f"element {at} is {shortened(text)}, not {shortened(other)}"
            pairs += numbers
    relative = 0.0 if wanted.datatype in INTEGERS else tolerance
    largest, ok = 0.0, True
    for a, b in pairs:  # NaN and the infinities only equal themselves.
        if a != b and (a == a or b == b):
            difference = math.inf if math.isnan(a - b) else abs(a - b)
            largest = max(largest, difference)
            ok = ok and math.isfinite(difference) and difference <= tolerance + relative * abs(b)
    return largest, None if ok else f"max abs {exponential(largest)}"


def numbers_within(got: str, wanted: str) -> list[tuple[float, float]] | None:
    """Pairs of numbers from two JSON texts that are otherwise equal, also in their integers; None for other texts."""
    left, right = json_numbers(got), json_numbers(wanted)
    if left is None or right is None or left[1] != right[1]:
        return None
    pairs = list(zip(left[0], right[0]))
    return None if any(a != b and a % 1 == 0 and b % 1 == 0 for a, b in pairs) else pairs


def json_numbers(text: str) -> tuple[list[float], str] | None:
    """The numbers in a JSON object or array, and the text without them."""
    numbers: list[float] = []

    def take(digits: str) -> int:
        numbers.append(int(digits) if fullmatch(r"-?\d+", digits) else float(digits))
        return 0

    try:  # NaN and Infinity are not JSON, and `int` refuses them.
        without = json.loads(text, parse_int=take, parse_float=take, parse_constant=int)
    except (RecursionError, ValueError):
        return None
    return (numbers, json.dumps(without)) if isinstance(without, (dict, list)) else None


def check_latency(url: str, model: str, ensemble: Any, rule: Rule, limit: Limit) -> tuple[bool, str]:
    """Sends the samples 20 times, or as often as fits into 10 seconds."""
    times: list[float] = []
    end = time.monotonic() + 10
    while len(times) < 20 * len(ensemble["samples"]) and (not times or time.monotonic() < end):
        for sample in ensemble["samples"]:
            start = time.perf_counter()
            try:
                infer(url, model, sample["inputs"])
            except HTTPError as error:
                return False, f"a request failed: {reason_of(error)}"
            times.append(1000 * (time.perf_counter() - start))
    return judge_latency(times, ensemble["medianMilliseconds"], rule, limit)


def judge_latency(times: list[float], build: float, rule: Rule, limit: Limit) -> tuple[bool, str]:
    """Times are in milliseconds. Without a limit, the rule says how long the median may be, given that of the build."""
    ordered = sorted(times)
    reached = {share: ordered[max(0, math.ceil(share / 100 * len(ordered)) - 1)] for share in (50, 90, 95, 99)}
    share, most = limit or (50, rule["times"] * build + rule["plusMilliseconds"])
    if reached[share] <= most:
        return True, f"median {reached[50]:.1f} ms, p99 {reached[99]:.1f} ms; the build in the local runtime {build:.1f} ms"
    if limit is not None:
        return False, f"p{share} is {reached[share]:.1f} ms, more than {most:g} ms"
    why = f"{rule['times']} times the build's {build:.1f} ms plus {rule['plusMilliseconds']} ms"
    return False, f"median is {reached[50]:.1f} ms, more than {most:.1f} ms: {why}"


def address(text: str) -> str:
    return (text if "://" in text else f"http://{text}").rstrip("/")


def limit(text: str) -> Limit:
    found = fullmatch(r"p(50|90|95|99)\s*<\s*(\d+(?:\.\d+)?)\s*(ms|s)", text)
    if found is None:
        raise argparse.ArgumentTypeError(f"{text} is not a percentile and a time, such as p99<200ms")
    return int(found[1]), float(found[2]) * (1000 if found[3] == "s" else 1)


def checks(smoke: Any, options: argparse.Namespace) -> Iterator[tuple[str, str, bool, str]]:
    """The model, the check, whether the server passes it, and a text."""
    url, ensembles = options.url, smoke["ensembles"]
    must_measure = options.limit is not None and all("unchecked" in each for each in ensembles.values())
    yield "server", "ready", *check_ready(url, options.wait)
    build = check_build(url, smoke["server"])
    if build is not None:
        yield "server", "build", *build
    for model, each in ensembles.items():
        same, text = check_contract(url, model, each["contract"])
        yield model, "contract", same, text
        if not same:  # The tensors differ, so nothing else can be compared.
            continue
        if each["warmup"]:
            yield model, "warmup", *check_warmup(url, each["warmup"])
        if "unchecked" not in each:
            yield model, "answers", *check_answers(url, model, each["samples"], options.tolerance)
            yield model, "latency", *check_latency(url, model, each, smoke["latency"], options.limit)
        elif must_measure:
            yield model, "latency", False, f"not measured: `{model}` {each['unchecked']}"


def reason_of(error: HTTPError) -> str:
    try:
        return str(json.loads(error.read())["error"])
    except (KeyError, TypeError, ValueError):
        return f"HTTP {error.code}"


def counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"


def exponential(number: float) -> str:
    return sub(r"e([+-])0", r"e\1", f"{number:.1e}").replace("inf", "Infinity")


def shortened(text: str) -> str:
    return json.dumps(text[:40], ensure_ascii=False)


def read_tensor(written: dict[str, Any]) -> Any:
    """A tensor; any other object of smoke.json stays as it is."""
    is_tensor = isinstance(written.get("datatype"), str)
    return Tensor(written["datatype"], written["shape"], base64.b64decode(written["data"])) if is_tensor else written


def main() -> int:
    parser = argparse.ArgumentParser(description="Compares a deployed server with the build, as `pipeline smoke` does.")
    parser.add_argument("url", type=address, help="the server (HTTP), such as http://canary:8000")
    parser.add_argument("--tolerance", type=float, default=1e-3, help="maximum absolute plus relative error (default: 1e-3)")
    parser.add_argument("--limit", type=limit, help="such as p99<200ms (default: a median of 10 times that of the build, plus 100 ms)")
    parser.add_argument("--timeout", type=float, default=30, help="seconds for each request (default: 30)")
    parser.add_argument("--wait", type=float, default=0, help="seconds to wait until the server accepts connections (default: 0)")
    options = parser.parse_args()
    socket.setdefaulttimeout(options.timeout)
    smoke = json.loads(Path(__file__).with_name("smoke.json").read_text("utf-8"), object_hook=read_tensor)
    for model, each in smoke["ensembles"].items():
        if "unchecked" in each:
            checked = "contract and warmup" if each["warmup"] else "contract"
            print(f"note `{model}` {each['unchecked']}: only its {checked} can be checked", file=sys.stderr)
    width = max(map(len, ["server", *smoke["ensembles"]]))
    passed = True
    try:
        for model, what, ok, text in checks(smoke, options):
            print(f"{model:{width}}  {what:8}  {'ok    ' if ok else 'FAILED'}  {text}", flush=True)
            passed = passed and ok
    except (HTTPException, KeyError, OSError, ValueError) as error:
        print(f"error: {options.url}: {error.reason if type(error) is URLError else error}", file=sys.stderr)
        return 2
    return 0 if passed else 1


if __name__ == "__main__":
    sys.exit(main())
