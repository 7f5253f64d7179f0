package provider

import (
	"context"
	"sync"
	"time"

	"parley.dev/parley/internal/model"
)

// A live list is what an endpoint said of its models.
type live struct {
	mu      sync.Mutex
	asked   time.Time
	infos   []model.Info
	awaited bool          // a caller has waited for the first list
	done    chan struct{} // closed when the last question was answered; nil: never asked
}

// ask makes sure that the list is fresh, or becomes it, and returns a channel that is closed then.
func (l *live) ask(lister model.Lister) <-chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.done != nil && time.Since(l.asked) < liveFor {
		return l.done
	}
	done := make(chan struct{})
	l.asked, l.done = time.Now(), done
	go func() {
		defer close(done)
		ctx, cancel := context.WithTimeout(context.Background(), liveLimit)
		defer cancel()
		infos, err := lister.Models(ctx)
		l.mu.Lock()
		defer l.mu.Unlock()
		if err == nil {
			l.infos = infos
		}
	}()
	return done
}

// await makes sure that there is a list, and waits for the first one, once, until ctx ends.
func (l *live) await(ctx context.Context, lister model.Lister) {
	done := l.ask(lister)
	l.mu.Lock()
	wait := !l.awaited
	l.awaited = true
	l.mu.Unlock()
	if !wait {
		return
	}
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// fresh reports whether await would neither request the list nor wait for it.
func (l *live) fresh() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.awaited && time.Since(l.asked) < liveFor
}

func (l *live) list() []model.Info {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.infos
}

// has returns what the endpoint said of a model.
func (l *live) has(id string) (model.Info, bool) {
	for _, info := range l.list() {
		if info.ID == id {
			return info, true
		}
	}
	return model.Info{}, false
}
