package sessionlog

import (
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/model"
)

// BenchmarkSlowFollowers is an answer of 2,000 deltas and its message, with followers that read nothing.
func BenchmarkSlowFollowers(b *testing.B) {
	for _, n := range []int{1, 15} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			var mu sync.Mutex
			log := New(Config{Now: time.Now, Log: slog.New(slog.DiscardHandler), Lock: &mu, Apply: func(event.Record) {}})
			for range n {
				records := log.Follow(b.Context(), 1, nil, event.KindTextDelta)
				b.Cleanup(func() {
					for range records { // closes what waits
						break
					}
				})
			}
			number := 1
			for ; number < 20; number++ {
				answer(log, number) // what waits in memory is full
			}
			for ; b.Loop(); number++ {
				answer(log, number)
			}
		})
	}
}

// answer delivers the answer of a number: 200 kB of deltas, and the message that they are.
func answer(log *Log, number int) {
	piece := strings.Repeat("x", 100)
	message := event.MessageID(fmt.Sprint("m-", number))
	for range 2000 {
		log.deliver(event.Record{Event: event.TextDelta{Message: message, Text: piece}})
	}
	blocks := []model.Block{{Kind: model.KindText, Text: strings.Repeat(piece, 2000)}}
	log.deliver(event.Record{Seq: uint64(number), Event: event.AssistantMessage{ID: message, Blocks: blocks}}) //nolint:gosec // small
}
