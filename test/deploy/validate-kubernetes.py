"""Compares objects with Kubernetes' own schemas, as an API server does with strict field validation. Prints a line for each fault.

kubernetes-validate itself would read all schemas of a release again for each object. Arguments: a file with a JSON list of objects, and the releases.
"""

import json
import re
import sys
from functools import cache

from jsonschema import Draft202012Validator
from kubernetes_validate import utils
from referencing import Registry, Resource


@cache
def folder(release: str) -> str:
    version = [one for one in utils.all_versions() if utils.major_minor(one) == release][-1]
    return f"kubernetes-json-schema/v{version}-local-strict"


@cache
def definitions(release: str) -> Registry:
    contents = utils.schema_contents(f"{folder(release)}/_definitions.json", release)
    return (Resource.from_contents(contents) @ Registry()).crawl()


@cache
def validator(release: str, kind: str, api_version: str) -> Draft202012Validator:
    # "rbac.authorization.k8s.io/v1" is "rbac-v1".
    version = re.sub(r"^([^./]*)(?:\.[^/]*)?/", r"\1-", api_version)
    schema = utils.schema_contents(f"{folder(release)}/{kind.lower()}-{version}.json", release)
    return Draft202012Validator(schema, registry=Resource.from_contents(schema) @ definitions(release))


with open(sys.argv[1], encoding="utf-8") as text:
    objects = json.load(text)
for wanted in sys.argv[2:]:
    for made in objects:
        for error in validator(wanted, made["kind"], made["apiVersion"]).iter_errors(made):
            place = ".".join(str(part) for part in error.absolute_path)
            print(f"{wanted}: {made['kind']}/{made['metadata']['name']}: {place}: {error.message[:300]}")
