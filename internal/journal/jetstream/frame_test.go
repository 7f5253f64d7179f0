package jetstream

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/chain"
)

func sampleFrames() []*frame {
	hash := chain.HashSum{1, 2, 3}
	return []*frame{
		{kind: kindCreate, first: 1, head: 2, hash: hash, epoch: 1, owner: "h.1", pid: 7, host: "büro 1", id: "1.1", lines: []byte("a\nb\n")},
		{kind: kindAppend, first: 3, head: 9, hash: hash, epoch: 1, owner: "h.1", id: "1.2", body: &blobReference{strings.Repeat("a", 64), 1 << 40}},
		{kind: kindClaim, first: 10, head: 9, hash: hash, epoch: 2, owner: "k.2", id: "2.1"},
		{kind: kindRelease, first: 10, head: 9, hash: hash, epoch: 2, owner: noOwner, id: "2.2"},
		{kind: kindRemove, first: 10, head: 9, hash: hash, epoch: 3, owner: "k.2", id: "3.3", blobs: 17, index: 4},
	}
}

func TestFrame(t *testing.T) {
	all := sampleFrames()
	for i, f := range all {
		m := f.message("s")
		m.Header["Parley-Later"] = "an unknown header is ignored"
		got, err := decodeFrame(m)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(f, got, cmp.AllowUnexported(frame{}, blobReference{})); diff != "" {
			t.Errorf("frame %d (-want +got):\n%s", i, diff)
		}
		for k, other := range all {
			if f.sameAs(other) != (i == k) {
				t.Errorf("frame %d is the same as %d", i, k)
			}
		}
	}
}

func TestFrameRefused(t *testing.T) {
	for header, value := range map[string]string{
		"Parley-V": "2", "Parley-Kind": "", "Parley-First": "-1", "Parley-Head": "x", "Parley-Hash": "00", "Parley-Epoch": "",
		"Parley-Pid": "9223372036854775808", "Parley-Body": "../x 1",
	} {
		m := sampleFrames()[0].message("s")
		m.Header[header] = value
		if _, err := decodeFrame(m); err == nil {
			t.Errorf("a frame with %s: %q is accepted", header, value)
		} else if _, damaged := errors.AsType[*journal.DamageError](err); damaged == (header == "Parley-V") {
			t.Errorf("a frame with %s: %q: %v, damage: %t", header, value, err, damaged)
		} else if header == "Parley-V" && !strings.Contains(err.Error(), "newer version") {
			t.Errorf("a frame of a later version: %v", err)
		}
	}
}

// FuzzFrame decodes any headers. A frame that is accepted has the same headers again.
func FuzzFrame(f *testing.F) {
	for _, frame := range sampleFrames() {
		h := frame.message("s").Header
		f.Add(h["Parley-Kind"], h["Parley-Head"], h["Parley-Hash"], h["Parley-Epoch"], h["Parley-Body"], h["Parley-Blobs"])
	}
	f.Fuzz(func(t *testing.T, kind, head, hash, epoch, body, blobs string) {
		m := sampleFrames()[0].message("s")
		m.Header["Parley-Kind"], m.Header["Parley-Head"], m.Header["Parley-Hash"], m.Header["Parley-Epoch"] = kind, head, hash, epoch
		if body != "" {
			m.Header["Parley-Body"] = body
		}
		m.Header["Parley-Blobs"], m.Header["Parley-Index"] = blobs, "0"
		decoded, err := decodeFrame(m)
		if err != nil {
			return
		}
		again, err := decodeFrame(decoded.message("s"))
		if err != nil {
			t.Fatalf("%v is not accepted again: %v", m.Header, err)
		}
		if diff := cmp.Diff(decoded, again, cmp.AllowUnexported(frame{}, blobReference{})); diff != "" {
			t.Errorf("decoded again (-want +got):\n%s", diff)
		}
	})
}
