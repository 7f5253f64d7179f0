package batchtest

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"parley.dev/parley/internal/batch"
)

func appends(e *env) {
	a, b := e.open(), e.open()
	log := taskLog("x", "t")
	_, err := a.Last(e.ctx, log)
	e.want(err, batch.ErrNoEntry)
	first := e.appended(a, log, 0, "1")
	_, err = b.Append(e.ctx, log, 0, []byte("no"))
	e.want(err, batch.ErrConflict)
	_, err = b.Append(e.ctx, log, first+1, []byte("no"))
	e.want(err, batch.ErrConflict)
	second := e.appended(b, log, first, "2")
	_, err = a.Append(e.ctx, log, first, []byte("no"))
	e.want(err, batch.ErrConflict)
	if second <= first {
		e.Errorf("numbers %d, %d do not grow", first, second)
	}
	last, err := a.Last(e.ctx, log)
	e.must(err)
	if last.Log != log || last.Number != second || string(last.Data) != "2" || last.Time.IsZero() {
		e.Errorf("the last entry is %+v", last)
	}
	if got := e.texts(a, log, 0); !slices.Equal(got, []string{"1", "2"}) {
		e.Errorf("entries %q", got)
	}
	for _, bad := range []batch.Log{{Batch: "x"}, {Batch: "x", Kind: batch.TaskLog}, {Kind: batch.LedgerLog}} {
		if _, err := a.Append(e.ctx, bad, 0, nil); err == nil {
			e.Errorf("%+v was written", bad)
		}
	}
	if _, err := a.Append(e.ctx, log, second, make([]byte, batch.MaxEntry+1)); err == nil {
		e.Error("an entry above the limit was stored")
	}
}

// appendRace: writers that append after what they have read form one chain, and each success is in it once.
func appendRace(e *env) {
	const writers, each = 6, 25
	stores := []batch.Store{e.open(), e.open(), e.open()}
	log := batch.Log{Batch: "x", Kind: batch.LedgerLog}
	var wg sync.WaitGroup
	var conflicts atomic.Int64
	for w := range writers {
		s := stores[w%len(stores)]
		wg.Go(func() {
			for n := 0; n < each; {
				last, err := s.Last(e.ctx, log)
				if err != nil && last.Number != 0 {
					e.Error(err)
					return
				}
				_, err = s.Append(e.ctx, log, last.Number, fmt.Appendf(nil, "%d %d.%d", last.Number, w, n))
				switch {
				case err == nil:
					n++
				case e.ctx.Err() != nil:
					e.Error(err)
					return
				default:
					conflicts.Add(1)
				}
			}
		})
	}
	wg.Wait()
	seen, before := map[string]bool{}, uint64(0)
	for entry, err := range stores[0].Entries(e.ctx, log, 0) {
		e.must(err)
		var after uint64
		var id string
		if _, err := fmt.Sscanf(string(entry.Data), "%d %s", &after, &id); err != nil || after != before || seen[id] {
			e.Fatalf("entry %d, %q, follows %d", entry.Number, entry.Data, before)
		}
		seen[id], before = true, entry.Number
	}
	if len(seen) != writers*each {
		e.Errorf("%d entries, want %d", len(seen), writers*each)
	}
	e.Logf("%d conflicts", conflicts.Load())
}

func creates(e *env) {
	s := e.open()
	e.appended(s, taskLog("x", "b"), 0, "old")
	made, err := s.Create(e.ctx, []batch.Entry{
		{Log: taskLog("x", "a"), Data: []byte("new")}, {Log: taskLog("x", "b"), Data: []byte("new")}, {Log: taskLog("x", "c"), Data: []byte("new")},
	})
	e.must(err)
	if !slices.Equal(made, []bool{true, false, true}) {
		e.Errorf("created %v", made)
	}
	for task, want := range map[string]string{"a": "new", "b": "old", "c": "new"} {
		if got := e.texts(s, taskLog("x", task), 0); !slices.Equal(got, []string{want}) {
			e.Errorf("%s has %q", task, got)
		}
	}
}

