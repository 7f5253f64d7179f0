package event

import (
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
	"parley.dev/parley/internal/model"
)

// ToolIntended opens a tool call that is about to run; exactly one ToolEnded follows. Calls that
// are never begun (because of an interrupt, a steer or the step limit) have no records.
type ToolIntended struct {
	Call    CallID         `json:"call"`
	Message MessageID      `json:"message"`         // the answer that asked for it
	Name    string         `json:"name"`            // as the model called it
	Tool    string         `json:"tool,omitzero"`   // our own name of the tool, or Server's; "" if unknown
	Server  string         `json:"server,omitzero"` // the tool server that has the tool
	Input   jsontext.Value `json:"input"`           // see model.Call; what runs: a hook may have changed what the model wrote
}

// ChangesProposed reports what a call would do to files, before it is approved, if the session's
// options request it. A call that succeeds does exactly that.
type ChangesProposed struct {
	Call    CallID       `json:"call"`
	Changes []FileChange `json:"changes"`
}

// ToolStarted precedes the run of the tool; if the call has effects, it is on disk before the run.
type ToolStarted struct {
	Call     CallID `json:"call"`
	Confined string `json:"confined,omitzero"` // the mechanism that confines the command; "": none
}

// ToolEnded closes the ToolIntended of the same Call: exactly once, in every outcome.
type ToolEnded struct {
	Call    CallID        `json:"call"`
	Outcome Outcome       `json:"outcome"`
	Output  string        `json:"output,omitzero"` // what the model sees; valid UTF-8; "" when OutputBlob is set
	Images  []model.Image `json:"images,omitzero"` // what the model sees besides; by Blob
	Ran     Duration      `json:"ran,omitzero"`    // execution only, without the approval wait; 0 if it never ran
	// OutputBlob is the content address of an Output that was too large for the journal;
	// the engine resolves it before anyone sees the record.
	OutputBlob string       `json:"output_blob,omitzero"`
	Changes    []FileChange `json:"changes,omitzero"`
	Shell      *ShellRun    `json:"shell,omitzero"`
	Fetch      *Fetch       `json:"fetch,omitzero"`
	Search     *Search      `json:"search,omitzero"`
	Reply      *Reply       `json:"reply,omitzero"`
	Tasks      *Tasks       `json:"tasks,omitzero"`
	Folder     bool         `json:"folder,omitzero"` // a tool that reads files has listed a folder
	Matches    *FileMatches `json:"matches,omitzero"`
}

// An Outcome is how a tool call ended.
type Outcome string

// The outcomes.
const (
	Succeeded      Outcome = "succeeded"
	Failed         Outcome = "failed" // it ran and failed, its input was bad, or the tool is unknown
	Denied         Outcome = "denied"
	Interrupted    Outcome = "interrupted"
	OutcomeUnknown Outcome = "unknown" // the process died while it ran
)

// A FileChange is the change of one file.
type FileChange struct {
	Path    string `json:"path"` // relative to the workspace with "/", absolute if outside
	Op      FileOp `json:"op"`
	Existed bool   `json:"existed"`       // before the change
	Diff    string `json:"diff,omitzero"` // unified, with --- and +++ lines; "" for binary or huge files
	Cut     int    `json:"cut,omitzero"`  // lines that Diff lacks at its end
	Added   int    `json:"added"`         // lines
	Removed int    `json:"removed"`       // lines
	// Before is the content address of the file before the change; "" if it did not exist, was over 16 MiB, could not be
	// stored, or the change is only proposed.
	Before string `json:"before,omitzero"`
	After  string `json:"after,omitzero"` // SHA-256 of the file after the change, in hex; "" if it was deleted
	Mode   uint32 `json:"mode,omitzero"`  // permission bits of a file that was deleted
}

// Undoable reports whether what is recorded is enough to undo the change. It is not in journals of programs that did not
// store contents.
func (c FileChange) Undoable() bool {
	return (!c.Existed || c.Before != "") && (c.Op == Deleted || c.After != "")
}

// A FileOp is the kind of a FileChange.
type FileOp string

// The operations.
const (
	Created FileOp = "created"
	Updated FileOp = "updated"
	Deleted FileOp = "deleted"
)

// Search is a finished web search.
type Search struct {
	Query   string      `json:"query"`
	Results []SearchHit `json:"results"`
}

// SearchHit is one result of a Search.
type SearchHit struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet,omitzero"`
}

