package batch

import "time"

// A Status is the state of a task. The last six are final.
type Status string

// The statuses.
const (
	Queued    Status = "queued"
	Running   Status = "running"
	Done      Status = "done"      // the turn ended well, and the verification passed
	Failed    Status = "failed"    // see Failure.Kind
	NoBudget  Status = "budget"    // the budget of the task was used up, or that of the batch has no room for the task
	TimedOut  Status = "timeout"   // the attempt took too long
	Cancelled Status = "cancelled" // the user cancelled it
	Dead      Status = "dead"      // all attempts ended by a cause that is retried
)

// Statuses are all statuses, in the order of reports.
var Statuses = []Status{Queued, Running, Done, Failed, NoBudget, TimedOut, Cancelled, Dead}

// Final reports whether a task of the status is finished.
func (s Status) Final() bool { return s != Queued && s != Running }

// A Result is the result of a finished task. Its JSON form is a line of results.jsonl.
type Result struct {
	Batch   string         `json:"batch"`
	Task    string         `json:"task"`
	Status  Status         `json:"status"`
	Attempt int            `json:"attempt"` // 0: none was begun
	Worker  string         `json:"worker"`
	Session string         `json:"session"`
	Commit  string         `json:"commit"` // that the patch is made on; "": the task has no git repository
	Patch   *Patch         `json:"patch"`  // null: nothing was changed
	Answer  string         `json:"answer"` // the last message of the model, at most 16 KiB
	Verify  []Verification `json:"verify"`
	Usage   Usage          `json:"usage"` // of the attempt, as the cost
	CostUSD float64        `json:"cost_usd"`
	Steps   int            `json:"steps"`
	Started *time.Time     `json:"started"` // of the attempt
	Ended   time.Time      `json:"ended"`
	Error   *Failure       `json:"error"` // null: the status is done
}

// A Patch describes changed files. Its text is in the format of git diff --binary.
type Patch struct {
	Bytes  int          `json:"bytes"`
	SHA256 string       `json:"sha256"`
	Files  []FileChange `json:"files"`
}

// A FileChange is one file of a patch.
type FileChange struct {
	Path    string `json:"path"`
	Op      string `json:"op"`    // add, change, remove or rename
	Added   int    `json:"added"` // lines; -1: the file is binary
	Removed int    `json:"removed"`
}

// A Verification is a verification command that ran.
type Verification struct {
	Command string `json:"command"`
	Exit    int    `json:"exit"`
	Output  string `json:"output"` // its end
}

// Usage is tokens.
type Usage struct {
	Input  int `json:"input"` // including those of caches
	Output int `json:"output"`
}

// Plus returns the sum.
func (u Usage) Plus(v Usage) Usage { return Usage{u.Input + v.Input, u.Output + v.Output} }

// A Failure is why a task is not done.
type Failure struct {
	Kind    string `json:"kind"` // a Cause, or budget, timeout or cancelled
	Message string `json:"message"`
}

// The limits of a result.
const (
	MaxAnswer  = 16 << 10 // bytes of the answer
	maxInline  = 64 << 10 // bytes of a patch that is not a blob
	maxMessage = 4 << 10  // bytes of an error
)
