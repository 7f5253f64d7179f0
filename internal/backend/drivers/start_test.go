package drivers

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"

	"parley.dev/parley/internal/backend"
)

// A gatedBackend opens an agent, or fails, when it receives so.
type gatedBackend struct {
	begun chan struct{}
	open  chan error
}

func (b gatedBackend) Open(context.Context, backend.Opening) (backend.Agent, error) {
	b.begun <- struct{}{}
	return fakeAgent{}, <-b.open
}

// TestFirstStart: the first agent of a back end starts alone; a wait for it can be ended; once it has started or failed, agents
// start beside each other, as those of another back end do at any time.
func TestFirstStart(t *testing.T) {
	for name, result := range map[string]error{"started": nil, "failed": errors.New("no such program")} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				b := gatedBackend{make(chan struct{}, 5), make(chan error)}
				var all starts
				results := make(chan error, 5)
				start := func(ctx context.Context, name string) {
					go func() {
						_, err := watched{Backend: b, name: name, starts: &all}.Open(ctx, backend.Opening{})
						results <- err
					}()
					synctest.Wait()
				}
				begun := func(want int) {
					t.Helper()
					if len(b.begun) != want {
						t.Fatalf("%d starts have begun, not %d", len(b.begun), want)
					}
				}
				start(t.Context(), "a")
				start(t.Context(), "a")
				start(t.Context(), "a")
				begun(1)
				start(t.Context(), "b")
				begun(2)
				ended, end := context.WithCancel(t.Context())
				end()
				start(ended, "a")
				if err := <-results; !errors.Is(err, context.Canceled) {
					t.Errorf("a wait that was ended returns %v", err)
				}
				b.open <- result // to a or b
				b.open <- result
				for range 2 {
					if err := <-results; !errors.Is(err, result) {
						t.Errorf("the first start: %v", err)
					}
				}
				synctest.Wait()
				begun(4)
				b.open <- nil
				b.open <- nil
				for range 2 {
					if err := <-results; err != nil {
						t.Errorf("a later start: %v", err)
					}
				}
			})
		})
	}
}
