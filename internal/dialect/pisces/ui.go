package pisces

import (
	"context"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/dialect/pisces/rawjson"
	"parley.dev/parley/internal/lock"
)

// This file contains what extensions want of the user. A dialog is settled exactly once: by an
// answer, its time, its extension, or by whatever ends the run or the session.

// dialogs is the dialogs that are open.
type dialogs struct {
	mu   lock.Mutex
	open map[string]chan ExtensionUIResponse // by id; closed when it is settled otherwise
	over bool
}

// begin opens a dialog; nil: it is too late.
func (d *dialogs) begin(id string) <-chan ExtensionUIResponse {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.over {
		return nil
	}
	if d.open == nil {
		d.open = map[string]chan ExtensionUIResponse{}
	}
	answer := make(chan ExtensionUIResponse, 1)
	d.open[id] = answer
	return answer
}

// end forgets a dialog; an answer that comes later is of an unknown id.
func (d *dialogs) end(id string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, id)
}

// answer settles a dialog. One that is not open, or not any more, is no one's.
func (d *dialogs) answer(a ExtensionUIResponse) {
	id, isText := rawjson.Text(a.ID)
	d.mu.Lock()
	defer d.mu.Unlock()
	if open := d.open[id]; isText && open != nil {
		open <- a
		delete(d.open, id)
	}
}

// settle gives every open dialog its default; for good, if no other may be opened.
func (d *dialogs) settle(forGood bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = d.over || forGood
	for id, open := range d.open {
		close(open)
		delete(d.open, id)
	}
}

// interrupt ends the run that a dialog is open in, and settles it.
func (x *extensions) interrupt() {
	x.dialogs.mu.Lock()
	none := len(x.dialogs.open) == 0
	x.dialogs.mu.Unlock()
	if s := x.now.Load(); s != nil && !none {
		s.client.Interrupt()
	}
	x.dialogs.settle(false)
}

// The kinds of dialogs that questions of tools are shown as.
const (
	dialogSelect = "select"
	dialogInput  = "input"
)

// question opens a dialog for a question of a tool and waits for the answer; false: there is none.
// When ctx ends, the dialog is withdrawn.
func (x *extensions) question(ctx context.Context, kind, title string, options []string) (text string, ok bool) {
	id := x.newID()
	request, _ := dialogParams{Title: title, Options: options}.request(kind, id)
	answered := x.dialogs.begin(id)
	if answered == nil || ctx.Err() != nil {
		x.dialogs.end(id)
		return "", false
	}
	x.show(request)
	select {
	case a := <-answered: // the zero value, when it is settled
		text, ok = a.valueOf(kind, nil).(string)
		return text, ok
	case <-ctx.Done():
		x.dialogs.end(id)
		x.show(UICancel{ID: x.newID(), TargetID: id})
		return "", false
	}
}

// dialogParams is a dialog as extensions ask for it.
type dialogParams struct {
	Title       string   `json:"title"`
	Message     string   `json:"message"`
	Options     []string `json:"options"`
	Placeholder string   `json:"placeholder"`
	Prefill     string   `json:"prefill"`
	PromptStyle bool     `json:"promptStyle"`
	Timeout     float64  `json:"timeout"` // milliseconds
}

// request returns the dialog of a kind.
func (p dialogParams) request(kind, id string) (ExtensionUIRequest, bool) {
	timeout := max(0, int64(p.Timeout))
	switch kind {
	case dialogSelect:
		if p.Options == nil {
			p.Options = []string{}
		}
		return UISelect{ID: id, Title: p.Title, Options: p.Options, Timeout: timeout}, true
	case "confirm":
		return UIConfirm{ID: id, Title: p.Title, Message: p.Message, Timeout: timeout}, true
	case dialogInput:
		return UIInput{ID: id, Title: p.Title, Placeholder: p.Placeholder, Timeout: timeout}, true
	case "editor":
		return UIEditor{ID: id, Title: p.Title, Prefill: p.Prefill, PromptStyle: p.PromptStyle}, true
	}
	return nil, false
}

// dialog opens a dialog and waits until it is settled: the value is the answer, or the
// default. When ctx ends its extension has taken it back.
func (x *extensions) dialog(ctx context.Context, kind string, params jsontext.Value) (value any, known bool) {
	var p dialogParams
	_ = json.Unmarshal(params, &p, rawjson.Lenient...) // what does not fit is not there
	id := x.newID()
	request, known := p.request(kind, id)
	if !known {
		return nil, false
	}
	var unanswered any
	if kind == "confirm" {
		unanswered = false
	}
	answered := x.dialogs.begin(id)
	if answered == nil || ctx.Err() != nil {
		x.dialogs.end(id)
		return unanswered, true
	}
	x.show(request)
	var late <-chan time.Time
	if p.Timeout > 0 && kind != "editor" {
		timer := time.NewTimer(time.Duration(p.Timeout * float64(time.Millisecond)))
		defer timer.Stop()
		late = timer.C
	}
	select {
	case a := <-answered: // the zero value, when it is settled
		return a.valueOf(kind, unanswered), true
	case <-late:
	case <-ctx.Done():
		if kind == "editor" {
			x.show(UICancel{ID: x.newID(), TargetID: id})
		}
	}
	x.dialogs.end(id)
	return unanswered, true
}

// valueOf returns what an answer gives a dialog of a kind; an answer of another kind gives the default.
func (a ExtensionUIResponse) valueOf(kind string, unanswered any) any {
	if a.Cancelled != nil && a.Cancelled.Kind() == jsontext.KindTrue {
		return unanswered
	}
	if kind == "confirm" {
		return a.Confirmed.Kind() == jsontext.KindTrue
	}
	if said, isText := rawjson.Text(a.Value); isText {
		return said
	}
	return unanswered
}

// showParams is what an extension shows.
type showParams struct {
	Message    string   `json:"message"`
	NotifyType string   `json:"notifyType"`
	StatusKey  string   `json:"statusKey"`
	StatusText *string  `json:"statusText"`
	WidgetKey  string   `json:"widgetKey"`
	Lines      []string `json:"widgetLines"`
	Placement  string   `json:"widgetPlacement"`
	Title      string   `json:"title"`
	Text       string   `json:"text"`
}

// showOnly shows a request of an extension that has no answer; false: its kind is unknown.
func (x *extensions) showOnly(kind string, params jsontext.Value) bool {
	var p showParams
	_ = json.Unmarshal(params, &p, rawjson.Lenient...) // what does not fit is not there
	id := x.newID()
	switch kind {
	case "notify":
		x.show(UINotify{ID: id, Message: p.Message, NotifyType: p.NotifyType})
	case "setStatus":
		x.show(UISetStatus{ID: id, StatusKey: p.StatusKey, StatusText: p.StatusText})
	case "setWidget":
		x.show(UISetWidget{ID: id, WidgetKey: p.WidgetKey, WidgetLines: p.Lines, WidgetPlacement: p.Placement})
	case "setTitle":
		x.show(UISetTitle{ID: id, Title: p.Title})
	case "setEditorText":
		x.show(UISetEditorText{ID: id, Text: p.Text})
	default:
		return false
	}
	return true
}
