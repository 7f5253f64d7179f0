package record

// A TextDelta is a piece of the text of an answer. An AssistantMessage with the whole text follows.
type TextDelta struct {
	Message string `json:"message"` // the id of the answer
	Block   int    `json:"block"`   // 0, 1 … within the answer
	Text    string `json:"text"`
}

// Kind returns KindTextDelta.
func (TextDelta) Kind() string { return KindTextDelta }

// A ThinkingDelta is a piece of the reasoning of the model.
type ThinkingDelta struct {
	Message string `json:"message"` // the id of the answer
	Block   int    `json:"block"`   // 0, 1 … within the answer
	Text    string `json:"text"`
}

// Kind returns KindThinkingDelta.
func (ThinkingDelta) Kind() string { return KindThinkingDelta }

// A ToolInputDelta is a piece of the input of a call while the model writes it. ToolIntended has what runs.
type ToolInputDelta struct {
	Message string `json:"message"` // the id of the answer
	Block   int    `json:"block"`   // 0, 1 … within the answer
	Call    string `json:"call"`
	Name    string `json:"name"` // as the model called it; "": as in the first piece
	Text    string `json:"text"` // of JSON
}

// Kind returns KindToolInputDelta.
func (ToolInputDelta) Kind() string { return KindToolInputDelta }

// A ToolOutput is a piece of the output of a tool that runs.
type ToolOutput struct {
	Call string `json:"call"`
	Text string `json:"text"`
}

// Kind returns KindToolOutput.
func (ToolOutput) Kind() string { return KindToolOutput }

// A ToolProgress is the progress of a tool that runs.
type ToolProgress struct {
	Call  string  `json:"call"`
	Done  float64 `json:"done"`
	Total float64 `json:"total"` // 0: not known
	Text  string  `json:"text"`
}

// Kind returns KindToolProgress.
func (ToolProgress) Kind() string { return KindToolProgress }

// A TerminalCreated is the terminal of a client in which the command of a tool runs.
type TerminalCreated struct {
	Call     string `json:"call"`
	Terminal string `json:"terminal"` // its id
}

// Kind returns KindTerminalCreated.
func (TerminalCreated) Kind() string { return KindTerminalCreated }

// A SubagentRecorded has a record of a subagent, as it happens: those of its journal, and what its own subagents record.
type SubagentRecorded struct {
	Call    string `json:"call"` // that the subagent works for
	Task    string `json:"task"`
	Name    string `json:"name"` // of the subagent, unique in the session: several may work at a task, one after the other
	Agent   string `json:"agent"`
	Session string `json:"session"` // the subagent's
	Dir     string `json:"dir"`     // where it works, absolute
	Record  Record `json:"record"`
}

// Kind returns KindSubagentRecorded.
func (SubagentRecorded) Kind() string { return KindSubagentRecorded }

// A ContextEstimated is how full the context is, before each model call.
type ContextEstimated struct {
	Tokens int `json:"tokens"`
	Window int `json:"window"`
}

// Kind returns KindContextEstimated.
func (ContextEstimated) Kind() string { return KindContextEstimated }

// A UsageTicked is the usage of the turn after each model call.
type UsageTicked struct {
	Usage Usage   `json:"usage"`
	Cost  float64 `json:"cost"` // US dollars
}

// Kind returns KindUsageTicked.
func (UsageTicked) Kind() string { return KindUsageTicked }

// A RetryStarted opens a wait before a model call is made again; RetryEnded follows. The deltas of the failed answer are void.
type RetryStarted struct {
	Attempt int      `json:"attempt"` // 1, 2 …
	Max     int      `json:"max"`
	Delay   Duration `json:"delay"`
	Failure Failure  `json:"failure"`
}

// Kind returns KindRetryStarted.
func (RetryStarted) Kind() string { return KindRetryStarted }

// A RetryEnded closes a RetryStarted.
type RetryEnded struct {
	Attempt   int  `json:"attempt"`
	Succeeded bool `json:"succeeded"`
	Cancelled bool `json:"cancelled"` // the wait was ended
}

// Kind returns KindRetryEnded.
func (RetryEnded) Kind() string { return KindRetryEnded }

// A CompactionStarted opens a compaction; Compacted follows, or a Notice if it fails.
type CompactionStarted struct {
	Reason string `json:"reason"` // asked, threshold or overflow
}

// Kind returns KindCompactionStarted.
func (CompactionStarted) Kind() string { return KindCompactionStarted }

// A StatusChanged is what the session does now.
type StatusChanged struct {
	Status string `json:"status"` // such as StatusIdle
}

// Kind returns KindStatusChanged.
func (StatusChanged) Kind() string { return KindStatusChanged }

// A CommandOutput is live output of a command of the user; CommandRan has the last part of it.
type CommandOutput struct {
	Command string `json:"command"` // its ID
	Text    string `json:"text"`
}

// Kind returns KindCommandOutput.
func (CommandOutput) Kind() string { return KindCommandOutput }
