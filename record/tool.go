package record

import "github.com/go-json-experiment/json/jsontext"

// A ToolIntended opens a tool call; exactly one ToolEnded follows.
type ToolIntended struct {
	Call   string         `json:"call"` // its id
	Name   string         `json:"name"` // as the model called it
	Tool   string         `json:"tool"` // our name of the tool, or that of the server; "": it is unknown
	Server string         `json:"server"`
	Input  jsontext.Value `json:"input"`
}

// Kind returns KindToolIntended.
func (ToolIntended) Kind() string { return KindToolIntended }

// A ToolStarted precedes the run of a tool.
type ToolStarted struct {
	Call     string `json:"call"`
	Confined string `json:"confined"` // what confines its command; "": nothing does
}

// Kind returns KindToolStarted.
func (ToolStarted) Kind() string { return KindToolStarted }

// A ToolEnded closes the ToolIntended of the same Call, exactly once, in every outcome.
type ToolEnded struct {
	Call       string       `json:"call"`
	Outcome    string       `json:"outcome"`     // such as CallSucceeded
	Output     string       `json:"output"`      // what the model sees; "" if OutputBlob has it
	Images     []Image      `json:"images"`      // what the model sees besides
	OutputBlob string       `json:"output_blob"` // the address of a large output
	Ran        Duration     `json:"ran"`         // of the tool, without the wait for an approval; 0: it never ran
	Changes    []FileChange `json:"changes"`
	Shell      *ShellRun    `json:"shell"`  // nil: it was no command
	Fetch      *Fetch       `json:"fetch"`  // nil: it was no request to the web
	Search     *Search      `json:"search"` // nil: it was no search of the web
}

// Kind returns KindToolEnded.
func (ToolEnded) Kind() string { return KindToolEnded }

// A Fetch is a finished request to the web.
type Fetch struct {
	URL    string `json:"url"` // after redirects
	Status int    `json:"status"`
	MIME   string `json:"mime"`
	Bytes  int64  `json:"bytes"`
}

// A Search is a finished search of the web.
type Search struct {
	Query   string      `json:"query"`
	Results []SearchHit `json:"results"`
}

// A SearchHit is one result of a Search.
type SearchHit struct {
	Title   string `json:"title"`
	URL     string `json:"url"`
	Snippet string `json:"snippet"`
}

// The outcomes of a ToolEnded.
const (
	CallSucceeded   = "succeeded"
	CallFailed      = "failed" // it ran and failed, its input was bad, or the tool is unknown
	CallDenied      = "denied"
	CallInterrupted = "interrupted"
	CallUnknown     = "unknown" // the process died while it ran
)

// A FileChange is the change of one file.
type FileChange struct {
	Path    string `json:"path"` // relative to the workspace with "/", absolute if outside
	Op      string `json:"op"`   // created, updated or deleted
	Diff    string `json:"diff"` // unified; "" of binary and very large files
	Cut     int    `json:"cut"`  // lines that Diff lacks at its end
	Added   int    `json:"added"`
	Removed int    `json:"removed"` // lines, as Added
}

// A ChangesProposed is what a call would do to files, before it is approved, in sessions of profiles that have it.
type ChangesProposed struct {
	Call    string       `json:"call"`
	Changes []FileChange `json:"changes"`
}

// Kind returns KindChangesProposed.
func (ChangesProposed) Kind() string { return KindChangesProposed }

// A ShellRun is a command that has ended.
type ShellRun struct {
	Command  string `json:"command"`
	Dir      string `json:"dir"`       // absolute
	ExitCode int    `json:"exit_code"` // -1: ended by a signal, or not known of a Terminal
	Signal   string `json:"signal"`    // such as SIGKILL
	TimedOut bool   `json:"timed_out"`
	Omitted  int64  `json:"omitted"`   // bytes of output left out in its middle
	Note     string `json:"note"`      // the end of the output that the command did not write
	FullBlob string `json:"full_blob"` // the address of the whole output; "": it was not stored
	Terminal string `json:"terminal"`  // the id of the terminal of a client in which it ran; "": in none
	// Changes is what it changed in the files of a git repository, without those that git ignores.
	Changes []FileChange `json:"changes"`
	Tracked bool         `json:"tracked"` // Changes is everything, but for files that git ignores
}

// An ApprovalAsked is a call that needs an approval; exactly one ApprovalAnswered follows.
type ApprovalAsked struct {
	ID      string         `json:"id"`
	Call    string         `json:"call"`
	Mode    string         `json:"mode"` // the permission mode of the session
	Request Request        `json:"request"`
	Input   jsontext.Value `json:"input"`  // exactly what will run
	Reason  string         `json:"reason"` // why it needs an approval; "": every call does
	Files   []FileEffect   `json:"files"`  // what it would do to files, as far as that is known
	// Unattended reports that it is denied at once, because no client could answer.
	Unattended bool `json:"unattended"`
}

