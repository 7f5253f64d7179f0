package native

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// Version is the highest version of the protocol that is spoken.
const Version = 1

// What requests are limited to, in bytes.
const (
	LineLimit  = 64 << 20
	BlobLimit  = 1 << 20  // of one session/blob
	ImageLimit = 32 << 20 // of one session/put_blob
)

// InitializeParams are the params of initialize.
type InitializeParams struct {
	Protocol int `json:"protocol"` // the highest version that the client speaks
	Client   struct {
		Name    string `json:"name"`
		Version string `json:"version,omitzero"`
	} `json:"client"`
}

// InitializeResult is the answer to initialize.
type InitializeResult struct {
	Protocol int      `json:"protocol"`
	Host     HostInfo `json:"host"`
	Role     Role     `json:"role"`
	Methods  []string `json:"methods"` // that the role may call
	Limits   Limits   `json:"limits"`
}

// HostInfo is the process that has the sessions.
type HostInfo struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"` // of the machine
	Version string    `json:"version"`
	Started time.Time `json:"started"`
}

// Limits are in bytes.
type Limits struct {
	Line int `json:"line"`
	Blob int `json:"blob"`
}

// HostInfoResult is the answer to host/info.
type HostInfoResult struct {
	Host     HostInfo  `json:"host"`
	Sessions int       `json:"sessions"` // open ones
	Clients  int       `json:"clients"`
	UptimeS  int64     `json:"uptime_s"`
	Store    StoreInfo `json:"store"`
	Backends []string  `json:"backends"`
}

// StoreInfo is where sessions are stored.
type StoreInfo struct {
	Kind      string `json:"kind"`               // file or nats
	Namespace string `json:"namespace,omitzero"` // of a store on NATS
}

// ModelsListParams are the params of models/list.
type ModelsListParams struct {
	Discover bool `json:"discover,omitzero"` // asks the endpoints, too, which may take some seconds
}

// ModelsListResult is the answer to models/list.
type ModelsListResult struct {
	Models  []Model `json:"models"`
	Default string  `json:"default"`
}

// A Model is a model that can be called.
type Model struct {
	Name      string           `json:"name"` // as in Settings
	Display   string           `json:"display"`
	Provider  string           `json:"provider"`
	Window    int              `json:"window"` // tokens
	Output    int              `json:"output"` // tokens; 0: not known
	Vision    bool             `json:"vision"`
	Reasoning bool             `json:"reasoning"`
	Thinking  []model.Thinking `json:"thinking"`
	Price     *model.Price     `json:"price,omitzero"` // US dollars per million tokens
}

// SessionParams are the params of the requests that need nothing but a session, and a part of those that need more.
type SessionParams struct {
	Session string `json:"session"`
}

// ToolsListResult is the answer to tools/list.
type ToolsListResult struct {
	Tools []Tool `json:"tools"`
}

// A Tool is a tool that the models of a session are offered.
type Tool struct {
	Name        string         `json:"name"`
	Tool        string         `json:"tool"` // our name of it
	Description string         `json:"description"`
	Schema      jsontext.Value `json:"schema"`
	Group       string         `json:"group,omitzero"`
	Enabled     bool           `json:"enabled"`
}

// SessionsListParams are the params of sessions/list.
type SessionsListParams struct {
	Workspace string `json:"workspace,omitzero"`
	Archived  bool   `json:"archived,omitzero"`
	Search    string `json:"search,omitzero"`
	Limit     int    `json:"limit,omitzero"`
	Cursor    string `json:"cursor,omitzero"`
	Skip      int    `json:"skip,omitzero"`
	Count     bool   `json:"count,omitzero"`
}

// SessionsListResult is the answer to sessions/list.
type SessionsListResult struct {
	Sessions []Listed `json:"sessions"`
	Next     string   `json:"next,omitzero"`  // the cursor of the next page; "": there is none
	Total    *int     `json:"total,omitzero"` // of all pages, with count
}

