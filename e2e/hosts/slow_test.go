package hosts

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// slowAnswers is how many answers of 200 kB a turn of TestSlowClients has. A follower is sent each twice: as deltas, and as a message.
const slowAnswers = 20

// TestSlowClients: clients that read nothing, through a tunnel and at the host itself, do not slow down the turn or other clients, and
// cost bounded memory. When they read again they get every record.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	answer := "repeat 2000 text " + strings.Repeat("x", 100) + "\n"
	turn := strings.Repeat(answer+"call shell {\"command\":\"true\"}\nusage in=100 out=10\nnext\n", slowAnswers) + "text Done.\nnext\n"
	p := newCutPair(t, turn+turn, "danger-full-access", 15*time.Second)
	p.c.prompt("s", "p-1", "Go.")
	p.c.until("turn_ended", 1)
	next := p.owner.until("turn_ended", 1).Seq + 1
	hosts := []struct {
		*host
		clients int   // that read nothing
		limit   int64 // how much more memory it may need for them and for the second turn
		before  int64
	}{{p.a, 4, 40 << 20, 0}, {p.b, 3, 64 << 20, 0}}
	var slow []*client
	for i, h := range hosts {
		hosts[i].before = h.process.Size("status", "VmHWM")
		for n := range h.clients {
			c := h.client(fmt.Sprint("slow-", h.name, n))
			c.must("session/follow", followParams("s", next), nil)
			c.pause(true)
			slow = append(slow, c)
		}
	}
	p.c.prompt("s", "p-2", "Go.")
	p.c.until("turn_ended", 2)
	end := p.owner.until("turn_ended", 2)
	for _, h := range hosts {
		after := h.process.Size("status", "VmHWM")
		t.Logf("memory of %s: %d MiB, and %d MiB with %d clients that read nothing", h.name, h.before>>20, after>>20, h.clients)
		if after-h.before > h.limit {
			t.Errorf("memory of %s has grown by %d MiB", h.name, (after-h.before)>>20)
		}
	}
	for _, c := range slow {
		if head := c.head("s"); head >= end.Seq {
			t.Errorf("%s has read everything", c.name)
		}
		c.pause(false)
		c.until("turn_ended", 1)
		c.checkRecords(next)
	}
}
