"""Compares objects with the schemas of custom resource definitions, as an API server does with strict field validation. Prints a line for each fault.

Arguments: a JSON list of objects, and the files with the definitions.
"""

import json
import sys
from typing import Any

import yaml
from jsonschema import Draft4Validator


def closed(schema: Any) -> Any:
    """A copy of the schema that rejects unknown fields, unless the schema preserves them."""
    if isinstance(schema, list):
        return [closed(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: closed(value) for name, value in schema.items() if name != "properties"}
    if "properties" in schema:
        inner["properties"] = {name: closed(value) for name, value in schema["properties"].items()}
        if not schema.get("x-kubernetes-preserve-unknown-fields") and "additionalProperties" not in schema:
            inner["additionalProperties"] = False
    if schema.get("x-kubernetes-int-or-string"):
        inner.pop("type", None)
    return inner


def whole(schema: dict[str, Any]) -> dict[str, Any]:
    """The schema of an object. Its metadata follow the rules of Kubernetes, not those of the definition."""
    result = closed(schema)
    result["properties"] |= {"apiVersion": {}, "kind": {}, "metadata": {}}
    return result


schemas: dict[tuple[str, str], dict[str, Any]] = {}
for file in sys.argv[2:]:
    with open(file, encoding="utf-8") as text:
        for definition in yaml.load_all(text, Loader=yaml.CSafeLoader):
            spec = definition["spec"]
            for version in spec["versions"]:
                key = (f"{spec['group']}/{version['name']}", spec["names"]["kind"])
                schemas[key] = version["schema"]["openAPIV3Schema"]

for made in json.loads(sys.argv[1]):
    kind, name = made["kind"], made["metadata"]["name"]
    schema = schemas.get((made["apiVersion"], kind))
    if schema is None:
        print(f"{kind}/{name}: there is no schema for {made['apiVersion']}")
        continue
    for error in Draft4Validator(whole(schema)).iter_errors(made):
        print(f"{kind}/{name}: {'.'.join(str(part) for part in error.absolute_path)}: {error.message[:300]}")
