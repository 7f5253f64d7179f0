package file_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/journal"
	"parley.dev/parley/internal/journal/file"
	"parley.dev/parley/internal/racetest"
)

// listerEnv makes the test binary a lister. Its value is the store and a session, separated by a line feed.
const listerEnv = "PARLEY_TEST_LISTER"

// runLister changes the session and lists all, until it is killed or the list is wrong. It writes a line after each list.
func runLister(root string, id event.SessionID) error {
	ctx := context.Background()
	s, err := file.Open(root, file.Options{})
	if err != nil {
		return err
	}
	j, err := s.Lease(ctx, id)
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		name := fmt.Sprintf("%s %d", id, n)
		err := j.Append(j.Head(), changed(n, name))
		switch n % 10 {
		case 5:
			err = errors.Join(err, s.Rebuild(ctx))
		case 8:
			if err2 := os.Remove(indexOf(root)); !errors.Is(err2, fs.ErrNotExist) {
				err = errors.Join(err, err2)
			}
		}
		page, listErr := s.List(ctx, journal.Query{Count: true})
		if err := errors.Join(err, listErr); err != nil {
			return err
		}
		listed := slices.ContainsFunc(page.Sessions, func(sum journal.Summary) bool { return sum.ID == id && sum.Name == name })
		if !listed || len(page.Sessions) != listers || page.Total != listers {
			return fmt.Errorf("%s is not in a list of %d of %d sessions: %+v", name, len(page.Sessions), page.Total, page.Sessions)
		}
		fmt.Println(n)
	}
}

const listers = 8

// TestIndexProcesses: eight processes list, rebuild and delete the index, and are killed meanwhile, several times each. All lists are
// right, and so is the last one.
func TestIndexProcesses(t *testing.T) {
	racetest.Skip(t, racetest.Sequential) // the processes would be slow, and share no memory
	root := t.TempDir()
	s := openStore(t, root)
	var group sync.WaitGroup
	for i := range listers {
		id := event.SessionID(fmt.Sprintf("s%d", i))
		if err := createIn(t, s, id).Close(); err != nil {
			t.Fatal(err)
		}
	}
	for i := range listers {
		group.Go(func() {
			for life := range 3 {
				if err := listUntilKilled(t, root, event.SessionID(fmt.Sprintf("s%d", i)), 3+(i+5*life)%17); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	for i := range listers { // a process that was killed may have written to the journal only
		j, err := s.Lease(t.Context(), event.SessionID(fmt.Sprintf("s%d", i)))
		if err != nil {
			t.Fatal(err)
		}
		if err := j.Close(); err != nil {
			t.Fatal(err)
		}
	}
	got := listAll(t, s)
	if err := s.Rebuild(t.Context()); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(listAll(t, s), got); diff != "" {
		t.Errorf("List after a rebuild (-want), and before (+got):\n%s", diff)
	}
}

// listUntilKilled runs a lister, and kills it after some lists, in the middle of another.
func listUntilKilled(t *testing.T, root string, id event.SessionID, lists int) error {
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), listerEnv+"="+root+"\n"+string(id))
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		return err
	}
	lines := bufio.NewScanner(out)
	for range lists {
		if !lines.Scan() {
			err = errors.New("a process that lists has ended")
			break
		}
	}
	err = errors.Join(err, cmd.Process.Kill())
	for lines.Scan() { // what it still wrote
	}
	if _ = cmd.Wait(); stderr.Len() > 0 {
		err = errors.Join(err, errors.New(stderr.String()))
	}
	return err
}
