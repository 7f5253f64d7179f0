package tunnel

import (
	"bytes"
	"testing"
)

// FuzzReceive gives a side messages of another that does not keep to the rules: its memory stays bounded, and what
// is decoded is what was encoded.
func FuzzReceive(f *testing.F) {
	for _, m := range []message{{kindData, 1, 0, []byte("a")}, {kindEnd, 1, 0, nil}, {kindClose, 1, 0, nil}, {kindPing, 0, 0, nil}} {
		f.Add(m.append(nil), m.append(nil))
	}
	f.Add([]byte("d"), []byte{})
	f.Fuzz(func(t *testing.T, first, second []byte) {
		c, err := New(discard{}, "a", "b", DefaultSilence)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		for range 20 {
			for _, data := range [][]byte{first, second} {
				c.receive(data)
				if m, err := decode(data); err == nil && !bytes.Equal(m.append(nil), data) {
					t.Errorf("%v is encoded as another message", m)
				}
			}
		}
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.buffered > Window || c.reported > c.sent {
			t.Errorf("%d bytes are buffered, and %d of %d were read", c.buffered, c.reported, c.sent)
		}
	})
}

// A discard is a feed on which nothing arrives.
type discard struct{}

func (discard) Send(string, []byte) error                    { return nil }
func (discard) Receive(string, func([]byte)) (func(), error) { return func() {}, nil }
