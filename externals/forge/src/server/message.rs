//! Messages of JSON-RPC 2.0 as the language server protocol uses them: requests, responses and notifications.

use serde_json::{Map, Value, json};

/// The error codes used here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the protocol defines them")]
pub enum ErrorCode {
    ParseError = -32700,
    InvalidRequest = -32600,
    MethodNotFound = -32601,
    InvalidParams = -32602,
    InternalError = -32603,
    ServerNotInitialized = -32002,
    RequestCanceled = -32800,
    RequestFailed = -32803,
}

/// The id of a request: a whole number of 32 bits, or a text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the comment of the type describes them")]
pub enum RequestId {
    Number(i32),
    Text(String),
}

/// A message in either direction.
#[derive(Clone, Debug, PartialEq)]
#[expect(missing_docs, reason = "the protocol defines them")]
pub enum Message {
    Request { id: RequestId, method: String, params: Value },
    Response { id: RequestId, result: Result<Value, ResponseError> },
    Notification { method: String, params: Value },
}

/// Why a request failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResponseError {
    /// One of [`ErrorCode`], or a code of the other side.
    pub code: i64,
    /// For people.
    pub message: String,
}

impl RequestId {
    /// Decodes an id; none if it is neither a text nor an integer of 32 bits.
    pub fn of(value: &Value) -> Option<RequestId> {
        let number = value.as_i64().and_then(|number| i32::try_from(number).ok()).map(RequestId::Number);
        number.or_else(|| value.as_str().map(|text| RequestId::Text(text.to_string())))
    }

    fn to_json(&self) -> Value {
        match self {
            RequestId::Number(number) => json!(number),
            RequestId::Text(text) => json!(text),
        }
    }
}

impl Message {
    /// The error response to a request.
    pub fn failure(id: RequestId, code: ErrorCode, message: impl Into<String>) -> Message {
        Message::Response { id, result: Err(ResponseError { code: code as i64, message: message.into() }) }
    }

    /// Decodes a message. None if it has an unknown form or an invalid id.
    pub fn of(value: Value) -> Option<Message> {
        let Value::Object(mut fields) = value else { return None };
        let id = match fields.get("id") {
            None | Some(Value::Null) => None,
            Some(id) => Some(RequestId::of(id)?),
        };
        match (fields.remove("method"), id) {
            (Some(Value::String(method)), id) => {
                // Parameters of a wrong form are the method's to refuse.
                let params = fields.remove("params").unwrap_or_default();
                Some(match id {
                    Some(id) => Message::Request { id, method, params },
                    None => Message::Notification { method, params },
                })
            }
            (None, Some(id)) => {
                let result = match (fields.remove("result"), fields.remove("error")) {
                    (Some(result), None) => Ok(result),
                    (_, Some(error)) => Err(ResponseError {
                        code: error.get("code")?.as_i64()?,
                        message: error.get("message")?.as_str()?.to_string(),
                    }),
                    (None, None) => return None,
                };
                Some(Message::Response { id, result })
            }
            _ => None,
        }
    }

    /// Encodes a message.
    pub fn to_json(&self) -> Value {
        let mut fields = Map::from_iter([("jsonrpc".to_string(), json!("2.0"))]);
        let mut put = |name: &str, value: Value| fields.insert(name.to_string(), value);
        match self {
            Message::Request { id, method, params } => {
                put("id", id.to_json());
                put("method", json!(method));
                put("params", params.clone());
            }
            Message::Notification { method, params } => {
                put("method", json!(method));
                put("params", params.clone());
            }
            Message::Response { id, result } => {
                put("id", id.to_json());
                match result {
                    Ok(value) => put("result", value.clone()),
                    Err(ResponseError { code, message }) => put("error", json!({ "code": code, "message": message })),
                };
            }
        }
        Value::Object(fields)
    }
}
