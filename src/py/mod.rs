//! The Python module: exports only, it decides nothing.

mod answers;
mod asked;
mod body;
mod calls;
mod change;
mod dialects;
mod door;
mod errors;
mod functions;
mod glance;
mod graph;
mod hosts;
mod journal;
mod mcp;
mod messages;
mod node;
mod noun;
mod overlay;
mod parts;
mod pending;
mod rendered;
mod report;
mod request;
mod response;
mod rollout;
mod stream;
mod wire;

/// What `toolwire` is made of.
#[pyo3::pymodule]
mod _core {
    #[pymodule_export]
    use super::calls::{PyTool, PyToolCall};
    #[pymodule_export]
    use super::dialects::{AnthropicDialect, BedrockDialect, ChatDialect, GeminiDialect, ResponsesDialect};
    #[pymodule_export]
    use super::functions::{
        convert, error_kinds, loss_codes, message_hash, prefix_hashes, reply, target_dialects, targets_as_of,
        tools_hash,
    };
    #[pymodule_export]
    use super::graph::PyMessageGraph;
    #[pymodule_export]
    use super::journal::{PyJournal, PyResumeReport, resume};
    #[pymodule_export]
    use super::messages::{PyAssistantMessage, PySystemMessage, PyToolMessage, PyUserMessage};
    #[pymodule_export]
    use super::node::PyMessageNode;
    #[pymodule_export]
    use super::parts::{PyAudioPart, PyFilePart, PyImagePart, PyNativePart, PyTextPart};
    #[pymodule_export]
    use super::pending::PyPendingTurn;
    #[pymodule_export]
    use super::rendered::PyRendered;
    #[pymodule_export]
    use super::report::{PyLoss, PyNativeOutcome};
    #[pymodule_export]
    use super::request::PyRequest;
    #[pymodule_export]
    use super::response::{PyResponse, PyUsage};
    #[pymodule_export]
    use super::rollout::{PyRollout, PyTurn};
    #[pymodule_export]
    use super::stream::PyStreamParser;

    #[pymodule_export]
    #[expect(non_upper_case_globals, reason = "the name is Python's")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
