package cluster

import (
	"context"
	"strings"
	"time"
)

// This file contains the requests between members: a line "VERB ARGUMENT" to the control subject of a process.

// answerTimeout is how long a process may take to answer.
const answerTimeout = 2 * time.Second

// answerUnknownVerb is the answer to a verb that the process does not know, which may be of another version.
const answerUnknownVerb = "unknown verb"

// Handle sets what answers the requests of a verb. It must be called before the member is used.
func (m *Member) Handle(verb string, h func(argument string) (answer string)) { m.handlers[verb] = h }

// Call sends a request to a process and returns its answer. Errors: stream.ErrNoResponder, ErrClosed, that of ctx.
func (m *Member) Call(ctx context.Context, owner, verb, argument string) (string, error) {
	line := []byte(verb + " " + argument)
	if owner == m.owner {
		return string(m.answer(line)), nil
	}
	l, err := m.Connect(ctx)
	if err != nil {
		return "", err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	answer, err := l.Request(ctx, l.Namespace.Control(owner), line)
	return string(answer), err
}

// answer answers a request of another process.
func (m *Member) answer(line []byte) []byte {
	verb, argument, _ := strings.Cut(string(line), " ")
	if h := m.handlers[verb]; h != nil {
		return []byte(h(argument))
	}
	return []byte(answerUnknownVerb)
}
