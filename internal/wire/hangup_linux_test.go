package wire

import (
	"io"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// socketPair returns two connected files.
func socketPair(t *testing.T) (a, b *os.File) {
	t.Helper()
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	return os.NewFile(uintptr(fds[0]), "a"), os.NewFile(uintptr(fds[1]), "b")
}

func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	return r, w
}

// The closed reader is detected without a write.
func TestNotifyReaderClosed(t *testing.T) {
	for name, ends := range map[string]func(t *testing.T) (r, w *os.File){"pipe": pipe, "socket": socketPair} {
		t.Run(name, func(t *testing.T) {
			r, w := ends(t)
			defer w.Close()
			gone := make(chan struct{})
			defer NotifyReaderClosed(w, func() { close(gone) })()
			r.Close()
			<-gone
		})
	}
}

// After the notification the input that was written can still be read.
func TestNotifyInputEnded(t *testing.T) {
	for name, ends := range map[string]func(t *testing.T) (r, w *os.File){"pipe": pipe, "socket": socketPair} {
		t.Run(name, func(t *testing.T) {
			r, w := ends(t)
			defer r.Close()
			if _, err := w.WriteString("last"); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			defer NotifyInputEnded(r, func() { close(ended) })()
			w.Close()
			<-ended
			if text, err := io.ReadAll(r); err != nil || string(text) != "last" {
				t.Errorf("got %q, %v", text, err)
			}
		})
	}
}

// A peer that only ends its writing still reads.
func TestNotifyEndOfWriting(t *testing.T) {
	a, b := socketPair(t)
	defer a.Close()
	ended := make(chan struct{})
	stop := NotifyReaderClosed(a, func() { t.Error("the reader is there") })
	defer NotifyInputEnded(a, func() { close(ended) })()
	if err := unix.Shutdown(int(b.Fd()), unix.SHUT_WR); err != nil {
		t.Fatal(err)
	}
	<-ended
	stop()
	b.Close()
}

// A file that cannot hang up causes no notification, and stop ends a waiting one.
func TestNotifyNothing(t *testing.T) {
	r, w := pipe(t)
	defer r.Close()
	defer w.Close()
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	called := func() { t.Error("called") }
	for _, stop := range []func(){
		NotifyReaderClosed(w, called), NotifyInputEnded(r, called), NotifyReaderClosed(file, called), NotifyInputEnded(file, called),
		NotifyReaderClosed(io.Discard, called), NotifyInputEnded(nil, called),
	} {
		stop()
	}
}

// TestOnePoller: one goroutine and one descriptor watch all files, and end with the last watch; a file can be watched twice.
func TestOnePoller(t *testing.T) {
	count := func() int {
		pollers.mu.Lock()
		defer pollers.mu.Unlock()
		return len(pollers.all)
	}
	gone := make(chan int)
	var peers []*os.File
	var stops []func()
	for i := range 100 {
		r, w := pipe(t)
		defer w.Close()
		peers = append(peers, r)
		stops = append(stops, NotifyReaderClosed(w, func() { gone <- i }))
	}
	if n := count(); n != 1 {
		t.Errorf("%d pollers for 100 files", n)
	}
	a, b := socketPair(t)
	defer a.Close()
	stops = append(stops, NotifyReaderClosed(a, func() { gone <- 100 }), NotifyInputEnded(a, func() { gone <- 101 }))
	if n := count(); n != 2 {
		t.Errorf("%d pollers for a file that is watched twice", n)
	}
	for i, r := range peers {
		r.Close()
		if at := <-gone; at != i {
			t.Errorf("file %d has hung up, not %d", at, i)
		}
	}
	b.Close()
	if one, other := <-gone, <-gone; one+other != 201 {
		t.Errorf("watches %d and %d of a file", one, other)
	}
	for _, stop := range stops {
		stop()
		stop()
	}
	if n := count(); n != 0 {
		t.Errorf("%d pollers for no file", n)
	}
}
