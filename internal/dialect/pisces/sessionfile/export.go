package sessionfile

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"iter"
	"path/filepath"
	"strings"

	"parley.dev/parley/internal/dialect/pisces/message"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// This file implements sessions as files for programs that do not speak the protocol.

// Export writes a session of any dialect as a session file of the pi family, whole, without
// opening it. Images stand in it as they are. ErrNoSession.
func Export(ctx context.Context, w io.Writer, host *engine.Host, id event.SessionID) error {
	records := host.Read(ctx, id)
	settings, _, err := lastSettings(records)
	if err != nil {
		return err
	}
	with := message.Surroundings{
		Model: func(name string) message.Model {
			info, _ := host.ModelInfo(cmp.Or(name, host.DefaultModel()))
			return message.ModelOf(info)
		},
		Blob: blobsOf(ctx, host, id),
	}
	return Write(w, records, with, Option(settings, OptionParent))
}

// Saved is a session that can be read and is not open.
type Saved struct {
	PageName string // of its page, if it has no other name
	Records  iter.Seq2[event.Record, error]
	Blob     func(address string) ([]byte, error) // what Records name; nil: they name nothing
}

// Folders is where a user's files are looked for.
type Folders struct {
	Cwd   string // what paths are relative to
	Home  string // ~/
	Agent string // has the pictures that session files only name
}

// Find finds the session of a file of the pi family, which is read and not taken over, or of the
// beginning of an id. What has a slash or ends in .jsonl is a file.
func Find(ctx context.Context, host *engine.Host, in Folders, name string) (Saved, error) {
	if IsPath(name) {
		return in.readSaved(ctx, name)
	}
	page, err := host.List(ctx, engine.Query{Search: name})
	if err != nil {
		return Saved{}, err
	}
	for _, found := range page.Sessions {
		if !strings.HasPrefix(strings.ToLower(string(found.ID)), strings.ToLower(name)) {
			continue
		}
		records := host.Read(ctx, found.ID)
		settings, created, err := lastSettings(records)
		if err != nil {
			return Saved{}, err
		}
		file := cmp.Or(Option(settings, OptionFile), Name(created.Time, found.ID))
		return Saved{PageName: PageName(file), Records: records, Blob: blobsOf(ctx, host, found.ID)}, nil
	}
	return Saved{}, fmt.Errorf("Session %q not found.", name) //nolint:staticcheck // the protocol's words
}

// IsPath reports whether the name of a session is that of a file.
func IsPath(name string) bool {
	return strings.ContainsAny(name, `/\`) || strings.HasSuffix(name, ".jsonl")
}

// PageName returns the name of the page of a session file.
func PageName(file string) string {
	return "pisces-session-" + strings.TrimSuffix(filepath.Base(file), ".jsonl") + ".html"
}

// readSaved reads a session file.
func (f Folders) readSaved(ctx context.Context, path string) (Saved, error) {
	header, entries, err := Read(ctx, Absolute(path, f.Cwd, f.Home), filepath.Join(f.Agent, "blobs"))
	switch {
	case err != nil:
		return Saved{}, fmt.Errorf("read session file: %w", err)
	case header.ID == "":
		return Saved{}, fmt.Errorf("%s is not a session file", path)
	}
	file := Import(header, entries)
	records := func(yield func(event.Record, error) bool) {
		last := event.Record{Seq: 1, Time: file.Created, Event: event.SessionCreated{
			Version: event.Version, ID: event.SessionID(header.ID), Workspace: file.Workspace, Settings: file.Settings,
		}}
		if !yield(last, nil) {
			return
		}
		for i, rec := range file.Records {
			rec.Seq = uint64(i) + 2
			if rec.Time.IsZero() { // an entry that does not say when
				rec.Time = last.Time
			}
			if last = rec; !yield(rec, nil) {
				return
			}
		}
	}
	return Saved{PageName: PageName(path), Records: records}, nil
}

// lastSettings returns the settings at the end of records, and the first record.
func lastSettings(records iter.Seq2[event.Record, error]) (settings event.Settings, created event.Record, err error) {
	for rec, err := range records {
		if err != nil {
			return settings, created, err
		}
		switch e := rec.Event.(type) {
		case event.SessionCreated:
			settings, created = e.Settings, rec
		case event.SessionChanged:
			settings = e.Settings
		}
	}
	return settings, created, nil
}

func blobsOf(ctx context.Context, host *engine.Host, id event.SessionID) func(address string) ([]byte, error) {
	return func(address string) ([]byte, error) { return host.Blob(ctx, id, address) }
}
