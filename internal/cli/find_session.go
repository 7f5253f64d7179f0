package cli

import (
	"context"
	"errors"
	"fmt"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/engine"
	"parley.dev/parley/internal/event"
)

// FindSession returns the id of the session that an argument means: "latest" is the one that was
// used last in the folder; the beginning of an id counts wherever the session works.
func FindSession(a *app.App, folder, name string) (event.SessionID, error) {
	workspace := ""
	if name == engine.Latest {
		var err error
		if workspace, err = engine.FormerWorkspace(folder); err != nil {
			return "", err
		}
	}
	id, err := a.Host.Find(context.Background(), workspace, name)
	if errors.Is(err, engine.ErrNoSession) && name != engine.Latest {
		return event.SessionID(name), nil // its journal may be damaged; else the command says that it is not there
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", name, err)
	}
	return id, nil
}