// FileMatches is the result of a search for files by name or by content, as far as Output shows it.
type FileMatches struct {
	Base  string        `json:"base"`         // where it searched, relative to the workspace; absolute if outside
	Files []MatchedFile `json:"files"`        // in the order of Output
	Cut   bool          `json:"cut,omitzero"` // there are more than Output shows
}

// MatchedFile is one file of FileMatches.
type MatchedFile struct {
	Path  string `json:"path"`           // as Output shows it
	Lines int    `json:"lines,omitzero"` // matching lines, or runs of lines; 0 if they were not counted
}

// A Reply is the response of a tool server: the complete result object of its protocol.
type Reply struct {
	Content jsontext.Value `json:"content,omitzero"` // an object; nil when Blob is set
	Blob    string         `json:"blob,omitzero"`    // content address of a Content that was too large for the journal; see OutputBlob
}

// ShellRun is a finished shell command.
type ShellRun struct {
	Command  string `json:"command"`
	Dir      string `json:"dir"`             // absolute
	ExitCode int    `json:"exit_code"`       // -1: ended by a signal, or not known of a Terminal
	Signal   string `json:"signal,omitzero"` // e.g. "SIGKILL"
	TimedOut bool   `json:"timed_out,omitzero"`
	Omitted  int64  `json:"omitted,omitzero"`   // bytes of output left out in the middle
	Note     string `json:"note,omitzero"`      // how it failed, that it wrote nothing, and what hooks said: the end of Output that the command did not write
	FullBlob string `json:"full_blob,omitzero"` // content address of the whole output, if it was stored
	// Streams locates stdout and stderr in Output; nil: they are interleaved.
	Streams *ShellStreams `json:"streams,omitzero"`
	Shell   string        `json:"shell,omitzero"`    // the program that ran Command, absolute
	NextDir string        `json:"next_dir,omitzero"` // where the next command of the session runs, absolute
	// Captured reports that the folder and the variables that the command left were read and are
	// those of the next command.
	Captured bool `json:"captured,omitzero"`
	// Terminal is the id of the client's terminal in which the command ran; "": it ran in a process of ours.
	Terminal string `json:"terminal,omitzero"`
	// Truncated reports that the client's terminal had lost the beginning of the output.
	Truncated bool `json:"truncated,omitzero"`
	// Changes is what the command changed in files, as far as that is known: in those of a git repository that it does not
	// ignore.
	Changes []FileChange `json:"changes,omitzero"`
	// Tracked reports that Changes is everything, but for files that git ignores.
	Tracked bool `json:"tracked,omitzero"`
}

// ShellStreams describes an Output that begins with stdout and ends with stderr, which Note follows.
// There may be a line feed between them.
type ShellStreams struct {
	Stdout        int   `json:"stdout"`                  // bytes in Output
	Stderr        int   `json:"stderr"`                  // bytes in Output
	OmittedStdout int64 `json:"omitted_stdout,omitzero"` // of Omitted
	OmittedStderr int64 `json:"omitted_stderr,omitzero"` // of Omitted
}

// Split returns the two streams of output, which ends with Note. If they are interleaved, it
// returns both as stdout.
func (r *ShellRun) Split(output string) (stdout, stderr string) {
	output = strings.TrimSuffix(output, r.Note)
	if s := r.Streams; s != nil && s.Stdout+s.Stderr <= len(output) {
		return output[:s.Stdout], output[len(output)-s.Stderr:]
	}
	return output, ""
}

// A CommandStarted precedes a shell command of the user that has an ID: it is recorded before the command
// begins. Exactly one CommandRan with that ID follows.
type CommandStarted struct {
	ID      CommandID `json:"id"`
	Command string    `json:"command"`
	Hidden  bool      `json:"hidden,omitzero"` // models do not see it
	Client  Client    `json:"client,omitzero"`
}

// CommandRan is a finished shell command of the user, outside of turns. It is part of the history,
// as a message of the user, unless it is Hidden.
type CommandRan struct {
	ID     CommandID `json:"id,omitzero"` // of CommandStarted; "": there was none
	Shell  ShellRun  `json:"shell"`
	Output string    `json:"output"` // both streams, or the last part of them; valid UTF-8
	// Cut reports that Output is not complete; Shell.FullBlob is.
	Cut       bool  `json:"cut,omitzero"`
	Lines     int   `json:"lines"` // of the whole output; a line feed at its end begins one more
	Bytes     int64 `json:"bytes"` // of the whole output
	Cancelled bool  `json:"cancelled,omitzero"`
	// Unknown reports that the process ended while the command ran: what it did is not known.
	Unknown bool     `json:"unknown,omitzero"`
	Hidden  bool     `json:"hidden,omitzero"` // models do not see it
	Ran     Duration `json:"ran,omitzero"`
}

