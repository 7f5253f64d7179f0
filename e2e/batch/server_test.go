package batch

import (
	"testing"

	"parley.dev/parley/internal/stream"
	"parley.dev/parley/internal/stream/natstest"
)

// onServer moves the store of a site to a NATS server.
func (s *site) onServer() *site {
	s.Helper()
	url := natstest.Start(s.T).URL + "/e2e"
	a, err := stream.ParseAddress(url)
	if err == nil {
		err = stream.Init(s.Context(), a, stream.InitOptions{})
	}
	if err != nil {
		s.Fatal(err)
	}
	s.Env = append(s.Env, "PARLEY_STORE="+url)
	return s
}

// TestKilledWorkersOnServer kills workers whose tasks, results and sessions are on a server. A task whose worker was killed is
// delivered again after 30 s.
func TestKilledWorkersOnServer(t *testing.T) {
	t.Parallel()
	newSite(t).onServer().killWorkers(killedTasks(), afterEach(killedTasks()/8))
}
