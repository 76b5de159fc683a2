"""The scenarios as an Arazzo document: spec/arazzo.yaml.

What an operation takes, where an argument goes, and how one answer leads to the next request are the catalogue's: its operations and
links.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

import yaml

from conformance.contract import openapi
from conformance.contract.openapi import Contract, Operation
from conformance.contract.scenarios import INPUTS, SCENARIOS, Scenario, Step

Table = dict[str, Any]

HEADER = """\
# What clients do with several operations in a row, for people to read and for runners of Arazzo to execute.
# Generated from openapi.yaml (`conformance scenarios > spec/arazzo.yaml`); tests keep it current and execute it.
"""
WIDTH = 130
OUTPUT = re.compile(r"\$steps\.([\w-]+)\.outputs\.(\w+)")
INPUT = re.compile(r"\$inputs\.(\w+)")


def text() -> str:
    """The whole document as YAML."""
    return HEADER + yaml.safe_dump(
        document(openapi.load()), sort_keys=False, allow_unicode=True, width=WIDTH
    )


def document(contract: Contract) -> Table:
    """The scenarios as a document about the operations of a contract. KeyError for an operation or a link that it has not."""
    about = contract.document["info"]
    return {
        "arazzo": "1.0.1",
        "info": {"title": f"{about['title']}: scenarios", "version": about["version"]},
        "sourceDescriptions": [{"name": "api", "url": "./openapi.yaml", "type": "openapi"}],
        "workflows": [_workflow(scenario, contract) for scenario in SCENARIOS],
    }


def _workflow(scenario: Scenario, contract: Contract) -> Table:
    steps = [_step(step, scenario, contract) for step in scenario.steps]
    for step, told in zip(scenario.steps, steps, strict=True):
        if outputs := dict(_outputs(step, steps, contract)):
            told["outputs"] = outputs
    key = contract.document["components"]["securitySchemes"]["apiKey"]
    parameters = [{"name": key["name"], "in": key["in"], "value": "$inputs.apiKey"}]
    needed = dict.fromkeys(INPUT.findall(json.dumps([parameters, steps])))
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


def _step(step: Step, scenario: Scenario, contract: Contract) -> Table:
    operation = contract.operation(step.operation)
    linked, body = _linked(step, scenario, contract)
    locations = {parameter.name: parameter.location for parameter in operation.parameters}
    arguments = {**linked, **body, **step.given}
    told: Table = {
        "stepId": step.id,
        "description": f"{operation.summary}.",
        "operationId": operation.id,
    }
    if parameters := [
        {"name": name, "in": locations[name], "value": value}
        for name, value in arguments.items()
        if name in locations
    ]:
        told["parameters"] = parameters
    if payload := {name: value for name, value in arguments.items() if name not in locations}:
        told["requestBody"] = {"contentType": "application/json", "payload": payload}
    told["successCriteria"] = [
        {"condition": each} if isinstance(each, str) else dict(each) for each in step.conditions
    ]
    if step.again:
        told["onFailure"] = [_retry(step)]
    return told


def _retry(step: Step) -> Table:
    return {
        "name": f"{step.id}-again",
        "type": "retry",
        "retryAfter": step.pause,
        "retryLimit": step.tries,
        "criteria": [{"condition": step.again}],
    }


def _linked(step: Step, scenario: Scenario, contract: Contract) -> tuple[Table, Table]:
    """The parameters and the members of the body that the answer of an earlier step gives. KeyError where it leads elsewhere."""
    if step.after is None:
        return {}, {}
    source, name = step.after
    (before,) = (each for each in scenario.steps if each.id == source)
    link = _links(contract, contract.operation(before.operation))[name]
    if link["operationId"] != step.operation:
        raise KeyError(f"the link {name} of {before.operation} does not lead to {step.operation}")
    return _from(source, link["parameters"]), _from(source, link.get("requestBody", {}))


def _links(contract: Contract, operation: Operation) -> Mapping[str, Any]:
    answer = contract.document["paths"][operation.path][operation.method.lower()]["responses"][
        "200"
    ]
    known = contract.document["components"]["links"]
    return {
        name: known[reference["$ref"].rpartition("/")[2]]
        for name, reference in answer["links"].items()
    }


def _from(source: str, expressions: Mapping[str, str]) -> Table:
    """What a link takes out of an answer, by the name of the member as an output of the step that got the answer."""
    return {
        name: f"$steps.{source}.outputs.{expression.rpartition('/')[2]}"
        for name, expression in expressions.items()
    }


def _outputs(step: Step, steps: list[Table], contract: Contract) -> Iterator[tuple[str, str]]:
    """The members of its answer that the scenario refers to, with where they are."""
    operation = contract.operation(step.operation)
    for source, name in dict.fromkeys(OUTPUT.findall(json.dumps(steps))):
        if source == step.id:
            record = "/items/0" if operation.is_list and name != "nextCursor" else ""
            yield name, f"$response.body#/data{record}/{name}"
