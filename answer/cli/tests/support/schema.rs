//! Checks a document against a published schema: the part of JSON Schema that these schemas use.
//!
//! An unknown keyword is an error here, so that the check cannot pass by not looking.

use serde_json::{Map, Value};

/// Keywords that constrain nothing, or only what the types have checked already.
const SILENT: &[&str] = &["$schema", "$defs", "title", "description", "format", "default", "examples"];

/// The first way in which `document` does not hold to `schema`, with its place.
pub(crate) fn violation(document: &Value, schema: &Value) -> Option<String> {
    Check { root: schema }.against(document, schema, "$").err()
}

struct Check<'a> {
    root: &'a Value,
}

type Held = Result<(), String>;

impl Check<'_> {
    fn against(&self, value: &Value, schema: &Value, at: &str) -> Held {
        match schema {
            Value::Bool(true) => Ok(()),
            Value::Object(keywords) => {
                keywords.iter().try_for_each(|(keyword, wanted)| self.keyword(value, keyword, wanted, keywords, at))
            }
            other => Err(format!("{at}: the schema {other} allows nothing")),
        }
    }

    fn keyword(&self, value: &Value, keyword: &str, wanted: &Value, beside: &Map<String, Value>, at: &str) -> Held {
        match keyword {
            "$ref" => self.against(value, self.named(wanted), at),
            "type" => require(has_type(value, wanted), || format!("{at}: {value} is not of type {wanted}")),
            "const" => require(value == wanted, || format!("{at}: {value} is not {wanted}")),
            "enum" => require(list(wanted).contains(value), || format!("{at}: {value} is not one of {wanted}")),
            "required" => self.required(value, wanted, at),
            "properties" => self.properties(value, wanted, at),
            "additionalProperties" => self.additional(value, wanted, beside, at),
            "items" => self.items(value, wanted, at),
            "prefixItems" => self.prefix(value, wanted, at),
            "anyOf" => require(self.matching(value, wanted) >= 1, || format!("{at}: {value} fits none of {wanted}")),
            "oneOf" => require(self.matching(value, wanted) == 1, || format!("{at}: {value} fits not one of {wanted}")),
            "minimum" => require(number(value) >= number(wanted), || format!("{at}: {value} is below {wanted}")),
            "maximum" => require(number(value) <= number(wanted), || format!("{at}: {value} is above {wanted}")),
            "minItems" => require(length(value).is_none_or(|n| n >= number(wanted)), || {
                format!("{at}: fewer than {wanted} items")
            }),
            "maxItems" => {
                require(length(value).is_none_or(|n| n <= number(wanted)), || format!("{at}: more than {wanted} items"))
            }
            silent if SILENT.contains(&silent) => Ok(()),
            unknown => Err(format!("{at}: this check does not know the keyword {unknown}")),
        }
    }

    fn named(&self, reference: &Value) -> &Value {
        let pointer = reference.as_str().expect("a reference").trim_start_matches('#');
        self.root.pointer(pointer).unwrap_or_else(|| panic!("{reference} is not in the schema"))
    }

    fn required(&self, value: &Value, wanted: &Value, at: &str) -> Held {
        let Some(fields) = value.as_object() else { return Ok(()) };
        let missing = list(wanted).iter().find(|key| !fields.contains_key(key.as_str().expect("a key")));
        missing.map_or(Ok(()), |key| Err(format!("{at}: {key} is missing")))
    }

    fn properties(&self, value: &Value, wanted: &Value, at: &str) -> Held {
        let Some(fields) = value.as_object() else { return Ok(()) };
        let known = wanted.as_object().expect("properties");
        fields.iter().try_for_each(|(key, value)| match known.get(key) {
            Some(schema) => self.against(value, schema, &format!("{at}.{key}")),
            None => Ok(()),
        })
    }

    fn additional(&self, value: &Value, wanted: &Value, beside: &Map<String, Value>, at: &str) -> Held {
        let Some(fields) = value.as_object() else { return Ok(()) };
        let is_known = |key: &str| beside.get("properties").is_some_and(|known| known.get(key).is_some());
        fields
            .iter()
            .filter(|(key, _)| !is_known(key))
            .try_for_each(|(key, value)| self.against(value, wanted, &format!("{at}.{key}")))
    }

    fn items(&self, value: &Value, wanted: &Value, at: &str) -> Held {
        let items = value.as_array().map_or(&[][..], Vec::as_slice);
        items.iter().enumerate().try_for_each(|(index, item)| self.against(item, wanted, &format!("{at}[{index}]")))
    }

    fn prefix(&self, value: &Value, wanted: &Value, at: &str) -> Held {
        let items = value.as_array().map_or(&[][..], Vec::as_slice);
        items.iter().zip(list(wanted)).try_for_each(|(item, schema)| self.against(item, schema, at))
    }

    fn matching(&self, value: &Value, alternatives: &Value) -> usize {
        list(alternatives).iter().filter(|schema| self.against(value, schema, "").is_ok()).count()
    }
}

fn require(holds: bool, problem: impl FnOnce() -> String) -> Held {
    if holds { Ok(()) } else { Err(problem()) }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().expect("a list in the schema")
}

/// Bounds in these schemas are those of small integers and of integer types, so floating point compares them well enough.
/// What is no number fits every bound.
fn number(value: &Value) -> f64 {
    value.as_f64().unwrap_or(0.0)
}

/// What is no array fits every bound.
fn length(value: &Value) -> Option<f64> {
    value.as_array().map(|items| items.len() as f64)
}

fn has_type(value: &Value, wanted: &Value) -> bool {
    let is = |name: &Value| match name.as_str().expect("a type") {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("no type {other}"),
    };
    wanted.as_array().map_or_else(|| is(wanted), |names| names.iter().any(is))
}
