package pisces

import "github.com/go-json-experiment/json/jsontext"

// The files protocol*.go are the wire as Go types and nothing else. Source: "RPC Protocol
// Reference"; what is not in it is marked +, and is of the program that it describes, or of
// one of its relatives.
//
// A line is one object. What goes out is Ready, a Response or another Event; what comes in
// is a command, an ExtensionUIResponse, a HostToolUpdate or a HostToolResult. Each has a member type, which the structs here
// lack: encode adds it. A field that would be empty is absent where its tag says omitzero;
// nothing is null unless a comment says so. Unknown fields are ignored on the way in, and
// null there is absent. Times are Unix milliseconds, money is US dollars.

// Ready is the first line. +
type Ready struct{}

// Response answers a command.
type Response struct {
	ID      jsontext.Value `json:"id,omitzero"`      // the command's, whatever it was; absent without one, and where it is not known
	Command string         `json:"command,omitzero"` // the command's type, or CommandParse; absent of a line without a type
	Success bool           `json:"success"`
	Data    any            `json:"data,omitzero"`  // of a success that has any
	Error   string         `json:"error,omitzero"` // of a failure
	Code    string         `json:"code,omitzero"`  // + of a failure that clients can act on: session_busy or stale_cursor
}

// CommandParse is the command of a Response to a line that could not be read, or to a command
// that could not be done. There is no ID then.
const CommandParse = "parse"

// The types of commands, in the order of the source.
const (
	CommandPrompt         = "prompt"
	CommandSteer          = "steer"
	CommandFollowUp       = "follow_up"
	CommandAbort          = "abort"
	CommandAbortAndPrompt = "abort_and_prompt"
	CommandNewSession     = "new_session"

	CommandGetState = "get_state"

	CommandSetModel           = "set_model"
	CommandCycleModel         = "cycle_model"
	CommandGetAvailableModels = "get_available_models"

	CommandSetThinkingLevel   = "set_thinking_level"
	CommandCycleThinkingLevel = "cycle_thinking_level"

	CommandSetSteeringMode  = "set_steering_mode"
	CommandSetFollowUpMode  = "set_follow_up_mode"
	CommandSetInterruptMode = "set_interrupt_mode"

	CommandCompact           = "compact"
	CommandSetAutoCompaction = "set_auto_compaction"

	CommandSetAutoRetry = "set_auto_retry"
	CommandAbortRetry   = "abort_retry"

	CommandBash      = "bash"
	CommandAbortBash = "abort_bash"

	CommandGetSessionStats      = "get_session_stats"
	CommandExportHTML           = "export_html"
	CommandSwitchSession        = "switch_session"
	CommandBranch               = "branch"
	CommandGetBranchMessages    = "get_branch_messages"
	CommandGetLastAssistantText = "get_last_assistant_text"
	CommandSetSessionName       = "set_session_name"

	CommandGetMessages = "get_messages"

	CommandFork            = "fork"              // + CommandBranch
	CommandGetForkMessages = "get_fork_messages" // + CommandGetBranchMessages
	CommandClone           = "clone"             // +
	CommandGetCommands     = "get_commands"      // +
)

// The types of commands of newer programs of the family. + Their failures have the command's id.
const (
	CommandClearQueue                 = "clear_queue"
	CommandGetAvailableThinkingLevels = "get_available_thinking_levels"
	CommandGetEntries                 = "get_entries"
	CommandGetTree                    = "get_tree"
	CommandGetAvailableCommands       = "get_available_commands" // CommandGetCommands
	CommandSetEventFilter             = "set_event_filter"
	CommandSetSubagentSubscription    = "set_subagent_subscription"
	CommandGetSubagents               = "get_subagents"
	CommandOpenSession                = "open_session"
	CommandSetHostTools               = "set_host_tools"
	CommandSetTodos                   = "set_todos"
	CommandGetMessagesPage            = "get_messages_page"
)

// TypeUIResponse is the type of an ExtensionUIResponse.
const TypeUIResponse = "extension_ui_response"
