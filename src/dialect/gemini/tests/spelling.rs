//! Both spellings of a field, and what is not a field.

use super::{comes_back_as, json, read, refused, results};

#[test]
fn either_spelling_is_read_at_every_level() {
    let snake = json(
        r#"{"system_instruction":{"parts":[{"text":"s"}]},"contents":[{"role":"user","parts":[{"file_data":{"file_uri":"gs://b","mime_type":"image/png"}},{"text":"x","part_metadata":{"own_key":{"an_other":1}}}]},{"role":"model","parts":[{"function_call":{"name":"f","args":{"snake_key":{"inner_key":1}}},"thought_signature":"c2ln"}]},{"role":"user","parts":[{"function_response":{"name":"f","response":{"error":null,"some_key":{"a_b":1}},"will_continue":true}}]}],"tools":[{"function_declarations":[{"name":"f","parameters_json_schema":{"properties":{"my_key":{}},"any_of":[]}},{"name":"g","parameters":{"properties":{"my_key":{"any_of":[{"min_items":"2"}],"enum":["a_b"],"default":{"x_y":1}}}},"response":{"property_ordering":["my_key"]}}]},{"google_search":{}}],"tool_config":{"function_calling_config":{"mode":"ANY","allowed_function_names":["f"]}},"generation_config":{"top_p":0.5,"max_output_tokens":9,"stop_sequences":["x_y"],"thinking_config":{"thinking_level":"LOW","include_thoughts":true},"response_schema":{"properties":{"my_key":{"max_items":"1"}}}},"safety_settings":[{"harm_category":"x"}],"cached_content":"c_d","labels":{"my_label":"a_b"}}"#,
    );
    let camel = json(
        r#"{"systemInstruction":{"parts":[{"text":"s"}]},"contents":[{"role":"user","parts":[{"fileData":{"fileUri":"gs://b","mimeType":"image/png"}},{"text":"x","partMetadata":{"own_key":{"an_other":1}}}]},{"role":"model","parts":[{"functionCall":{"name":"f","args":{"snake_key":{"inner_key":1}}},"thoughtSignature":"c2ln"}]},{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"error":null,"some_key":{"a_b":1}},"willContinue":true}}]}],"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":{"properties":{"my_key":{}},"any_of":[]}},{"name":"g","parameters":{"properties":{"my_key":{"anyOf":[{"minItems":"2"}],"enum":["a_b"],"default":{"x_y":1}}}},"response":{"propertyOrdering":["my_key"]}}]},{"googleSearch":{}}],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["f"]}},"generationConfig":{"topP":0.5,"maxOutputTokens":9,"stopSequences":["x_y"],"thinkingConfig":{"thinkingLevel":"LOW","includeThoughts":true},"responseSchema":{"properties":{"my_key":{"maxItems":"1"}}}},"safetySettings":[{"harmCategory":"x"}],"cachedContent":"c_d","labels":{"my_label":"a_b"}}"#,
    );
    comes_back_as(&snake, &camel);
    comes_back_as(&camel, &camel);
    assert_eq!(read(&snake), read(&camel));
}

#[test]
fn both_at_once_must_agree() {
    let body = |one: &str, other: &str| {
        format!(
            r#"{{"contents":[{{"role":"user","parts":[{{"functionResponse":{{"name":"f","response":{{}}}},"function_response":{{"name":"f","response":{{}}}}}}]}}],"generationConfig":{{"topP":{one},"top_p":{other}}}}}"#
        )
    };
    let request = read(&json(&body("0.5", "0.50")));
    assert_eq!((results(&request).len(), request.sampling.len()), (1, 1));
    let what = "generationConfig.top_p: says something else than the same field spelled otherwise (topP)";
    assert_eq!(refused(&body("0.5", "0.6")).to_string(), what);
    let opposed = r#"{"contents":[{"parts":[{"functionResponse":{"name":"f","response":{"error":"x"}},"function_response":{"name":"f","response":{"output":"x"}}}]}]}"#;
    assert_eq!(refused(opposed).path.to_string(), "contents[0].parts[0].function_response");
}

#[test]
fn a_private_key_is_no_field() {
    let body = r#"{"contents":[{"role":"model","parts":[{"functionCall":{"name":"f"}}]},{"role":"user","parts":[{"function_response":{"name":"f","response":{"output":"x"},"_vf_is_error":true}}]}]}"#;
    assert_eq!(results(&read(&json(body)))[0].is_error, Some(true));
}