// A Listed session is a line of a list.
type Listed struct {
	engine.Summary
	Open    bool         `json:"open"`
	Status  event.Status `json:"status"`
	Waiting int          `json:"waiting"` // approvals and questions
	Clients int          `json:"clients"`
	// Owner is what has it: a host of a store that several share, this one or another; or else another process of this
	// machine.
	Owner *SessionOwner `json:"owner,omitzero"`
}

// SessionCreateParams are the params of session/create.
type SessionCreateParams struct {
	Workspace    string         `json:"workspace"`
	ID           string         `json:"id,omitzero"`
	Settings     jsontext.Value `json:"settings,omitzero"`
	Profile      string         `json:"profile,omitzero"`
	Instructions string         `json:"instructions,omitzero"`
	Servers      jsontext.Value `json:"servers,omitzero"` // tool servers, as mcp_servers of the configuration; not stored
}

// SessionOpenParams are the params of session/open.
type SessionOpenParams struct {
	SessionParams
	Profile    string `json:"profile,omitzero"`
	ResumeOnly bool   `json:"resume_only,omitzero"` // only if it is open now
	// Placement is where a session runs that none has open: "" on this host if it has the folder, or another one that has it;
	// here; host:ID; label:KEY=VALUE.
	Placement string `json:"placement,omitzero"`
}

// Opened is the answer to session/create, session/open and session/fork.
type Opened struct {
	Session string     `json:"session"`
	Head    uint64     `json:"head"`
	State   State      `json:"state"`
	Profile string     `json:"profile"`
	Clients int        `json:"clients"`      // this one counted
	Via     *RelayHost `json:"via,omitzero"` // the host that runs the session, if it is another one
}

// State is what a session is now. All members are always there but parent and turn.
type State struct {
	Session   string                `json:"session"`
	Workspace string                `json:"workspace"`
	Parent    string                `json:"parent,omitzero"`
	Settings  event.Settings        `json:"settings"`
	Head      uint64                `json:"head"`
	Changed   uint64                `json:"changed"` // number of the record that set the settings
	Turn      string                `json:"turn,omitzero"`
	Status    event.Status          `json:"status"`
	Busy      bool                  `json:"busy"`
	Turns     int                   `json:"turns"`
	Messages  int                   `json:"messages"`
	Usage     model.Usage           `json:"usage"`
	Cost      float64               `json:"cost"`    // US dollars
	Context   int                   `json:"context"` // tokens
	Plan      []event.PlanItem      `json:"plan"`
	Steering  []event.Queued        `json:"steering"`
	FollowUps []event.Queued        `json:"follow_ups"`
	Approvals []event.ApprovalAsked `json:"approvals"` // that wait
	Questions []event.QuestionAsked `json:"questions"` // that wait
	// BackendOptions are the options of the agent of the session's back end, as far as one has reported them.
	BackendOptions []BackendOption `json:"backend_options,omitzero"`
}

// A BackendOption is an option of an agent. It is chosen by settings.options, where Setting is the name of the member, and the value
// is the ID of one of Values.
type BackendOption struct {
	Setting     string               `json:"setting"`
	Name        string               `json:"name,omitzero"`
	Description string               `json:"description,omitzero"`
	Value       string               `json:"value"` // the current one, or the chosen one
	Values      []BackendOptionValue `json:"values"`
}

// A BackendOptionValue is a value of a BackendOption.
type BackendOptionValue struct {
	ID          string `json:"id"`
	Name        string `json:"name,omitzero"`
	Description string `json:"description,omitzero"`
}

// SessionCloseParams are the params of session/close.
type SessionCloseParams struct {
	SessionParams
	End bool `json:"end,omitzero"` // for all clients
}

// SessionFollowParams are the params of session/follow.
type SessionFollowParams struct {
	SessionParams
	From      uint64       `json:"from"`
	Transient []event.Kind `json:"transient,omitzero"`
	PaceMS    int          `json:"pace_ms,omitzero"` // deltas within so many milliseconds are merged
}

// HeadResult is the answer to requests that say which record is the last.
type HeadResult struct {
	Head uint64 `json:"head"`
}

