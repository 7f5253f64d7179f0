package record

// A TurnStarted opens a turn; exactly one TurnEnded follows, in every outcome. The UserMessage of its prompt comes next.
type TurnStarted struct {
	Prompt string `json:"prompt"` // the id of the prompt
}

// Kind returns KindTurnStarted.
func (TurnStarted) Kind() string { return KindTurnStarted }

// A TurnEnded closes a turn, exactly once, and is its last record.
type TurnEnded struct {
	Reason    string     `json:"reason"`  // such as TurnCompleted
	Failure   *Failure   `json:"failure"` // nil, except with TurnFailed and TurnBudget
	Usage     Usage      `json:"usage"`   // of all model calls of the turn
	Cost      float64    `json:"cost"`    // US dollars
	Steps     int        `json:"steps"`   // model calls
	Mutations []Mutation `json:"mutations"`
	Context   int        `json:"context"` // tokens that the history fills, estimated
	Window    int        `json:"window"`  // tokens of the model's window; 0: no model was called
	Recovered bool       `json:"heir"`    // the process that ran the turn ended before the turn did
	Client    Peer       `json:"client"`  // that interrupted the turn
}

// Kind returns KindTurnEnded.
func (TurnEnded) Kind() string { return KindTurnEnded }

// The reasons of a TurnEnded.
const (
	TurnCompleted   = "completed"
	TurnInterrupted = "interrupted"
	TurnStepLimit   = "step_limit" // the model wanted more tool rounds than allowed
	TurnMaxTokens   = "max_tokens" // the limit of the answer's length cut it
	TurnBudget      = "budget"     // the budget was used up
	TurnRefused     = "refused"    // the safety system of the provider cut the answer
	TurnFailed      = "failed"
)

// A Failure is why a turn or a model call failed.
type Failure struct {
	Kind     string `json:"kind"` // a stable word, such as rate_limited, not_configured, internal or budget
	Message  string `json:"message"`
	Provider string `json:"provider"` // "": not of a provider
	Code     string `json:"code"`     // the provider's own; "": none
	Status   int    `json:"status"`   // of HTTP; 0: none
}

// A Mutation is a file that a call changed.
type Mutation struct {
	Tool string `json:"tool"` // as the model called it
	Path string `json:"path"` // relative to the workspace with "/", absolute if outside
}

// Usage is numbers of tokens.
type Usage struct {
	Input      int  `json:"input"`  // without CacheRead and CacheWrite
	Output     int  `json:"output"` // with Thinking
	CacheRead  int  `json:"cache_read"`
	CacheWrite int  `json:"cache_write"`
	Thinking   int  `json:"thinking"`
	Estimated  bool `json:"estimated"` // the provider reported none
}

// A Peer is a client of a session. The zero Peer is not known.
type Peer struct {
	N    int    `json:"n"` // 1, 2, 3 … in the order in which clients came to the session
	Name string `json:"name"`
}

// A StepStarted opens a model call and the tool calls that it requests; StepEnded follows.
type StepStarted struct {
	Step  int    `json:"step"` // 1, 2, 3 … within the turn
	Model string `json:"model"`
}

// Kind returns KindStepStarted.
func (StepStarted) Kind() string { return KindStepStarted }

// A StepEnded closes the StepStarted of the same Step, after its last tool call.
type StepEnded struct {
	Step    int      `json:"step"`
	Failure *Failure `json:"failure"` // nil: the model call did not fail, or was interrupted
}

// Kind returns KindStepEnded.
func (StepEnded) Kind() string { return KindStepEnded }

// A UserMessage is a prompt, or what was added to a turn.
type UserMessage struct {
	ID     string  `json:"id"`
	Via    string  `json:"via"` // prompt, steer, follow_up or engine
	Blocks []Block `json:"blocks"`
	Client Peer    `json:"client"` // that sent it
}

// Kind returns KindUserMessage.
func (UserMessage) Kind() string { return KindUserMessage }

