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
}

// A batch is what became of a few files.
type batch struct {
	files   [][]string // output lines of each file that matches
	skipped int        // files that could not be searched
}

// run searches the files and puts the output in their order into out. It starts one
// goroutine per processor and waits for all. When out is full or ctx ends, the rest of
// the files is left. Skipped counts the files that could not be searched.
func (s *search) run(ctx context.Context, files []found, out *listing) (skipped int) {
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
			skipped += b.skipped
			if !s.collect(b, out) {
				return skipped
			}
		case <-ctx.Done():
			return skipped
		}
	}
	return skipped
}

// collect adds a batch to the output until that is full.
func (s *search) collect(b batch, out *listing) bool {
	groups := s.input.Mode == grepContent && (s.input.Before > 0 || s.input.After > 0)
	for _, lines := range b.files {
		if groups && out.len > 0 && !out.add("--") {
			return false
		}
		for _, line := range lines {
			if !out.add(line) {
				return false
			}
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
		if lines := w.matchesOf(ctx, file.path, text); len(lines) > 0 {
			b.files = append(b.files, lines)
		}
	}
	return b
}

// read is the content of a file until the next call; nil if it is binary.
func (w *worker) read(name string) ([]byte, error) {
	folder := path.Dir(name)
	if w.dir == nil || folder != w.at {
		w.close()
		dir, err := w.workspace.folder(filepath.Join(w.folder, folder), false)
		if err != nil {
			return nil, err
		}
		w.dir, w.at = dir, folder
	}
	file, err := openFile(w.dir, path.Base(name))
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

// matchesOf is the output lines for one file.
func (w *worker) matchesOf(ctx context.Context, name string, text []byte) []string {
	shown := shownName(path.Join(w.shown, name))
	count := 0
	p := printer{
		name: shown, text: text, finder: w.finder, numbers: w.input.LineNumbers,
		before: w.input.Before, after: w.input.After, max: w.input.HeadLimit + 1,
	}
	for m := range w.finder.matches(ctx, text) {
		count++
		switch w.input.Mode {
		case grepFiles:
			return []string{shown}
		case grepContent:
			if p.match(m); p.full() {
				return p.lines
			}
		}
	}
	if w.input.Mode == grepCount && count > 0 {
		return []string{fmt.Sprintf("%s:%d", shown, count)}
	}
	p.trail(len(text))
	return p.lines
}
