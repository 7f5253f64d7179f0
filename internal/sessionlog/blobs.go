package sessionlog

import (
	"context"
	"fmt"
	"iter"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/model"
)

// This file moves large payloads between records and the blobs of the journal. Records name
// images by their address, for everyone. Outputs of tools are blobs on disk only: a record that
// is read contains the text.

// outputCap is the size of the largest tool output in a line of the journal, in bytes.
const outputCap = 64 << 10

// Blob returns a payload that a record of the session names. It takes the lock.
func (l *Log) Blob(address string) ([]byte, error) {
	l.cfg.Lock.Lock()
	j, queued := l.journal, l.queuedBlob(address)
	l.cfg.Lock.Unlock()
	if queued != nil {
		return queued, nil
	}
	return blobOf(j, address)
}

// LockedBlob is Blob for a caller that holds the lock. In a deferred store it releases the lock while it waits.
func (l *Log) LockedBlob(address string) ([]byte, error) {
	if queued := l.queuedBlob(address); queued != nil {
		return queued, nil
	}
	j := l.journal
	if l.writer != nil {
		l.cfg.Lock.Unlock()
		defer l.cfg.Lock.Lock()
	}
	return blobOf(j, address)
}

// queuedBlob returns a blob that is not stored yet; nil: it is stored, or unknown.
func (l *Log) queuedBlob(address string) []byte {
	if l.writer == nil {
		return nil
	}
	return l.writer.queued[address]
}

func blobOf(j journal.Journal, address string) ([]byte, error) {
	if j == nil {
		return nil, fmt.Errorf("blob %s: the session has no journal yet", address)
	}
	return j.Blob(address)
}

// PutBlob stores data next to the journal and returns its address. In a deferred store it is stored later,
// before the records that are appended after it.
func (l *Log) PutBlob(data []byte) (address string, err error) {
	if l.writer != nil {
		return l.queueBlob(data)
	}
	return l.journal.PutBlob(data)
}

// StoreBlocks returns blocks with their images as blobs. An image that cannot be stored stays
// inline.
func (l *Log) StoreBlocks(blocks []model.Block) []model.Block {
	stored := append([]model.Block(nil), blocks...)
	for i, b := range stored {
		if b.Kind == model.KindImage {
			images := l.StoreImages([]model.Image{*b.Image})
			stored[i].Image = &images[0]
		}
	}
	return stored
}

// StoreImages is StoreBlocks for images.
func (l *Log) StoreImages(images []model.Image) []model.Image {
	var stored []model.Image
	for _, img := range images {
		if len(img.Data) > 0 && l.journal != nil {
			if address, err := l.PutBlob(img.Data); err == nil {
				img.Blob, img.Data = address, nil
			}
		}
		stored = append(stored, img)
	}
	return stored
}

// StoreOutput stores the whole of an output of which the model gets a part, and returns its
// address; "" if it is empty or cannot be stored.
func (l *Log) StoreOutput(full []byte) (address string) {
	if len(full) == 0 || l.journal == nil {
		return ""
	}
	address, err := l.PutBlob(full)
	if err != nil {
		l.cfg.Log.Warn("full output not stored", "session", l.id, "error", err)
		return ""
	}
	return address
}

// Keep stores the content of a file that is changed, and returns its address; "" if it cannot be stored. It takes the
// lock, but not while it waits for the disk.
func (l *Log) Keep(data []byte) (address string) {
	address, err := l.keep(data)
	if err != nil {
		l.cfg.Log.Warn("content of a file not stored", "session", l.id, "error", err)
		return ""
	}
	return address
}

// keep is Keep that returns why a content cannot be stored.
func (l *Log) keep(data []byte) (address string, err error) {
	l.cfg.Lock.Lock()
	j := l.journal
	if j != nil && l.writer != nil {
		defer l.cfg.Lock.Unlock()
		return l.queueBlob(data)
	}
	l.cfg.Lock.Unlock()
	if j == nil {
		return "", nil
	}
	return j.PutBlob(data)
}

// SaveBlob is PutBlob that waits until data is stored. It takes the lock, but not while it waits. There must be
// a journal with its lease.
func (l *Log) SaveBlob(data []byte) (address string, err error) {
	l.cfg.Lock.Lock()
	j := l.journal
	l.cfg.Lock.Unlock()
	return j.PutBlob(data)
}

// storable returns records as they are written to the journal, with what is large passed to put.
func storable(records []event.Record, put func([]byte) (string, error)) ([]event.Record, error) {
	stored := append([]event.Record(nil), records...)
	for i, rec := range stored {
		e, ok := rec.Event.(event.ToolEnded)
		if !ok {
			continue
		}
		if len(e.Output) > outputCap {
			address, err := put([]byte(e.Output))
			if err != nil {
				return nil, err
			}
			e.Output, e.OutputBlob = "", address
		}
		if e.Reply != nil && len(e.Reply.Content) > outputCap {
			address, err := put(e.Reply.Content)
			if err != nil {
				return nil, err
			}
			e.Reply = &event.Reply{Blob: address}
		}
		stored[i].Event = e
	}
	return stored, nil
}

// Stored returns a record of the session as the journal has it: what is large is named by its address. Before there is
// a journal nothing is. It takes the lock.
func (l *Log) Stored(rec event.Record) (event.Record, error) {
	if e, ok := rec.Event.(event.ToolEnded); !ok || len(e.Output) <= outputCap && (e.Reply == nil || len(e.Reply.Content) <= outputCap) {
		return rec, nil
	}
	l.cfg.Lock.Lock()
	defer l.cfg.Lock.Unlock()
	if l.journal == nil {
		return rec, nil
	}
	put := l.journal.PutBlob
	if l.writer != nil { // it is stored, or will be before the record
		put = func(data []byte) (string, error) { return addressOf(data), nil }
	}
	stored, err := storable([]event.Record{rec}, put)
	if err != nil {
		return rec, err
	}
	return stored[0], nil
}

// LoadOutput puts the output and the reply of a tool back into the record that names their blobs.
func LoadOutput(rec *event.Record, blob func(address string) ([]byte, error)) error {
	e, ok := rec.Event.(event.ToolEnded)
	if !ok {
		return nil
	}
	if e.OutputBlob != "" {
		data, err := blob(e.OutputBlob)
		if err != nil {
			return fmt.Errorf("output of call %s: %w", e.Call, err)
		}
		e.Output, e.OutputBlob = string(data), ""
	}
	if e.Reply != nil && e.Reply.Blob != "" {
		data, err := blob(e.Reply.Blob)
		if err != nil {
			return fmt.Errorf("reply to call %s: %w", e.Call, err)
		}
		e.Reply = &event.Reply{Content: data}
	}
	rec.Event = e
	return nil
}

// Read yields the records of a session from number from on (0 and 1: all), with their outputs,
// without opening it.
func Read(ctx context.Context, store journal.Store, id event.SessionID, from uint64) iter.Seq2[event.Record, error] {
	blob := func(address string) ([]byte, error) { return store.Blob(ctx, id, address) }
	return func(yield func(event.Record, error) bool) {
		for rec, err := range store.Read(ctx, id, from) {
			if err == nil {
				err = LoadOutput(&rec, blob)
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}
