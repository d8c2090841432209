//! What Gemini's own tools declare of their outcome.

use crate::dialect::NativeOutcome;
use crate::json::{Json, Value};
use crate::path::Path;

/// The result of code that the provider ran; what its other tools answer has no outcome.
/// <https://ai.google.dev/api/caching#CodeExecutionResult>
pub(in crate::dialect) fn native_outcome(item: &Json, path: &Path) -> Option<NativeOutcome> {
    const RESULT: &str = "codeExecutionResult";
    if item.get("type").is_some() {
        return None;
    }
    let result = item.get(RESULT)?;
    let word = |key: &str| result.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
    Some(NativeOutcome {
        item: RESULT.to_owned(),
        id: word("id").map(str::to_owned),
        path: path.clone(),
        is_error: match word("outcome") {
            Some("OUTCOME_OK") => Some(false),
            Some("OUTCOME_FAILED" | "OUTCOME_DEADLINE_EXCEEDED") => Some(true),
            _ => None,
        },
        detail: word("output").map(str::to_owned),
    })
}

/// What became of the addresses that the model had read, which stands beside the turn.
/// <https://ai.google.dev/api/generate-content#UrlRetrievalStatus>
pub(in crate::dialect) fn candidate_outcomes(body: &Json) -> Vec<NativeOutcome> {
    let member = |value: &Json, camel: &str, snake: &str| value.get(camel).or(value.get(snake)).cloned();
    let candidate = body.get("candidates").and_then(Value::as_array).and_then(<[_]>::first);
    let metadata = candidate.and_then(|c| member(c, "urlContextMetadata", "url_context_metadata"));
    let Some(Value::Array(urls)) = metadata.and_then(|m| member(&m, "urlMetadata", "url_metadata")) else {
        return Vec::new();
    };
    let path = Path::root().key("candidates").index(0).key("urlContextMetadata").key("urlMetadata");
    let of = |(n, url): (usize, &Json)| {
        let word = |camel: &str, snake: &str| member(url, camel, snake)?.as_str().map(str::to_owned);
        let status = word("urlRetrievalStatus", "url_retrieval_status");
        NativeOutcome {
            item: "urlMetadata".to_owned(),
            id: None,
            path: path.index(n),
            is_error: match status.as_deref().and_then(|word| word.strip_prefix("URL_RETRIEVAL_STATUS_")) {
                Some("SUCCESS") => Some(false),
                Some("ERROR" | "PAYWALL" | "UNSAFE") => Some(true),
                _ => None,
            },
            detail: word("retrievedUrl", "retrieved_url"),
        }
    };
    urls.iter().enumerate().map(of).collect()
}