// FilesRestored reports that a client put files back as they were before a record. The files have the contents when it
// is recorded.
type FilesRestored struct {
	Before  uint64       `json:"before"`          // number of the record
	Changes []FileChange `json:"changes"`         // of each file that tools had changed since
	Client  Client       `json:"client,omitzero"` // that did it
}

// Fetch is a finished web request.
type Fetch struct {
	URL    string `json:"url"` // after redirects
	Status int    `json:"status"`
	MIME   string `json:"mime"`
	Bytes  int64  `json:"bytes"`
}

// ApprovalAsked opens an approval; exactly one ApprovalAnswered follows.
type ApprovalAsked struct {
	ID      ApprovalID       `json:"id"`
	Call    CallID           `json:"call"`
	Mode    string           `json:"mode,omitzero"` // the approval mode it was asked in
	Request approval.Request `json:"request"`
	Input   jsontext.Value   `json:"input"`           // exactly what will run
	Reason  string           `json:"reason,omitzero"` // why approval is requested; "" if every call needs it

	Files []approval.FileEffect `json:"files,omitzero"` // what the call would do to files, as far as that is known

	Unattended bool `json:"unattended,omitzero"` // no client is attached that could answer: it is denied at once
}

// Details returns what the user has to know before deciding, one phrase each.
func (e ApprovalAsked) Details() []string { return e.Request.Details(e.Reason, e.Files) }

// ApprovalAnswered closes the ApprovalAsked of the same ID, exactly once.
type ApprovalAnswered struct {
	ID      ApprovalID `json:"id"`
	Allowed bool       `json:"allowed"`
	Reason  string     `json:"reason,omitzero"` // of a denial; the model reads it
	By      Answerer   `json:"by"`
	Client  Client     `json:"client,omitzero"` // who answered, where By is ByClient or ByFault
}

// An Answerer is the source of an answer to an approval or a question.
type Answerer string

// The answerers.
const (
	ByClient    Answerer = "client"
	ByPolicy    Answerer = "policy"
	ByInterrupt Answerer = "interrupt" // withdrawn
	ByAbsence   Answerer = "absence"   // no client is attached
	ByRecovery  Answerer = "heir"      // recovery: the process that opened it has ended
	ByFault     Answerer = "fault"     // the client's answer was not valid; the call fails
)

// QuestionAsked opens questions of the model to the user; exactly one QuestionAnswered follows.
type QuestionAsked struct {
	ID        QuestionID `json:"id"`
	Call      CallID     `json:"call"`
	Questions []Question `json:"questions"`
}

// A Question is one thing to ask.
type Question struct {
	Text        string       `json:"text"`
	Header      string       `json:"header,omitzero"`      // a few words
	Options     []Option     `json:"options,omitzero"`     // empty: free text only
	Multi       bool         `json:"multi,omitzero"`       // several options may be chosen
	Elicitation *Elicitation `json:"elicitation,omitzero"` // what the question is about, if a tool server asks; nil: it is a plain question
}

// An Elicitation is what a tool server requests of the user, for clients that can show it as it is. The first option of its question accepts,
// the second declines. An answer that accepts may have the values of a form after the label: as one JSON object.
type Elicitation struct {
	Server  string         `json:"server"`
	Message string         `json:"message"`         // the server's words
	Schema  jsontext.Value `json:"schema,omitzero"` // of an object: what the form has; none: nothing is filled in
	URL     string         `json:"url,omitzero"`    // a page to open, in place of a form
}

// An Option is one answer to choose.
type Option struct {
	Label       string `json:"label"`
	Description string `json:"description,omitzero"`
}

// QuestionAnswered closes the QuestionAsked of the same ID, exactly once.
type QuestionAnswered struct {
	ID      QuestionID `json:"id"`
	Answers Answers    `json:"answers"`
	By      Answerer   `json:"by"`
	Client  Client     `json:"client,omitzero"` // who answered, where By is ByClient or ByFault
}

// Answers are the chosen labels for each question, or one free text; see Elicitation. Nil, which is null in JSON: the questions
// were cancelled.
type Answers [][]string

// MarshalJSONTo writes the answers. The encoder writes a nil slice as an empty array.
func (a Answers) MarshalJSONTo(out *jsontext.Encoder) error {
	if a == nil {
		return out.WriteToken(jsontext.Null)
	}
	return json.MarshalEncode(out, [][]string(a))
}
