package loaf

import "github.com/go-json-experiment/json/jsontext"

// This file and protocol_*.go contain the wire as Go types and nothing else. Source: "loaf RPC"
// and, for what it leaves out, the messages of the program itself.
//
// All objects are open: readers ignore what they do not know. On the way in null
// counts as absent, and a text that is blank too; texts are trimmed. On the way out a member
// that is absent is left out; null is sent only where a comment says so. Field order is wire
// order: the document's members in its order, the others where the program has them.
// Params, events and most results are snake_case; the state of a session, models and saved
// chats are camelCase.

// ProtocolVersion is the only one there is.
const ProtocolVersion = "1.0.0"

// CodeServerError is the code for what only this server can say; all others are JSON-RPC's.
const CodeServerError = -32000

// ErrorData is the data of every error.
type ErrorData struct {
	Reason    string `json:"reason"`
	Field     string `json:"field,omitzero"`     // the param at fault
	Method    string `json:"method,omitzero"`    // of method_not_found
	Supported string `json:"supported,omitzero"` // of unsupported_protocol_version
	Kind      string `json:"kind,omitzero"`      // of internal_error, ours: what a program can act on
}

// The reasons.
const (
	ReasonParseError         = "parse_error"
	ReasonBatch              = "batch_not_supported"
	ReasonInvalidRequest     = "invalid_request"
	ReasonLineTooLong        = "line_too_long" // ours
	ReasonMethodNotFound     = "method_not_found"
	ReasonInvalidParams      = "invalid_params"
	ReasonUnsupportedVersion = "unsupported_protocol_version"
	ReasonInternalError      = "internal_error" // every failure of the application

	// Ours, with CodeServerError.
	ReasonShuttingDown        = "shutting_down"
	ReasonUnsupportedProvider = "unsupported_provider"
	ReasonAuthInProgress      = "auth_in_progress"
	ReasonForbidden           = "forbidden" // the token is not sufficient
)

// The kinds.
const (
	KindUnknownSession = "unknown_session"
	KindBusy           = "busy"
	KindUnknownModel   = "unknown_model"
	KindNotFound       = "not_found"
	KindBudget         = "budget_exceeded"   // ours
	KindMoved          = "moved"             // ours: another host has the session
	KindUnknown        = "outcome_unknown"   // ours: it was accepted, and may not be stored
	KindUnavailable    = "store_unavailable" // ours: the store does not answer, or cannot be read
	KindMissingParam   = "missing_param"     // ours: a param that is needed in this case
	KindNotSignedIn    = "not_signed_in"     // ours
	KindNoKey          = "no_key"            // ours: the provider has no key
)

// NoParams are the params of methods that read none: whatever is given is ignored.
type NoParams struct{}

// The connection.
type (
	// HandshakeParams may come at any time, and again. client_version, which clients send, is not even looked at.
	HandshakeParams struct {
		ClientName      string      `json:"client_name,omitzero"` // what others are shown; "": loaf. What is no string counts as ""
		ProtocolVersion string      `json:"protocol_version,omitzero"`
		Strict          bool        `json:"strict,omitzero"`       // another version is an error
		EventFormat     EventFormat `json:"event_format,omitzero"` // ours; absent: as it was
		EventScope      EventScope  `json:"event_scope,omitzero"`  // ours; absent: what belongs to the format, unless it was asked for
	}

	// HandshakeResult says what the server can do.
	HandshakeResult struct {
		ProtocolVersion string       `json:"protocol_version"`
		ServerName      string       `json:"server_name"`
		Capabilities    Capabilities `json:"capabilities"`
		Methods         []string     `json:"methods"` // sorted
		EventFormat     EventFormat  `json:"event_format"`
		EventScope      EventScope   `json:"event_scope"`
	}

	// Capabilities are the same for all clients.
	Capabilities struct {
		Events         bool     `json:"events"`
		CommandExecute bool     `json:"command_execute"`
		MultiSession   bool     `json:"multi_session"`
		ImageInputs    []string `json:"image_inputs"` // path, data_url
	}

	// EventFormat is what an event looks like: flat or envelope.
	EventFormat string

	// EventScope is which events there are: turn or all.
	EventScope string

	// PingResult is the server's clock.
	PingResult struct {
		OK   bool   `json:"ok"`
		Time string `json:"time"` // like all times ISO 8601, UTC, with milliseconds
	}

	// ShutdownParams end the process.
	ShutdownParams struct {
		Reason string `json:"reason,omitzero"`
	}

	// ShutdownResult is the last line.
	ShutdownResult struct {
		Accepted bool   `json:"accepted"`
		Reason   string `json:"reason,omitzero"` // as it was given
	}
)

// The formats and scopes of events.
const (
	FormatFlat     EventFormat = "flat"     // the type is the method
	FormatEnvelope EventFormat = "envelope" // the method is "event"; see EventEnvelope

	ScopeTurn EventScope = "turn" // what belongs to a turn or a sign-in, and nothing between
	ScopeAll  EventScope = "all"
)

// State is everything that is not of one session (state.get); it is also the snapshot of
// StateChanged.
type (
	State struct {
		Auth       StateAuth       `json:"auth"`
		Onboarding OnboardingState `json:"onboarding"`
		Model      StateModel      `json:"model"`
		Sessions   StateSessions   `json:"sessions"`
		Skills     StateSkills     `json:"skills"`
	}

	// StateAuth is AuthStatus in the other case.
	StateAuth struct {
		EnabledProviders    []Provider          `json:"enabledProviders"`
		HasOpenAIToken      bool                `json:"hasOpenAiToken"`
		HasAntigravityToken bool                `json:"hasAntigravityToken"`
		HasOpenRouterKey    bool                `json:"hasOpenRouterKey"`
		AntigravityProfile  *AntigravityProfile `json:"antigravityProfile"` // null: none
	}

	// StateModel is the model that all sessions use from their next turn on.
	StateModel struct {
		SelectedModel              string        `json:"selectedModel"` // "": none
		SelectedThinking           ThinkingLevel `json:"selectedThinking"`
		SelectedOpenRouterProvider string        `json:"selectedOpenRouterProvider"` // any, or a slug
		SelectedProvider           *Provider     `json:"selectedProvider"`           // null: none
	}

	// StateSessions are the open ones.
	StateSessions struct {
		Count int      `json:"count"`
		IDs   []string `json:"ids"`
	}

	// StateSkills says where skills were looked for.
	StateSkills struct {
		Count       int      `json:"count"`
		Directories []string `json:"directories"`
	}
)

// MethodEvent is the method of a notification that is an EventEnvelope.
const MethodEvent = "event"

// EventEnvelope is the params of an event in the format FormatEnvelope.
type EventEnvelope struct {
	Type      string         `json:"type"` // one of the Event constants
	Timestamp string         `json:"timestamp"`
	Payload   jsontext.Value `json:"payload"` // what the params are in FormatFlat
}
