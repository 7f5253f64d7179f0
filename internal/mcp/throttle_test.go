package mcp

import (
	"bytes"
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// A program that floods is slowed, and the waiting ends with its context; a large result is not slowed.
func TestThrottle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		floods := 0
		once := sync.OnceFunc(func() { floods++ })
		var got bytes.Buffer
		w := newThrottle(ctx, once).writer(&got)
		write := func(text string) time.Duration {
			begun := time.Now()
			if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
				t.Fatalf("Write = %d, %v", n, err)
			}
			return time.Since(begun)
		}
		if took := write(strings.Repeat("x", 32<<20)); took != 0 || floods != 0 {
			t.Errorf("a result of 32 MiB took %v, %d floods", took, floods)
		}
		var took time.Duration
		for range 1000 {
			took += write(strings.Repeat("\n", 1000))
		}
		if took < 20*time.Second || took > time.Minute || floods != 1 {
			t.Errorf("a million lines took %v, %d floods; want about 25 s, 1", took, floods)
		}
		cancel()
		if took := write(strings.Repeat("x", 64<<20)); took != 0 {
			t.Errorf("after the end a write took %v", took)
		}
		if got.Len() != 96<<20+1_000_000 {
			t.Errorf("%d bytes were written", got.Len())
		}
	})
}
