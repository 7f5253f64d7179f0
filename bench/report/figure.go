package report

import "cmp"

// A Unit is the unit of a figure, as it is printed.
type Unit string

// The units.
const (
	Seconds   Unit = "s"
	Memory    Unit = "B of memory"
	Data      Unit = "B"
	PerSecond Unit = "1/s"
	Cores     Unit = "cores" // CPU time a second
)

// A Figure is one thing that is measured of each program.
type Figure struct {
	ID     string
	Name   string
	Unit   Unit
	Budget Budget
	// Of are programs with a limit of their own.
	Of map[string]Budget
}

// A Budget is what a figure may be. Its zero value allows everything.
type Budget struct {
	Most  float64 // of the figure itself
	Times float64 // at most so many times what the floor has
	Least float64 // at least so many times what the floor has
	// Beside is another figure of the same program that takes the place of the floor: what an embedded process has.
	Beside string
}

// budget returns the one that holds for a program.
func (f Figure) budget(program string) Budget { return cmp.Or(f.Of[program], f.Budget) }

// Used returns how much of the budget a value takes: 1 is all of it, more is too much. false: there is
// no budget, or the floor is not known.
func (b Budget) Used(value, floor float64) (float64, bool) {
	switch {
	case b.Most > 0:
		return value / b.Most, true
	case b.Times > 0 && floor > 0:
		return value / floor / b.Times, true
	case b.Least > 0 && value > 0 && floor > 0:
		return b.Least * floor / value, true
	}
	return 0, false
}

