"""Custom metrics. The host keeps their values, so all processes of a model share them."""

from __future__ import annotations

import json
import threading

from .errors import TritonModelException, native, wrong_arguments
from .frames import Packer
from .host_calls import CallFailed, call_host, session
from .native_enum import NativeEnum

_DELETED = (
    "Invalid metric operation as the corresponding 'MetricFamily' has been deleted. The 'MetricFamily' object should be "
    "deleted AFTER its corresponding 'Metric' objects have been deleted."
)


class MetricKind(NativeEnum):
    """The operations of a family's metrics."""


COUNTER, GAUGE, HISTOGRAM = MetricKind.members("COUNTER", "GAUGE", "HISTOGRAM")


@native
class Metric:
    """The metric of a family with certain labels. Created by MetricFamily.Metric."""

    def __init__(self, handle: int):
        self._handle = handle
        self._deleted = False

    def increment(self, value: float) -> None:
        """Adds to a counter (not less than 0) or a gauge."""
        self._operate("increment", "increment metric value", value)

    def set(self, value: float) -> None:
        """Sets a gauge."""
        self._operate("set", "set metric value", value)

    def observe(self, value: float) -> None:
        """Adds a value to a histogram."""
        self._operate("observe", "observe metric value", value)

    def value(self) -> float:
        """The value of a counter or a gauge."""
        return self._call("value", "get metric value", Packer().u64(self._handle)).f64()

    def _operate(self, operation: str, verb: str, value: float) -> None:
        if not isinstance(value, (int, float)):
            signature = "(self: c_python_backend_utils.Metric, arg0: float) -> None"
            raise wrong_arguments(operation, signature, (self, value))
        self._call(operation, verb, Packer().u64(self._handle).f64(value))

    def _call(self, operation: str, verb: str, meta: Packer):
        try:
            if self._deleted:
                raise CallFailed(_DELETED)
            return call_host(operation, meta)
        except CallFailed as error:
            raise TritonModelException(f"Failed to {verb}: {error}") from None


@native
class MetricFamily:
    """Metrics with the same name. Two families with the same name are one family, even if different models created them."""

    COUNTER, GAUGE, HISTOGRAM = COUNTER, GAUGE, HISTOGRAM

    def __init__(self, name: str, description: str, kind: MetricKind):
        if not isinstance(name, str) or not isinstance(description, str) or not isinstance(kind, MetricKind):
            signature = (
                "c_python_backend_utils.MetricFamily(name: str, description: str, kind: c_python_backend_utils.MetricKind)"
            )
            raise wrong_arguments("__init__", signature, (name, description, kind))
        self._kind = kind
        self._metrics = []
        self._lock = threading.Lock()
        meta = Packer().text(name).text(description).u8(kind)
        self._handle = _create("MetricFamily", "family", meta)

    def Metric(self, labels: dict | None = None, buckets: list | None = None) -> Metric:
        """The family's metric with these labels; a histogram needs its buckets' upper bounds."""
        if labels is not None and not isinstance(labels, dict):
            raise TritonModelException("Failed to create metric. Labels must be a dictionary.")
        self._check_buckets(buckets)
        # As in Triton, the labels are compared by their JSON.
        texts = json.loads(json.dumps({} if labels is None else labels))
        if not all(isinstance(value, str) for value in texts.values()):
            raise TritonModelException(
                f"Error when creating Metric: Failed to process the request for model '{session.instance}', "
                "message: attempt to access JSON non-string as string"
            )
        meta = Packer().u64(self._handle).u32(len(texts))
        for label, value in texts.items():
            meta.text(label).text(value)
        meta.u32(len(buckets or ()))
        for bound in buckets or ():
            meta.f64(bound)
        metric = Metric(_create("Metric", "metric", meta))
        with self._lock:
            self._metrics.append(metric)
        return metric

    def __del__(self):
        if "_handle" not in self.__dict__:
            return
        for metric in self._metrics:
            metric._deleted = True
        if session.host is not None:
            session.host.release(self._handle)

    def _check_buckets(self, buckets: list | None) -> None:
        if buckets is None:
            if self._kind == HISTOGRAM:
                raise TritonModelException("Failed to create metric. Missing required buckets.")
        elif not isinstance(buckets, list):
            raise TritonModelException("Failed to create metric. Buckets must be a list.")
        elif self._kind != HISTOGRAM:
            raise TritonModelException("Failed to create metric. Unexpected buckets found.")


def _create(what: str, operation: str, meta: Packer) -> int:
    try:
        return call_host(operation, meta).u64()
    except CallFailed as error:
        raise TritonModelException(f"Error when creating {what}: {error}") from None