// SessionRecordsParams are the params of session/records.
type SessionRecordsParams struct {
	SessionParams
	From   uint64       `json:"from,omitzero"`
	Limit  int          `json:"limit,omitzero"`
	Before uint64       `json:"before,omitzero"`
	Kinds  []event.Kind `json:"kinds,omitzero"`
}

// SessionRecordsResult is the answer to session/records.
type SessionRecordsResult struct {
	Records []jsontext.Value `json:"records"`
	Head    uint64           `json:"head"`
	More    bool             `json:"more"`
}

// SessionBlobParams are the params of session/blob.
type SessionBlobParams struct {
	SessionParams
	Address string `json:"address"`
	Offset  int    `json:"offset,omitzero"`
	Limit   int    `json:"limit,omitzero"`
}

// SessionBlobResult is the answer to session/blob.
type SessionBlobResult struct {
	Data []byte `json:"data"` // base64
	Size int    `json:"size"` // of the whole
}

// SessionChangeParams are the params of session/change.
type SessionChangeParams struct {
	SessionParams
	Settings jsontext.Value `json:"settings"` // a merge patch (RFC 7396)
	Expected uint64         `json:"expected,omitzero"`
}

// SessionForkParams are the params of session/fork.
type SessionForkParams struct {
	SessionParams
	Before    uint64         `json:"before,omitzero"`
	Settings  jsontext.Value `json:"settings,omitzero"`
	Workspace string         `json:"workspace,omitzero"` // of the new session; "": that of the other one
}

// SessionBranchParams are the params of session/branch.
type SessionBranchParams struct {
	SessionParams
	Head uint64 `json:"head"`
}

// SessionBranchResult is the answer to session/branch.
type SessionBranchResult struct {
	Removed int `json:"removed"` // messages
}

// SessionLabelParams are the params of session/label.
type SessionLabelParams struct {
	SessionParams
	Target uint64 `json:"target"`
	Label  string `json:"label"`
}

// SessionCompactParams are the params of session/compact.
type SessionCompactParams struct {
	SessionParams
	Guidance string `json:"guidance,omitzero"`
}

// SessionContextResult is the answer to session/context, in tokens but for MessageCount.
type SessionContextResult struct {
	Window       int          `json:"window"`
	MaxTokens    int          `json:"max_tokens"`
	Used         int          `json:"used"`
	Parts        ContextParts `json:"parts"`
	MessageCount int          `json:"message_count"`
}

// ContextParts are the parts of the context, in tokens.
type ContextParts struct {
	SystemPrompt  int `json:"system_prompt"`
	ProjectMemory int `json:"project_memory"`
	Tools         int `json:"tools"`
	Messages      int `json:"messages"`
}

// SessionUsageResult is the answer to session/usage.
type SessionUsageResult struct {
	Usage  model.Usage `json:"usage"`
	Cost   float64     `json:"cost"`            // US dollars
	Budget *Budget     `json:"budget,omitzero"` // of the process
}

// A Budget is what all sessions of the process may use together. Its status is that of the limit that is nearest.
type Budget struct {
	Limits BudgetAmounts      `json:"limits"` // those that are set
	Used   BudgetAmounts      `json:"used"`
	Status event.BudgetStatus `json:"status"`
}

// BudgetAmounts are named as in the records of budgets.
type BudgetAmounts struct {
	WallTime     event.Duration `json:"wall_time,omitzero"` // of the running turn
	InputTokens  int            `json:"input_tokens,omitzero"`
	OutputTokens int            `json:"output_tokens,omitzero"`
	TotalTokens  int            `json:"total_tokens,omitzero"`
	Cost         float64        `json:"cost,omitzero"` // US dollars
	ToolCalls    int            `json:"tool_calls,omitzero"`
	Subagents    int            `json:"subagents,omitzero"`
}

