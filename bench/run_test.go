package main

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json"

	"parley.dev/parley/bench/report"
	"parley.dev/parley/internal/transcript"
)

// small measures everything, and hardly anything of it.
var small = size{
	rounds: 1, starts: 1, prompts: 2, paced: 20, long: 30, slow: 40, fast: 200, tools: 2,
	sessions: []int{1, 10}, used: 2, streams: 3, journals: []int{1}, listed: 60,
	beside: 1, crowd: 3, attached: 2, busy: 20, asked: 1, missed: 40, typed: 200,
	servers: 1, appends: 5, frames: 2, opened: 1, tasks: 3, turns: 1, turnDeltas: 10, moves: 2,
	idle: 20 * time.Millisecond, settled: 20 * time.Millisecond,
}

// testOptions returns a command line that measures the program as it is now.
func testOptions(t *testing.T, dialects string) options {
	t.Helper()
	transcript.BuildHost(t)
	o, err := parse([]string{"-program", transcript.BuildConsole(t), "-floor", filepath.Join(t.TempDir(), "floor"), "-dir", t.TempDir(), "-out", t.TempDir(), "-dialects", dialects})
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "run", "-exec", "cp", "./floor", o.floor).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return o
}

// TestRounds: each round opens a session that ends as it was made, though the one before had a turn in it. What could not be
// measured is an error, and all else is measured.
func TestRounds(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("a console is measured on Linux only")
	}
	o := testOptions(t, "host")
	o.only = "tui-open"
	b, err := newBench(o, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	b.size = small
	b.size.rounds = 2
	if err := b.all(); err != nil {
		t.Error(err)
	}
	b.subjects[len(b.subjects)-1].path = "/nowhere"
	if err := b.all(); err == nil || strings.Count(err.Error(), "could not be measured") != 2 {
		t.Errorf("without a program: %v", err)
	}
	if err := b.end(); err != nil {
		t.Error(err)
	}
}

// TestRun measures the floor, one dialect, a host and the store on servers once: every figure comes out, in every form.
func TestRun(t *testing.T) {
	o := testOptions(t, "flint,host,store")
	b, err := newBench(o, t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	b.size = small
	if err := b.all(); err != nil {
		t.Fatal(err)
	}
	if err := b.end(); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(o.dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
	if err := write(&b.run, o.out); err != nil {
		t.Fatal(err)
	}
	absent := []string{"sessions-100", "sessions-1000", "resume-10", "resume-10-memory", "resume-100", "resume-100-memory", "slow-bytes", "takeover"} // not in a small run, or not of Flint
	if b.noServers {
		absent = append(absent, figuresOf(subject{dialect: onServers})...)
	}
	for _, f := range report.Figures() {
		sample := slices.Concat(b.run.Samples[f.ID]["flint"], b.run.Samples[f.ID]["host"], b.run.Samples[f.ID]["store"])
		switch {
		case slices.Contains(absent, f.ID), runtime.GOOS != "linux" && (f.Unit == report.Memory || strings.HasSuffix(f.ID, "-cpu")):
		case len(sample) == 0:
			t.Errorf("%s was not measured", f.ID)
		case sample.Median() <= 0 && f.Unit != report.Memory && !strings.HasSuffix(f.ID, "-added") || math.IsNaN(sample.Median()): // less than before is possible
			t.Errorf("%s is %v", f.ID, sample)
		}
	}
	for _, id := range []string{"cold-start", "request", "first-delta", "delta-p50", "throughput", "shell-round", "read-round", "exit", "delta-bytes"} {
		if len(b.run.Samples[id][report.Floor]) == 0 {
			t.Errorf("%s of the floor was not measured", id)
		}
	}
	text, err := os.ReadFile(filepath.Join(o.out, "latest.json"))
	if err != nil {
		t.Fatal(err)
	}
	var written struct {
		Results []struct{ Figure, Program string }
	}
	if err := json.Unmarshal(text, &written, json.MatchCaseInsensitiveNames(true)); err != nil || len(written.Results) < 30 {
		t.Errorf("%d results, %v", len(written.Results), err)
	}
}

// figuresOf returns the figures that are measured of a subject.
func figuresOf(s subject) (ids []string) {
	for _, m := range measurements {
		if m.of(s) {
			ids = append(ids, m.figures...)
		}
	}
	return ids
}

// TestDialects starts each dialect, and has a turn, a tool round and an end of it.
func TestDialects(t *testing.T) {
	for _, d := range ours {
		t.Run(d.Name, func(t *testing.T) {
			o := testOptions(t, d.Name)
			o.only = "^(cold-start|request|slow-bytes|shell-round|read-round|resume-1)$"
			b, err := newBench(o, t.Logf)
			if err != nil {
				t.Fatal(err)
			}
			b.size = small
			if err := b.all(); err != nil {
				t.Error(err)
			}
			if err := b.end(); err != nil {
				t.Error(err)
			}
			figures := []string{"cold-start", "request", "exit", "shell-round", "read-round"}
			if d.repeats {
				figures = append(figures, "slow-bytes")
			}
			for _, id := range figures {
				if len(b.run.Samples[id][d.Name]) == 0 {
					t.Errorf("%s was not measured", id)
				}
			}
		})
	}
}

// TestOptions: what cannot be measured is said before anything starts.
func TestOptions(t *testing.T) {
	good := testOptions(t, "")
	for name, test := range map[string]struct {
		change func(*options)
		want   string
	}{
		"dialect":    {func(o *options) { o.names = "klingon" }, `there is no "klingon"`},
		"wire":       {func(o *options) { o.wire = "telex" }, "no such wire: telex"},
		"program":    {func(o *options) { o.program = "nowhere" }, "make bench builds it"},
		"expression": {func(o *options) { o.only = "(" }, "missing closing"},
	} {
		t.Run(name, func(t *testing.T) {
			o := good
			test.change(&o)
			if _, err := newBench(o, t.Logf); err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}
