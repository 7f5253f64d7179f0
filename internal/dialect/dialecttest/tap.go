package dialecttest

import (
	"bytes"
	"context"
	"io"
	"path/filepath"
	"sync"
)

// Tapped is serve whose lines are shown, each before it goes on: what it reads to sent, what
// it writes to said. When it has ended, ended gets what came after the last whole line. Of
// the three, one runs at a time.
func Tapped(serve Server, sent, said func(line []byte), ended func(rest string)) Server {
	return func(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer, env []string) int {
		var mu sync.Mutex
		locked := func(each func([]byte)) func([]byte) {
			return func(line []byte) {
				mu.Lock()
				defer mu.Unlock()
				each(line)
			}
		}
		in := &lineTap{to: io.Discard, each: locked(sent)}
		out := &lineTap{to: stdout, each: locked(said)}
		code := serve(ctx, args, io.TeeReader(stdin, in), out, stderr, env)
		mu.Lock()
		defer mu.Unlock()
		ended(out.rest.String())
		return code
	}
}

// A lineTap shows each whole line that is written through it, before it goes on.
type lineTap struct {
	to   io.Writer
	each func(line []byte)
	rest bytes.Buffer
}

func (l *lineTap) Write(p []byte) (int, error) {
	l.rest.Write(p)
	for {
		i := bytes.IndexByte(l.rest.Bytes(), '\n')
		if i < 0 {
			break
		}
		l.each(bytes.Clone(l.rest.Next(i + 1)[:i]))
	}
	return l.to.Write(p)
}

// Report reports problems of a process, by the name of the test or transcript that started it.
func Report(t Tester, env, problems []string) {
	t.Helper()
	of := filepath.Base(filepath.Dir(filepath.Dir(Getenv(env)("PWD"))))
	for _, problem := range problems {
		t.Errorf("%s: %s", of, problem)
	}
}
