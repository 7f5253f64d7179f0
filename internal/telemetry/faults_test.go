package telemetry

import (
	"errors"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"parley.dev/parley/internal/event"
)

// A silence answers no request before the process gives up.
type silence struct{ requests chan struct{} }

func (s silence) RoundTrip(r *http.Request) (*http.Response, error) {
	select {
	case s.requests <- struct{}{}:
	default:
	}
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// TestHangingCollector: with a collector that never answers, following does not wait, what waits for it is bounded, and the end
// takes as long as it is documented.
func TestHangingCollector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tel, err := New(Options{Settings: Settings{Endpoint: "http://collector.test"}, Getenv: func(string) string { return "" }, Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range tel.clients {
			c.http.Transport = silence{make(chan struct{}, 1)}
		}
		begun := time.Now()
		for range 5000 { // more spans than wait
			tel.Follow(Session{ID: "s", Log: records("t", event.TurnStarted{}, event.TurnEnded{Reason: event.TurnCompleted})})
		}
		synctest.Wait()
		if took := time.Since(begun); took != 0 {
			t.Errorf("following took %v", took)
		}
		tel.Close()
		if took := time.Since(begun); took != ExitWait {
			t.Errorf("the end took %v, want %v", took, ExitWait)
		}
		tel.Follow(Session{ID: "late", Log: whole()}) // it is not followed
	})
}

// TestSessionThatIsNotClosed: a session whose log does not end does not delay the end for longer.
func TestSessionThatIsNotClosed(t *testing.T) {
	c := newCollector(t)
	tel, err := New(Options{Settings: Settings{Endpoint: c.URL}, Getenv: func(string) string { return "" }, Log: quiet})
	if err != nil {
		t.Fatal(err)
	}
	tel.Follow(Session{ID: "s", Log: endless{}})
	tel.Close()
}

// A refuser is a machine on which nothing listens.
type refuser struct{}

func (refuser) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("connection refused")
}

// TestNoCollector: without a collector at the address the process ends at once, without further tries.
func TestNoCollector(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tel, err := New(Options{Settings: Settings{Endpoint: "http://collector.test"}, Getenv: func(string) string { return "" }, Log: quiet})
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range tel.clients {
			c.http.Transport = refuser{}
		}
		tel.Follow(Session{ID: "s", Log: whole()})
		begun := time.Now()
		tel.Close()
		if took := time.Since(begun); took != 0 {
			t.Errorf("the end took %v", took)
		}
	})
}
