//go:build linux

package soak

import (
	"bufio"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"parley.dev/parley/e2e/stage"
	"parley.dev/parley/internal/dialect/dialogue"
)

const (
	sessions = 1000
	active   = 50
	// What prompts end with: which of them makes the model call a tool, and which fills the
	// context. A conversation is cleared or summed up every round turns.
	look, enough = "look", "enough"
	round        = 6
)

// Growth that is a failure of a soak: of memory from its first half to its second, and of
// files. What is kept of a conversation, though it was summed up, counts as well.
const (
	mayGrow      = 24 << 20
	mayGrowFiles = 16
)

// TestSoak keeps each dialect busy for as long as PARLEY_SOAK says; from a minute on, growth is a failure.
func TestSoak(t *testing.T) {
	text := os.Getenv("PARLEY_SOAK")
	if text == "" {
		t.Skip("make soak runs it")
	}
	length, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	p, warm := pace{pieces: 10, every: 5 * time.Millisecond}, sessions
	serious := length >= time.Minute
	if serious {
		// Conversations grow until they have been summed up or cleared once.
		p, warm = pace{pieces: 20, every: 20 * time.Millisecond}, sessions*(round+1)
	}
	for _, s := range speakers {
		t.Run(s.Name, func(t *testing.T) {
			t.Parallel()
			k := start(t, s, p)
			k.open()
			figures := k.work(length, warm)
			k.stop()
			if serious && k.Clear == "" && k.summed < sessions {
				t.Errorf("%d conversations were summed up: fewer than there are", k.summed)
			}
			figures.report(t, serious)
		})
	}
}

// A keeper keeps one process busy.
type keeper struct {
	testing.TB
	speaker
	process  *stage.Process
	talk     dialogue.Client
	lines    chan news
	sessions []string
	turns    map[string]int // of each session
	total    int
	summed   int // conversations
}

func start(t testing.TB, s speaker, p pace) *keeper {
	place := stage.NewPlace(t)
	backend := model(t, p)
	_, env := backend.Settings()
	place.Model = modelName
	place.Env = append(place.Env, env...)
	k := &keeper{TB: t, speaker: s, process: stage.Launch(t, place.Command(t, s.Args...)), lines: make(chan news, 1024), turns: map[string]int{}, talk: dialogue.Client{Dialect: s.Dialect, Dir: place.Work}}
	go func() {
		defer close(k.lines)
		lines := bufio.NewReaderSize(k.process.Stdout, 1<<20)
		for {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			if n := s.read(line); n != (news{}) {
				k.lines <- n
			}
		}
	}()
	for _, line := range s.Hello {
		k.send(line, "", "")
	}
	return k
}

// next returns what comes next that matters.
func (k *keeper) next() news {
	k.Helper()
	n := stage.Await(k, k.lines, "a line")
	if n.wrong != "" {
		k.Fatalf("%+v; %s", n, k.process.Stderr)
	}
	return n
}

// open makes the sessions, some at a time.
func (k *keeper) open() {
	for len(k.sessions) < sessions {
		for range active {
			k.send(k.Open, "", "")
		}
		for range active {
			n := k.next()
			for n.created == "" {
				n = k.next()
			}
			k.sessions = append(k.sessions, n.created)
		}
	}
}

