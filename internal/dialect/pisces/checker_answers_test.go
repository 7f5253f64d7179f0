package pisces

import (
	"slices"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/dialect/pisces/rawjson"
)

// A wireResponse is a Response whose data is not read yet.
type wireResponse struct {
	ID      jsontext.Value `json:"id,omitzero"`
	Command string         `json:"command,omitzero"`
	Success bool           `json:"success"`
	Data    jsontext.Value `json:"data,omitzero"`
	Error   string         `json:"error,omitzero"`
	Code    string         `json:"code,omitzero"`
}

func (c *checker) response(raw jsontext.Value) {
	r := parse[wireResponse](c, raw)
	if r.Success == (r.Error != "") || r.Data != nil && !r.Success {
		c.fault("an error in a success, or a failure without one, or with data")
	}
	prompted := c.acked
	c.acked = nil
	i := c.asked(r)
	switch {
	case i >= 0:
	case r.ID == nil && r.Command == CommandParse && !r.Success:
		c.refused++
		return
	case prompted != nil && sameJSON(prompted, answerID(r)) && !r.Success:
		c.credit = max(0, c.credit-1)
		return
	default:
		c.fault("an answer without a request")
		return
	}
	asked := c.pending[i]
	c.pending = slices.Delete(c.pending, i, i+1)
	if asked.refusal != nil {
		return
	}
	if !slices.Contains(aside, r.Command) {
		overtaken := 0
		for _, before := range c.pending[:i] {
			if before.refusal != nil || !slices.Contains(aside, before.name) {
				overtaken++
			}
		}
		if overtaken > c.refused {
			c.fault("%d commands before it have no answer", overtaken)
		}
	}
	unsure := asked.amid || c.adding()
	if unsure {
		c.count = -1
	}
	if r.Success {
		c.succeeded(asked.command, r)
	}
	if unsure {
		c.count = -1
	}
}

// asked returns the command, or the line, that is answered; -1: none.
func (c *checker) asked(r wireResponse) int {
	return slices.IndexFunc(c.pending, func(p seenCommand) bool {
		if p.refusal != nil {
			return p.refusal.answeredBy(r) || p.named.answeredBy(r)
		}
		return r.Command == p.name && sameJSON(answerID(r), answerID(wireResponse{ID: p.id, Command: p.name}))
	})
}

// answeredBy reports whether an answer is this refusal.
func (r *Response) answeredBy(got wireResponse) bool {
	same := sameJSON(answerID(got), answerID(wireResponse{ID: r.ID, Command: r.Command}))
	return same && !got.Success && got.Command == r.Command && got.Error == r.Error
}

// answerID returns the id of an answer, as a value that can be compared where there is none.
func answerID(r wireResponse) jsontext.Value {
	return rawjson.Marshal(struct {
		ID      jsontext.Value `json:"id,omitzero"`
		Command string         `json:"command"`
	}{r.ID, r.Command})
}

// succeeded takes the data of an answer.
func (c *checker) succeeded(asked command, r wireResponse) {
	read := answerData[asked.name]
	switch {
	case read == nil && r.Data != nil:
		c.fault("an answer with data")
	case read != nil && r.Data == nil:
		c.fault("an answer without data")
	case read != nil && !(string(r.Data) == rawjson.Null && (asked.name == CommandCycleModel || asked.name == CommandCycleThinkingLevel)):
		if err := read(r.Data); err != nil && !(c.foreign && asked.name == CommandGetMessages) {
			c.fault("%v", err)
		}
	}
	switch p := asked.params.(type) {
	case Prompt:
		c.prompted(r, p.StreamingBehavior)
	case AbortAndPrompt:
		c.prompted(r, "")
	case Abort:
		c.quiet()
	case OpenSession:
		c.quiet()
		c.left, c.session, c.count, c.done = "", "", -1, -1
		c.forgetTasks()
		c.foreign = true
	case NewSession, Branch, Fork, Clone:
		c.quiet()
		c.left, c.session, c.count, c.done = c.session, "", -1, -1
		c.forgetTasks()
	case SwitchSession:
		c.quiet()
		c.left, c.session, c.count, c.done = "", "", -1, -1
		c.forgetTasks()
		c.foreign = c.foreign || !c.known[p.SessionPath]
	case SetEventFilter:
		c.filtered, c.credit, c.joined, c.count = p.Events != nil, 0, 0, -1
		c.said = map[string]int{}
	case Bash, Compact:
		c.count = -1
	case GetState:
		var st RpcSessionState
		if json.Unmarshal(r.Data, &st) == nil {
			c.state(st)
		}
	case GetMessages:
		var all struct{ Messages []jsontext.Value }
		if json.Unmarshal(r.Data, &all, json.MatchCaseInsensitiveNames(true)) == nil {
			c.counted(len(all.Messages))
		}
	case GetSessionStats:
		var stats SessionStats
		if json.Unmarshal(r.Data, &stats) == nil {
			c.enter(stats.SessionID, stats.SessionFile)
			c.counted(stats.TotalMessages)
		}
	}
}

