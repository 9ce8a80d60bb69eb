"""Lints and renders a chart with each of the given values, with Helm's library. Prints a JSON list of `lint` and `files`, or `error`."""

import json
import sys
from typing import Any

from helm_python import Chart, HelmError
from helm_python.chart import lint


def rendered(loaded: Chart, path: str, values: dict[str, Any]) -> dict[str, Any]:
    try:
        found = lint(path, values=values, strict=True, kube_version="v1.34.0")
        messages = [
            f"{one['path']}: {one['error']}" for one in found["messages"] if one["error"] != "icon is recommended"
        ]
        loaded.validate_schema(values)
        return {"lint": messages + found["errors"], "files": loaded.render(values=values, name="embed", namespace="prod")}
    except HelmError as error:
        return {"error": str(error)}


chart = sys.argv[1]
with Chart.load(chart) as opened:
    print(json.dumps([rendered(opened, chart, values) for values in json.loads(sys.argv[2])]))
