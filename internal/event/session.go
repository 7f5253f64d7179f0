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
	Parent    SessionID `json:"parent,omitzero"` // the session that this one was forked from
	// Profile is the name of the protocol whose options the session was created with; "": not known.
	Profile string `json:"profile,omitzero"`
}

// A Client is a client of a session. The zero Client is not known.
type Client struct {
	N    int    `json:"n"`    // 1, 2, 3 … in the order in which clients came to the session
	Name string `json:"name"` // as the client calls itself, else the protocol that it speaks
}

// Settings are the properties of a session that can be changed.
type Settings struct {
	Name     string         `json:"name,omitzero"`
	Model    string         `json:"model,omitzero"`    // provider/model-id, or a bare id for the configured gateway
	Thinking model.Thinking `json:"thinking,omitzero"` // "" is the model's default
	Mode     string         `json:"mode,omitzero"`     // approval mode
	// Asking and Sandbox decide instead of Mode if the session's options say so.
	Asking  approval.Asking  `json:"asking,omitzero"`
	Sandbox approval.Sandbox `json:"sandbox,omitzero"`
	// RefusedApprovals are the subjects whose approvals are denied at once instead of requested, where Asking decides; sorted.
	RefusedApprovals []approval.Subject `json:"refused_approvals,omitzero"`
	// Dir is the working folder of turns, absolute, symlinks resolved; "": the session's workspace.
	Dir      string `json:"dir,omitzero"`
	Archived bool   `json:"archived,omitzero"`
	// SystemPrompt replaces the built-in one; Instructions follow it.
	SystemPrompt string `json:"system_prompt,omitzero"`
	Instructions string `json:"instructions,omitzero"`
	// ToolGroups names the optional groups of tools that are switched on, sorted.
	ToolGroups []string `json:"tool_groups,omitzero"`
	// Backend is the agent of another program that runs the turns, by its name in the configuration; "": our own loop.
	Backend string `json:"backend,omitzero"`
	// Options are settings of single dialects, by name; JSON values.
	Options map[string]jsontext.Value `json:"options,omitzero"`
}

// BackendOpened reports that a session of the agent of Settings.Backend was begun or resumed. The last one holds.
type BackendOpened struct {
	Backend string `json:"backend"`
	Session string `json:"session"`          // the agent's own id, to resume it by
	Program string `json:"program,omitzero"` // as the agent names itself
	Version string `json:"version,omitzero"`
	Resumed bool   `json:"resumed,omitzero"` // it knows what was said before
	Told    int    `json:"told,omitzero"`    // messages of the history that it received as text
	// Forked is how many prompts of the agent's session before it has, of which it is a copy; 0: it is none.
	Forked int `json:"forked,omitzero"`
	// Copied reports that the record is of the session that this one was made of. The agent's session is that one's: it may be
	// forked, and is never resumed here.
	Copied bool `json:"copied,omitzero"`
}

// BackendAnswered reports that the agent has ended its work on a prompt: its session has all that the history has up to here.
type BackendAnswered struct {
	Session string `json:"session"` // as in BackendOpened
}

// SessionChanged has the complete new Settings; a reader compares them with the previous ones.
type SessionChanged struct {
	Settings Settings `json:"settings"`
	Client   Client   `json:"client,omitzero"` // whose change it is
}

// Branched moves the head of the history: later records continue after record Head. Head 0 is an
// empty history. Nothing is removed from the journal.
type Branched struct {
	Head    uint64 `json:"head"`
	Removed int    `json:"removed"` // messages that left the history
}

// Labelled gives the record Target a label for the user, in place of an earlier one.
type Labelled struct {
	Target uint64 `json:"target"`
	Label  string `json:"label,omitzero"` // "": the label is removed
}

// Foreign is an entry of another program's file that has no meaning here and is stored: the
// record's Origin is the complete entry. Without Origin it is an entry for such a file that was made
// here.
type Foreign struct {
	Format string         `json:"format"`        // of the file
	Data   jsontext.Value `json:"data,omitzero"` // of one that was made here: the entry without its position
}

// Compacted replaces the history before the message of record KeptFrom by Summary and Carryover.
// KeptFrom 0: it replaces everything before this record. It follows CompactionStarted if the
// compaction succeeded; otherwise, within a turn, a Notice does.
//
// Of an agent's own compaction KeptFrom is the first message: the history stays as it is. The agent may be lost, or leave the
// session to another one, which needs what was said, not a summary that the agent may not even report.
type Compacted struct {
	Reason       CompactReason `json:"reason"`
	Summary      string        `json:"summary"`
	Carryover    Carryover     `json:"carryover,omitzero"`
	KeptFrom     uint64        `json:"kept_from,omitzero"`
	TokensBefore int           `json:"tokens_before"` // estimates of the whole context
	TokensAfter  int           `json:"tokens_after"`
	Removed      int           `json:"removed"` // messages that the summary stands for
	Usage        model.Usage   `json:"usage"`   // of the summary itself
	Cost         float64       `json:"cost,omitzero"`
	// Agent reports that the agent of a back end has summarised its own context. Summary is "" where it does not report it.
	Agent bool `json:"agent,omitzero"`
}

// A Carryover is the data of summarised messages that models read in addition to the summary. The
// engine collects it from the messages and from the Carryover of the previous Compacted.
type Carryover struct {
	Prompts []string `json:"prompts,omitzero"` // what the user wrote, oldest first; long ones without their middle
	Omitted int      `json:"omitted,omitzero"` // prompts left out between the first of Prompts and the others
	Read    []string `json:"read,omitzero"`    // files, the last read last; relative to the workspace, or absolute
	Changed []string `json:"changed,omitzero"` // files, the last changed last
	Skills  []string `json:"skills,omitzero"`  // whose instructions were loaded
	State   string   `json:"state,omitzero"`   // the plan, the files, the skills and the background commands, as models read them
}

