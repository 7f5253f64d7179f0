package record

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// A SessionCreated is always record 1, and only that.
type SessionCreated struct {
	ID        string   `json:"id"`
	Workspace string   `json:"workspace"` // absolute
	Settings  Settings `json:"settings"`
	Parent    string   `json:"parent"`  // the session that it was forked from; "": none
	Profile   string   `json:"profile"` // the dialect whose options it was created with
}

// Kind returns KindSessionCreated.
func (SessionCreated) Kind() string { return KindSessionCreated }

// Settings are what can be changed of a session.
type Settings struct {
	Name     string `json:"name,omitzero"`
	Model    string `json:"model,omitzero"`    // provider/model-id; "": the default
	Thinking string `json:"thinking,omitzero"` // a level of reasoning; "": the default of the model
	Mode     string `json:"mode,omitzero"`     // permission mode
	// Asking and Sandbox decide in place of Mode in sessions of profiles that have them.
	Asking  string  `json:"asking,omitzero"` // which calls need an approval: never, on-request, unless-trusted or always
	Sandbox Sandbox `json:"sandbox,omitzero"`
	// RefusedApprovals are the subjects whose approvals are denied at once where Asking decides, sorted: hook, network, sandbox, server.
	RefusedApprovals []string `json:"refused_approvals,omitzero"`
	Dir              string   `json:"dir,omitzero"` // where turns work, absolute; "": the workspace
	Archived         bool     `json:"archived,omitzero"`
	SystemPrompt     string   `json:"system_prompt,omitzero"` // in place of the built-in one; "": that
	Instructions     string   `json:"instructions,omitzero"`  // after the system prompt
	// ToolGroups names the optional groups of tools that are switched on, sorted.
	ToolGroups []string `json:"tool_groups,omitzero"`
	// Backend is the agent of another program that runs the turns, such as acp:claude; "": Parley's own loop.
	Backend string `json:"backend,omitzero"`
	// Options are settings of single profiles, by name.
	Options map[string]jsontext.Value `json:"options,omitzero"`
}

// A Sandbox is what commands may do.
type Sandbox struct {
	Kind    string   `json:"kind,omitzero"`    // read-only, workspace-write, external or full-access
	Roots   []string `json:"roots,omitzero"`   // writable folders besides the workspace, absolute
	Network bool     `json:"network,omitzero"` // commands may use the network

	NoTempDir  bool `json:"no_temp_dir,omitzero"`  // the temporary folder of the environment is not writable
	NoSlashTmp bool `json:"no_slash_tmp,omitzero"` // /tmp is not writable
}

// A SessionChanged has the complete new settings.
type SessionChanged struct {
	Settings Settings `json:"settings"`
	Client   Peer     `json:"client"` // that changed them
}

// Kind returns KindSessionChanged.
func (SessionChanged) Kind() string { return KindSessionChanged }

// A Branched moves the end of the history: later records continue after record Head. Nothing is removed from the journal.
type Branched struct {
	Head    uint64 `json:"head"`    // 0: the history is empty
	Removed int    `json:"removed"` // messages that models no longer read
}

// Kind returns KindBranched.
func (Branched) Kind() string { return KindBranched }

// A Labelled gives a record a label for the user, in place of an earlier one.
type Labelled struct {
	Target uint64 `json:"target"` // number of the record
	Label  string `json:"label"`  // "": the label is removed
}

// Kind returns KindLabelled.
func (Labelled) Kind() string { return KindLabelled }

// A PlanUpdated has the complete plan of the model, whenever it changes.
type PlanUpdated struct {
	Items []PlanItem `json:"items"`
}

// Kind returns KindPlanUpdated.
func (PlanUpdated) Kind() string { return KindPlanUpdated }

// A PlanItem is one line of a plan.
type PlanItem struct {
	Text   string `json:"text"`
	Status string `json:"status"` // pending, in_progress or completed
}

// A QueueChanged has both queues, complete, whenever one of them changes.
type QueueChanged struct {
	Steering  []Queued `json:"steering"`
	FollowUps []Queued `json:"follow_ups"`
}

// Kind returns KindQueueChanged.
func (QueueChanged) Kind() string { return KindQueueChanged }

// A Queued is a prompt that waits.
type Queued struct {
	ID     string  `json:"id"`
	Blocks []Block `json:"blocks"`
	Client Peer    `json:"client"` // that sent it
}

// A Compacted is a summary in place of older history.
type Compacted struct {
	Reason       string `json:"reason"` // asked, threshold or overflow
	Summary      string `json:"summary"`
	TokensBefore int    `json:"tokens_before"`
	TokensAfter  int    `json:"tokens_after"`
	Removed      int    `json:"removed"` // messages that the summary replaces
	// Agent reports that the agent of a back end has summarised its own context: the history stays as it is. Summary is "" where
	// the agent does not report it.
	Agent bool `json:"agent"`
}

// Kind returns KindCompacted.
func (Compacted) Kind() string { return KindCompacted }

// A BackendOpened reports that a session of the agent of Settings.Backend was begun or resumed. The last one holds.
type BackendOpened struct {
	Backend string `json:"backend"`
	Session string `json:"session"` // the agent's own id
	Program string `json:"program"` // as the agent names itself
	Version string `json:"version"`
	Resumed bool   `json:"resumed"` // the agent has the history
	Told    int    `json:"told"`    // messages of the history that the agent received as text
	Forked  int    `json:"forked"`  // prompts of the agent's session before, of which this one is a copy; 0: it is none
	Copied  bool   `json:"copied"`  // it is the agent's session of the session that this one was made of
}

