// Web bundles the page of the web console: web/src/main.tsx and what it imports become app.js and app.css beside a copy of
// web/index.html. The output depends on the sources and the installed packages only.
//
//	go run ./web -from ../web -to ../internal/host/web/page [-check]
package main

import (
	"bytes"
	"compress/gzip"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// sizeLimit is how many bytes the page may have in all, compressed.
const sizeLimit = 150_000

func main() {
	from := flag.String("from", "../web", "folder of the sources")
	to := flag.String("to", "../internal/host/web/page", "folder of the bundle")
	check := flag.Bool("check", false, "write nothing; fail if the folder of the bundle has other content")
	flag.Parse()
	if err := run(*from, *to, *check); err != nil {
		fmt.Fprintln(os.Stderr, "web:", err)
		os.Exit(1)
	}
}

// run bundles and writes or compares.
func run(from, to string, check bool) error {
	files, err := bundle(from)
	if err != nil {
		return err
	}
	size, err := compressedSize(files)
	if err != nil {
		return err
	}
	fmt.Printf("%d bytes compressed, of at most %d\n", size, sizeLimit)
	if size > sizeLimit {
		return fmt.Errorf("the page has %d bytes compressed, more than %d", size, sizeLimit)
	}
	if check {
		return compare(to, files)
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(to, name), data, 0o600); err != nil {
			return err
		}
	}
	return nil
}

// compressedSize returns how many bytes the files have that browsers load.
func compressedSize(files map[string][]byte) (int, error) {
	size := 0
	for name, data := range files {
		if name == packagesName {
			continue
		}
		var b bytes.Buffer
		w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			return 0, err
		}
		if _, err := w.Write(data); err != nil {
			return 0, err
		}
		if err := w.Close(); err != nil {
			return 0, err
		}
		size += b.Len()
	}
	return size, nil
}

// compare reports whether the files of a folder are these.
func compare(dir string, files map[string][]byte) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var problems []error
	for _, e := range entries {
		if _, ok := files[e.Name()]; !ok {
			problems = append(problems, fmt.Errorf("%s is not part of the bundle", filepath.Join(dir, e.Name())))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		if err == nil && !bytes.Equal(data, files[name]) {
			err = fmt.Errorf("%s is not what web/ gives", path)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%w; run `make web`", err))
		}
	}
	return errors.Join(problems...)
}