// quiet wants everything over.
func (c *checker) quiet() {
	if !c.idle() {
		c.fault("a run, a retry or a compaction is on")
	}
	c.goesOn, c.joined = false, 0
}

// prompted takes the acknowledgement of a prompt.
func (c *checker) prompted(r wireResponse, behavior StreamingBehavior) {
	c.acked = answerID(r)
	if behavior == "" || c.idle() && c.credit == 0 && !c.goesOn {
		c.credit++
		return
	}
	c.joined++
}

func (c *checker) state(st RpcSessionState) {
	c.enter(st.SessionID, st.SessionFile)
	if !st.IsStreaming && !c.idle() {
		c.fault("it is streaming")
	}
	if st.QueuedMessageCount != st.PendingMessageCount {
		c.fault("two counts of what is queued")
	}
	if !st.IsStreaming && !st.IsCompacting {
		c.counted(st.MessageCount)
	}
}

// adding reports whether a command may add messages at any moment.
func (c *checker) adding() bool {
	return slices.ContainsFunc(c.pending, func(p seenCommand) bool { return p.name == CommandBash || p.name == CommandCompact })
}

// counted takes a count of the context's messages.
func (c *checker) counted(n int) {
	if !c.idle() || c.credit > 0 || c.goesOn {
		return
	}
	if c.count >= 0 && c.count != n {
		c.fault("%d messages, and there were %d", n, c.count)
	}
	c.count = n
}

// answerData reads the data of each command that has any.
var answerData = map[string]func(jsontext.Value) error{
	CommandGetState:             fitting[RpcSessionState],
	CommandSetModel:             fitting[Model],
	CommandCycleModel:           fitting[CycledModel],
	CommandGetAvailableModels:   fitting[AvailableModels],
	CommandCycleThinkingLevel:   fitting[CycledThinkingLevel],
	CommandCompact:              fitting[message.CompactionResult],
	CommandBash:                 fitting[message.BashResult],
	CommandGetSessionStats:      fitting[SessionStats],
	CommandExportHTML:           fitting[ExportedHTML],
	CommandNewSession:           fitting[Cancelled],
	CommandSwitchSession:        fitting[Cancelled],
	CommandClone:                fitting[Cancelled],
	CommandBranch:               fitting[Branched],
	CommandFork:                 fitting[Branched],
	CommandGetBranchMessages:    fitting[BranchMessages],
	CommandGetForkMessages:      fitting[BranchMessages],
	CommandGetLastAssistantText: fitting[LastAssistantText],
	CommandGetMessages:          fitting[Messages],
	CommandGetCommands:          fitting[Commands],
	CommandPrompt:               fitting[Accepted],
	CommandSteer:                fitting[Accepted],
	CommandFollowUp:             fitting[Accepted],

	CommandClearQueue:                 fitting[ClearedQueue],
	CommandGetAvailableThinkingLevels: fitting[ThinkingLevels],
	CommandGetEntries:                 fitting[Entries],
	CommandGetTree:                    fitting[Tree],
	CommandGetAvailableCommands:       fitting[Commands],
	CommandSetEventFilter:             fitting[EventFilter],
	CommandSetSubagentSubscription:    fitting[SubagentSubscription],
	CommandGetSubagents:               fitting[Subagents],
	CommandOpenSession:                fitting[OpenedSession],
	CommandSetHostTools:               fitting[HostTools],
	CommandSetTodos:                   fitting[TodoPhases],
	CommandGetMessagesPage:            fitting[MessagesPage],
}

func fitting[T any](raw jsontext.Value) error {
	_, err := exactly[T](raw)
	return err
}
