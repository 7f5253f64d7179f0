package hosts

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"

	"github.com/go-json-experiment/json"
)

// A wanderer is a client of A that connects again and again, and follows from its last record + 1.
type wanderer struct {
	cut         *cut
	connections int
	received    []entry
	heads       map[string]int // the number of the last durable record of each session
}

// run connects until the run is over, and then stays for the rest.
func (w *wanderer) run(over context.Context, random *rand.Rand) {
	for last := false; !last && !w.cut.t.Failed(); {
		select {
		case <-over.Done():
			last = true
		default:
		}
		w.connect(over, last, 1+random.IntN(400))
	}
}

// connect is one connection, which ends after some records, or, if it is the last, with all.
func (w *wanderer) connect(over context.Context, last bool, count int) {
	w.connections++
	client := w.cut.a.client(fmt.Sprint("again-", w.connections))
	defer client.conn.Close()
	heads := map[string]int{}
	for _, session := range cutSessions {
		m := w.cut.repeat(client, "session/follow", followParams(session, w.heads[session]+1))
		if m.Error != nil {
			w.cut.t.Errorf("%s follows again: %+v", client.name, m.Error)
			return
		}
		var head struct {
			Head int `json:"head"`
		}
		if err := json.Unmarshal(m.Result, &head); err != nil {
			w.cut.t.Fatal(err)
		}
		heads[session] = head.Head
	}
	if last {
		client.await(fmt.Sprint("the last records: ", heads), func() bool {
			for session, head := range heads {
				if max(w.heads[session], client.heads[session]) < head {
					return false
				}
			}
			return true
		})
	} else {
		client.awaitUntil(over, func() bool { return len(client.all) >= count }, func() {})
	}
	client.mu.Lock()
	defer client.mu.Unlock()
	w.received = append(w.received, client.all...)
	maps.Copy(w.heads, client.heads)
}