// TurnPromptParams are the params of turn/prompt.
type TurnPromptParams struct {
	SessionParams
	ID           string         `json:"id"`
	Blocks       jsontext.Value `json:"blocks"`
	Instructions string         `json:"instructions,omitzero"`
	Thinking     model.Thinking `json:"thinking,omitzero"`
	Model        string         `json:"model,omitzero"` // of the turn that begins; "": the session's
	IfBusy       string         `json:"if_busy,omitzero" enum:"refuse,steer,queue"`
}

// TurnPromptResult is the answer to turn/prompt.
type TurnPromptResult struct {
	Turn    string `json:"turn,omitzero"`
	Steered bool   `json:"steered,omitzero"`
	Queued  bool   `json:"queued,omitzero"`
}

// TurnSteerParams are the params of turn/steer and turn/follow_up.
type TurnSteerParams struct {
	SessionParams
	ID     string         `json:"id"`
	Blocks jsontext.Value `json:"blocks"`
}

// TurnInterruptParams are the params of turn/interrupt.
type TurnInterruptParams struct {
	SessionParams
	Turn    string `json:"turn,omitzero"`    // only this one
	Command string `json:"command,omitzero"` // only this one
}

// TurnInterruptResult is the answer to turn/interrupt.
type TurnInterruptResult struct {
	Interrupted bool `json:"interrupted"`
}

// QueueClearParams are the params of queue/clear.
type QueueClearParams struct {
	SessionParams
	Which string `json:"which,omitzero" enum:"steering,follow_ups"`
}

// QueueClearResult is the answer to queue/clear: what was in the queue.
type QueueClearResult struct {
	Steering  []event.Queued `json:"steering"`
	FollowUps []event.Queued `json:"follow_ups"`
}

// ApprovalAnswerParams are the params of approval/answer.
type ApprovalAnswerParams struct {
	SessionParams
	Approval string `json:"approval"`
	Allow    bool   `json:"allow"`
	Remember string `json:"remember,omitzero" enum:"session,workspace"` // for this call exactly; workspace: as a grant, only if allowed
	Reason   string `json:"reason,omitzero"`                            // of a denial, for the model
}

// QuestionAnswerParams are the params of question/answer.
type QuestionAnswerParams struct {
	SessionParams
	Question string      `json:"question"`
	Answers  *[][]string `json:"answers"` // null: they are cancelled
}

// ServersListResult is the answer to servers/list.
type ServersListResult struct {
	Servers []Server `json:"servers"`
}

// A Server is a tool server of a session.
type Server struct {
	Name   string             `json:"name"`
	Status event.ServerStatus `json:"status"` // "": it was not started
	Error  string             `json:"error,omitzero"`
	Tools  int                `json:"tools"`
}

// RecordNote is the params of record.
type RecordNote struct {
	Session string         `json:"session"`
	Record  jsontext.Value `json:"record"` // as in the journal; transient records have no seq
}

// ClientNote is the params of client/joined and client/left.
type ClientNote struct {
	Session string       `json:"session"`
	Client  event.Client `json:"client"`
	Role    string       `json:"role"`
}

// SessionClosed is the params of session/closed.
type SessionClosed struct {
	Session string `json:"session"`
	Reason  string `json:"reason"` // ended, idle, removed, handed_over, moved, unreadable, closing
	Head    uint64 `json:"head"`
	Owner   string `json:"owner,omitzero"` // of moved: which process has it, if that is known
	Host    string `json:"host,omitzero"`  // of moved: the name of its machine
}

// HostSession is the params of host/session: what a session is after a change.
type HostSession struct {
	Session string          `json:"session"`
	Summary *engine.Summary `json:"summary,omitzero"` // there is none of a session that sessions/list does not have: it was removed, or was never saved
	Open    bool            `json:"open"`
	Removed bool            `json:"removed,omitzero"` // there is no such session any more
	Status  event.Status    `json:"status"`
	Head    uint64          `json:"head,omitzero"` // of an open session
	Waiting int             `json:"waiting"`       // approvals and questions
	Clients int             `json:"clients"`
}

// HostClosing is the params of host/closing.
type HostClosing struct {
	InMS int64 `json:"in_ms"` // after which what still runs is interrupted
}

// Empty is the answer to requests that have none.
type Empty struct{}
