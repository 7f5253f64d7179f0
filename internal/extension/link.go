package extension

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/lazy"
	"parley.dev/parley/internal/wire"
)

// This file contains the line between us and the process: requests with numbers in both
// directions, and notes without. A line is a JSON object.

type message struct {
	ID     int64          `json:"id,omitzero"`
	Method string         `json:"method,omitzero"`
	Params jsontext.Value `json:"params,omitzero"`
	Result jsontext.Value `json:"result,omitzero"`
	Error  *string        `json:"error,omitzero"`
	After  int64          `json:"after,omitzero"` // of a request for which the process blocks: the number of lines before it
}

// lenient is how messages of extensions are read: their strings may be no UTF-8.
var lenient = lazy.Value[json.Options]{New: func() json.Options {
	return json.JoinOptions(jsontext.AllowInvalidUTF8(true), jsontext.AllowDuplicateNames(true))
}}

// A question is a request to the process.
type question struct {
	method   string
	params   any
	patience time.Duration // how long the process may be blocked meanwhile
	update   func(jsontext.Value)
}

// A pendingCall is a question without an answer.
type pendingCall struct {
	method   string
	patience time.Duration
	since    time.Time
	update   func(jsontext.Value) // nil: none
	answered chan reply           // room for one
}

type reply struct {
	result jsontext.Value
	err    error
}