// work goes through the sessions, so many at a time, for so many turns until it is warm, and
// then for so long.
func (k *keeper) work(length time.Duration, warm int) (f figures) {
	begin, since := time.Now(), time.Time{}
	ticks := time.NewTicker(max(length/200, 100*time.Millisecond))
	defer ticks.Stop()
	quiet := time.NewTimer(stage.Patience)
	defer quiet.Stop()
	for _, session := range k.sessions[:active] {
		k.begin(session)
	}
	waiting := k.sessions[active:]
	for running := active; running > 0; {
		select {
		case <-ticks.C:
			if !since.IsZero() {
				f.samples = append(f.samples, sampleOf(k.process))
			}
			continue
		case <-quiet.C:
			k.Fatal("nothing comes")
		case n, ok := <-k.lines:
			quiet.Reset(stage.Patience)
			switch {
			case !ok || n.wrong != "":
				k.Fatalf("%+v; %s", n, k.process.Stderr)
			case n.ended == "":
				if n.summed {
					k.summed++
				}
				continue
			}
			if k.total++; k.total == warm {
				since = time.Now()
			}
			running--
			if since.IsZero() || time.Since(since) < length {
				waiting = append(waiting, n.ended)
				k.begin(waiting[0])
				waiting = waiting[1:]
				running++
			}
		}
	}
	f.samples = append(f.samples, sampleOf(k.process))
	f.turns, f.took = k.total, time.Since(begin)
	return f
}

// begin starts the next turn of a session.
func (k *keeper) begin(session string) {
	turn := k.turns[session]
	k.turns[session]++
	text := fmt.Sprintf("Go on with %d", turn)
	switch {
	case turn%round == round-1 && k.Clear != "":
		k.send(k.Clear, session, "")
	case turn%round == round-1:
		text += ", " + enough
	case turn%round == 2:
		text += ", " + look
	}
	k.send(k.Prompt, session, text)
}

// stop ends the process, which has no turn left.
func (k *keeper) stop() {
	begin := time.Now()
	k.process.Stdin.Close()
	if code := k.process.Code(); code != 0 {
		k.Errorf("exit code %d; %s", code, k.process.Stderr)
	}
	k.Logf("%s: the end took %s", k.speaker.Name, time.Since(begin).Round(time.Millisecond))
}

// A sample is what a process has at a moment.
type sample struct {
	memory   int64 // PSS
	files    int   // that are open, without journals and their locks
	journals int   // that are open
}

func sampleOf(p *stage.Process) sample {
	pid := p.Cmd.Process.Pid
	journals := openFiles(pid, "/journal.jsonl")
	return sample{p.Size("smaps_rollup", "Pss"), stage.Descriptors(pid) - journals - openFiles(pid, "/lock"), journals}
}

// figures is what came of it: samples from when it was warm.
type figures struct {
	samples []sample
	turns   int
	took    time.Duration
}

func (f figures) report(t *testing.T, serious bool) {
	half := len(f.samples) / 2
	if half == 0 {
		t.Fatal("there are no samples")
	}
	first, second := f.samples[:half], f.samples[half:]
	memory := func(s sample) int64 { return s.memory }
	files := func(s sample) int64 { return int64(s.files) }
	journals := func(s sample) int64 { return int64(s.journals) }
	m1, m2, f1, f2, j1, j2 := median(first, memory), median(second, memory), median(first, files), median(second, files), median(first, journals), median(second, journals)
	line := fmt.Sprintf("%d sessions, %d active, %d turns in %s: PSS %d MiB, then %d MiB; files without journals %d, then %d; journals %d, then %d",
		sessions, active, f.turns, f.took.Round(time.Second), m1>>20, m2>>20, f1, f2, j1, j2)
	t.Log(line)
	if serious {
		fmt.Fprintf(os.Stderr, "%s: %s\n", t.Name(), line)
	}
	if serious && m2-m1 > mayGrow {
		t.Errorf("memory grew by %d MiB", (m2-m1)>>20)
	}
	if serious && f2-f1 > mayGrowFiles {
		t.Errorf("files grew by %d", f2-f1)
	}
	if serious && j2-j1 > mayGrowJournals {
		t.Errorf("open journals grew by %d", j2-j1)
	}
}

// median returns what is usual: how many commands run at the moment of a sample is chance.
func median(all []sample, of func(sample) int64) int64 {
	var sizes []int64
	for _, s := range all {
		sizes = append(sizes, of(s))
	}
	slices.Sort(sizes)
	return sizes[len(sizes)/2]
}
