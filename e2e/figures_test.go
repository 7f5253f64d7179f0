package e2e

import (
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"
	"time"

	"parley.dev/parley/internal/model/modeltest"
)

// The figures that the design has budgets for. They are of this machine and this moment.

// BenchmarkColdStart is from the start of the process to its ready, with the CPU time that
// it has used when it ends at once.
func BenchmarkColdStart(b *testing.B) {
	p := newPlace(b)
	p.serve(b).exit() // the binary is built, and in memory
	var starts, cpus []time.Duration
	for b.Loop() {
		begin := time.Now()
		s := p.serve(b)
		starts = append(starts, time.Since(begin))
		s.exit()
		cpus = append(cpus, s.cpu())
	}
	b.ReportMetric(milliseconds(median(starts)), "ms/ready")
	b.ReportMetric(milliseconds(median(cpus)), "cpu-ms")
}

// BenchmarkIdle is the memory of a server that waits for its first prompt.
func BenchmarkIdle(b *testing.B) {
	p := newPlace(b)
	for b.Loop() {
		s := p.serve(b)
		b.ReportMetric(float64(s.memory("VmRSS"))/(1<<20), "MiB-rss")
		b.ReportMetric(float64(s.proc("smaps_rollup", "Pss"))/(1<<20), "MiB-pss")
		s.exit()
	}
}

// BenchmarkDeltas is a turn of 20,000 deltas from a local server that has them ready.
func BenchmarkDeltas(b *testing.B) {
	const deltas = 20_000
	parts, _ := numbered(deltas)
	p := newPlace(b)
	(&backend{wire: modeltest.OpenAIChat, url: instant(b, modeltest.OpenAIChat.Render(modeltest.Stream(parts...)))}).use(p)
	start := startCPU(b, p)
	var turns, cpus []time.Duration
	for b.Loop() {
		s := p.serve(b)
		begin := time.Now()
		s.prompt("count")
		s.wantCompleted()
		turns = append(turns, time.Since(begin))
		s.exit()
		cpus = append(cpus, s.cpu()-start)
	}
	b.ReportMetric(deltas/median(turns).Seconds(), "deltas/s")
	b.ReportMetric(milliseconds(median(cpus)), "cpu-ms/turn")
}

// instant is a server that answers every request with the same stream, at once.
func instant(b *testing.B, stream string) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, stream)
	}))
	b.Cleanup(server.Close)
	return server.URL
}

// startCPU is what a server of the place uses before its first prompt, and for its end.
func startCPU(b *testing.B, p *place) time.Duration {
	s := p.serve(b)
	s.exit()
	return s.cpu()
}

// cpu is what the process has used, once it is gone.
func (s *server) cpu() time.Duration {
	return s.cmd.ProcessState.UserTime() + s.cmd.ProcessState.SystemTime()
}

func median(list []time.Duration) time.Duration {
	slices.Sort(list)
	return list[len(list)/2]
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
