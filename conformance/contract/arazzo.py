"""The scenarios as an Arazzo document: spec/arazzo.yaml.

The catalogue of operations gives the parameters of each operation, their locations, and the links
from one response to the next request.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml

from conformance.contract import openapi
from conformance.contract.openapi import Contract, Operation
from conformance.contract.scenarios import INPUTS, SCENARIOS, Scenario, Step

Table = dict[str, Any]

HEADER = """\
# Sequences of operations that clients use, for readers and for runners of Arazzo.
# Generated from openapi.yaml (`conformance scenarios > spec/arazzo.yaml`); tests keep it current
# and execute it.
"""
WIDTH = 100
OUTPUT = re.compile(r"\$steps\.([\w-]+)\.outputs\.(\w+)")
INPUT = re.compile(r"\$inputs\.(\w+)")


def text() -> str:
    """The document as YAML."""
    table = document(openapi.load())
    return HEADER + yaml.safe_dump(table, sort_keys=False, allow_unicode=True, width=WIDTH)


def document(contract: Contract) -> Table:
    """The scenarios for a contract. Raises KeyError for a missing operation or link."""
    info = contract.document["info"]
    return {
        "arazzo": "1.0.1",
        "info": {"title": f"{info['title']}: scenarios", "version": info["version"]},
        "sourceDescriptions": [{"name": "api", "url": "./openapi.yaml", "type": "openapi"}],
        "workflows": [_workflow(scenario, contract) for scenario in SCENARIOS],
    }


def _workflow(scenario: Scenario, contract: Contract) -> Table:
    requests = [_request(step, scenario, contract) for step in scenario.steps]
    steps = [
        _with_outputs(request, contract.operation(step.operation), requests)
        for step, request in zip(scenario.steps, requests, strict=True)
    ]
    key = contract.document["components"]["securitySchemes"]["apiKey"]
    parameters = [{"name": key["name"], "in": key["in"], "value": "$inputs.apiKey"}]
    needed = dict.fromkeys(INPUT.findall(json.dumps([parameters, requests])))
    return {
        "workflowId": scenario.id,
        "summary": scenario.summary,
        "description": scenario.description,
        "inputs": {
            "type": "object",
            "required": list(needed),
            "properties": {name: dict(INPUTS[name]) for name in needed},
        },
        "parameters": parameters,
        "steps": steps,
    }


# --- steps ----------------------------------------------------------------------------------------


def _request(step: Step, scenario: Scenario, contract: Contract) -> Table:
    """A step without its outputs."""
    operation = contract.operation(step.operation)
    locations = {parameter.name: parameter.location for parameter in operation.parameters}
    arguments = {**_linked(step, scenario, contract), **step.given}
    parameters = [
        {"name": name, "in": locations[name], "value": value}
        for name, value in arguments.items()
        if name in locations
    ]
    payload = {name: value for name, value in arguments.items() if name not in locations}
    body = {"contentType": "application/json", "payload": payload}
    criteria = [
        {"condition": each} if isinstance(each, str) else dict(each) for each in step.conditions
    ]
    return {
        "stepId": step.id,
        "description": f"{operation.summary}.",
        "operationId": operation.id,
        **({"parameters": parameters} if parameters else {}),
        **({"requestBody": body} if payload else {}),
        "successCriteria": criteria,
        **({"onFailure": [_retry(step)]} if step.again else {}),
    }


def _retry(step: Step) -> Table:
    return {
        "name": f"{step.id}-again",
        "type": "retry",
        "retryAfter": step.pause,
        "retryLimit": step.tries,
        "criteria": [{"condition": step.again}],
    }


def _with_outputs(request: Table, operation: Operation, requests: Sequence[Table]) -> Table:
    outputs = dict(_outputs(request["stepId"], operation, requests))
    return {**request, "outputs": outputs} if outputs else request


def _outputs(id: str, operation: Operation, requests: Sequence[Table]) -> Iterator[tuple[str, str]]:
    """The fields of a response that the scenario refers to, each with its place."""
    for source, name in dict.fromkeys(OUTPUT.findall(json.dumps(requests))):
        if source == id:
            in_item = operation.is_list and name != "nextCursor"
            yield name, f"$response.body#/data{'/items/0' if in_item else ''}/{name}"


# --- links ----------------------------------------------------------------------------------------


def _linked(step: Step, scenario: Scenario, contract: Contract) -> Table:
    """The arguments from the response of an earlier step.

    Raises KeyError if the link leads to another operation.
    """
    if step.after is None:
        return {}
    source, name = step.after
    (before,) = (each for each in scenario.steps if each.id == source)
    link = _links(contract, contract.operation(before.operation))[name]
    if link["operationId"] != step.operation:
        raise KeyError(f"the link {name} of {before.operation} does not lead to {step.operation}")
    expressions = {**link["parameters"], **link.get("requestBody", {})}
    return {argument: _output(source, each) for argument, each in expressions.items()}


def _links(contract: Contract, operation: Operation) -> Mapping[str, Any]:
    route = contract.document["paths"][operation.path][operation.method.lower()]
    links = route["responses"]["200"]["links"]
    known = contract.document["components"]["links"]
    return {name: known[link["$ref"].rpartition("/")[2]] for name, link in links.items()}


def _output(source: str, expression: str) -> str:
    """The output of a step for a field that a link takes from its response."""
    return f"$steps.{source}.outputs.{expression.rpartition('/')[2]}"
