package mcp

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool"
)

// A source is the servers of one session.
type source struct {
	users []*user
}

// Tools offers what servers have, and of those that cannot be reached now, what they had
// when they last could: a call tries again.
func (s *source) Tools(ctx context.Context) []tool.Tool {
	attempts := make([]*attempt, len(s.users))
	for i, u := range s.users {
		attempts[i] = u.peer.ensure(u.startLimit, true)
		u.peer.greet(u)
	}
	for i, u := range s.users {
		_, _ = attempts[i].wait(ctx) // what failed is told as a status
		u.peer.greet(u)
	}
	var offers []*remote
	for _, u := range s.users {
		for _, o := range u.peer.offered() {
			offers = append(offers, &remote{user: u, offer: o})
		}
	}
	nameAll(offers)
	slices.SortFunc(offers, func(a, b *remote) int { return strings.Compare(a.name, b.name) })
	tools := make([]tool.Tool, len(offers))
	for i, o := range offers {
		tools[i] = o
	}
	return tools
}

func (s *source) Close() {
	for _, u := range s.users {
		u.close()
		u.peer.leave(u)
	}
}

// A user is what one session is to a peer.
type user struct {
	peer       *peer
	name       string // that the session has for the server
	startLimit time.Duration
	callLimit  time.Duration

	mu     sync.Mutex // held while status is told: in order, and never after close
	status func(event.ServerChanged)
	told   int // the serial of the news that was told last
	closed bool
}

// tell tells news, unless newer ones were told.
func (u *user) tell(n news) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.closed || n.serial <= u.told {
		return
	}
	u.told = n.serial
	if u.status != nil {
		u.status(event.ServerChanged{Server: u.name, Status: n.status, Error: n.problem})
	}
}

func (u *user) close() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.closed = true
}

// news is what became of a peer.
type news struct {
	serial  int // 1, 2, 3 … of a peer; 0: nothing yet
	status  event.ServerStatus
	problem string
}
