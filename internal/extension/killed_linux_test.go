package extension

import (
	"errors"
	"testing"
	"time"

	"parley.dev/parley/internal/boottime"
)

// TestKilled: extensions whose process the Watchdog of the commands kills have failed because of it.
func TestKilled(t *testing.T) {
	const limit = time.Hour
	o := optionsFor(t)
	w := o.Spawner.Watch(limit, errors.New("the store could not be reached for 12 s"))
	p := &player{}
	start(t, o, p, module(t, "x.mjs", `export default () => {}`))
	w.Renew(boottime.Now() - limit)
	p.await(func() bool { return len(p.failures) > 0 })
	if f, want := p.failed()[0], "the process of the extensions was killed: the store could not be reached for 12 s"; f.Event != "host" || f.Problem != want {
		t.Errorf("%+v, want %s", f, want)
	}
}
