package event

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/model"
)

// SessionCreated is always record 1, and only that.
type SessionCreated struct {
	Version   int       `json:"version"` // of the JSON form
	ID        SessionID `json:"id"`
	Workspace string    `json:"workspace"` // absolute, symlinks resolved
	Settings  Settings  `json:"settings"`
	Parent    SessionID `json:"parent,omitzero"` // the session that this one came from
}

// Settings is what can be changed while a session lives.
type Settings struct {
	Name     string         `json:"name,omitzero"`
	Model    string         `json:"model,omitzero"`    // provider/model-id, or a bare id for the configured gateway
	Thinking model.Thinking `json:"thinking,omitzero"` // "" is the model's default
	Mode     string         `json:"mode,omitzero"`     // approval mode
	// Asking and Sandbox decide instead of Mode where the session's options say so.
	Asking  approval.Asking  `json:"asking,omitzero"`
	Sandbox approval.Sandbox `json:"sandbox,omitzero"`
	// Dir is where turns work, absolute, symlinks resolved; "": the session's workspace.
	Dir      string `json:"dir,omitzero"`
	Archived bool   `json:"archived,omitzero"`
	// SystemPrompt replaces the built-in one; Instructions stand behind it.
	SystemPrompt string `json:"system_prompt,omitzero"`
	Instructions string `json:"instructions,omitzero"`
	// ToolGroups names the optional groups of tools that are switched on, sorted.
	ToolGroups []string `json:"tool_groups,omitzero"`
	// Options are settings that only some dialects know, by name; JSON values.
	Options map[string]jsontext.Value `json:"options,omitzero"`
}

// SessionChanged carries the whole new Settings; a reader compares with the last ones.
type SessionChanged struct {
	Settings Settings `json:"settings"`
}

// Branched moves the head of the history: what follows continues behind record Head.
// Head 0 is an empty history. The log keeps everything.
type Branched struct {
	Head    uint64 `json:"head"`
	Removed int    `json:"removed"` // messages that left the history
}

// Labelled gives the record Target a label for people, in place of any it had.
type Labelled struct {
	Target uint64 `json:"target"`
	Label  string `json:"label,omitzero"` // "": it has none any more
}

// Foreign is an entry of another program's file that means nothing here, and is kept: the
// record's Origin is all of it. One without is of such a file too, and was made here.
type Foreign struct {
	Format string         `json:"format"`        // of the file
	Data   jsontext.Value `json:"data,omitzero"` // of one that was made here: all of it but what places it
}

// Compacted replaces the history up to, not including, the message of record KeptFrom by
// Summary. KeptFrom 0: nothing older than this record is kept. It follows CompactionStarted
// when the compaction succeeded; else, within a turn, a Notice does.
type Compacted struct {
	Reason       CompactReason `json:"reason"`
	Summary      string        `json:"summary"`
	KeptFrom     uint64        `json:"kept_from,omitzero"`
	TokensBefore int           `json:"tokens_before"` // estimates of the whole context
	TokensAfter  int           `json:"tokens_after"`
	Removed      int           `json:"removed"` // messages that the summary stands for
	Usage        model.Usage   `json:"usage"`   // of the summary itself
	Cost         float64       `json:"cost,omitzero"`
}

// CompactReason is why a compaction began.
type CompactReason string

// The reasons.
const (
	CompactAsked     CompactReason = "asked"
	CompactThreshold CompactReason = "threshold"
	CompactOverflow  CompactReason = "overflow" // the provider refused the request as too long
)

// QueueChanged carries both queues whole, whenever one of them changes.
type QueueChanged struct {
	Steering  []Queued `json:"steering"`
	FollowUps []Queued `json:"follow_ups"`
}

// Queued is a prompt that waits.
type Queued struct {
	ID     PromptID       `json:"id"`
	Blocks []model.Block  `json:"blocks"`
	Sent   jsontext.Value `json:"sent,omitzero"` // see UserMessage
	// Instructions are for the turn that it starts.
	Instructions string `json:"instructions,omitzero"`
	Notes        []Note `json:"notes,omitzero"` // come behind it
}

// Note is what nobody said and models are told all the same: a UserMessage ByEngine once it
// is in the history.
type Note struct {
	Blocks []model.Block  `json:"blocks"`
	Sent   jsontext.Value `json:"sent,omitzero"` // see UserMessage
}

// PlanUpdated carries the model's whole plan, whenever it changes.
type PlanUpdated struct {
	Items []PlanItem `json:"items"`
	// Phases is the plan as it was made, where it was made of tasks. Items are these then,
	// but for those that were abandoned.
	Phases  []PlanPhase `json:"phases,omitzero"`
	Cleared int         `json:"cleared,omitzero"` // tasks that left it since they had been done for a while
}

// PlanPhase is a part of a plan that is made of tasks.
type PlanPhase struct {
	ID    string     `json:"id"` // unique among the phases
	Name  string     `json:"name"`
	Tasks []PlanTask `json:"tasks"`
}

// PlanTask is one of its tasks.
type PlanTask struct {
	ID      string     `json:"id"` // unique among all tasks of the plan
	Text    string     `json:"text"`
	Status  PlanStatus `json:"status"`
	Notes   string     `json:"notes,omitzero"`
	Details string     `json:"details,omitzero"`
}

// Open says whether the task is still to be done.
func (t PlanTask) Open() bool { return t.Status == Pending || t.Status == InProgress }

// PlanItem is one line of a plan.
type PlanItem struct {
	Text   string     `json:"text"`
	Active string     `json:"active,omitzero"` // the present-tense form, where the model gave one
	Status PlanStatus `json:"status"`
}

// PlanStatus is how far a PlanItem or a PlanTask is.
type PlanStatus string

// The statuses.
const (
	Pending    PlanStatus = "pending"
	InProgress PlanStatus = "in_progress"
	Completed  PlanStatus = "completed"
	Abandoned  PlanStatus = "abandoned" // of a PlanTask only
)

// Notice tells people something that changes nothing.
type Notice struct {
	Level NoticeLevel `json:"level"`
	Code  string      `json:"code"` // stable, snake_case
	Text  string      `json:"text"`
}

// NoticeLevel is how bad a Notice is.
type NoticeLevel string

// The levels.
const (
	Info    NoticeLevel = "info"
	Warning NoticeLevel = "warning"
	Failure NoticeLevel = "error"
)

// Unknown is a record kind from a newer program; it is kept as it was.
type Unknown struct {
	Name Kind
	Data jsontext.Value
}
