//! What a writer could not carry: a code, the path of the thing, and a sentence; never silence.

use crate::error::{Error, Kind, Result};
use crate::path::Path;
use std::fmt;

macro_rules! codes {
    ($($(#[doc = $doc:literal])* $name:ident = $code:literal),+ $(,)?) => {
        /// The kinds of loss.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code { $($(#[doc = $doc])* $name),+ }

        impl Code {
            pub const ALL: &[Code] = &[$(Code::$name),+];

            pub fn as_str(self) -> &'static str {
                match self { $(Code::$name => $code),+ }
            }

            /// The sentence that says what the code means.
            pub fn meaning(self) -> &'static str {
                match self { $(Code::$name => concat!($($doc),*).trim_ascii()),+ }
            }
        }
    };
}

codes! {
    /// The wire has no field for a failure: the label stands in the text.
    OutcomeLabelled = "outcome.labelled",
    /// The wire has no field for a declared success: nothing says so.
    OutcomeSuccessUnexpressed = "outcome.success_unexpressed",
    /// The target reads silence as success.
    OutcomeImplied = "outcome.implied",
    /// A private marker that was not on a tool result; removed.
    MarkerMisplaced = "marker.misplaced",
    /// Media moved out of a tool result into the user content behind the results.
    ImageHoisted = "image.hoisted",
    /// Sound moved out of a tool result into the user content behind the results.
    AudioHoisted = "audio.hoisted",
    /// A document moved out of a tool result into the user content behind the results.
    DocumentHoisted = "document.hoisted",
    /// The `detail` of an image.
    ImageDetailDropped = "image.detail_dropped",
    /// An image by URL written as a link.
    ImageAsLink = "image.as_link",
    /// A document written as plain text.
    DocumentAsText = "document.as_text",
    /// Structured content written as JSON text.
    StructuredAsText = "structured.as_text",
    /// A native block written as its text.
    BlockAsText = "block.as_text",
    /// Several texts written as one.
    TextJoined = "text.joined",
    /// A stand-in where the wire needs some text.
    TextPlaceholder = "text.placeholder",
    /// The wire has no field for this name.
    NameDropped = "name.dropped",
    /// An id that the wire does not allow, written as another one.
    IdMapped = "id.mapped",
    /// The wire needs an id that the source does not state.
    IdMinted = "id.minted",
    /// The id or status that a provider gave to an item.
    ItemIdDropped = "item_id.dropped",
    /// Arguments written as JSON of equal value in another spelling.
    ArgumentsReserialised = "arguments.reserialised",
    /// A custom tool written as a function with one text argument.
    CustomWrapped = "custom.wrapped",
    /// A namespace written as part of the tool's name.
    NamespaceFolded = "namespace.folded",
    /// Reasoning that only its own provider can read or replay.
    ReasoningDropped = "reasoning.dropped",
    /// A call without the signature that the model wants on it: such a request is refused.
    SignatureMissing = "signature.missing",
    /// The place of the reasoning within the turn is not known.
    ReasoningOrderAssumed = "reasoning.order_assumed",
    /// A mark for a prompt cache.
    CacheDropped = "cache.dropped",
    /// Metadata that the wire has no place for.
    MetaDropped = "meta.dropped",
    /// Citations that the wire has no place for.
    CitationsDropped = "citations.dropped",
    /// A refusal written as plain text.
    RefusalAsText = "refusal.as_text",
    /// The phase of an assistant message.
    PhaseDropped = "phase.dropped",
    /// A developer message written as a system message.
    DeveloperAsSystem = "developer.as_system",
    /// Neighbouring messages written as one.
    Merged = "merged",
    /// A message that stood before a tool result is written behind it.
    OrderUserAfterResults = "order.user_after_results",
    /// Text, reasoning, calls or results of a turn stood in another order than they are written in.
    TurnReordered = "turn.reordered",
    /// The same result stated twice; written once.
    DuplicateDropped = "duplicate.dropped",
    /// Something empty that the wire does not allow.
    EmptyDropped = "empty.dropped",
    /// A required limit on output that the source does not state.
    MaxTokensAssumed = "max_tokens.assumed",
    /// A sampling knob that the wire does not have.
    SamplingDropped = "sampling.dropped",
    /// A field of a tool declaration that the wire does not have.
    ToolFieldDropped = "tool.field_dropped",
    /// A tool that is called and that nobody declares: declared by its name, with any object as its input.
    ToolAssumed = "tool.assumed",
    /// A tool choice written as the nearest one that the wire has.
    ToolChoiceReduced = "tool_choice.reduced",
    /// A reason to end that the wire does not have, written as the nearest one.
    FinishReasonReduced = "finish_reason.reduced",
    /// A count of tokens that the wire requires and the source does not state, written as 0.
    UsageAssumed = "usage.assumed",
    /// A field that only the source wire has.
    FieldDropped = "field.dropped",
    /// The typed fields were changed after the native form was read, so that form was left out.
    NativeStale = "native.stale",
    /// A lone surrogate read as U+FFFD.
    SurrogateReplaced = "surrogate.replaced",
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One thing that the output does not say, or says in another way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loss {
    pub code: Code,
    /// Where it stands in the request as it was read: `messages[2].content[0]`.
    pub path: Path,
    pub detail: String,
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}: {}", self.path, self.code, self.detail)
    }
}

impl Loss {
    /// A text that held half of a surrogate pair, which no JSON text in UTF-8 can.
    pub fn surrogate(path: Path) -> Self {
        let detail = "held a lone surrogate, which was read as U+FFFD".to_owned();
        Self { code: Code::SurrogateReplaced, path, detail }
    }
}

/// The report of one conversion.
#[derive(Clone, Debug, Default)]
pub struct Losses(pub Vec<Loss>);

impl Losses {
    pub fn add(&mut self, code: Code, path: Path, detail: impl Into<String>) {
        self.0.push(Loss { code, path, detail: detail.into() });
    }

    /// The error that `strict=True` makes of the first loss.
    pub fn refuse(&self) -> Result<()> {
        let Some(first) = self.0.first() else { return Ok(()) };
        let more = match self.0.len() - 1 {
            0 => String::new(),
            n => format!(" (and {n} more)"),
        };
        Err(Error::new(Kind::Loss, first.path.clone(), format!("{}: {}{more}", first.code, first.detail)))
    }
}

/// What leaving out a field of one wire means, by the field's name.
pub(super) fn code_of_field(key: &str) -> Code {
    match key {
        "cache_control" | "prompt_cache_breakpoint" => Code::CacheDropped,
        "citations" => Code::CitationsDropped,
        "annotations" | "_meta" => Code::MetaDropped,
        "phase" => Code::PhaseDropped,
        "id" | "status" => Code::ItemIdDropped,
        "name" => Code::NameDropped,
        "signature" | "encrypted_content" => Code::ReasoningDropped,
        _ => Code::FieldDropped,
    }
}
