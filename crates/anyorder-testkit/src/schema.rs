//! Does a JSON document follow a JSON Schema?
//!
//! Knows the keywords that `docs/report.schema.json` uses, as draft 2020-12 means them, and panics at any other: a
//! keyword that is not checked must not look as if it were.

use serde_json::{Map, Value};

/// A schema, and the definitions in it.
#[derive(Debug)]
pub struct Schema(Value);

impl Schema {
    /// The schema in this text.
    pub fn parse(text: &str) -> Self {
        Schema(serde_json::from_str(text).expect("a schema is JSON"))
    }

    /// Every place where `document` does not follow the schema, with the reason.
    pub fn faults(&self, document: &Value) -> Vec<String> {
        let mut faults = Vec::new();
        self.check(&self.0, document, "", &mut faults);
        faults
    }

    fn check(&self, schema: &Value, value: &Value, at: &str, faults: &mut Vec<String>) {
        let Value::Object(keywords) = schema else {
            if *schema == false {
                faults.push(format!("{at} is not in the schema"));
            }
            return;
        };
        for (keyword, argument) in keywords {
            let is_met = match keyword.as_str() {
                "$schema" | "$defs" | "title" | "description" => true,
                "$ref" => {
                    self.check(self.definition(argument), value, at, faults);
                    true
                }
                "type" => listed(argument).any(|name| is_of_type(value, name)),
                "const" => value == argument,
                "enum" => listed(argument).any(|one| one == value),
                "minimum" => value.as_f64() >= argument.as_f64(),
                "minItems" => value.as_array().is_none_or(|items| items.len() as u64 >= number(argument)),
                "maxItems" => value.as_array().is_none_or(|items| items.len() as u64 <= number(argument)),
                "anyOf" => listed(argument).any(|one| {
                    let mut inner = Vec::new();
                    self.check(one, value, at, &mut inner);
                    inner.is_empty()
                }),
                "required" => {
                    let missing = |name: &&Value| value.get(name.as_str().unwrap_or_default()).is_none();
                    listed(argument)
                        .filter(missing)
                        .for_each(|name| faults.push(format!("{at} lacks {name}")));
                    true
                }
                "items" => {
                    for (number, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(argument, item, &format!("{at}/{number}"), faults);
                    }
                    true
                }
                "properties" | "additionalProperties" | "propertyNames" => {
                    let members = value.as_object().into_iter().flatten();
                    members.for_each(|(name, member)| {
                        self.check_member(keywords, keyword, name, member, at, faults);
                    });
                    true
                }
                unknown => panic!("the checker does not know `{unknown}`"),
            };
            if !is_met {
                faults.push(format!("{at} is {value}, against `{keyword}`: {argument}"));
            }
        }
    }

    /// One member of an object, as one of the keywords about members sees it.
    fn check_member(
        &self,
        keywords: &Map<String, Value>,
        keyword: &str,
        name: &str,
        member: &Value,
        at: &str,
        faults: &mut Vec<String>,
    ) {
        let at = format!("{at}/{name}");
        let named = keywords.get("properties").and_then(|properties| properties.get(name));
        match (keyword, named) {
            ("properties", Some(schema)) => self.check(schema, member, &at, faults),
            ("additionalProperties", None) => self.check(&keywords[keyword], member, &at, faults),
            ("propertyNames", _) => self.check(&keywords[keyword], &name.into(), &at, faults),
            _ => {}
        }
    }

    fn definition(&self, reference: &Value) -> &Value {
        let pointer = reference.as_str().and_then(|reference| reference.strip_prefix('#'));
        let found = pointer.and_then(|pointer| self.0.pointer(pointer));
        found.unwrap_or_else(|| panic!("there is no {reference}"))
    }
}

/// The members of a list; anything else is a list of itself.
fn listed(argument: &Value) -> impl Iterator<Item = &Value> {
    argument.as_array().map_or(std::slice::from_ref(argument), Vec::as_slice).iter()
}

fn number(argument: &Value) -> u64 {
    argument.as_u64().expect("a number of items")
}

fn is_of_type(value: &Value, name: &Value) -> bool {
    match name.as_str().expect("a type is a string") {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "number" => value.is_number(),
        "integer" => value.is_i64() || value.is_u64(),
        unknown => panic!("the checker does not know the type `{unknown}`"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn faults(schema: &str, document: &str) -> Vec<String> {
        Schema::parse(schema).faults(&serde_json::from_str(document).unwrap())
    }

    #[test]
    fn each_keyword_refuses_what_it_should_and_nothing_else() {
        let cases = [
            (r#"{"type": ["string", "null"]}"#, "null", "1"),
            (r#"{"type": "integer", "minimum": 0}"#, "0", "-1"),
            (r#"{"const": 1}"#, "1", "2"),
            (r#"{"enum": ["a", null]}"#, "null", r#""b""#),
            (r#"{"minItems": 2, "maxItems": 2}"#, "[1, 2]", "[1]"),
            (r#"{"items": {"type": "string"}}"#, r#"["a"]"#, "[1]"),
            (r#"{"anyOf": [{"const": 1}, {"const": 2}]}"#, "2", "3"),
            (r#"{"required": ["a"]}"#, r#"{"a": 1}"#, r#"{"b": 1}"#),
            (r#"{"properties": {"a": {"const": 1}}}"#, r#"{"a": 1, "b": 2}"#, r#"{"a": 2}"#),
            (r#"{"properties": {"a": {}}, "additionalProperties": false}"#, r#"{"a": 1}"#, r#"{"b": 1}"#),
            (r#"{"propertyNames": {"enum": ["a"]}}"#, r#"{"a": 1}"#, r#"{"b": 1}"#),
            (r##"{"$ref": "#/$defs/x", "$defs": {"x": {"const": 1}}}"##, "1", "2"),
        ];
        for (schema, good, bad) in cases {
            assert_eq!(faults(schema, good), [""; 0], "{schema}");
            assert_eq!(faults(schema, bad).len(), 1, "{schema}");
        }
    }

    #[test]
    #[should_panic(expected = "does not know `patternProperties`")]
    fn an_unknown_keyword_is_not_passed_over() {
        faults(r#"{"patternProperties": {}}"#, "{}");
    }
}
