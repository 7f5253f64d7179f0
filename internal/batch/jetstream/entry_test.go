package jetstream

import (
	"crypto/sha256"
	"encoding/hex"
	"testing"

	"parley.dev/parley/internal/stream"
)

// FuzzDecode: a message that any client of the server can have stored is an entry of the log that its subject is of, or an error.
func FuzzDecode(f *testing.F) {
	f.Add("team.bt.b-1.s.t-1", "1", "3", uint64(4), []byte("{}"), true)
	f.Add("team.bt.b-1.l", "1", "0", uint64(1), []byte("{}"), true)
	f.Add("team.bt.b-1.s.t-1.more", "1", "0", uint64(1), []byte{}, true)
	f.Add("team.bt.b-1", "1", "0", uint64(1), []byte{}, true)
	f.Add("team.bt.b-1.c", "2", "x", uint64(1), []byte{}, false)
	f.Fuzz(func(t *testing.T, subject, version, after string, number uint64, data []byte, whole bool) {
		m := &stream.Message{Subject: subject, Seq: number, Data: data, Header: map[string]string{headerVersion: version, headerAfter: after}}
		if whole {
			sum := sha256.Sum256(data)
			m.Header[headerHash] = hex.EncodeToString(sum[:])
		}
		e, before, err := decode(m)
		if err != nil {
			return
		}
		name := subject[:max(len(subject)-len(subjectRest(subject)), 0)]
		if same, err := subjectOf(stream.Namespace{Name: name}, e.Log); err != nil || same != subject || before >= number || !whole {
			t.Errorf("the message of %q is entry %d after %d of %+v: %q, %v", subject, number, before, e.Log, same, err)
		}
	})
}

// subjectRest returns a subject without its namespace.
func subjectRest(subject string) string {
	for i := range subject {
		if subject[i] == '.' {
			return subject[i:]
		}
	}
	return ""
}
