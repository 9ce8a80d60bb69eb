"""What `auto_complete_config` gets and returns."""

from __future__ import annotations

import json


class ModelConfig:
    """A configuration that a model may complete but not contradict. Every refusal is a ValueError with Triton's message."""

    def __init__(self, model_config: str):
        self._model_config = json.loads(model_config)

    def as_dict(self) -> dict:
        """The configuration in the form that JSON has, with every default printed."""
        return self._model_config

    def set_max_batch_size(self, max_batch_size: int) -> None:
        config = self._model_config
        if config["max_batch_size"] > max_batch_size:
            raise ValueError(
                f"configuration specified max_batch_size {config['max_batch_size']}, but in auto-complete-config function "
                f"for model '{config['name']}' specified max_batch_size {max_batch_size}"
            )
        config["max_batch_size"] = max_batch_size

    def set_dynamic_batching(self) -> None:
        for scheduler in ("sequence_batching", "ensemble_scheduling"):
            if scheduler in self._model_config:
                raise ValueError(
                    f"Configuration specified scheduling_choice as '{scheduler}', but auto-complete-config function for "
                    f"model '{self._model_config['name']}' tries to set scheduling_choice as 'dynamic_batching'"
                )
        self._model_config.setdefault("dynamic_batching", {})

    def add_input(self, input: dict) -> None:
        """`name`, `data_type` and `dims`; `optional` if it is set."""
        self._add("input", input, ["name", "data_type", "dims", "optional"])

    def add_output(self, output: dict) -> None:
        """`name`, `data_type` and `dims`."""
        self._add("output", output, ["name", "data_type", "dims"])

    def set_model_transaction_policy(self, transaction_policy_dict: dict) -> None:
        """Only `decoupled`."""
        name = self._model_config["name"]
        if any(key != "decoupled" for key in transaction_policy_dict):
            raise ValueError(
                f"model transaction property in auto-complete-config function for model '{name}' contains property other "
                "than 'decoupled'."
            )
        policy = self._model_config.setdefault("model_transaction_policy", {})
        if "decoupled" not in transaction_policy_dict:
            return
        wanted = transaction_policy_dict["decoupled"]
        if policy.get("decoupled", wanted) != wanted:
            raise ValueError(
                f"trying to change decoupled property in auto-complete-config for model '{name}', which is already set to "
                f"'{policy['decoupled']}'."
            )
        policy["decoupled"] = wanted

    def _add(self, side: str, port: dict, known: list) -> None:
        self._check_properties(side, port, known)
        for present in self._model_config[side]:
            if present["name"] == port["name"]:
                self._check_agreement(side, present, port)
                present.update(port)
                return
        self._model_config[side].append(port)

    def _check_properties(self, side: str, port: dict, known: list) -> None:
        place = f"in auto-complete-config function for model '{self._model_config['name']}'"
        if any(key not in known for key in port):
            *first, last = [f"'{key}'" for key in known]
            raise ValueError(
                f"{side} '{port['name']}' {place} contains property other than {', '.join(first)} and {last}."
            )
        if "name" not in port:
            raise ValueError(f"{side} {place} is missing 'name' property.")
        for key in ("data_type", "dims"):
            if key not in port:
                raise ValueError(f"{side} '{port['name']}' {place} is missing '{key}' property.")

    def _check_agreement(self, side: str, present: dict, port: dict) -> None:
        model = self._model_config["name"]
        if present["data_type"] not in ("TYPE_INVALID", port["data_type"]):
            raise ValueError(
                f"unable to load model '{model}', configuration expects datatype {present['data_type']} for {side} "
                f"'{port['name']}', model provides {port['data_type']}"
            )
        for key in ("dims", "optional"):
            says = present.get(key)
            if (says or key == "optional") and key in present and key in port and says != port[key]:
                raise ValueError(
                    f"model '{model}', tensor '{port['name']}': the model expects {key} {port[key]} but the model "
                    f"configuration specifies {key} {says}"
                )
