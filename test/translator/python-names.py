"""Finds names of Python's library in programs. Reads a JSON list of sources from stdin, which 3.10 must be able to parse, and prints sorted names."""
import ast
import json
import sys

names = set()
for source in json.load(sys.stdin):
    tree = ast.parse(source, feature_version=(3, 10))
    modules = {alias.asname or alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
        if isinstance(node, ast.Attribute):
            chain, base = [node.attr], node.value
            while isinstance(base, ast.Attribute):
                chain.insert(0, base.attr)
                base = base.value
            if isinstance(base, ast.Name) and base.id in modules:
                names.add(".".join([base.id, *chain]))
            elif not (isinstance(base, ast.Name) and base.id == "self"):
                names.add(f".{node.attr}")
print(json.dumps(sorted(names)))
