package journal

import (
	"os"
	"testing"
)

// TestErrorTexts: an error of a session that cannot be opened says what can be done.
func TestErrorTexts(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{&LockedError{ID: "s", PID: 1}, "session s is in use by process 1: wait until nothing runs there, or end that process"},
		{&LockedError{ID: "s"}, "session s is in use by another process: wait until nothing runs there, or end that process"},
		{&LockedError{ID: "s", PID: os.Getpid(), Socket: "/h"}, "session s is in use by another session of this process"},
		{&LockedError{ID: "s", PID: 1, Socket: "/h"}, "session s is in use by process 1, a host: join the session there with parley tui, or a client with --host unix:/h, or wait until its clients have left it"},
		{&LockedError{ID: "s", PID: 1, Owner: "h-1.2", Host: "m"}, "session s is in use by process 1 on host m (h-1.2): stop it there, or connect to that host"},
		{&LockedError{ID: "s", Owner: "h-1.2", Host: "m"}, "session s is in use on host m (h-1.2): stop it there, or connect to that host"},
		{&DamageError{ID: "s", Path: "/j", Offset: 9, Seq: 4, Reason: "why"}, "/j is damaged at byte 9 (record 4): why; run `parley sessions repair s`, which keeps the records before it"},
		{&DamageError{Path: "/blob", Reason: "why"}, "/blob is damaged: why"},
		{&DamageError{Path: "stream", Offset: 9, Seq: 4, Reason: "why"}, "stream is damaged at byte 9 (record 4): why"},
	} {
		if got := c.err.Error(); got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