// Kind returns KindApprovalAsked.
func (ApprovalAsked) Kind() string { return KindApprovalAsked }

// A Request is what a call needs.
type Request struct {
	Tool    string `json:"tool"`    // as the model called it
	Level   string `json:"level"`   // read, write or execute
	Command string `json:"command"` // shell text; "": it runs none
	Dir     string `json:"dir"`     // where Command runs, absolute
	URL     string `json:"url"`     // "": it needs none
	Server  string `json:"server"`  // the tool server that receives the call; "": none
	Summary string `json:"summary"` // one line for the user
	Paths   []Path `json:"paths"`
}

// A Path is a file or folder that a call uses.
type Path struct {
	Path    string `json:"path"` // absolute
	Write   bool   `json:"write"`
	Outside bool   `json:"outside"` // not below the workspace, or protected
}

// A FileEffect is what a call would do to a file.
type FileEffect struct {
	Path    string `json:"path"` // relative to the workspace with "/", absolute if outside
	Op      string `json:"op"`   // created, updated or deleted
	Added   int    `json:"added"`
	Removed int    `json:"removed"` // lines, as Added
	Diff    string `json:"diff"`    // unified; "" of binary and very large files
}

// An ApprovalAnswered closes the ApprovalAsked of the same ID, exactly once.
type ApprovalAnswered struct {
	ID      string `json:"id"`
	Allowed bool   `json:"allowed"`
	Reason  string `json:"reason"` // of a denial
	By      string `json:"by"`     // client, policy, interrupt, absence, heir or fault
	Client  Peer   `json:"client"` // that answered
}

// Kind returns KindApprovalAnswered.
func (ApprovalAnswered) Kind() string { return KindApprovalAnswered }

// A QuestionAsked is questions of the model to the user; exactly one QuestionAnswered follows.
type QuestionAsked struct {
	ID        string     `json:"id"`
	Call      string     `json:"call"`
	Questions []Question `json:"questions"`
}

// Kind returns KindQuestionAsked.
func (QuestionAsked) Kind() string { return KindQuestionAsked }

// A Question is one of a QuestionAsked.
type Question struct {
	Text        string       `json:"text"`
	Header      string       `json:"header"`      // a few words; "": none
	Options     []Option     `json:"options"`     // none: the answer is a text
	Multi       bool         `json:"multi"`       // several options may be chosen
	Elicitation *Elicitation `json:"elicitation"` // what a tool server requests; nil: it is a plain question
}

// An Elicitation is what a tool server requests of the user. The first option of its question accepts, the second declines. An answer that
// accepts may have the values of a form after the label: as one JSON object.
type Elicitation struct {
	Server  string         `json:"server"`
	Message string         `json:"message"` // the server's words
	Schema  jsontext.Value `json:"schema"`  // of an object: what the form has; none: nothing is filled in
	URL     string         `json:"url"`     // a page to open, in place of a form
}

// An Option is an answer to choose.
type Option struct {
	Label       string `json:"label"`
	Description string `json:"description"`
}

// A QuestionAnswered closes the QuestionAsked of the same ID, exactly once.
type QuestionAnswered struct {
	ID      string     `json:"id"`
	Answers [][]string `json:"answers"` // for each question the labels, or one text; nil: the user declined
	By      string     `json:"by"`      // as in ApprovalAnswered
	Client  Peer       `json:"client"`
}

// Kind returns KindQuestionAnswered.
func (QuestionAnswered) Kind() string { return KindQuestionAnswered }

// A CommandStarted precedes a command of the user (command/run); exactly one CommandRan with its ID follows.
type CommandStarted struct {
	ID      string `json:"id"` // of the request
	Command string `json:"command"`
	Hidden  bool   `json:"hidden"` // models do not read it
	Client  Peer   `json:"client"` // that runs it
}

// Kind returns KindCommandStarted.
func (CommandStarted) Kind() string { return KindCommandStarted }

// A CommandRan is a command of the user that has ended.
type CommandRan struct {
	ID        string   `json:"id"` // of CommandStarted; "": there was none
	Shell     ShellRun `json:"shell"`
	Output    string   `json:"output"`    // both streams, or the last part of them
	Cut       bool     `json:"cut"`       // Output is not complete
	Cancelled bool     `json:"cancelled"` // a client ended it
	Unknown   bool     `json:"unknown"`   // the process of the host ended while it ran: what it did is not known
	Hidden    bool     `json:"hidden"`    // models do not read it
}

// Kind returns KindCommandRan.
func (CommandRan) Kind() string { return KindCommandRan }

// A FilesRestored reports that a client put files back as they were before a record (session/restore).
type FilesRestored struct {
	Before  uint64       `json:"before"` // number of the record
	Changes []FileChange `json:"changes"`
	Client  Peer         `json:"client"` // that did it
}

// Kind returns KindFilesRestored.
func (FilesRestored) Kind() string { return KindFilesRestored }