// An AssistantMessage is one answer of the model, after its last delta.
type AssistantMessage struct {
	ID       string  `json:"id"`
	Provider string  `json:"provider"`
	Model    string  `json:"model"` // without the provider
	Blocks   []Block `json:"blocks"`
	Stop     string  `json:"stop"`    // why the model stopped: end, tools, max_tokens, stop_sequence or refused
	Partial  bool    `json:"partial"` // it was cut, and requests no calls
	Void     bool    `json:"void"`    // models do not read it: it breaks rules, see RuleViolated, or is what an agent used outside of answers
	Usage    Usage   `json:"usage"`
	Cost     float64 `json:"cost"` // US dollars
}

// Kind returns KindAssistantMessage.
func (AssistantMessage) Kind() string { return KindAssistantMessage }

// An AnswerGrew is new text of an unfinished answer, at most a second late. The AssistantMessage with the same ID replaces
// all of it.
type AnswerGrew struct {
	Message string        `json:"message"` // the id of the answer
	Model   string        `json:"model"`
	Restart bool          `json:"restart"` // earlier pieces of the answer are void
	Pieces  []AnswerPiece `json:"pieces"`
}

// Kind returns KindAnswerGrew.
func (AnswerGrew) Kind() string { return KindAnswerGrew }

// An AnswerPiece is text of one block of an answer.
type AnswerPiece struct {
	Block    int    `json:"block"`    // 0, 1 … within the answer
	Thinking bool   `json:"thinking"` // it is reasoning
	Text     string `json:"text"`
}

// A RuleViolated follows an answer that breaks rules of the user. The model is informed, and called again.
type RuleViolated struct {
	Rules []string `json:"rules"` // their names
	Cut   bool     `json:"cut"`   // the answer was cut for it
}

// Kind returns KindRuleViolated.
func (RuleViolated) Kind() string { return KindRuleViolated }

// A Reminded reminds the model, when its turn would end, that tasks of its plan are open. The turn continues.
type Reminded struct {
	Attempt int    `json:"attempt"` // 1, 2 … since the last message of the user
	Max     int    `json:"max"`
	Text    string `json:"text"` // for the model
}

// Kind returns KindReminded.
func (Reminded) Kind() string { return KindReminded }

// A HookRan is the decision of a hook, a program of the user.
type HookRan struct {
	Moment   string `json:"moment"`   // such as before_tool
	Hook     string `json:"hook"`     // its name
	Call     string `json:"call"`     // that it ran for; "": for none
	Decision string `json:"decision"` // allow, deny or continue
	Reason   string `json:"reason"`   // of the decision
}

// Kind returns KindHookRan.
func (HookRan) Kind() string { return KindHookRan }

// Text returns the text of the answer, without reasoning and calls.
func (m AssistantMessage) Text() string { return textOf(m.Blocks) }

// A Block is a piece of a message.
type Block struct {
	Kind  string `json:"kind"`           // such as BlockText
	Text  string `json:"text,omitzero"`  // of text and thinking
	Image *Image `json:"image,omitzero"` // of images
	Call  *Call  `json:"call,omitzero"`  // of calls
}

// The kinds of a Block.
const (
	BlockText     = "text"
	BlockThinking = "thinking"
	BlockImage    = "image"
	BlockCall     = "tool_call"
)

// textOf returns the text of blocks.
func textOf(blocks []Block) string {
	var text string
	for _, b := range blocks {
		if b.Kind == BlockText {
			text += b.Text
		}
	}
	return text
}

// An Image is a picture of a message.
type Image struct {
	MIME string `json:"mime"`          // image/png, image/jpeg, image/gif or image/webp
	Data []byte `json:"data,omitzero"` // base64 in JSON; nil in records, which have Blob
	Blob string `json:"blob,omitzero"` // the address to read it at
	Name string `json:"name,omitzero"` // for users
}

// A Call is a tool call in a message; ToolIntended has it, too.
type Call struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}