// entries: all logs of a batch together are in the order of their numbers, and other batches are not among them.
func entries(e *env) {
	s := e.open()
	const n = 1200 // more than a driver reads at once
	var batchEntries []batch.Entry
	for i := range n {
		batchEntries = append(batchEntries, batch.Entry{Log: taskLog("x", fmt.Sprintf("t%d", i)), Data: fmt.Appendf(nil, "%d", i)})
	}
	_, err := s.Create(e.ctx, batchEntries)
	e.must(err)
	e.appended(s, taskLog("x2", "t0"), 0, "other")
	last := e.appended(s, batch.Log{Batch: "x", Kind: batch.CancelLog}, 0, "cancel")
	var before uint64
	seen := map[string]bool{}
	var middle uint64
	for entry, err := range s.Entries(e.ctx, batch.Log{Batch: "x"}, 0) {
		e.must(err)
		if entry.Number <= before || entry.Log.Batch != "x" {
			e.Fatalf("%+v follows %d", entry.Log, before)
		}
		seen[entry.Log.Task], before = true, entry.Number
		if len(seen) == n/2 {
			middle = entry.Number
		}
	}
	if before != last || len(seen) != n+1 {
		e.Errorf("%d logs up to %d, want %d up to %d", len(seen), before, n+1, last)
	}
	if got := len(e.texts(s, batch.Log{Batch: "x"}, middle)); got != n+1-n/2 {
		e.Errorf("%d entries after the middle", got)
	}
	for _, err := range s.Entries(e.ctx, batch.Log{Batch: "x"}, 0) {
		e.must(err)
		break // a caller that has enough
	}
}

func largeEntries(e *env) {
	s := e.open()
	want := bytes.Repeat([]byte("0123456789abcde\n"), batch.MaxEntry/16)
	var after uint64
	for range 3 {
		number, err := s.Append(e.ctx, taskLog("x", "t"), after, want)
		e.must(err)
		after = number
	}
	for entry, err := range s.Entries(e.ctx, taskLog("x", "t"), 0) {
		e.must(err)
		if !bytes.Equal(entry.Data, want) {
			e.Error("an entry changed")
		}
	}
}

// follows: a follower sees what was there, and then what any store writes, in order.
func follows(e *env) {
	reader, writer := e.open(), e.open()
	log := taskLog("x", "t")
	after := e.appended(writer, log, 0, "0")
	arrived := make(chan string)
	ctx, cancel := context.WithCancel(e.ctx)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		for entry, err := range reader.Follow(ctx, batch.Log{Batch: "x"}, 0) {
			if err != nil {
				ended <- err
				return
			}
			arrived <- string(entry.Data)
		}
		ended <- nil
	}()
	for i := range 20 {
		if got := <-arrived; got != fmt.Sprint(i) {
			e.Fatalf("%q arrived, want %d", got, i)
		}
		s := writer
		if i%2 == 1 {
			s = reader
		}
		after = e.appended(s, log, after, fmt.Sprint(i+1))
	}
	<-arrived
	cancel()
	e.want(<-ended, context.Canceled)
}

func removes(e *env) {
	a, b := e.open(), e.open()
	for _, id := range []string{"second", "first"} {
		e.appended(a, batch.Log{Batch: id, Kind: batch.DefinitionLog}, 0, id)
		e.appended(a, taskLog(id, "t"), 0, "task")
		_, err := a.PutBlob(e.ctx, id, []byte("blob"))
		e.must(err)
		e.must(a.Enqueue(e.ctx, []batch.Ref{{Queue: "q", Batch: id, Task: "t"}}))
	}
	names := func() (names []string) {
		list, err := b.Batches(e.ctx)
		e.must(err)
		for _, entry := range list {
			names = append(names, entry.Log.Batch+"="+string(entry.Data))
		}
		return names
	}
	if got := names(); !slices.Equal(got, []string{"second=second", "first=first"}) {
		e.Errorf("batches %q", got)
	}
	e.must(b.Remove(e.ctx, "second"))
	e.must(b.Remove(e.ctx, "second"))
	if got := names(); !slices.Equal(got, []string{"first=first"}) {
		e.Errorf("batches %q after a removal", got)
	}
	if got := e.texts(a, batch.Log{Batch: "second"}, 0); got != nil {
		e.Errorf("entries %q are left", got)
	}
	_, err := a.Last(e.ctx, batch.Log{Batch: "second", Kind: batch.DefinitionLog})
	e.want(err, batch.ErrNoEntry)
	if d := e.pull(a, "q"); d.Ref().Batch != "first" {
		e.Errorf("%v was delivered", d.Ref())
	}
	e.nothing(a, "q")
	e.appended(a, taskLog("second", "t"), 0, "a new one") // the log is empty again
}

func blobs(e *env) {
	a, b := e.open(), e.open()
	data := bytes.Repeat([]byte{0, 1, 0xff}, 1<<20)
	address, err := a.PutBlob(e.ctx, "x", data)
	e.must(err)
	again, err := b.PutBlob(e.ctx, "x", data)
	e.must(err)
	got, err := b.Blob(e.ctx, "x", address)
	e.must(err)
	if address != again || len(address) != 64 || !bytes.Equal(got, data) {
		e.Errorf("the blob %s, %s has %d bytes", address, again, len(got))
	}
	_, err = b.Blob(e.ctx, "y", address)
	e.want(err, batch.ErrNoBlob)
}
