package codex

import (
	"sync/atomic"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/wire/jsonrpc"
)

// A turn is a prompt that the agent works on.
type turn struct {
	agent   *agent
	request jsonrpc.ID // turn/start
	list    jsonrpc.ID // thread/turns/list, for a turn whose end is not reported
	clean   jsonrpc.ID // thread/backgroundTerminals/clean, for commands that an interrupt leaves
	running *runningTurn
	yield   func(backend.Update, error) bool
	over    bool        // nothing more is yielded
	idle    *time.Timer // until the agent is asked for the end of the turn
	last    *backend.End

	interrupted bool // the agent is asked to end the turn, or will be when it has named it

	message message
	calls   map[string]*call
	order   []*call      // as they came
	asks    atomic.Int64 // requests that wait
}

// send yields an update.
func (t *turn) send(u backend.Update, err error) {
	if !t.over && !t.yield(u, err) {
		t.over = true
	}
}

// identify sets the agent's id of the turn; "": it has none.
func (t *turn) identify(id string) {
	select {
	case <-t.running.known:
		return
	default:
	}
	t.running.id = id
	close(t.running.known)
	if t.interrupted && id != "" {
		_ = t.interrupt() // the reader finds out that the process is gone
	}
}

// id returns the agent's id of the turn; "": it has not named it.
func (t *turn) id() string {
	select {
	case <-t.running.known:
		return t.running.id
	default:
		return ""
	}
}

// interrupt asks the agent to end the turn.
func (t *turn) interrupt() error {
	t.interrupted = true
	if t.id() == "" {
		return nil
	}
	_, err := t.agent.conn.Send("turn/interrupt", interruptParams{t.agent.id, t.id()})
	return err
}

// take yields what a frame reports. What cannot be read is left out: agents are newer than this program.
func (t *turn) take(f rpc.Frame) (over bool, err error) {
	if f.Method == "" {
		return t.answer(f)
	}
	if f.Request() {
		t.serve(f)
		return t.over, nil
	}
	var n notice
	if json.Unmarshal(f.Params, &n) == nil {
		t.notify(f.Method, n)
	}
	if t.last == nil {
		return t.over, nil
	}
	return t.finish()
}

// answer takes the answer to a request, or the end of the connection.
func (t *turn) answer(f rpc.Frame) (over bool, err error) {
	switch f.ID {
	case "":
		return true, f.Err
	case t.request:
		var result turnResult
		switch {
		case f.Err != nil && t.agent.conn.Alive():
			t.last = t.failed(t.agent.refused("turn/start", f.Err))
			return t.finish()
		case f.Err != nil:
			return true, f.Err
		}
		if err := t.agent.conn.Decode("turn/start", f.Result, &result); err != nil {
			return true, err
		}
		if result.Turn.ID != "" {
			t.identify(result.Turn.ID)
		}
	case t.list:
		if t.last == nil {
			t.last = t.endOfList(f)
			return t.finish()
		}
	case t.clean:
		t.send(*t.last, nil)
		return true, nil
	}
	return false, nil
}

// finish ends the turn. Commands of an interrupted turn, which the agent leaves running, are ended before.
func (t *turn) finish() (over bool, err error) {
	if t.clean != "" {
		return false, nil // the answer is not there yet
	}
	t.idle.Stop()
	running := t.endCalls()
	if running && t.last.Reason == event.TurnInterrupted {
		t.clean, err = t.agent.conn.Send("thread/backgroundTerminals/clean", threadID{t.agent.id})
		return false, err
	}
	t.send(*t.last, nil)
	return true, nil
}

// readEnd asks how the turn has ended: the agent is idle, and has not reported it.
func (t *turn) readEnd() {
	if t.last == nil && t.list == "" {
		t.list, _ = t.agent.conn.Send("thread/turns/list", turnsParams{ThreadID: t.agent.id, Limit: 1, SortDirection: "desc", ItemsView: "notLoaded"}) // as above
	}
}

// endOfList returns the end of the turn as the list of turns has it.
func (t *turn) endOfList(f rpc.Frame) *backend.End {
	var list turnsResult
	if f.Err != nil {
		return t.failed(t.agent.refused("thread/turns/list", f.Err))
	}
	if json.Unmarshal(f.Result, &list) == nil {
		for _, one := range list.Data {
			if one.ID == t.id() && one.Status != "inProgress" {
				return t.endOf(one)
			}
		}
	}
	return t.failed(t.agent.process.Failure(backend.CodeProtocol, "it is idle, and does not report the end of the turn"))
}

// notify takes a notification.
func (t *turn) notify(method string, n notice) {
	own := n.ThreadID == "" || n.ThreadID == t.agent.id
	if own && n.TurnID != "" && n.TurnID != t.id() {
		return // of a turn before, such as a command in the background: the agent names a turn before it reports about it
	}
	switch method {
	case "item/started":
		t.begin(n, own)
	case "item/completed":
		t.complete(n, own)
	case "item/commandExecution/outputDelta":
		t.output(callID(n.ThreadID, n.ItemID, own), n.Delta)
	case "serverRequest/resolved":
		t.resolve(n.RequestID)
	case "warning", "guardianWarning", "configWarning", "deprecationNotice":
		t.warn(n)
	case "mcpServer/startupStatus/updated":
		t.serverStatus(n)
	default:
		if own {
			t.notifyOwn(method, n)
		}
	}
}

// notifyOwn takes a notification about the thread itself, not about one of its subagents.
func (t *turn) notifyOwn(method string, n notice) {
	switch method {
	case "turn/started":
		t.identify(n.Turn.ID)
	case "item/agentMessage/delta", "item/plan/delta":
		t.say(n.ItemID, n.Delta)
	case "item/reasoning/summaryTextDelta":
		t.think(n.ItemID, n.SummaryIndex, n.Delta)
	case "item/reasoning/textDelta":
		t.think(n.ItemID, n.ContentIndex, n.Delta)
	case "turn/plan/updated":
		t.send(planOf(n.Plan), nil)
	case "thread/tokenUsage/updated":
		t.use(n.TokenUsage)
	case "model/rerouted":
		t.agent.model = n.ToModel
		t.send(backend.Note{Level: event.Warning, Code: NoteRerouted, Text: "codex answers with the model " + n.ToModel + "."}, nil)
	case "error":
		t.retry(n)
	case "thread/status/changed":
		var status threadStatus
		if json.Unmarshal(n.Status, &status) == nil && status.Type == "idle" {
			t.idle.Reset(t.agent.backend.o.EndLimit)
		} else {
			t.idle.Stop()
		}
	case "turn/completed":
		if n.Turn.ID == t.id() {
			t.last = t.endOf(n.Turn)
		}
	}
}