// Kind returns KindBackendOpened.
func (BackendOpened) Kind() string { return KindBackendOpened }

// A BackendAnswered reports that the agent has ended its work on a prompt, and has the history up to here.
type BackendAnswered struct {
	Session string `json:"session"` // as in BackendOpened
}

// Kind returns KindBackendAnswered.
func (BackendAnswered) Kind() string { return KindBackendAnswered }

// A BudgetWarned reports that a budget is near one of its limits.
type BudgetWarned struct {
	Scope string `json:"scope"` // session, task or subagent
	Text  string `json:"text"`  // for the user
}

// Kind returns KindBudgetWarned.
func (BudgetWarned) Kind() string { return KindBudgetWarned }

// A BudgetExceeded reports that a budget is used up.
type BudgetExceeded struct {
	Scope string `json:"scope"` // session, task or subagent
	Text  string `json:"text"`  // for the user
}

// Kind returns KindBudgetExceeded.
func (BudgetExceeded) Kind() string { return KindBudgetExceeded }

// A SubagentStarted precedes the work of a subagent on a task of a call; exactly one SubagentEnded follows.
type SubagentStarted struct {
	Call    string `json:"call"`
	Task    string `json:"task"`
	Agent   string `json:"agent"`
	Session string `json:"session"` // the subagent's own
}

// Kind returns KindSubagentStarted.
func (SubagentStarted) Kind() string { return KindSubagentStarted }

// A SubagentEnded closes the SubagentStarted of the same Task.
type SubagentEnded struct {
	Call     string  `json:"call"`
	Task     string  `json:"task"`
	Agent    string  `json:"agent"`
	ExitCode int     `json:"exit_code"`
	Usage    Usage   `json:"usage"` // part of that of the session
	Cost     float64 `json:"cost"`  // US dollars
}

// Kind returns KindSubagentEnded.
func (SubagentEnded) Kind() string { return KindSubagentEnded }

// A Notice is a message for the user that changes nothing.
type Notice struct {
	Level string `json:"level"` // info, warning or error
	Code  string `json:"code"`  // a stable word
	Text  string `json:"text"`
}

// Kind returns KindNotice.
func (Notice) Kind() string { return KindNotice }

// A State is what a session is now.
type State struct {
	Session   string          `json:"session"`
	Workspace string          `json:"workspace"`
	Settings  Settings        `json:"settings"`
	Head      uint64          `json:"head"`    // number of the last record
	Changed   uint64          `json:"changed"` // number of the record that set the settings
	Turn      string          `json:"turn"`    // "": none runs
	Status    string          `json:"status"`  // such as StatusIdle
	Busy      bool            `json:"busy"`
	Turns     int             `json:"turns"`
	Messages  int             `json:"messages"` // in the history
	Usage     Usage           `json:"usage"`    // of all turns
	Cost      float64         `json:"cost"`     // US dollars
	Context   int             `json:"context"`  // tokens that the history fills, estimated
	Plan      []PlanItem      `json:"plan"`
	Steering  []Queued        `json:"steering"`
	FollowUps []Queued        `json:"follow_ups"`
	Approvals []ApprovalAsked `json:"approvals"` // that wait for an answer
	Questions []QuestionAsked `json:"questions"` // that wait for an answer
	// BackendOptions are the options of the agent of the session's back end, as far as one has reported them.
	BackendOptions []BackendOption `json:"backend_options"`
}

// A BackendOption is an option of the agent of a back end with the value that counts.
type BackendOption struct {
	Setting     string               `json:"setting"` // its name in Settings.Options, where it is a list with the ID of a value
	Name        string               `json:"name"`
	Description string               `json:"description"`
	Value       string               `json:"value"` // ID of one of Values
	Values      []BackendOptionValue `json:"values"`
}

// A BackendOptionValue is a value that an option of an agent can have.
type BackendOptionValue struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
}

// The values of State.Status and StatusChanged.Status.
const (
	StatusIdle       = "idle"
	StatusThinking   = "thinking" // a model call runs
	StatusWorking    = "working"  // tools run
	StatusWaiting    = "waiting"  // for an approval or an answer
	StatusCompacting = "compacting"
)

// A Listed session is a line of a list.
type Listed struct {
	ID        string    `json:"id"`
	Title     string    `json:"title"` // the beginning of the first prompt
	Name      string    `json:"name"`  // Settings.Name
	Workspace string    `json:"workspace"`
	Model     string    `json:"model"` // "": the default
	Created   time.Time `json:"created"`
	Updated   time.Time `json:"updated"`
	Turns     int       `json:"turns"`
	Cost      float64   `json:"cost"` // US dollars, of the turns that have ended
	Archived  bool      `json:"archived"`
	Open      bool      `json:"open"`    // in the host that was asked
	Status    string    `json:"status"`  // such as StatusIdle
	Waiting   int       `json:"waiting"` // approvals and questions
	Clients   int       `json:"clients"` // of the host that was asked
}

// A ChangedSession is what a session of a host is after a change. Of one that is not on disk only ID is known besides what
// follows Listed.
type ChangedSession struct {
	Listed
	Head    uint64 // number of the last record, while it is open
	Removed bool   // there is no such session any more
}
