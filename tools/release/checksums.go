package main

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

const checksumFile = "checksums.txt"

// checksums writes the SHA-256 of each file in dist, as sha256sum does, and prints the files.
func (r release) checksums(out io.Writer) error {
	entries, err := os.ReadDir(r.dist)
	if err != nil {
		return err
	}
	var sums strings.Builder
	for _, e := range entries {
		if !e.Type().IsRegular() || e.Name() == checksumFile {
			continue
		}
		f, err := os.Open(filepath.Join(r.dist, e.Name()))
		if err != nil {
			return err
		}
		sum := sha256.New()
		size, err := io.Copy(sum, f)
		f.Close() // it was only read
		if err != nil {
			return err
		}
		fmt.Fprintf(&sums, "%x  %s\n", sum.Sum(nil), e.Name())
		if _, err := fmt.Fprintf(out, "%12d  %s\n", size, e.Name()); err != nil {
			return err
		}
	}
	return r.create(checksumFile, func(w io.Writer) error {
		_, err := io.WriteString(w, sums.String())
		return err
	})
}