// Figures returns all figures, in the order in which they are shown. The limits are those of the
// design.
func Figures() []Figure {
	const ms, mib = 1e-3, 1 << 20
	return []Figure{
		{ID: "cold-start", Name: "cold start to the first protocol answer", Unit: Seconds, Budget: Budget{Times: 2.2}},
		{ID: "cold-cpu", Name: "CPU time of the cold start", Unit: Seconds, Budget: Budget{Times: 5}},
		{ID: "pss-start", Name: "memory (PSS), just started", Unit: Memory, Budget: Budget{Most: 20 * mib}},
		{ID: "pss-idle", Name: "memory (PSS), 2 s later", Unit: Memory, Budget: Budget{Most: 20 * mib}},
		{ID: "request", Name: "added before the request reaches the model (warm)", Unit: Seconds, Budget: Budget{Times: 2}},
		{ID: "first-delta", Name: "added between the model's first delta and the client's", Unit: Seconds, Budget: Budget{Times: 1.1}},
		{ID: "delta-p50", Name: "delta latency at one a ms, p50", Unit: Seconds, Budget: Budget{Times: 1.1}},
		{ID: "delta-p99", Name: "delta latency at one a ms, p99", Unit: Seconds, Budget: Budget{Times: 1.2}},
		{ID: "long-p50", Name: "delta latency in an answer of 2,000, p50", Unit: Seconds, Budget: Budget{Most: 0.3 * ms}},
		{ID: "long-p99", Name: "delta latency in an answer of 2,000, p99", Unit: Seconds},
		{ID: "slow-bytes", Name: "bytes written for 20,000 deltas in 20 s, to a slow reader", Unit: Data, Budget: Budget{Most: 25e6}},
		{ID: "throughput", Name: "deltas a second", Unit: PerSecond, Budget: Budget{Least: 0.5}},
		{ID: "delta-cpu", Name: "CPU for 20,000 deltas", Unit: Seconds, Budget: Budget{Times: 3}},
		{
			ID: "delta-bytes", Name: "bytes written for 20,000 deltas", Unit: Data, Budget: Budget{Most: 8e6},
			Of: map[string]Budget{"pisces": {Most: 20e6}, "pi": {Most: 20e6}}, // each update repeats the message
		},
		{ID: "shell-round", Name: "a shell tool round, journalled", Unit: Seconds, Budget: Budget{Times: 1.6}},
		{ID: "read-round", Name: "a read tool round, journalled", Unit: Seconds, Budget: Budget{Times: 2}},
		{ID: "memory-request", Name: "added before the request, files in memory", Unit: Seconds, Budget: Budget{Times: 2}},
		{ID: "memory-shell-round", Name: "a shell tool round, files in memory", Unit: Seconds, Budget: Budget{Times: 1.6}},
		{ID: "memory-read-round", Name: "a read tool round, files in memory", Unit: Seconds, Budget: Budget{Times: 2}},
		{ID: "exit", Name: "end of stdin to exit", Unit: Seconds, Budget: Budget{Most: 30 * ms}},
		{ID: "sessions-1", Name: "PSS with 1 idle session", Unit: Memory},
		{ID: "sessions-10", Name: "PSS with 10", Unit: Memory},
		{ID: "sessions-100", Name: "PSS with 100", Unit: Memory},
		{ID: "sessions-1000", Name: "PSS with 1,000", Unit: Memory},
		{ID: "session", Name: "one more idle session", Unit: Memory, Budget: Budget{Most: 64 << 10}},
		{ID: "session-used", Name: "one more idle session that had a turn", Unit: Memory, Budget: Budget{Most: 64 << 10}},
		{ID: "streams", Name: "PSS with 50 sessions streaming", Unit: Memory, Budget: Budget{Most: 45 * mib}},
		{ID: "resume-1", Name: "resume of a journal of 1 MB", Unit: Seconds},
		{ID: "resume-1-memory", Name: "resume of a journal of 1 MB, added memory at its peak", Unit: Memory},
		{ID: "resume-10", Name: "resume of 10 MB", Unit: Seconds},
		{ID: "resume-10-memory", Name: "resume of 10 MB, added memory at its peak", Unit: Memory},
		{ID: "resume-100", Name: "resume of 100 MB", Unit: Seconds, Budget: Budget{Most: 1}},
		{ID: "resume-100-memory", Name: "resume of 100 MB, added memory at its peak", Unit: Memory, Budget: Budget{Most: 64 * mib}},
		{ID: "list-cold", Name: "first page of 100,000 sessions, cold", Unit: Seconds, Budget: Budget{Most: 400 * ms}},
		{ID: "list-warm", Name: "first page of 100,000 sessions, warm", Unit: Seconds, Budget: Budget{Most: 5 * ms}},
		{ID: "embedded-first-delta", Name: "first delta, embedded, in turn with a relay", Unit: Seconds},
		{ID: "relay-first-delta", Name: "first delta over a relay", Unit: Seconds, Budget: Budget{Times: 1.25, Beside: "embedded-first-delta"}},
		{ID: "relay-added", Name: "added by a relay to the first delta", Unit: Seconds, Budget: Budget{Most: 0.06 * ms}},
		{ID: "embedded-delta-p50", Name: "delta latency at one a ms, embedded, in turn with a relay, p50", Unit: Seconds},
		{ID: "embedded-delta-p99", Name: "delta latency at one a ms, embedded, in turn with a relay, p99", Unit: Seconds},
		{ID: "relay-delta-p50", Name: "delta latency at one a ms over a relay, p50", Unit: Seconds, Budget: Budget{Times: 1.2, Beside: "embedded-delta-p50"}},
		{ID: "relay-delta-p99", Name: "delta latency at one a ms over a relay, p99", Unit: Seconds, Budget: Budget{Times: 1.5, Beside: "embedded-delta-p99"}},
		{ID: "agent-first-delta", Name: "first delta of an ACP agent alone", Unit: Seconds},
		{ID: "backend-first-delta", Name: "first delta of the agent as a back end", Unit: Seconds, Budget: Budget{Times: 1.3, Beside: "agent-first-delta"}},
		{ID: "backend-added", Name: "added by us to the first delta of a back end", Unit: Seconds, Budget: Budget{Most: 0.3 * ms}},
		{ID: "agent-delta-p50", Name: "delta latency at one a ms, an ACP agent alone, p50", Unit: Seconds},
		{ID: "agent-delta-p99", Name: "delta latency at one a ms, an ACP agent alone, p99", Unit: Seconds},
		{ID: "backend-delta-p50", Name: "delta latency at one a ms, the agent as a back end, p50", Unit: Seconds, Budget: Budget{Times: 1.3, Beside: "agent-delta-p50"}},
		{ID: "backend-delta-p99", Name: "delta latency at one a ms, the agent as a back end, p99", Unit: Seconds},
		{ID: "backend-delta-added", Name: "added by us to a delta of a back end, p50", Unit: Seconds, Budget: Budget{Most: 0.3 * ms}},
		{ID: "backend-memory", Name: "20,000 deltas at once from a back end, added memory at its peak", Unit: Memory, Budget: Budget{Most: 32 * mib}},
		{ID: "crowd-p50", Name: "delta at one a ms to the last of 1,000 clients, p50", Unit: Seconds},
		{ID: "crowd-p99", Name: "delta at one a ms to the last of 1,000 clients, p99", Unit: Seconds, Budget: Budget{Most: 20 * ms}},
		{ID: "crowd-cpu", Name: "CPU of the host meanwhile", Unit: Cores, Budget: Budget{Most: 2}},
		{ID: "client-idle", Name: "one more idle client of a session", Unit: Memory, Budget: Budget{Most: 32 << 10}},
		{ID: "accept-p50", Name: "acceptance of a prompt, 1,000 sessions, 100 prompts a second, p50", Unit: Seconds},
		{ID: "accept-p99", Name: "acceptance of a prompt, 1,000 sessions, 100 prompts a second, p99", Unit: Seconds, Budget: Budget{Most: 50 * ms}},
		{ID: "reconnect", Name: "reconnect with 100,000 missed records", Unit: Seconds, Budget: Budget{Most: 1}},
		{ID: "reconnect-memory", Name: "reconnect with 100,000 missed records, added memory at its peak", Unit: Memory, Budget: Budget{Most: 64 * mib}},
		{ID: "tui-open", Name: "parley tui on a session of 100,000 records and 100 MB: start to its end on the screen", Unit: Seconds, Budget: Budget{Most: 0.3}},
		{ID: "tui-key-p50", Name: "key to the screen of parley tui with 1,000 deltas a second, p50", Unit: Seconds},
		{ID: "tui-key-p99", Name: "key to the screen of parley tui with 1,000 deltas a second, p99", Unit: Seconds, Budget: Budget{Most: 16 * ms}},
		{ID: "tui-cpu", Name: "CPU of parley tui meanwhile", Unit: Cores, Budget: Budget{Most: 0.1}},
		{ID: "tui-memory", Name: "memory (PSS) of parley tui meanwhile", Unit: Memory, Budget: Budget{Most: 64 * mib}},
		{ID: "web-page", Name: "load of the page of the web console, with its script and style sheet", Unit: Seconds, Budget: Budget{Most: 50 * ms}},
		{ID: "web-bytes", Name: "bytes of the page", Unit: Data, Budget: Budget{Most: 150e3}},
		{ID: "socket-first-delta", Name: "first delta of a native client at the Unix socket, in turn with one over WebSocket", Unit: Seconds},
		{ID: "web-first-delta", Name: "first delta over WebSocket", Unit: Seconds, Budget: Budget{Times: 1.25, Beside: "socket-first-delta"}},
		{ID: "socket-delta-p50", Name: "delta latency at one a ms at the Unix socket, p50", Unit: Seconds},
		{ID: "socket-delta-p99", Name: "delta latency at one a ms at the Unix socket, p99", Unit: Seconds},
		{ID: "web-delta-p50", Name: "delta latency at one a ms over WebSocket, p50", Unit: Seconds, Budget: Budget{Times: 1.25, Beside: "socket-delta-p50"}},
		{ID: "web-delta-p99", Name: "delta latency at one a ms over WebSocket, p99", Unit: Seconds, Budget: Budget{Times: 1.5, Beside: "socket-delta-p99"}},
		{ID: "embedded-start", Name: "cold start of parley flint, in turn with a host", Unit: Seconds},
		{ID: "executed-start", Name: "the same where parley-host is executed in the place of parley", Unit: Seconds},
		{ID: "host-start", Name: "cold start of parley serve, until clients can connect", Unit: Seconds, Budget: Budget{Times: 3, Beside: "embedded-start"}},
		{ID: "raw-p50", Name: "raw publish that waits for its acknowledgement, p50", Unit: Seconds},
		{ID: "raw-p99", Name: "raw publish that waits for its acknowledgement, p99", Unit: Seconds},
		{ID: "append-p50", Name: "append of one record, p50", Unit: Seconds, Budget: Budget{Times: 1.4, Beside: "raw-p50"}},
		{ID: "append-p99", Name: "append of one record, p99", Unit: Seconds, Budget: Budget{Times: 2, Beside: "raw-p99"}},
		{ID: "raw-rate", Name: "messages a second of 64 raw publishers", Unit: PerSecond},
		{ID: "frame-rate", Name: "frames a second of 64 sessions", Unit: PerSecond, Budget: Budget{Least: 0.7, Beside: "raw-rate"}},
		{ID: "raw-read", Name: "raw ordered read of 100 MiB", Unit: Seconds},
		{ID: "store-open", Name: "open of a session of 100 MiB", Unit: Seconds, Budget: Budget{Times: 3, Beside: "raw-read"}},
		{ID: "file-turn", Name: "turn of 20 records on files", Unit: Seconds},
		{ID: "store-turn", Name: "turn of 20 records on the store", Unit: Seconds, Budget: Budget{Times: 1.05, Beside: "file-turn"}},
		{ID: "file-turn-p99", Name: "deltas of these turns on files, p99", Unit: Seconds},
		{ID: "store-turn-p99", Name: "deltas of these turns on the store, p99", Unit: Seconds},
		{ID: "task-raw", Name: "raw publish between tasks", Unit: Seconds},
		{ID: "task", Name: "overhead of a task of a batch: pull, claim, pinned commit, result", Unit: Seconds, Budget: Budget{Times: 20, Beside: "task-raw"}},
		{ID: "task-budget-raw", Name: "raw publish between tasks with a budget", Unit: Seconds},
		{ID: "task-budget", Name: "overhead of a task of a batch with a budget", Unit: Seconds, Budget: Budget{Times: 20, Beside: "task-budget-raw"}},
		{ID: "idle-move", Name: "idle session moves to another host", Unit: Seconds, Budget: Budget{Times: 10, Beside: "raw-p50"}},
		{ID: "restart", Name: "start of a host that was killed, until its session is open", Unit: Seconds, Budget: Budget{Most: 1}},
		{ID: "takeover", Name: "open of a session whose host was killed, on another host", Unit: Seconds, Budget: Budget{Most: 17}},
	}
}
