package tool

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"parley.dev/parley/internal/event"
	"parley.dev/parley/internal/tool/workspace"
)

// maxSearched is the size up to which files are searched, in bytes.
const maxSearched = 64 << 20

var errTooLarge = errors.New("the file is too large to search")

// filesAtOnce is how many files a goroutine takes at a time.
const filesAtOnce = 32

// A search looks for the call's pattern in files below folder.
type search struct {
	*grepCall
	folder string // absolute
	shown  string // folder in the output

	full atomic.Bool // the output has no more room: matches are counted only
}

// maxCountedMatches is how many matches are counted.
const maxCountedMatches = 100_000

// A searched is what a search has found, shown or not.
type searched struct {
	files   int // that match
	matches int // in them; in the mode content up to a little more than maxCountedMatches, in the mode files_with_matches one a file
	skipped int // files that could not be searched
}

// A batch is the result of searching a few files.
type batch struct {
	files   []fileOutput // of each file that matches
	skipped int          // files that could not be searched
}

// A fileOutput is the output for one file.
type fileOutput struct {
	name    string
	lines   []string
	matches []int // indices in lines at which matches begin, in the mode content
	count   int   // of matches, in the mode count
	total   int   // of matches, shown or not
}

// found returns what the first n lines of the output show.
func (f fileOutput) found(n int) event.MatchedFile {
	shown, _ := slices.BinarySearch(f.matches, n)
	return event.MatchedFile{Path: f.name, Lines: f.count + shown}
}

// run searches the files and puts the output in their order into out, and what it shows into
// matches. It starts one goroutine per processor and waits for all. When out is full, matches are
// counted, up to maxCountedMatches; when ctx ends, the rest of the files is left.
func (s *search) run(ctx context.Context, files []found, out *listing, matches *event.FileMatches) (all searched) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	chunks := slices.Collect(slices.Chunk(files, filesAtOnce))
	batches := make([]chan batch, len(chunks))
	for i := range batches {
		batches[i] = make(chan batch, 1)
	}
	var next atomic.Int64
	for range min(runtime.GOMAXPROCS(0), len(chunks)) {
		wg.Go(func() {
			w := worker{search: s}
			defer w.close()
			for i := next.Add(1) - 1; i < int64(len(chunks)) && ctx.Err() == nil; i = next.Add(1) - 1 {
				batches[i] <- w.batch(ctx, chunks[i])
			}
		})
	}
	for _, batch := range batches {
		select {
		case b := <-batch:
			all.skipped += b.skipped
			all.files += len(b.files)
			for _, file := range b.files {
				all.matches += file.total
			}
			if !s.full.Load() && !s.collect(b, out, matches) {
				s.full.Store(true)
			}
			if s.full.Load() && s.input.Mode == grepContent && all.matches > maxCountedMatches {
				return all
			}
		case <-ctx.Done():
			return all
		}
	}
	return all
}

// collect adds a batch to the output until that is full.
func (s *search) collect(b batch, out *listing, matches *event.FileMatches) bool {
	groups := s.input.Mode == grepContent && (s.input.Before > 0 || s.input.After > 0)
	for _, file := range b.files {
		if groups && out.len > 0 && !out.add("--") {
			return false
		}
		n := 0
		for n < len(file.lines) && out.add(file.lines[n]) {
			n++
		}
		if n > 0 {
			matches.Files = append(matches.Files, file.found(n))
		}
		if n < len(file.lines) {
			return false
		}
	}
	return true
}

// A worker searches files one after the other. It keeps its buffer, and the folder of
// the last file open.
type worker struct {
	*search
	buffer bytes.Buffer
	dir    *os.Root // nil: none
	at     string   // dir, relative to the search's folder
}

func (w *worker) close() {
	if w.dir != nil {
		w.dir.Close()
		w.dir = nil
	}
}

func (w *worker) batch(ctx context.Context, files []found) batch {
	var b batch
	for _, file := range files {
		if ctx.Err() != nil {
			break
		}
		if file.kind&fs.ModeType != 0 {
			continue // symlinks lead to files that are found by their own names
		}
		text, err := w.read(file.path)
		if err != nil {
			b.skipped++
			continue
		}
		if out := w.matchesOf(ctx, file.path, text); out.total > 0 {
			b.files = append(b.files, out)
		}
	}
	return b
}

// read returns the content of a file until the next call; nil if it is binary.
func (w *worker) read(name string) ([]byte, error) {
	folder := path.Dir(name)
	if w.dir == nil || folder != w.at {
		w.close()
		dir, err := w.workspace.OpenDir(filepath.Join(w.folder, folder))
		if err != nil {
			return nil, err
		}
		w.dir, w.at = dir, folder
	}
	file, err := workspace.OpenFile(w.dir, path.Base(name))
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || info.Size() > maxSearched {
		return nil, cmp.Or(err, errTooLarge)
	}
	w.buffer.Reset()
	if _, err := io.CopyN(&w.buffer, file, sniffed); err != nil && err != io.EOF {
		return nil, err
	}
	if bytes.IndexByte(w.buffer.Bytes(), 0) >= 0 {
		return nil, nil
	}
	n, err := w.buffer.ReadFrom(io.LimitReader(file, maxSearched))
	if err != nil {
		return nil, err
	}
	if n == maxSearched {
		return nil, errTooLarge // it grows, or is no real file
	}
	return w.buffer.Bytes(), nil
}

// matchesOf returns the output for one file.
func (w *worker) matchesOf(ctx context.Context, name string, text []byte) fileOutput {
	shown := workspace.DisplayName(path.Join(w.shown, name))
	count := 0
	p := printer{
		name: shown, text: text, numbers: w.input.LineNumbers,
		find:   func(line []byte) []int { return w.finder.find(ctx, line) },
		before: w.input.Before, after: w.input.After, max: w.input.HeadLimit + 1,
	}
	for m := range w.finder.matches(ctx, text) {
		count++
		switch w.input.Mode {
		case grepFiles:
			return fileOutput{name: shown, lines: []string{shown}, total: 1}
		case grepContent:
			if p.full() || w.full.Load() {
				if count > maxCountedMatches {
					return fileOutput{name: shown, lines: p.lines, matches: p.matches, total: count}
				}
				continue
			}
			p.match(m)
		}
	}
	if w.input.Mode == grepCount && count > 0 {
		return fileOutput{name: shown, lines: []string{fmt.Sprintf("%s:%d", shown, count)}, count: count, total: count}
	}
	p.trail(len(text))
	return fileOutput{name: shown, lines: p.lines, matches: p.matches, total: count}
}
