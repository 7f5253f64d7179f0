package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/e2e/client"
	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/model/modeltest"
)

// counted is what a run wrote.
type counted struct {
	bytes, lines int
	text         string // of the deltas
}

// count reads to the end of the run.
func count(s *client.Pisces) (c counted) {
	s.T.Helper()
	for {
		l := s.Must()
		c.bytes += len(l.Raw)
		c.lines++
		switch l.Type {
		case "message_update":
			var update struct {
				Event struct {
					Delta string `json:"delta"`
				} `json:"assistantMessageEvent"`
			}
			if err := json.Unmarshal([]byte(l.Raw), &update); err != nil {
				s.T.Fatal(err)
			}
			c.text += update.Event.Delta
		case "agent_end":
			return c
		}
	}
}

// TestPiscesDeltas: twenty thousand deltas come in order and whole. Every update repeats the
// message, so those that come faster than the stated rate of updates are merged.
func TestPiscesDeltas(t *testing.T) {
	t.Parallel()
	parts, want := numbered(20_000)
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(parts...))
	s := b.place(t).pisces(t)
	begun := time.Now()
	s.Prompt("count")
	c := count(s)
	took := time.Since(begun)
	if c.text != want {
		t.Errorf("the answer has %d bytes, want %d", len(c.text), len(want))
	}
	t.Logf("%d bytes in %d lines and %v", c.bytes, c.lines, took)
	if most := 10<<20 + took.Seconds()*(48<<20); float64(c.bytes) > most {
		t.Errorf("%d bytes in %v are too many", c.bytes, took)
	}
	s.Leave()
}

// TestPiscesStalledReader: a client that reads nothing until the model has said everything
// gets everything, and costs no memory to speak of.
func TestPiscesStalledReader(t *testing.T) {
	t.Parallel()
	parts, want := numbered(20_000)
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(parts...))
	s := b.place(t).pisces(t)
	idle := s.Memory("VmRSS")
	s.Send(map[string]string{"type": "prompt", "message": "count"})
	stage.Await(t, b.finished, "the model to finish") // nothing was read until now
	if got := count(s); got.text != want {
		t.Errorf("%d bytes of text, want %d, or in another order", len(got.text), len(want))
	}
	peak := s.Memory("VmHWM")
	t.Logf("resident memory: idle %d KiB, peak %d KiB", idle>>10, peak>>10)
	if grown := peak - idle; grown > 64<<20 {
		t.Errorf("memory grew by %d MiB", grown>>20)
	}
	s.Leave()
}

// TestPiscesFlood: a command that prints 100 MB costs an answer of 50 KiB, little memory, and
// more of it is kept where the answer says.
func TestPiscesFlood(t *testing.T) {
	t.Parallel()
	b := newBackend(t, modeltest.OpenAIChat, modeltest.Stream(modeltest.Text("Here.")))
	p := b.place(t)
	s := p.pisces(t)
	s.Turn("hello")
	var r struct {
		Output     string `json:"output"`
		Truncated  bool   `json:"truncated"`
		TotalBytes int64  `json:"totalBytes"`
		ArtifactID string `json:"artifactId"`
	}
	s.Request("bash", map[string]any{"command": "yes | head -c 100000000; echo last"}, &r)
	if len(r.Output) > 50<<10 || !strings.HasSuffix(r.Output, "y\nlast\n") || !r.Truncated || r.TotalBytes != 100_000_005 {
		t.Errorf("%d bytes of output, truncated %t, %d in all", len(r.Output), r.Truncated, r.TotalBytes)
	}
	kept, _ := filepath.Glob(filepath.Join(p.State(), "sessions", "*", "blobs", r.ArtifactID)) // no pattern of ours is bad
	if info, err := os.Stat(strings.Join(kept, "")); err != nil || info.Size() < 1<<20 {
		t.Errorf("the artifact %q is %v, %v", r.ArtifactID, kept, err)
	}
	peak := s.Memory("VmHWM")
	t.Logf("peak memory %d MiB, artifact %s", peak>>20, r.ArtifactID)
	if peak > 160<<20 {
		t.Errorf("peak memory is %d MiB", peak>>20)
	}
	s.Leave()
}
