package batch

import (
	"bufio"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"parley.dev/parley/e2e/stage"
)

// get requests a page of a worker as a server of a name.
func (s *site) get(url, host string) (code int, text string) {
	s.Helper()
	r, err := http.NewRequestWithContext(s.Context(), http.MethodGet, url, http.NoBody)
	if err != nil {
		s.Fatal(err)
	}
	r.Host = host
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		s.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// awaitMetrics requests the metrics of a worker until all lines are there.
func (s *site) awaitMetrics(url string, lines ...string) {
	s.Helper()
	text := ""
	for end := time.Now().Add(stage.Patience); time.Now().Before(end); {
		_, text = s.get(url+"/metrics", "")
		missing := false
		for _, line := range lines {
			missing = missing || !strings.Contains(text, "\n"+line+"\n")
		}
		if !missing {
			return
		}
	}
	s.Fatalf("the metrics lack one of %q:\n%s", lines, text)
}

// TestMetrics: a worker that listens serves the numbers of waiting and running tasks and the outcomes of attempts, with either store.
func TestMetrics(t *testing.T) {
	t.Parallel()
	for name, prepare := range map[string]func(*site){"file": func(*site) {}, "server": func(s *site) { s.onServer() }} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			prepare(s)
			worker := stage.Launch(t, s.Command(t, "worker", "--json", "--listen", "127.0.0.1:0"))
			line := bufio.NewScanner(worker.Stdout)
			if !line.Scan() {
				t.Fatalf("the worker is not ready: %s", worker.Stderr)
			}
			url := decode[struct{ URL string }](t, line.Text()).URL
			for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/metrics": 200, "/": 404, "/v1/native": 404} {
				if code, text := s.get(url+path, ""); code != want {
					t.Errorf("%s: %d %s, want %d", path, code, text, want)
				}
			}
			if code, _ := s.get(url+"/metrics", "evil.example"); code != 403 {
				t.Errorf("the page of another host reads metrics: %d", code)
			}
			s.awaitMetrics(url, "parley_worker_slots 1", "parley_worker_slots_busy 0", `parley_batch_tasks{queue="default",state="queued"} 0`)
			opened := filepath.Join(s.Root, "opened")
			wait := `"verify":["until [ -e ` + opened + ` ]; do sleep 0.1; done"]`
			s.tasks(task("a", "list files", wait), task("b", "list files", wait), task("c", "list files", `"verify":["false"],"retry_on":["verify"]`))
			id := s.submit("--repo", s.repo, "--model", "offline/demo")
			s.awaitMetrics(url, "parley_worker_slots_busy 1", `parley_batch_tasks{queue="default",state="queued"} 2`, `parley_batch_tasks{queue="default",state="running"} 1`)
			if err := os.WriteFile(opened, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			s.awaitMetrics(url, "parley_worker_slots_busy 0", `parley_batch_attempts_total{outcome="done"} 2`, `parley_batch_attempts_total{outcome="retry"} 1`)
			s.parley(0, "batch", "cancel", id)
			worker.Signal(15)
			if code := worker.Code(); code != 0 {
				t.Errorf("the worker ended with %d: %s", code, worker.Stderr)
			}
		})
	}
	s := newSite(t)
	if _, text := s.parley(2, "worker", "--listen", "0.0.0.0:0"); !strings.Contains(text, "only this machine") {
		t.Errorf("an address that other machines reach: %s", text)
	}
}
