package serve

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Environment variables of TestRandomClients.
const (
	randomSeed     = "PARLEY_RANDOM_SEED"     // of a run to repeat
	randomRequests = "PARLEY_RANDOM_REQUESTS" // how many; default: 10,000, and 1,000 with the race detector
)

// TestRandomClients: seven kinds of clients send random requests about a few sessions to one host, with parts that are wrong, leave,
// are cut and come again. The host goes on, meets no defect, and serves a client that comes after them.
func TestRandomClients(t *testing.T) {
	seed, requests := uint64(time.Now().UnixNano()), 10_000
	if raceDetected() {
		requests = 1000
	}
	if text := os.Getenv(randomSeed); text != "" {
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		seed = n
	}
	if text := os.Getenv(randomRequests); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil {
			t.Fatal(err)
		}
		requests = n
	}
	t.Logf("repeat with %s=%d %s=%d", randomSeed, seed, randomRequests, requests)
	h := newTestHost(t, nil)
	r := &randomClients{testHost: h, rand: rand.New(rand.NewPCG(seed, 0)), clients: map[string]*testClient{}}
	for n := range randomSessions {
		owner := h.owner(sessionName(n), "danger-full-access")
		owner.prompt(sessionName(n), "hello")
		owner.await(`"kind":"turn_ended"`)
	}
	kinds := randomKinds()
	for range requests {
		r.step(kinds[r.rand.IntN(len(kinds))])
	}
	last := h.owner("last", "")
	last.prompt("last", "hello")
	last.await(`"kind":"turn_ended"`, `"reason":"completed"`)
	for _, line := range strings.Split(h.log.text(), "\n") {
		if strings.Contains(line, "panic") || strings.Contains(line, "internal error") {
			t.Errorf("the log has %.2000s", line)
		}
	}
}

// randomSessions is how many sessions the clients share.
const randomSessions = 4

func sessionName(n int) string { return fmt.Sprintf("random-%d", n) }

// randomKinds returns the seven kinds of clients that have more than one session, or can enter another one.
func randomKinds() (kinds []*clientKind) {
	for _, kind := range clientKinds() {
		if kind.role != "viewer" && kind.name != "acp v2" && kind.name != "scaiflux" {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// randomClients has one client of each kind.
type randomClients struct {
	*testHost
	rand    *rand.Rand
	clients map[string]*testClient
}

// step lets the client of a kind do something.
func (r *randomClients) step(kind *clientKind) {
	session := sessionName(r.rand.IntN(randomSessions))
	c := r.clients[kind.name]
	switch {
	case c == nil || c.over() || r.rand.IntN(20) == 0:
		if c != nil {
			c.kill()
		}
		c = r.dial(kind, session)
		r.clients[kind.name] = c
	case kind.name == "loaf" && c.sessionID() == "":
		c.send(`{"jsonrpc":"2.0","id":10,"method":"session.create","params":{}}`)
	case kind.name == "loaf" && r.rand.IntN(10) == 0:
		c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"command.execute","params":{"session_id":%q,"raw_command":"/history %s"}}`, c.handle, session))
	case r.rand.IntN(10) == 0 && kind.name != "loaf":
		kind.enter(c, session)
	case r.rand.IntN(5) == 0:
		c.prompt(session, []string{"hello", "shell true", "write none", "ask", "fail", ""}[r.rand.IntN(6)])
	case r.rand.IntN(40) == 0:
		c.leave()
	default:
		c.send(r.mutated(r.line(kind, c, session)))
	}
}

// sessionID returns the session that a client of loaf has made; "": the answer has not come yet.
func (c *testClient) sessionID() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, line := range c.lines {
		if _, rest, found := strings.Cut(line, `"session_id":"`); found && c.handle == "" {
			c.handle, _, _ = strings.Cut(rest, `"`)
		}
	}
	return c.handle
}

// over reports whether the connection has ended.
func (c *testClient) over() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ended
}

// randomMethods are the requests of the protocols. Those that are not in the list of a protocol are sent too: their methods are not
// known there.
var randomMethods = map[string][]string{
	"native": {
		"ping", "session/open", "session/close", "session/state", "session/follow", "session/unfollow", "session/records", "session/compact", "turn/interrupt",
		"session/save", "session/context", "session/usage", "session/branch", "queue/clear", "sessions/list", "tools/list", "servers/list", "session/changes",
	},
	"flint":    {"thread/list", "thread/resume", "thread/archive", "turn/interrupt", "config/list"},
	"codex":    {"thread/list", "thread/read", "thread/resume", "thread/archive", "thread/unarchive", "turn/interrupt", "thread/compact/start", "thread/unsubscribe", "model/list"},
	"loaf":     {"session.get", "session.interrupt", "session.queue.list", "session.queue.clear", "history.clear_session", "state.get", "tools.list", "system.ping"},
	"acp":      {"session/load", "session/resume", "session/close", "session/list", "session/cancel", "session/set_mode"},
	"pisces":   {"get_state", "get_messages", "abort", "compact", "new_session", "switch_session", "get_session_stats", "steer", "follow_up"},
	"agentair": {"Interrupt", "Clear", "Compact", "CreateSession", "RemoveSession"},
}

// line returns a request of a protocol.
func (r *randomClients) line(kind *clientKind, c *testClient, session string) string {
	methods := randomMethods[kind.dialect]
	method, id := methods[r.rand.IntN(len(methods))], 1000+r.rand.IntN(1000)
	switch kind.dialect {
	case "agentair":
		return fmt.Sprintf(`{%q:{"session_id":%d}}`, method, 1+r.rand.IntN(3))
	case "pisces":
		return fmt.Sprintf(`{"id":"%d","type":%q,"sessionPath":%q,"message":"hello"}`, id, method, session)
	case "loaf":
		return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":{"session_id":%q}}`, id, method, c.handle)
	}
	if r.rand.IntN(10) == 0 { // of another protocol
		other := randomMethods[[]string{"native", "flint", "codex", "acp"}[r.rand.IntN(4)]]
		method = other[r.rand.IntN(len(other))]
	}
	params := map[string]any{}
	switch kind.dialect {
	case "native":
		params["session"] = session
		if method == "session/branch" {
			params["head"] = r.rand.IntN(20)
		}
		if method == "session/follow" {
			params["from"] = 1 + r.rand.IntN(20)
		}
		if method == "ping" || method == "sessions/list" {
			delete(params, "session")
		}
	case "acp":
		params["sessionId"], params["cwd"], params["mcpServers"] = session, r.work, []any{}
	default:
		params["threadId"], params["turnId"] = session, "t"
	}
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`, id, method, mustJSON(params))
}

// mutated returns a line with a fault now and then.
func (r *randomClients) mutated(line string) string {
	if r.rand.IntN(8) != 0 {
		return line
	}
	at := r.rand.IntN(len(line))
	switch r.rand.IntN(4) {
	case 0:
		return line[:at]
	case 1:
		return line[:at] + string(rune(1+r.rand.IntN(0x2fff))) + line[at:]
	case 2:
		return line[:at] + line[min(len(line), at+1+r.rand.IntN(8)):]
	default:
		return strings.Replace(line, `"`, `[]{},:0n`[at%8:at%8+1], 1)
	}
}