// ResultsCut shortens results of calls in later requests to models. The records of the calls do not
// change.
type ResultsCut struct {
	Results []CutResult `json:"results"`
}

// ToolsFound makes tools of servers callable whose definitions were not sent to the model before.
// From the next request on they are sent, after all others.
type ToolsFound struct {
	Names []string `json:"names"` // new ones, as models call them
}

// Sampled reports that the model has answered a tool server during a call, or a client outside of the history. The answer is
// not part of the history.
type Sampled struct {
	Call     CallID      `json:"call"`   // "": of a client
	Server   string      `json:"server"` // "": of a client
	Provider string      `json:"provider"`
	Model    string      `json:"model"`
	Usage    model.Usage `json:"usage"`
	Cost     float64     `json:"cost,omitzero"`
}

// A CutResult is a shortened result.
type CutResult struct {
	Call CallID `json:"call"`
	Keep int    `json:"keep,omitzero"` // about how many bytes of its beginning and its end stay; 0: none, a line that names the call stands in its place
}

// PicturesRefused reports that an endpoint refused a request because of its pictures. Later requests
// to the model have notes in their place; the records of the pictures do not change.
type PicturesRefused struct {
	Provider string   `json:"provider"`
	Model    string   `json:"model"`
	Pictures []string `json:"pictures"` // blobs, or addresses on the net
}

// TextRefused reports that the moderation of an endpoint refused messages of a session. Later
// requests to the model have notes in their place; the records of the messages do not change.
type TextRefused struct {
	Provider string   `json:"provider"`
	Model    string   `json:"model"`
	Messages []uint64 `json:"messages,omitzero"` // records of prompts and answers
	Results  []CallID `json:"results,omitzero"`  // calls, of which the results were refused
}

// A CompactReason is why a compaction began.
type CompactReason string

// The reasons.
const (
	CompactAsked     CompactReason = "asked"
	CompactThreshold CompactReason = "threshold"
	CompactOverflow  CompactReason = "overflow" // the provider refused the request as too long
)

// QueueChanged has both queues, complete, whenever one of them changes.
type QueueChanged struct {
	Steering  []Queued `json:"steering"`
	FollowUps []Queued `json:"follow_ups"`
}

// A Queued is a prompt in a queue.
type Queued struct {
	ID     PromptID       `json:"id"`
	Blocks []model.Block  `json:"blocks"`
	Sent   jsontext.Value `json:"sent,omitzero"` // see UserMessage
	// Instructions are for the turn that it starts.
	Instructions string `json:"instructions,omitzero"`
	Notes        []Note `json:"notes,omitzero"` // follow it in the history
	// Failure, if set, is how the turn that it starts fails, without a model call.
	Failure *Failure `json:"failure,omitzero"`
	Client  Client   `json:"client,omitzero"` // that sent it
}

// A Note is a message to models that is not of the user. In the history it is a UserMessage with
// the Via ByEngine.
type Note struct {
	Blocks []model.Block  `json:"blocks"`
	Sent   jsontext.Value `json:"sent,omitzero"` // see UserMessage
}

// PlanUpdated has the model's complete plan, whenever it changes.
type PlanUpdated struct {
	Items []PlanItem `json:"items"`
	// Phases is the plan if it consists of tasks. Items then are these tasks without the abandoned
	// ones.
	Phases  []PlanPhase `json:"phases,omitzero"`
	Cleared int         `json:"cleared,omitzero"` // tasks that were removed some time after they were done
}

// A PlanPhase is a part of a plan that consists of tasks.
type PlanPhase struct {
	ID    string     `json:"id"` // unique among the phases
	Name  string     `json:"name"`
	Tasks []PlanTask `json:"tasks"`
}

// A PlanTask is a task of a PlanPhase.
type PlanTask struct {
	ID      string     `json:"id"` // unique among all tasks of the plan
	Text    string     `json:"text"`
	Status  PlanStatus `json:"status"`
	Notes   string     `json:"notes,omitzero"`
	Details string     `json:"details,omitzero"`
}

// Open reports whether the task is not done yet.
func (t PlanTask) Open() bool { return t.Status == Pending || t.Status == InProgress }

// A PlanItem is one line of a plan.
type PlanItem struct {
	Text   string     `json:"text"`
	Active string     `json:"active,omitzero"` // the present-tense form, where the model gave one
	Status PlanStatus `json:"status"`
}

// A PlanStatus is the progress of a PlanItem or a PlanTask.
type PlanStatus string

// The statuses.
const (
	Pending    PlanStatus = "pending"
	InProgress PlanStatus = "in_progress"
	Completed  PlanStatus = "completed"
	Abandoned  PlanStatus = "abandoned" // of a PlanTask only
)

// A Notice is a message for the user that changes nothing.
type Notice struct {
	Level NoticeLevel `json:"level"`
	Code  string      `json:"code"` // stable, snake_case
	Text  string      `json:"text"`
}

// A NoticeLevel is the severity of a Notice.
type NoticeLevel string

// The levels.
const (
	Info    NoticeLevel = "info"
	Warning NoticeLevel = "warning"
	Error   NoticeLevel = "error"
)

// An Unknown is an event of a kind that only a newer program knows; it is stored unchanged.
type Unknown struct {
	Name Kind
	Data jsontext.Value
}
