//go:build linux

package store

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"parley.dev/parley/internal/event"
)

// This file contains the fault F11: servers that do not have any more what they have acknowledged.

// rolledBack replaces the streams by a copy that is older than what the victims know.
func rolledBack(p *place, runs []*run) {
	server := p.servers[0]
	backup := filepath.Join(p.t.TempDir(), "backup")
	js := p.connect(p.t)
	for _, r := range runs {
		r.copied = readContent(p.t, js, namespace, r.session)
	}
	server.Kill()
	copyData(p.t, server.Data, backup)
	server.Restart(p.t)
	resume(runs)
	for _, r := range runs {
		r.end(ack)
		if r.writesAfter() {
			r.victim.write(r.session, 2)
		}
	}
	server.Kill()
	copyData(p.t, backup, server.Data)
	at := time.Now().UnixNano()
	for _, r := range runs {
		r.checker.rolledBack = at
	}
	server.Restart(p.t)
}

// writesAfter reports whether the victim has the lease after its operation.
func (r *run) writesAfter() bool { return r.phase.name != "release" && r.phase.name != "remove" }

// aheadOfStore checks that a writer that knows more than the store does not continue, and has saved that; and that
// others can continue.
func (r *run) aheadOfStore() {
	r.t.Helper()
	r.mustLose()
	if r.writesAfter() {
		r.mustSave(r.copied.head() + 1)
	}
	r.take(r.other)
}

// head returns the number of the last record.
func (c content) head() uint64 {
	if len(c.frames) == 0 {
		return 0
	}
	return c.frames[len(c.frames)-1].head
}

// mustSave checks that the victim has saved what was acknowledged to it from a record on. What is in a blob, as the
// records of the phase sync, is not saved.
func (r *run) mustSave(from uint64) {
	r.t.Helper()
	if r.phase.name == "sync" {
		return
	}
	c := checker{entries: slices.DeleteFunc(r.place.history.of(r.session), func(e entry) bool { return e.Writer != r.victim.name })}
	acks := c.acks()
	var want []string
	for number := from; acks[number].token != ""; number++ {
		want = append(want, acks[number].token)
	}
	saved := r.saved()
	if len(want) == 0 && r.phase.name != "takeover" || len(saved) < len(want) || !slices.Equal(saved[:len(want)], want) {
		r.t.Errorf("%s has saved %q, want %q, from record %d on", r.victim.name, saved, want, from)
	}
}

// saved returns the tokens of the records that the victim has saved.
func (r *run) saved() (tokens []string) {
	r.t.Helper()
	files, err := filepath.Glob(filepath.Join(r.victim.lost, r.session+"-*.jsonl"))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, path := range files {
		data, err := os.ReadFile(path)
		if err != nil {
			r.t.Fatal(err)
		}
		for line := range bytes.Lines(data) {
			var rec event.Record
			if err := rec.UnmarshalJSON(bytes.TrimSuffix(line, []byte{'\n'})); err != nil {
				r.t.Errorf("%s: %v", path, err)
				continue
			}
			tokens = append(tokens, tokenOfRecord(rec))
		}
	}
	return tokens
}

// copyData copies the streams of a server that does not run.
func copyData(t testing.TB, from, to string) {
	t.Helper()
	if err := os.RemoveAll(to); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(to, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
}

// damaged flips a bit of the second record of each session, when its follower has all of them. The server was killed:
// it reads its last block when it starts, and cuts the stream before the first damaged message.
func damaged(p *place, runs []*run) { damage(p, runs, p.servers[0].Kill) }

// damagedAtRest is damaged of a server that was shut down: it does not notice.
func damagedAtRest(p *place, runs []*run) { damage(p, runs, p.servers[0].Shutdown) }

func damage(p *place, runs []*run, stop func()) {
	resume(runs)
	js := p.connect(p.t)
	for _, r := range runs {
		r.end(ack)
		r.copied = readContent(p.t, js, namespace, r.session)
		r.awaitFollower(entry{Head: r.copied.head()})
		r.damage = r.copied.tokens()[1]
	}
	stop()
	for _, r := range runs {
		if !flip(p.t, p.servers[0].Data, r.damage+" ") {
			r.t.Errorf("%q is not in the files of the server", r.damage)
		}
	}
	at := time.Now().UnixNano()
	p.servers[0].Restart(p.t)
	var last uint64
	p.poll(p.t, "the last sequence", func(ctx context.Context, js natsjs.JetStream) bool {
		journals, err := js.Stream(ctx, namespace+"_j_00")
		if err == nil {
			last = journals.CachedInfo().State.LastSeq
		}
		return err == nil
	})
	for _, r := range runs {
		r.kept = last
		kept := r.keptTokens()
		r.checker.damaged = len(kept) == 0 || slices.Contains(kept, r.damage)
		if r.wasCut() {
			r.checker.rolledBack = at
		}
	}
}

// flip flips a bit of a text in the files of a folder.
func flip(t testing.TB, folder, text string) (found bool) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, _ os.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".blk") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		i := bytes.Index(data, []byte(text))
		if i < 0 {
			return nil
		}
		found = true
		data[i] ^= 1
		return os.WriteFile(path, data, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// tokens returns the tokens of all records.
func (c content) tokens() (all []string) {
	for _, f := range c.frames {
		all = append(all, f.tokens...)
	}
	return all
}

// keptTokens returns the tokens of the records that were not cut.
func (r *run) keptTokens() (all []string) {
	for _, f := range r.copied.frames {
		if f.Sequence <= r.kept {
			all = append(all, f.tokens...)
		}
	}
	return all
}

// wasCut reports whether frames of the session were cut.
func (r *run) wasCut() bool { return r.copied.frames[len(r.copied.frames)-1].Sequence > r.kept }

// noticed checks that damage is noticed. A reader gets an error instead of the damaged record, or if all records
// were cut. If some are left, a new reader cannot know, and gets exactly those. But a follower that had more gets an
// error, and an owner that had more loses the session and has saved them.
func (r *run) noticed() {
	r.t.Helper()
	kept := r.keptTokens()
	owner := r.wasCut() && r.writesAfter()
	lost := func() {}
	if owner {
		lost = r.beginLose()
	}
	e := r.other.run(command{Do: opRead, Session: r.session})
	switch {
	case r.checker.damaged:
		sound := kept[:max(0, slices.Index(kept, r.damage))]
		if n := len(e.Tokens); !e.Damaged || n > len(sound) || !slices.Equal(e.Tokens, sound[:n]) {
			r.t.Errorf("%s: records %q, want damage after records of %q", e, e.Tokens, sound)
		}
	case e.Outcome != ack || !slices.Equal(e.Tokens, kept):
		r.t.Errorf("%s: records %q, want %q", e, e.Tokens, kept)
	}
	if !r.wasCut() {
		return
	}
	r.place.history.await(r.t, "the follower to notice", func(e entry) bool {
		return e.Do == opFollow && e.Session == r.session && e.Writer == r.other.name && e.Damaged
	})
	if lost(); owner {
		r.mustSave(uint64(len(kept)) + 1)
	}
	if !r.checker.damaged {
		r.take(r.other)
	}
}
