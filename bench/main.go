// Bench measures the built program from outside: how fast it starts, what it adds to a model,
// what it costs in memory, and how it holds up with long and many sessions, in each dialect,
// beside a floor program and, where they are installed, other agents. It needs no network.
// docs/performance.md says what each figure means.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"time"

	"parley.dev/parley/bench/mock"
	"parley.dev/parley/bench/report"
	"parley.dev/parley/internal/model/modeltest"
)

// options is the command line.
type options struct {
	program string
	floor   string
	peers   string
	out     string
	dir     string
	only    string
	names   string
	wire    string
	rounds  int
	servers int
	quick   bool
}

func parse(args []string) (o options, err error) {
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.StringVar(&o.program, "program", "bin/parley", "the program that is measured")
	flags.StringVar(&o.floor, "floor", "bin/floor", "the floor program")
	flags.StringVar(&o.peers, "peers", os.Getenv("PARLEY_BENCH_PEERS"), "a folder in which npm has installed other agents; those in PATH are found anyway (PARLEY_BENCH_PEERS)")
	flags.StringVar(&o.out, "out", "bench/results", "the folder for latest.md, latest.json and latest.svg")
	flags.StringVar(&o.dir, "dir", os.TempDir(), "a folder for what is written meanwhile; figures with a journal depend on its disk")
	flags.StringVar(&o.only, "only", "", "measure only figures whose id matches this expression")
	flags.StringVar(&o.names, "dialects", "", "measure only these, with commas, beside the floor; none: all, and other agents")
	flags.StringVar(&o.wire, "wire", "chat", "how our program asks the model: chat, responses or anthropic")
	flags.IntVar(&o.rounds, "rounds", 0, "how often everything is measured; 0: as often as is usual")
	flags.IntVar(&o.servers, "servers", 1, "how many NATS servers have the store: 1, 3 or 5")
	flags.BoolVar(&o.quick, "quick", false, "a run of less than a minute, whose figures are for information")
	return o, flags.Parse(args)
}

func main() {
	debug.SetGCPercent(400) // the one that measures shall not stand in the way
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
	case errors.Is(err, errCommandLine):
		os.Exit(2)
	default:
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

// errCommandLine is the error of a command line that was reported as wrong.
var errCommandLine = errors.New("the command line is wrong")

// run runs what the command line names: a measurement, or bench cluster.
func run(ctx context.Context, args []string) error {
	if len(args) > 0 && args[0] == "cluster" {
		o, err := parseCluster(args[1:])
		if err != nil {
			return err
		}
		return simulate(ctx, o, func(text string) { fmt.Print(text) })
	}
	o, err := parse(args)
	if errors.Is(err, flag.ErrHelp) {
		return err
	}
	if err != nil {
		return errCommandLine
	}
	return measure(ctx, o, func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) })
}

// measure does a whole run, and writes it to o.out.
func measure(ctx context.Context, o options, logf func(string, ...any)) error {
	b, err := newBench(o, logf)
	if err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- b.all() }()
	select {
	case err = <-done:
	case <-ctx.Done():
		return errors.Join(errors.New("interrupted"), b.end())
	}
	return errors.Join(err, b.end(), write(&b.run, o.out))
}

// end stops the model and the servers, and removes what was written meanwhile.
func (b *bench) end() error {
	if b.servers != nil {
		b.servers.Close()
	}
	return errors.Join(b.model.Close(), os.RemoveAll(b.dir))
}

var wires = map[string]modeltest.Wire{"chat": modeltest.OpenAIChat, "responses": modeltest.OpenAIResponses, "anthropic": modeltest.Anthropic}

