package scripted

import (
	"cmp"
	"fmt"
	"io"
	"iter"
	"net/http"
	"strings"
	"sync"

	"parley.dev/parley/bench/tasks/chat"
	"parley.dev/parley/bench/tasks/task"
)

// maxRequests ends runs that get nowhere.
const maxRequests = 80

// A Model is a provider's endpoint with one model, which works on one task. It is an http.Handler.
type Model struct {
	temperament *Temperament
	task        *task.Task
	log         io.Writer

	mu       sync.Mutex
	session  *session
	next     func() (chat.Answer, bool)
	stop     func()
	requests int
}

// New returns a model that works on a task in the folder work. What it reads and answers is written to log.
func New(temperament *Temperament, t *task.Task, work string, log io.Writer) *Model {
	m := &Model{temperament: temperament, task: t, log: log, session: newSession(temperament, t, work)}
	m.next, m.stop = iter.Pull(m.session.answers)
	return m
}

// Close ends the model.
func (m *Model) Close() { m.stop() }

// ServeHTTP answers one request.
func (m *Model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodGet {
		m.list(w)
		return
	}
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the program has ended
	}
	conversation, err := chat.Parse(m.temperament.Wire, body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	_ = m.answer(conversation).Write(w, m.temperament.Wire, conversation.Size()/chat.BytesPerToken)
}

func (m *Model) list(w http.ResponseWriter) {
	id := m.temperament.ModelID
	w.Header().Set("Content-Type", "application/json")
	_, _ = fmt.Fprintf(w, `{"object":"list","data":[{"id":%q,"object":"model","type":"model","display_name":%q}],"has_more":false}`, id, id)
}

func (m *Model) answer(c *chat.Conversation) chat.Answer {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.requests++
	a := m.choose(c)
	m.record(c, a)
	return a
}

func (m *Model) choose(c *chat.Conversation) chat.Answer {
	tokens := c.Size() / chat.BytesPerToken
	switch {
	case m.requests > maxRequests:
		return chat.Answer{Text: "I give up: I have made too many requests."}
	case tokens > m.task.Window:
		return chat.Answer{Status: http.StatusBadRequest, Reason: fmt.Sprintf(
			"This model's maximum context length is %d tokens. However, your messages resulted in %d tokens.", m.task.Window, tokens)}
	case len(c.Tools) == 0:
		return chat.Answer{Text: m.session.summary(c)}
	}
	m.session.seen = c
	if a, ok := m.next(); ok {
		return a
	}
	return chat.Answer{Text: "I have finished."}
}

// record writes what the model was sent last and what it answers.
func (m *Model) record(c *chat.Conversation, a chat.Answer) {
	fmt.Fprintf(m.log, "--- request %d, %d bytes\n%s\n", m.requests, c.Size(), clip(c.Last()))
	switch {
	case a.Status != 0:
		fmt.Fprintf(m.log, ">>> HTTP %d %s\n", a.Status, a.Reason)
	case a.Cut():
		fmt.Fprintf(m.log, ">>> (cut after %d bytes)\n", a.Limit)
	}
	if a.Text != "" || len(a.Calls) == 0 {
		fmt.Fprintf(m.log, ">>> %s\n", cmp.Or(a.Text, "(nothing)"))
	}
	for _, call := range a.Calls {
		fmt.Fprintf(m.log, ">>> %s %s\n", call.Name, clip(call.Input.JSON()))
	}
}

// clip returns a text with no more than its beginning and its end.
func clip(text string) string {
	const most = 600
	text = strings.TrimSpace(text)
	if len(text) <= 2*most {
		return text
	}
	return text[:most] + "\n[…]\n" + text[len(text)-most:]
}
