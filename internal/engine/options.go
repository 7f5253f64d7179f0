package engine

import (
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// Options are how a dialect works, as data. They belong to the process that has the
// session open, not to the session.
type Options struct {
	LiveOptions // can change while the session is open: Session.Adjust

	SecondPrompt SecondPrompt
	Calls        CallOrder
	Approvals    ApprovalPolicy // nil: ApproveEveryCall
	// Preview works out what a call would do to files before it is approved, as
	// event.ChangesProposed; a call that would fail anyway fails there, and no user is asked.
	Preview bool
	// NoQuestions declines the questions of tools at once: clients have no message for them.
	NoQuestions bool
	// QuestionsOnly is of a protocol that has questions and no approvals: tool servers may ask the user something in a session that was
	// created for it, although its policy requests no approvals.
	QuestionsOnly bool
	// Dir is the folder that turns begun here work in, absolute and without symlinks; "": the
	// one that the session worked in last. A move is recorded.
	Dir string
	// Roots are further folders that count as part of the workspace: they may be read and, where the workspace may be
	// changed, changed. They are absolute and exist, see RootError, and are not recorded. Host.SetRoots replaces them.
	Roots []string
	// FollowOthers opens also a session that another process works on, and shows followers
	// what that writes until its turn ends; else Host.Open fails with a *LockedError.
	FollowOthers bool

	// Budget is what the session and its subagents may use; nil: Config.Budget. Sessions that have
	// the same one use it together.
	Budget *Budget
	// SwitchInTurn makes a new model or level of thinking count from the next step on; else from the next turn on.
	SwitchInTurn bool
	// StepLimit is how many tool rounds a turn may have; 0: any number. The model gets one
	// more answer after the last; if that asks for tools again, they are not run.
	StepLimit int
	// MaxTokens caps each answer; 0: the model's own limit.
	MaxTokens int

	// Toolset is the tools. Many sessions take no more memory than one where they have the same
	// slice, which must not be changed then.
	Toolset []Binding
	// ResultLimits are how much of a result models see; ZeroOffsets makes the offsets of tools that read
	// count from 0, not from 1.
	ResultLimits ResultLimits
	ZeroOffsets  bool
	// Escalation lets models request that a command runs outside of the sandbox: the tool that runs commands then has members for
	// that, and Approvals decide.
	Escalation bool
	// Plugins take part in the work of the session and its subagents.
	Plugins []Plugin
	// Tasks is how subagents work; nil: as Config.Tasks says.
	Tasks      *TaskSettings
	inner      bool             // it is a subagent's: without Tasks it has none
	work       Work             // of a subagent
	restricted bool             // it may use the tools of Toolset only
	known      *tool.KnownFiles // of a subagent, what those before it know; nil: nothing
	// refusals of a subagent are those of the session that started it; nil: none yet.
	refusals *refusals
	// files are the client's of a session that a subagent works for, in its folder; nil: there are none.
	files func() tool.ClientFiles
	// servers are the tool servers of a subagent, besides those that the program is configured with.
	servers []Server
	// submit takes the result that a subagent submits with a tool; its error is for the model. Nil: every
	// result is taken.
	submit func(result jsontext.Value) error
	// PersistentShell carries folder and variables from one command to the next.
	PersistentShell bool
	// Instructions go into the system prompt, after the engine's own.
	Instructions string
	Skills       SkillUse
	// ContextFiles are names of project files whose text goes into the system prompt, read
	// from the workspace up to the root of its repository.
	ContextFiles []string

	// Texts replaces the program's own texts where a protocol fixes them.
	Texts map[Text]string
	// Profile is the name of the protocol that the options are of, or BatchProfile; it is recorded when a session is created.
	Profile string
	// Variables are set in the environment of tools and of back ends.
	Variables map[string]string
}

// BatchProfile is the profile of sessions that run one task of a batch. They take prompts and commands only from the unnamed client of
// the process that opened them with this profile, as long as they are stored: their result is what one prompt led to.
const BatchProfile = "batch"

// SecondPrompt is how a prompt is handled while a turn runs.
type SecondPrompt uint8

// The ways.
const (
	RefuseSecond SecondPrompt = iota // ErrTurnActive
	QueueSecond                      // as Client.FollowUp
	SteerSecond                      // as Client.Steer
)

// CallOrder is how the tool calls of one step run.
type CallOrder uint8

// The orders. Results always go into history in the model's order. The starts of calls that run at
// the same time come before the first of their ends.
const (
	Sequential    CallOrder = iota // one after the other
	Parallel                       // all together
	ParallelReads                  // those that change nothing together, each other after those before it; the user is asked about all together
)

// SkillUse is how models learn of skills.
type SkillUse uint8

// The ways.
const (
	SkillsUnused    SkillUse = iota
	SkillsMentioned          // a turn has the instructions of each skill that its prompt names as $name
	SkillsListed             // besides, the system prompt has the names and descriptions of all
)

// A Binding shows one of our tools under a dialect's own name and input.
type Binding struct {
	Name        string         // what models and clients call it
	Tool        string         // our name of the tool
	Own         *ClientTool    // the dialect's own tool, in place of one of ours; nil: it is ours
	Description string         // for the model; "": the tool's own
	Schema      jsontext.Value // of the shown input; nil: the tool's own
	// Adapt turns a valid shown input into the tool's own; nil: they are the same.
	Adapt func(jsontext.Value) (jsontext.Value, error)
	// Show turns a valid input of the tool into the shown one, for calls that an agent of a back end makes; an error: the dialect has
	// no input that means the same. Nil: they are the same, unless there is an Adapt, which nothing reverses then.
	Show func(own jsontext.Value) (jsontext.Value, error)
	// AdaptResult turns the result of the tool into what the model reads, given the shown input; nil:
	// they are the same. It depends on nothing else.
	AdaptResult func(input jsontext.Value, r CallResult) CallResult
	// Group names an optional group (Settings.ToolGroups) it is switched on with; "": always on.
	Group string
	// Family is the one family of models that is offered the tool; "": all models are. A call of any other model
	// runs all the same.
	Family Family
}

// A CallResult is the result of a tool call that ran.
type CallResult struct {
	Text    string // what the model reads
	Failed  bool
	Folder  bool               // as in event.ToolEnded
	Matches *event.FileMatches // as in event.ToolEnded; must not be changed
	Changes []event.FileChange // as in event.ToolEnded; must not be changed
}

// Defaults returns the options of those that have none of their own.
func Defaults() Options {
	return Options{
		Approvals:    ApproveByMode{},
		ContextFiles: []string{"AGENTS.md"},
		Skills:       SkillsListed,
		LiveOptions: LiveOptions{
			Retry:   DefaultRetries,
			Compact: DefaultCompaction,
		},
	}
}

// ResultLimits are how much of a result models see.
type ResultLimits = tool.Limits