// ask waits for the answer to q, until ctx ends or the process.
func (h *Host) ask(ctx context.Context, q question, result any) error {
	select {
	case <-h.gone:
		return h.ended()
	default:
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	params, err := json.Marshal(q.params, lenient.Get())
	if err != nil {
		return err
	}
	a := &pendingCall{method: q.method, patience: q.patience, since: time.Now(), update: q.update, answered: make(chan reply, 1)}
	h.mu.Lock()
	id := h.enter(a)
	h.mu.Unlock()
	h.send(id, q.method, params)
	select {
	case r := <-a.answered:
		if r.err == nil && result != nil {
			r.err = json.Unmarshal(r.result, result, lenient.Get())
		}
		return r.err
	case <-h.gone:
		return h.ended()
	case <-ctx.Done():
		h.notify("cancel", struct {
			ID int64 `json:"id"`
		}{id})
		return context.Cause(ctx)
	}
}

// enter registers a question and returns its number. It runs under the lock.
func (h *Host) enter(a *pendingCall) int64 {
	h.serial++
	h.waiting[h.serial] = a
	return h.serial
}

func (h *Host) send(id int64, method string, params jsontext.Value) {
	line, err := json.Marshal(message{ID: id, Method: method, Params: params}, lenient.Get())
	if err != nil {
		h.log.Error("message for extensions lost", "method", method, "error", err)
		return
	}
	h.out.Post(line)
}

// notify sends a message that has no answer.
func (h *Host) notify(method string, params any) {
	value, err := json.Marshal(params, lenient.Get())
	if err != nil {
		h.log.Error("message for extensions lost", "method", method, "error", err)
		return
	}
	h.send(0, method, value)
}

// read reads from the process until its output ends.
func (h *Host) read(from io.Reader) {
	lines := wire.NewReader(from, lineLimit)
	for {
		line, err := lines.Next()
		switch {
		case errors.Is(err, wire.ErrLineTooLong):
			h.fault("it said more than 64 MiB at once")
			continue
		case err != nil:
			return
		}
		var m message
		if err := json.Unmarshal(line, &m, lenient.Get()); err != nil {
			h.fault("it said what makes no sense: " + err.Error())
			continue
		}
		h.receive(m)
		h.mu.Lock()
		h.lines++
		h.mu.Unlock()
		select {
		case h.line <- struct{}{}:
		default:
		}
	}
}

// awaitLines waits until that many lines of the process were read; false: it has ended.
func (h *Host) awaitLines(lines int64) bool {
	for {
		h.mu.Lock()
		heard := h.lines
		h.mu.Unlock()
		if heard >= lines {
			return true
		}
		select {
		case <-h.line:
		case <-h.gone:
			return false
		}
	}
}

// fault ends a process that does not keep to the line.
func (h *Host) fault(problem string) {
	h.mu.Lock()
	if h.why == "" {
		h.why = "the process of the extensions was ended: " + problem
	}
	h.mu.Unlock()
	h.kill(errGone)
}

func (h *Host) receive(m message) {
	h.mu.Lock()
	h.heard = time.Now()
	a := h.waiting[m.ID]
	if m.Method == "" {
		delete(h.waiting, m.ID)
	}
	h.mu.Unlock()
	switch {
	case m.Method != "" && m.ID != 0:
		h.serve(m)
	case m.Method != "":
		h.note(m)
	case a != nil && m.Error != nil:
		a.answered <- reply{err: errors.New(*m.Error)}
	case a != nil:
		a.answered <- reply{result: m.Result}
	}
}

// note handles a message that nothing waits for.
func (h *Host) note(m message) {
	switch m.Method {
	case "ready":
		h.receiveReady(m.Params)
	case "loading":
		var p struct {
			Path string `json:"path"`
		}
		_ = json.Unmarshal(m.Params, &p, lenient.Get())
		h.mu.Lock()
		h.loading = p.Path
		h.mu.Unlock()
	case "registered":
		var r Registered
		if json.Unmarshal(m.Params, &r, lenient.Get()) == nil {
			h.mu.Lock()
			h.registered = r
			h.mu.Unlock()
		}
	case "failed":
		var f struct {
			Path  string `json:"path"`
			Event string `json:"event"`
			Error string `json:"error"`
		}
		_ = json.Unmarshal(m.Params, &f, lenient.Get())
		h.session.Failed(Failure{f.Path, f.Event, f.Error})
	case "log":
		h.receiveLog(m.Params)
	case "update":
		h.receiveUpdate(m.Params)
	case "cancel":
		h.cancelRequest(m.Params)
	default:
		h.session.Notify(m.Method, m.Params)
	}
}

func (h *Host) receiveReady(params jsontext.Value) {
	var p struct {
		Runtime string `json:"runtime"`
	}
	_ = json.Unmarshal(params, &p, lenient.Get())
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.runtime == "" {
		h.runtime = p.Runtime
		close(h.ready)
	}
}

func (h *Host) receiveLog(params jsontext.Value) {
	var p struct {
		Level string `json:"level"`
		Path  string `json:"path"`
		Text  string `json:"text"`
	}
	_ = json.Unmarshal(params, &p, lenient.Get())
	h.log.Log(context.Background(), levels.Get()[p.Level], "an extension says", "extension", p.Path, "text", brief(p.Text, maxLogLine))
}

func (h *Host) receiveUpdate(params jsontext.Value) {
	var p struct {
		Request int64          `json:"request"`
		Result  jsontext.Value `json:"result"`
	}
	if json.Unmarshal(params, &p, lenient.Get()) != nil {
		return
	}
	h.mu.Lock()
	a := h.waiting[p.Request]
	h.mu.Unlock()
	if a != nil && a.update != nil {
		a.update(p.Result)
	}
}

// serve does what an extension waits for, in a goroutine of its own.
func (h *Host) serve(m message) {
	ctx, cancel := context.WithCancel(h.life)
	h.mu.Lock()
	h.requests[m.ID] = cancel
	h.mu.Unlock()
	h.crew.Go(func() {
		defer cancel()
		result, err := h.session.Handle(ctx, m.Method, m.Params)
		h.out.Post(answerTo(m.ID, result, err))
		h.mu.Lock()
		delete(h.requests, m.ID)
		h.mu.Unlock()
		select {
		case h.answered <- struct{}{}:
		default:
		}
	})
}

func (h *Host) cancelRequest(params jsontext.Value) {
	var p struct {
		ID int64 `json:"id"`
	}
	_ = json.Unmarshal(params, &p, lenient.Get())
	h.mu.Lock()
	defer h.mu.Unlock()
	if cancel := h.requests[p.ID]; cancel != nil {
		cancel()
	}
}

func answerTo(id int64, result any, err error) []byte {
	m := message{ID: id}
	if err == nil {
		m.Result, err = json.Marshal(result, lenient.Get())
	}
	if err != nil {
		problem := err.Error()
		m.Result, m.Error = nil, &problem
	}
	line, err := json.Marshal(m, lenient.Get())
	if err != nil { // what was given as JSON was none
		problem := err.Error()
		line, _ = json.Marshal(message{ID: id, Error: &problem})
	}
	return line
}

// answer answers questions for which the process stands still, one after the other.
func (h *Host) answer(questions io.Reader, answers *os.File) {
	lines := wire.NewReader(questions, lineLimit)
	for {
		line, err := lines.Next()
		if err != nil {
			return
		}
		h.mu.Lock()
		h.heard = time.Now()
		h.mu.Unlock()
		var m message
		var result any
		if err = json.Unmarshal(line, &m, lenient.Get()); err == nil && !h.awaitLines(m.After) {
			return
		}
		if err == nil {
			result, err = h.session.Query(m.Method, m.Params)
		}
		if _, err := answers.Write(append(answerTo(0, result, err), '\n')); err != nil {
			return
		}
	}
}
