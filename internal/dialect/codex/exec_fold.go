package codex

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// An execFold makes the events of codex exec of the notifications about one thread: a pure fold, notification in, events out.
type execFold struct {
	stop   <-chan struct{} // closed when a signal ends the run; nil: none does
	thread string
	count  int               // of items so far
	ids    map[string]string // of items of this run, by those of the thread
	todo   *ExecTodoList     // the plan of the turn; nil: there is none
	usage  ExecUsage
	answer string     // the last message
	ended  bool       // the turn has ended
	status TurnStatus // how
}

// A shownItem is what the events need of an item of the thread, of whatever type.
type shownItem struct {
	Type             string         `json:"type"`
	ID               string         `json:"id"`
	Text             string         `json:"text"`
	Summary          []string       `json:"summary"`
	Content          jsontext.Value `json:"content"`
	Command          string         `json:"command"`
	AggregatedOutput string         `json:"aggregatedOutput"`
	ExitCode         *int64         `json:"exitCode"`
	Status           string         `json:"status"`
	Changes          []struct {
		Path string `json:"path"`
		Kind struct {
			Type string `json:"type"`
		} `json:"kind"`
	} `json:"changes"`
	Server    string         `json:"server"`
	Tool      string         `json:"tool"`
	Arguments jsontext.Value `json:"arguments"`
	Result    jsontext.Value `json:"result"`
	Error     *ExecError     `json:"error"`
	Query     string         `json:"query"`
}

// A shownChange is what the events need of a notification, of whatever method.
type shownChange struct {
	ThreadID  string    `json:"threadId"`
	Item      shownItem `json:"item"`
	Message   string    `json:"message"`
	Error     ExecError `json:"error"`
	WillRetry bool      `json:"willRetry"`
	Plan      []struct {
		Step   string `json:"step"`
		Status string `json:"status"`
	} `json:"plan"`
	TokenUsage struct {
		Total TokenUsageBreakdown `json:"total"`
	} `json:"tokenUsage"`
	Turn struct {
		Status TurnStatus `json:"status"`
		Error  *ExecError `json:"error"`
	} `json:"turn"`
}

// fold returns the events for a notification.
func (f *execFold) fold(method string, params jsontext.Value) []ExecEvent {
	var n shownChange
	if err := json.Unmarshal(params, &n); err != nil || n.ThreadID != f.thread || f.ended {
		return nil
	}
	switch method {
	case "turn/started":
		return []ExecEvent{{Type: execTurnStarted}}
	case "item/started":
		if item := f.item(n.Item, true); item != nil {
			return []ExecEvent{{Type: execItemStarted, Item: item}}
		}
	case "item/completed":
		if item := f.item(n.Item, false); item != nil {
			return []ExecEvent{{Type: execItemCompleted, Item: item}}
		}
	case "turn/plan/updated":
		return []ExecEvent{f.plan(n)}
	case "thread/tokenUsage/updated":
		total := n.TokenUsage.Total
		f.usage = ExecUsage{
			InputTokens: total.InputTokens, CachedInputTokens: total.CachedInputTokens, OutputTokens: total.OutputTokens,
			ReasoningOutputTokens: total.ReasoningOutputTokens,
		}
		if total.CacheWriteInputTokens != nil {
			f.usage.CacheWriteInputTokens = *total.CacheWriteInputTokens
		}
	case "warning":
		return []ExecEvent{{Type: execItemCompleted, Item: ExecErrorItem{f.id(""), "error", n.Message}}}
	case "error":
		return []ExecEvent{{Type: execError, Message: n.Error.Message}}
	case "turn/completed":
		return f.end(n)
	}
	return nil
}

// end returns the last events of the turn.
func (f *execFold) end(n shownChange) (events []ExecEvent) {
	f.ended, f.status = true, n.Turn.Status
	if f.todo != nil {
		events = append(events, ExecEvent{Type: execItemCompleted, Item: *f.todo})
	}
	if f.status == TurnStatusCompleted {
		usage := f.usage
		return append(events, ExecEvent{Type: execTurnCompleted, Usage: &usage})
	}
	select {
	case <-f.stop: // the parent that has sent the signal knows why: an event of a failure would be a second reason
		if f.status == TurnStatusInterrupted {
			return events
		}
	default:
	}
	failure := cmp.Or(n.Turn.Error, &ExecError{"the turn was interrupted"})
	return append(events, ExecEvent{Type: execTurnFailed, Error: failure})
}

// id returns the id of an item of this run.
func (f *execFold) id(own string) string {
	if id, ok := f.ids[own]; ok && own != "" {
		return id
	}
	id := fmt.Sprintf("item_%d", f.count)
	f.count++
	if f.ids == nil {
		f.ids = map[string]string{}
	}
	f.ids[own] = id
	return id
}

// statusWords are the states of items as these events spell them; others are the same.
var statusWords = map[string]string{"inProgress": "in_progress"}

// item returns an item as events have it; nil: they have no such item, or not yet.
func (f *execFold) item(n shownItem, begun bool) ExecItem {
	status := cmp.Or(statusWords[n.Status], n.Status)
	switch n.Type {
	case "agentMessage", "reasoning":
		if begun {
			return nil
		}
		if n.Type == "reasoning" {
			if n.Text = n.reasoning(); n.Text == "" {
				return nil
			}
			return ExecText{f.id(n.ID), "reasoning", n.Text}
		}
		f.answer = n.Text
		return ExecText{f.id(n.ID), "agent_message", n.Text}
	case "commandExecution":
		return ExecCommand{f.id(n.ID), "command_execution", n.Command, n.AggregatedOutput, n.ExitCode, status}
	case "fileChange":
		if status == "declined" {
			status = "failed" // these events have no other word
		}
		changes := make([]ExecChange, len(n.Changes))
		for i, c := range n.Changes {
			changes[i] = ExecChange{c.Path, c.Kind.Type}
		}
		return ExecFileChange{f.id(n.ID), "file_change", changes, status}
	case "mcpToolCall":
		return ExecToolCall{f.id(n.ID), "mcp_tool_call", n.Server, n.Tool, n.Arguments, n.Result, n.Error, status}
	case "webSearch":
		return ExecSearch{f.id(n.ID), "web_search", n.Query}
	}
	return nil
}

// reasoning returns the text of an item of reasoning: its summary, else the reasoning itself.
func (n shownItem) reasoning() string {
	parts := n.Summary
	if len(parts) == 0 {
		_ = json.Unmarshal(n.Content, &parts) // it is a list of texts in an item of reasoning
	}
	return strings.Join(parts, "\n")
}

// plan returns the event of a new state of the plan.
func (f *execFold) plan(n shownChange) ExecEvent {
	what := execItemUpdated
	if f.todo == nil {
		what, f.todo = execItemStarted, &ExecTodoList{ID: f.id(""), Type: "todo_list"}
	}
	f.todo.Items = []ExecTodo{}
	for _, step := range n.Plan {
		f.todo.Items = append(f.todo.Items, ExecTodo{step.Step, step.Status == "completed"})
	}
	return ExecEvent{Type: what, Item: *f.todo}
}