// newBench gets everything ready that the command line asks for.
func newBench(o options, logf func(string, ...any)) (*bench, error) {
	b := &bench{size: full, wire: wires[o.wire], logf: logf}
	if b.wire == "" {
		return nil, fmt.Errorf("no such wire: %s", o.wire)
	}
	if o.quick {
		b.size = quick
	}
	if o.rounds > 0 {
		b.size.rounds = o.rounds
	}
	b.size.servers = o.servers
	var err error
	if b.only, err = regexp.Compile(o.only); err != nil {
		return nil, err
	}
	if b.subjects, err = subjects(o, logf); err != nil {
		return nil, err
	}
	for _, s := range b.subjects {
		b.run.Programs = append(b.run.Programs, report.Program{Name: s.Name, Command: strings.Join(slices.Concat([]string{filepath.Base(s.path)}, s.Args, s.args), " "), Ours: s.ours})
	}
	if b.dir, err = os.MkdirTemp(o.dir, "parley-bench-"); err != nil {
		return nil, err
	}
	if b.dir, err = filepath.EvalSymlinks(b.dir); err != nil {
		return nil, err
	}
	if b.run.Head, err = head(b.dir); err != nil {
		return nil, err
	}
	b.run.Head.Rounds, b.run.Head.Wire, b.run.Head.Quick = b.size.rounds, o.wire, o.quick
	if o.quick {
		b.run.Head.Reduced = fmt.Sprintf("lists of %d sessions instead of %d, no journal of 100 MB, at most 100 sessions, a host with at most %d clients and %d missed records, on NATS servers sessions of %d MiB and no takeover", quick.listed, full.listed, quick.crowd, quick.missed, quick.opened)
	}
	b.model, err = mock.New()
	return b, err
}

// subjects returns what is measured, the floor first.
func subjects(o options, logf func(string, ...any)) ([]subject, error) {
	program, err := executable(o.program)
	if err != nil {
		return nil, err
	}
	least, err := executable(o.floor)
	if err != nil {
		return nil, err
	}
	var names []string
	if o.names != "" {
		names = strings.Split(o.names, ",")
	}
	list := []subject{{dialect: floor, path: least}}
	var known []string
	for _, d := range append(slices.Clip(ours), host, onServers) {
		known = append(known, d.Name)
		if names == nil || slices.Contains(names, d.Name) {
			list = append(list, subject{dialect: d, path: program, ours: true})
		}
	}
	for _, p := range peers {
		known = append(known, p.Name)
		if names != nil && !slices.Contains(names, p.Name) {
			continue
		}
		path, err := p.find(o.peers)
		if err != nil {
			logf("%s is left out: %v", p.Name, err)
			continue
		}
		list = append(list, subject{dialect: p.dialect, path: path, env: p.env, files: p.files})
	}
	for _, n := range names {
		if !slices.Contains(known, n) {
			return nil, fmt.Errorf("there is no %q: %s", n, strings.Join(known, ", "))
		}
	}
	return list, nil
}

func executable(path string) (string, error) {
	abs, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(abs); err != nil {
		return "", fmt.Errorf("%w: make bench builds it", err)
	}
	return abs, nil
}

// syncs is how many records are written to learn what the disk takes for one.
const syncs = 21

// head returns what is known of the machine.
func head(dir string) (report.Head, error) {
	h := report.Head{
		Machine: machineOf(text("/proc/cpuinfo")), Cores: runtime.NumCPU(), Kernel: runtime.GOOS + " " + strings.TrimSpace(text("/proc/sys/kernel/osrelease")),
		Go: runtime.Version(), Revision: revision(), Date: time.Now(), Load: loadOf(text("/proc/loadavg")),
	}
	f, err := os.Create(filepath.Join(dir, "sync"))
	if err != nil {
		return h, err
	}
	defer f.Close()
	var took report.Sample
	for range syncs {
		if _, err := f.WriteString(strings.Repeat("x", 300) + "\n"); err != nil {
			return h, err
		}
		begin := mock.Now()
		if err := f.Sync(); err != nil {
			return h, err
		}
		took = append(took, (mock.Now() - begin).Seconds())
	}
	h.Sync = took.Median()
	return h, nil
}

func text(path string) string {
	b, _ := os.ReadFile(path) // other systems have no such file
	return string(b)
}

// revision returns the git revision of the folder in which the run was started.
func revision() string {
	out, err := exec.Command("git", "describe", "--always", "--dirty", "--abbrev=12").Output()
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(out))
}

// write puts the run into a folder, in all its forms.
func write(run *report.Run, folder string) error {
	if unknown := run.Unknown(); len(unknown) > 0 {
		return fmt.Errorf("figures that no table knows: %s", strings.Join(unknown, ", "))
	}
	picture, err := run.SVG()
	if err != nil {
		return err
	}
	data, err := run.JSON()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{"latest.md": run.Markdown(), "latest.json": string(data), "latest.svg": picture} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}
