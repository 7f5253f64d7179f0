package grants

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

// ErrDamaged says that the file could not be trusted: it is kept aside, and there are no
// grants until somebody gives new ones.
var ErrDamaged = errors.New("the stored grants are damaged")

// ErrNoGrant says that there is no grant of that ID.
var ErrNoGrant = errors.New("no such grant")

// maxGrants bounds the grants of one workspace.
const maxGrants = 1000

// Options say where grants lie.
type Options struct {
	Folder string           // needed: the state folder; made when something is first stored
	Now    func() time.Time // nil: time.Now
}

// A Store keeps grants. It is safe for concurrent use, also by several processes. A
// workspace is its folder: absolute, symlinks resolved.
type Store struct {
	folder string
	now    func() time.Time

	mu   sync.Mutex
	last snapshot // what was read last
}

// snapshot is the file as it was.
type snapshot struct {
	info    fs.FileInfo
	grants  map[string][]approval.Grant
	trusted bool // it holds what the file holds
}

// New opens nothing yet.
func New(o Options) *Store {
	s := &Store{folder: o.Folder, now: o.Now}
	if s.now == nil {
		s.now = time.Now
	}
	return s
}

// Load is the grants of a workspace that are not over, the earliest first. It costs little
// as long as nobody has changed the file, so that it can be asked before each decision: what
// another process has revoked is then gone at once. With an error there are none.
func (s *Store) Load(workspace string) ([]approval.Grant, error) {
	if err := checkWorkspace(workspace); err != nil {
		return nil, err
	}
	all, err := s.current()
	return s.living(all[workspace]), err
}

// All is the grants of every workspace that has some.
func (s *Store) All() (map[string][]approval.Grant, error) {
	all, err := s.current()
	living := map[string][]approval.Grant{}
	for workspace, list := range all {
		if list = s.living(list); len(list) > 0 {
			living[workspace] = list
		}
	}
	return living, err
}

// Save adds a grant and tells its ID. It has to be for always; one of the same target and
// level takes the place of the earlier one. Once Save returns, the grant is on disk.
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

// Revoke takes grants of a workspace back, all or, if one is unknown, none.
func (s *Store) Revoke(workspace string, ids ...string) error {
	if err := checkWorkspace(workspace); err != nil {
		return err
	}
	return s.change(func(all map[string][]approval.Grant) error {
		for _, id := range ids {
			before := len(all[workspace])
			all[workspace] = slices.DeleteFunc(all[workspace], func(g approval.Grant) bool { return g.ID == id })
			if len(all[workspace]) == before {
				return fmt.Errorf("%w in this workspace: %q", ErrNoGrant, id)
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

func (s *Store) living(list []approval.Grant) []approval.Grant {
	now := s.now()
	return slices.DeleteFunc(slices.Clone(list), func(g approval.Grant) bool { return g.Expired(now) })
}

// current is what the file holds, read again only if it is another one. Nobody may change it.
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

// inspect looks at a damaged file again when nobody else can change it, and puts it aside.
func (s *Store) inspect() error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	_, err = s.readOrPutAside()
	return err
}

// change lets f work on all grants, and stores them if it returns no error. A damaged file is
// put aside and nothing is changed: who gives or revokes a grant is told first.
func (s *Store) change(f func(map[string][]approval.Grant) error) error {
	unlock, err := s.lock()
	if err != nil {
		return err
	}
	defer unlock()
	read, err := s.readOrPutAside()
	if err != nil {
		return err
	}
	all := map[string][]approval.Grant{}
	for workspace, list := range read.grants {
		all[workspace] = s.living(list)
	}
	if err := f(all); err != nil {
		return err
	}
	maps.DeleteFunc(all, func(_ string, list []approval.Grant) bool { return len(list) == 0 })
	return s.write(all)
}

func (s *Store) readOrPutAside() (snapshot, error) {
	read, err := s.read()
	if errors.Is(err, fs.ErrNotExist) {
		return snapshot{}, nil
	}
	if !errors.Is(err, ErrDamaged) {
		return read, err
	}
	aside, moved := s.putAside()
	if moved != nil {
		return snapshot{}, errors.Join(err, moved)
	}
	return snapshot{}, fmt.Errorf("%w; they are kept in %s, and nothing is granted any more", err, aside)
}
