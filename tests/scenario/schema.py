# SPDX-License-Identifier: Apache-2.0
"""The part of JSON Schema that docs/*.schema.json use."""
import re

TYPES = {"object": dict, "array": list, "string": str, "boolean": bool, "null": type(None), "integer": int,
         "number": (int, float)}


def has_type(value, name):
    return isinstance(value, TYPES[name]) and (name == "boolean" or not isinstance(value, bool))


def errors(value, schema, at="$"):
    """What of `value` breaks `schema`, one text each; empty when it is valid. Unknown keywords raise KeyError."""
    found = []
    for keyword, rule in schema.items():
        if keyword not in ("description", "title"):
            found += CHECKS[keyword](value, rule, schema, at)
    return found


def check_type(value, rule, schema, at):
    names = rule if isinstance(rule, list) else [rule]
    return [] if any(has_type(value, n) for n in names) else [f"{at} is {value!r}, not {' or '.join(names)}"]


def check_properties(value, rule, schema, at):
    known = rule.items() if isinstance(value, dict) else ()
    return [e for name, part in known if name in value for e in errors(value[name], part, f"{at}.{name}")]


def check_additional(value, rule, schema, at):
    extra = set(value) - set(schema.get("properties", {})) if isinstance(value, dict) else ()
    if rule is False:
        return [f"{at} has an unknown key {name}" for name in sorted(extra)]
    return [e for name in sorted(extra) for e in errors(value[name], rule, f"{at}.{name}")]


def check_items(value, rule, schema, at):
    return [e for i, item in enumerate(value) for e in errors(item, rule, f"{at}[{i}]")] if isinstance(value, list) else []


def check_required(value, rule, schema, at):
    return [f"{at} lacks {name}" for name in rule if isinstance(value, dict) and name not in value]


def check_one_of(value, rule, schema, at):
    valid = sum(not errors(value, part, at) for part in rule)
    return [] if valid == 1 else [f"{at} is valid under {valid} of {len(rule)} alternatives"]


def check_pattern(value, rule, schema, at):
    return [f"{at} does not match {rule}"] if isinstance(value, str) and not re.search(rule, value) else []


def check_minimum(value, rule, schema, at):
    return [f"{at} is {value}, below {rule}"] if has_type(value, "number") and value < rule else []


CHECKS = {
    "type": check_type, "properties": check_properties, "additionalProperties": check_additional,
    "items": check_items, "required": check_required, "oneOf": check_one_of, "pattern": check_pattern, "minimum": check_minimum,
    "const": lambda value, rule, schema, at: [] if value == rule else [f"{at} is {value!r}, not {rule!r}"],
    "enum": lambda value, rule, schema, at: [] if value in rule else [f"{at} is {value!r}, none of {rule}"],
}
