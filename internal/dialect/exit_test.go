package dialect

import "testing"

func TestExitCode(t *testing.T) {
	open, closed := make(chan struct{}), make(chan struct{})
	close(closed)
	for _, test := range []struct {
		code    int
		gone    chan struct{}
		unsaved bool
		want    int
	}{
		{ExitOK, open, false, ExitOK},
		{ExitOK, nil, false, ExitOK},
		{ExitOK, closed, false, ExitFailed},
		{ExitOK, open, true, ExitFailed},
		{ExitOK, nil, true, ExitFailed},
		{ExitInternal, closed, true, ExitInternal},
		{ExitInternal, open, false, ExitInternal},
	} {
		if got := exitCode(test.code, test.gone, test.unsaved); got != test.want {
			t.Errorf("%d became %d, want %d", test.code, got, test.want)
		}
	}
}

func TestAwait(t *testing.T) {
	Await(func() {}, func() { t.Error("hurried for nothing") }, nil, make(chan struct{}))
	for _, name := range []string{"gone", "stop"} {
		signals := map[string]chan struct{}{"gone": make(chan struct{}), "stop": nil}
		if name == "stop" {
			signals["gone"], signals["stop"] = nil, signals["gone"]
		}
		hurried, ended, times := make(chan struct{}), false, 0
		Await(func() {
			close(signals[name])
			<-hurried // it would never end by itself
			ended = true
		}, func() { times++; close(hurried) }, signals["gone"], signals["stop"])
		if !ended || times != 1 {
			t.Errorf("%s: ended %t, hurried %d times", name, ended, times)
		}
	}
}
