package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"parley.dev/parley/internal/cluster/peer"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/metric"
	"parley.dev/parley/internal/regular"
)

// OpenFiles opens the store of files that the settings name. It calls rebuilding; see file.Options.
func OpenFiles(s config.Settings, rebuilding func(done, total int)) (journal.Store, error) {
	address, err := s.StoreAddress()
	if err != nil {
		return nil, err
	}
	folder := s.Home
	if address.Folder != "" {
		folder = address.Folder
		if err := config.GuardState(folder); err != nil {
			return nil, err
		}
	}
	store, err := file.Open(folder, file.Options{Rebuilding: rebuilding})
	if err != nil {
		return nil, fmt.Errorf("open state folder: %w", err)
	}
	return store, nil
}

// openStore opens the store of the settings, whose paths become absolute.
func (a *App) openStore(o Options) error {
	s := &a.Settings.StoreSettings
	for _, path := range []*string{&s.StoreCreds, &s.StoreCA, &s.StoreCert, &s.StoreKey} {
		if err := absolute(path); err != nil {
			return err
		}
	}
	address, err := s.StoreAddress()
	if err != nil {
		return err
	}
	if address.Folder != "" {
		if err := absolute(&address.Folder); err != nil {
			return err
		}
		s.Store = config.FileStore + ":" + address.Folder
	}
	a.StoreAddress = address
	if address.Kind != config.NATSStore {
		a.Store, err = OpenFiles(a.Settings.Settings, o.Rebuilding)
		return err
	}
	shared := SharedOptions{Settings: a.Settings.Settings, Address: address, Version: a.version, Role: o.StoreRole}
	if o.KeepHostID {
		if shared.HostID, err = readHostID(a.Settings.Home); err != nil {
			return fmt.Errorf("id of this host: %w", err)
		}
	}
	opened := o.Parts.OpenShared(shared)
	a.Store, a.Member, a.storeMetrics = opened.Store, opened.Member, opened.Watch()
	return nil
}

// WriteMetrics adds the metrics of a shared store to a page.
func (a *App) WriteMetrics(ctx context.Context, p *metric.Page) {
	if a.storeMetrics != nil {
		a.storeMetrics.Write(ctx, p)
	}
}

func absolute(path *string) (err error) {
	if *path != "" {
		*path, err = filepath.Abs(*path)
	}
	return err
}

// Connect connects the store, if it is one on NATS: what is wrong with it is then known before a client relies on it.
// The process does not join those that run sessions.
func (a *App) Connect(ctx context.Context) error {
	if a.Member == nil {
		return nil
	}
	return a.Member.Open(ctx)
}

// Join connects the store, if it is one on NATS, and makes this process one that runs sessions: others list it.
func (a *App) Join(ctx context.Context) error {
	if a.Member == nil {
		return nil
	}
	return a.Member.Enter(ctx)
}

var errNotRenewed = errors.New("the servers of the store do not answer")

// Ready returns why this process can begin nothing new: a shared store has not answered for too long.
func (a *App) Ready() error {
	if a.Member != nil && !a.Member.Fresh() {
		return errNotRenewed
	}
	return nil
}

// commandLimit is how long commands go on after the last renewal of this host's key: they have ended before others
// regard it as gone (cluster.DefaultHostTTL).
const commandLimit = 12 * time.Second

var errStoreAway = fmt.Errorf("the store could not be reached for %.0f s", commandLimit.Seconds())

// guardCommands makes the commands of a host end when it cannot reach a shared store: another host may go on with
// its sessions then.
func (a *App) guardCommands() {
	if a.Member != nil {
		a.Member.OnRenewal(a.Spawner.Watch(commandLimit, errStoreAway).Renew)
	}
}

// hostIDFile is the name of the file in the state folder with the id of its host.
const hostIDFile = "host-id"

// readHostID returns the id of the host of a state folder, which lasts as long as the folder.
func readHostID(home string) (string, error) {
	path := filepath.Join(home, hostIDFile)
	text, err := regular.ReadFile(path, 1<<10)
	if errors.Is(err, fs.ErrNotExist) {
		return createHostID(path)
	}
	if err != nil {
		return "", err
	}
	id := strings.TrimSpace(string(text))
	if !isHostID(id) {
		return "", fmt.Errorf("%s does not have an id; remove it", path)
	}
	return id, nil
}

// createHostID makes up an id. Another process may do the same at the same time; one of both is stored.
func createHostID(path string) (string, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return "", err
	}
	text := peer.NewHostID()
	temporary, err := os.CreateTemp(filepath.Dir(path), hostIDFile+"-*")
	if err != nil {
		return "", err
	}
	defer func() { _ = os.Remove(temporary.Name()) }()
	if _, err = temporary.WriteString(text + "\n"); err == nil {
		err = temporary.Sync()
	}
	if err := errors.Join(err, temporary.Close()); err != nil {
		return "", err
	}
	if err := os.Link(temporary.Name(), path); errors.Is(err, fs.ErrExist) {
		return readHostID(filepath.Dir(path))
	} else if err != nil {
		return "", err
	}
	return text, nil
}

// isHostID reports whether a text can be the id of a host, which is part of subjects.
func isHostID(id string) bool {
	hex, ok := strings.CutPrefix(id, "h-")
	return ok && hex != "" && strings.Trim(hex, "0123456789abcdef") == ""
}
