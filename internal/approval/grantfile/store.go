package grantfile

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"parley.dev/parley/internal/approval"
)

// ErrDamaged is the error for a file that cannot be trusted. The file is renamed, and there are no
// grants until the user gives new ones.
var ErrDamaged = errors.New("the stored grants are damaged")

// maxGrants limits the grants of one workspace.
const maxGrants = 1000

// Options are the settings of a Store.
type Options struct {
	Folder string           // required: the state folder; created when something is first stored
	Now    func() time.Time // nil: time.Now
}

// A Store stores grants in a file. It is safe for concurrent use, also by several processes. A
// workspace is identified by its folder: absolute, symlinks resolved.
type Store struct {
	folder string
	now    func() time.Time

	mu   sync.Mutex
	last snapshot // the last read
}

// A snapshot is the content of the file at one time.
type snapshot struct {
	info    fs.FileInfo
	grants  map[string][]approval.Grant
	trusted bool // grants is the content of the file
}

// New returns a Store. It opens no file.
func New(o Options) *Store {
	s := &Store{folder: o.Folder, now: o.Now}
	if s.now == nil {
		s.now = time.Now
	}
	return s
}

// Load returns the grants of a workspace that are not expired, the earliest first. It is cheap as
// long as the file does not change, so it can be called before each decision: a grant that another
// process revokes then has no effect at once. With an error it returns none.
func (s *Store) Load(workspace string) ([]approval.Grant, error) {
	if err := checkWorkspace(workspace); err != nil {
		return nil, err
	}
	all, err := s.current()
	return s.unexpired(all[workspace]), err
}

// All returns the grants of all workspaces that have some.
func (s *Store) All() (map[string][]approval.Grant, error) {
	all, err := s.current()
	living := map[string][]approval.Grant{}
	for workspace, list := range all {
		if list = s.unexpired(list); len(list) > 0 {
			living[workspace] = list
		}
	}
	return living, err
}

// Save adds a grant and returns it with its ID. Its scope has to be Always; it replaces an earlier
// one with the same target and level. When Save returns, the grant is on disk.
func (s *Store) Save(workspace string, grant approval.Grant) (approval.Grant, error) {
	if grant.Scope != approval.Always {
		return approval.Grant{}, fmt.Errorf("only grants for always are stored, not one for %q", grant.Scope)
	}
	if err := errors.Join(grant.Validate(), checkWorkspace(workspace)); err != nil {
		return approval.Grant{}, err
	}
	if grant.Given.IsZero() {
		grant.Given = s.now()
	}
	grant.Given = grant.Given.UTC().Truncate(time.Second)
	grant.Expires = grant.Expires.UTC()
	grant = grant.Named()
	return grant, s.change(func(all map[string][]approval.Grant) error {
		list := slices.DeleteFunc(all[workspace], func(g approval.Grant) bool {
			return g.Target == grant.Target && g.Level == grant.Level
		})
		if len(list) >= maxGrants {
			return fmt.Errorf("this workspace has %d grants already: revoke some", len(list))
		}
		all[workspace] = append(list, grant)
		return nil
	})
}

// Revoke removes grants of a workspace: all, or none if one is unknown.
func (s *Store) Revoke(workspace string, ids ...string) error {
	if err := checkWorkspace(workspace); err != nil {
		return err
	}
	return s.change(func(all map[string][]approval.Grant) error {
		for _, id := range ids {
			before := len(all[workspace])
			all[workspace] = slices.DeleteFunc(all[workspace], func(g approval.Grant) bool { return g.ID == id })
			if len(all[workspace]) == before {
				return fmt.Errorf("%w in this workspace: %q", approval.ErrNoGrant, id)
			}
		}
		return nil
	})
}

func checkWorkspace(workspace string) error {
	if !filepath.IsAbs(workspace) || filepath.Clean(workspace) != workspace || strings.ToValidUTF8(workspace, "") != workspace {
		return fmt.Errorf("grants belong to a workspace, which is an absolute folder: %q", workspace)
	}
	return nil
}

func (s *Store) unexpired(list []approval.Grant) []approval.Grant {
	now := s.now()
	return slices.DeleteFunc(slices.Clone(list), func(g approval.Grant) bool { return g.Expired(now) })
}

// current returns the content of the file, which it reads again only if the file has changed. The
// caller must not change it.
func (s *Store) current() (map[string][]approval.Grant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	info, err := os.Lstat(s.path())
	if err == nil && s.last.trusted && os.SameFile(info, s.last.info) && info.Size() == s.last.info.Size() &&
		info.ModTime().Equal(s.last.info.ModTime()) && info.Mode() == s.last.info.Mode() {
		return s.last.grants, nil
	}
	s.last = snapshot{}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	read, err := s.read()
	if errors.Is(err, ErrDamaged) {
		return nil, s.inspect()
	}
	if err != nil {
		return nil, err
	}
	s.last = read
	return read.grants, nil
}

// inspect reads a damaged file again under the lock, and renames it if it is still damaged.
func (s *Store) inspect() error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	_, err = s.readOrBackUp()
	return err
}

// change calls f with all grants, and stores them if it returns no error. If the file is damaged it
// is renamed, and the error reports that before any grant is given or revoked.
func (s *Store) change(f func(map[string][]approval.Grant) error) error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	read, err := s.readOrBackUp()
	if err != nil {
		return err
	}
	all := map[string][]approval.Grant{}
	for workspace, list := range read.grants {
		all[workspace] = s.unexpired(list)
	}
	if err := f(all); err != nil {
		return err
	}
	maps.DeleteFunc(all, func(_ string, list []approval.Grant) bool { return len(list) == 0 })
	return s.write(all)
}

func (s *Store) readOrBackUp() (snapshot, error) {
	read, err := s.read()
	if errors.Is(err, fs.ErrNotExist) {
		return snapshot{}, nil
	}
	if !errors.Is(err, ErrDamaged) {
		return read, err
	}
	backup, moved := s.backUp()
	if moved != nil {
		return snapshot{}, errors.Join(err, moved)
	}
	return snapshot{}, fmt.Errorf("%w; they are kept in %s, and nothing is granted any more", err, backup)
}
