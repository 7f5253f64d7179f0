package transcript

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the expected lines of transcripts anew where they differ")

// Run plays every transcript of o.Glob as a parallel subtest named for its file.
func Run(t *testing.T, o Options) {
	t.Helper()
	paths, err := filepath.Glob(o.Glob)
	if err != nil {
		t.Fatal(err)
	}
	if len(paths) == 0 {
		t.Fatalf("no transcript matches %s", o.Glob)
	}
	if (o.Binary == "") == (o.Serve == nil) {
		t.Fatal("transcript.Options needs either Binary or Serve")
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)), func(t *testing.T) {
			t.Parallel()
			runFile(t, path, o)
		})
	}
}

func runFile(t *testing.T, path string, o Options) {
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	s, err := parse(path, data)
	if err != nil {
		t.Fatal(err)
	}
	if o.Binary == "" && s.kills() {
		t.Skip("kills the program, which needs a process")
	}
	if o.Again && testing.Short() && !s.kills() {
		t.Skip("with -short it is played in process only")
	}
	if _, err := exec.LookPath("git"); s.git && err != nil {
		t.Skip("needs the git program, which is not installed")
	}
	if s.confined && !o.Confines {
		t.Skip("needs a machine that can confine commands")
	}
	err = limited(t, o, func(ctx context.Context) error { return perform(ctx, s, o, t.TempDir()) })
	if err != nil && *update {
		err = limited(t, o, func(ctx context.Context) error { return rewrite(ctx, s, o, t.TempDir()) })
	}
	if err != nil {
		t.Error(err)
	}
}

// limited runs f within the time that o allows.
func limited(t *testing.T, o Options, f func(context.Context) error) error {
	limit := o.Limit
	if limit == 0 {
		limit = defaultLimit
	}
	late := fmt.Errorf("the transcript took longer than %s", limit)
	ctx, cancel := context.WithTimeoutCause(t.Context(), limit, late)
	stacks := make(chan []byte)
	go func() {
		<-ctx.Done()
		var text []byte
		if o.Serve != nil && errors.Is(context.Cause(ctx), late) {
			text = make([]byte, 1<<20)
			text = text[:runtime.Stack(text, true)]
		}
		stacks <- text
	}()
	err := f(ctx)
	cancel()
	if text := <-stacks; len(text) > 0 {
		t.Logf("what the program did then:\n%s", text)
	}
	return err
}
