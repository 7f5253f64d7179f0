package pi

import (
	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/backend/rpc"
	"parley.dev/parley/internal/event"
)

// dialog takes a request of an extension: of the one that holds the calls, or of another one.
func (t *turn) dialog(f rpc.Frame) {
	var d dialog
	if !decode(f.Params, &d) {
		if f.Request() {
			t.agent.conn.Refuse(f)
		}
		return
	}
	switch {
	case f.Request() && d.Title == gateTitle:
		t.ask(f, d)
	case f.Request():
		t.question(f, d)
	case d.Method == "notify":
		t.send(backend.Note{Level: levelOf(d.Level), Code: "backend_notify", Text: d.Message}, nil)
	}
}

func levelOf(kind string) event.NoticeLevel {
	if kind == "warning" || kind == "error" {
		return event.Warning
	}
	return event.Info
}

// wait counts a dialog that waits, and returns what answers it.
func (t *turn) wait(f rpc.Frame) (answer func(dialogResult)) {
	t.asks.Add(1)
	return func(r dialogResult) {
		t.asks.Add(-1)
		_ = t.agent.conn.Reply(f.ID, r) // the reader finds out that the process is gone
	}
}

// ask yields a request to run a call. The call itself comes with it: other extensions have changed its input by then.
func (t *turn) ask(f rpc.Frame, d dialog) {
	var r gateRequest
	if !decode([]byte(d.Placeholder), &r) || r.ID == "" {
		t.agent.conn.Refuse(f)
		return
	}
	c := t.calls[r.ID]
	if c == nil || c.ended || c.gated {
		c = t.newCall(r.ID)
	}
	c.name, c.args, c.gated = r.Tool, r.Input, true
	t.give(c)
	answer := t.wait(f)
	t.send(backend.Ask{Call: c.id, Answer: func(v backend.Verdict) {
		c.decide(v)
		answer(gateAnswer(v))
	}}, nil)
}

const (
	yes = "Yes"
	no  = "No"
)

// question yields a dialog for the user.
func (t *turn) question(f rpc.Frame, d dialog) {
	q := event.Question{Text: d.Title}
	switch d.Method {
	case "select":
		for _, o := range d.Options {
			q.Options = append(q.Options, event.Option{Label: o})
		}
	case "confirm":
		q.Options = []event.Option{{Label: yes}, {Label: no}}
		q.Text = joined(d.Title, d.Message)
	case "input":
		q.Text = joined(d.Title, d.Placeholder)
	case "editor":
		q.Text = joined(d.Title, d.Prefill)
	}
	answer := t.wait(f)
	t.send(backend.Question{Questions: []event.Question{q}, Answer: func(answers [][]string, err error) {
		answer(dialogAnswer(d, answers, err))
	}}, nil)
}

func joined(title, text string) string {
	if text == "" {
		return title
	}
	return title + "\n\n" + text
}

// dialogAnswer returns the answer to a dialog; an error, or none, cancels it.
func dialogAnswer(d dialog, answers [][]string, err error) dialogResult {
	if err != nil || len(answers) == 0 || len(answers[0]) == 0 {
		return dialogResult{Cancelled: true}
	}
	value := answers[0][0]
	if d.Method == "confirm" {
		confirmed := value == yes
		return dialogResult{Confirmed: &confirmed}
	}
	return dialogResult{Value: &value}
}
