package conversation

import (
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/record"
)

// A Kind is what an item shows.
type Kind uint8

// The kinds of items. The comments name the members of Item that are set besides Key, Kind, Seq, Turn and Time.
const (
	You       Kind = iota + 1 // a prompt: Text, Blocks, Client; Via is prompt, steer, follow_up or engine
	Answer                    // Markdown of the model: Text
	Reasoning                 // of the model: Text
	Command                   // a shell command, of the model (Call) or of the user (Client): Shell
	Change                    // changes of files, by a tool or a restore: Changes, and Call or Client
	Lookup                    // a call that reads or searches: Call
	Web                       // a call that searches or reads the web: Call
	Tool                      // any other call: Call
	Plan                      // the plan of the session; there is one item for each turn: Plan
	Subagent                  // a session that works for a call: Subagent
	Approval                  // a request for an approval, and its answer: Approval
	Question                  // questions of the model, and their answer: Question
	Notice                    // for the user: Level, Text
	Rule                      // a line across the conversation, such as a compaction or a fork: Text
	End                       // the end of a turn that did not complete: End
)

// An Item is a part of a conversation. Items are values that consoles may keep: what a record changes is in a new
// version of the item with the same Key.
type Item struct {
	Key     string // unique in the conversation, and never another item's
	Kind    Kind
	Version int       // grows with each change
	Seq     uint64    // number of the record that it began with; 0: that was transient
	Turn    string    // "": between turns
	Time    time.Time // UTC
	Open    bool      // it may still grow or change

	Text   string
	Level  string // of a Notice: info, warning or error
	Via    string
	Blocks []record.Block
	Client record.Peer // the zero Peer: not known

	Call     *Call
	Shell    *Shell
	Changes  []record.FileChange
	Plan     []record.PlanItem
	Subagent *Work
	Approval *Request
	Question *Inquiry
	End      *record.TurnEnded
}

// A Call is a call of a tool.
type Call struct {
	ID, Name, Tool, Server string // as record.ToolIntended
	Input                  jsontext.Value
	Summary                string // one line: what it does, such as the path that it reads
	Output                 string // what there is of it, with what came live; the last OutputLimit bytes
	Cut                    bool   // Output is not complete
	Blob                   string // the address of the whole output; "": Output is all
	Outcome                string // such as record.CallSucceeded; "": it has not ended
	Images                 []record.Image
	Fetch                  *record.Fetch  // of a Web that has ended; nil: it was none
	Search                 *record.Search // of a Web that has ended; nil: it was none
	Ran                    time.Duration
	Progress               record.ToolProgress
}

// A Shell is a command that runs or has run.
type Shell struct {
	Command  string
	Dir      string // absolute; "": the folder of the session
	Confined string // "": nothing confines it
	Output   string // as the terminal got it, with escape sequences; the last OutputLimit bytes
	Cut      bool   // Output is not complete
	Blob     string // the address of the whole output; "": Output is all
	Ended    bool
	ExitCode int    // if Ended
	Signal   string // such as SIGKILL
	TimedOut bool
	Outcome  string // such as record.CallSucceeded; "": it has not ended, or is a command of the user
}

// OutputLimit is how much of the output of a call or command an item has, in bytes.
const OutputLimit = 256 << 10

// A Work is what a subagent does.
type Work struct {
	Call, Task, Agent, Session string
	Ended                      bool
	ExitCode                   int
	Usage                      record.Usage
	Cost                       float64 // US dollars
	Dir                        string  // where it works, absolute; "": not known
	// Conversation is what the subagent did while the console followed it, as far as State.First of it; nil: nothing is known.
	// It is not a copy: it grows with the versions of the item. A console that comes later reads the records of Session.
	Conversation *Conversation
}

// A Request is an approval.
type Request struct {
	record.ApprovalAsked
	Answer *record.ApprovalAnswered // nil: it waits
}

// An Inquiry is questions of the model.
type Inquiry struct {
	record.QuestionAsked
	Answer *record.QuestionAnswered // nil: they wait
}
