package file_test

import (
	"context"
	"fmt"
	"os"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal/file"
)

// Every record has the number after the one before it.
func ExampleStore() {
	if err := writeAndRead(context.Background()); err != nil {
		fmt.Println(err)
	}
	// Output:
	// 1 session_created
	// 2 turn_started
}

func writeAndRead(ctx context.Context) error {
	root, err := os.MkdirTemp("", "journal")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	store, err := file.Open(root, file.Options{})
	if err != nil {
		return err
	}
	defer store.Close()

	created := event.SessionCreated{Version: event.Version, ID: "s-1", Workspace: "/srv/shop"}
	journal, err := store.Create(ctx, "s-1", []event.Record{{Event: created}})
	if err != nil {
		return err
	}
	defer journal.Close()
	if err := journal.Append(journal.Head(), []event.Record{{Turn: "t-1", Event: event.TurnStarted{Prompt: "p-1"}}}); err != nil {
		return err
	}
	if err := journal.Sync(); err != nil { // from here on kill -9 does not lose the record
		return err
	}
	for record, err := range store.Read(ctx, "s-1", 1) {
		if err != nil {
			return err
		}
		fmt.Println(record.Seq, record.Event.Kind())
	}
	return nil
}
