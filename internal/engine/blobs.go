package engine

import (
	"context"
	"fmt"
	"iter"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/model"
)

// This file moves large payloads between records and the blobs beside the journal. Images
// are blobs for everybody: records show their address. Tool outputs are blobs on disk
// only: whoever reads a record finds the text in it.

// outputCap is the largest tool output kept in a journal's line, in bytes.
const outputCap = 64 << 10

// Blob is a payload that a record of this session names.
func (s *Session) Blob(address string) ([]byte, error) {
	s.mu.Lock()
	log := s.log
	s.mu.Unlock()
	return blobOf(log, address)
}

// blob is Blob under the session's lock.
func (s *Session) blob(address string) ([]byte, error) { return blobOf(s.log, address) }

func blobOf(log journal.Journal, address string) ([]byte, error) {
	if log == nil {
		return nil, fmt.Errorf("blob %s: the session has no journal yet", address)
	}
	return log.Blob(address)
}

// storable is records as they go to the journal.
func (s *Session) storable(records []event.Record) ([]event.Record, error) {
	stored := append([]event.Record(nil), records...)
	for i, rec := range stored {
		e, ok := rec.Event.(event.ToolEnded)
		if !ok {
			continue
		}
		if len(e.Output) > outputCap {
			address, err := s.log.PutBlob([]byte(e.Output))
			if err != nil {
				return nil, err
			}
			e.Output, e.OutputBlob = "", address
		}
		if e.Reply != nil && len(e.Reply.Content) > outputCap {
			address, err := s.log.PutBlob(e.Reply.Content)
			if err != nil {
				return nil, err
			}
			e.Reply = &event.Reply{Blob: address}
		}
		stored[i].Event = e
	}
	return stored, nil
}

// loadOutput brings a tool's output and reply back into its record.
func loadOutput(rec *event.Record, blob func(string) ([]byte, error)) error {
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

// keepBlocks is blocks with their images as blobs. An image that cannot be kept stays inline.
func (s *Session) keepBlocks(blocks []model.Block) []model.Block {
	kept := append([]model.Block(nil), blocks...)
	for i, b := range kept {
		if b.Kind == model.KindImage {
			images := s.keepImages([]model.Image{*b.Image})
			kept[i].Image = &images[0]
		}
	}
	return kept
}

func (s *Session) keepImages(images []model.Image) []model.Image {
	var kept []model.Image
	for _, img := range images {
		if len(img.Data) > 0 && s.log != nil {
			if address, err := s.log.PutBlob(img.Data); err == nil {
				img.Blob, img.Data = address, nil
			}
		}
		kept = append(kept, img)
	}
	return kept
}

// keepFull keeps the whole of an output that the model saw only part of; "" if it cannot.
func (s *Session) keepFull(full []byte) string {
	if len(full) == 0 || s.log == nil {
		return ""
	}
	address, err := s.log.PutBlob(full)
	if err != nil {
		s.host.cfg.Log.Warn("full output not kept", "session", s.id, "error", err)
		return ""
	}
	return address
}

// ReadSession yields a session's records with their outputs, without opening it.
func ReadSession(ctx context.Context, store journal.Store, id event.SessionID) iter.Seq2[event.Record, error] {
	return readSession(ctx, store, id, 1)
}

func readSession(ctx context.Context, store journal.Store, id event.SessionID, from uint64) iter.Seq2[event.Record, error] {
	blob := func(address string) ([]byte, error) { return store.Blob(ctx, id, address) }
	return func(yield func(event.Record, error) bool) {
		for rec, err := range store.Read(ctx, id, from) {
			if err == nil {
				err = loadOutput(&rec, blob)
			}
			if !yield(rec, err) || err != nil {
				return
			}
		}
	}
}
