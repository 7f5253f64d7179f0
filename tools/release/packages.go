package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/goreleaser/nfpm/v2"
	"github.com/goreleaser/nfpm/v2/deb"
	"github.com/goreleaser/nfpm/v2/files"
	"github.com/goreleaser/nfpm/v2/rpm"
)

const (
	maintainer = "The Parley authors <hello@parley.dev>"
	homepage   = "https://parley.dev"
	summary    = "Coding agent engine that other programs drive"
	details    = `Parley is one coding agent engine that speaks the wire protocols of several
agents over standard input and output: editors, orchestrators and bots start
it in place of the agent that they know. It reads, searches, edits and runs
commands in a workspace, asks for approval first, and keeps a journal.`
)

// A packageFormat is a kind of package for Linux.
type packageFormat struct {
	name     string
	packager nfpm.Packager
	zsh      string              // the folder of completions for zsh
	place    func(f file) string // where a file goes that is placed differently in each format
}

var packageFormats = []packageFormat{
	{name: "deb", packager: deb.Default, zsh: "/usr/share/zsh/vendor-completions", place: func(f file) string {
		if f.path == "LICENSE" {
			return "" // /usr/share/doc/parley/copyright names it
		}
		return "/usr/share/doc/parley/" + f.path + ".gz"
	}},
	{name: "rpm", packager: rpm.DefaultRPM, zsh: "/usr/share/zsh/site-functions", place: func(f file) string {
		if f.kind == license {
			return "/usr/share/licenses/parley/" + f.path
		}
		return "/usr/share/doc/parley/" + f.path
	}},
}

// destination returns where a package installs a file, "" for nowhere. A name that ends in .gz means that
// the file is compressed.
func (pf packageFormat) destination(f file) string {
	switch f.kind {
	case program:
		return "/usr/bin/" + f.path
	case manual:
		return "/usr/share/man/man1/" + path.Base(f.path) + ".gz"
	case completion:
		switch path.Ext(f.path) {
		case ".bash":
			return "/usr/share/bash-completion/completions/parley"
		case ".zsh":
			return pf.zsh + "/_parley"
		case ".fish":
			return "/usr/share/fish/vendor_completions.d/parley.fish"
		}
		return "" // there is no folder for PowerShell
	}
	return pf.place(f)
}

// packAs writes the package of one format for a platform.
func (r release) packAs(pf packageFormat, p platform, all []file) error {
	stage, err := os.MkdirTemp("", "release")
	if err != nil {
		return err
	}
	defer os.RemoveAll(stage)
	var contents files.Contents
	add := func(destination, kind string, mode os.FileMode, data []byte) error {
		if strings.HasSuffix(destination, ".gz") {
			data = compressed(data)
		}
		source := filepath.Join(stage, strconv.Itoa(len(contents)))
		contents = append(contents, &files.Content{
			Source: source, Destination: destination, Type: kind,
			FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.time},
		})
		return os.WriteFile(source, data, 0o600)
	}
	for _, f := range all {
		destination := pf.destination(f)
		if destination == "" {
			continue
		}
		kind := files.TypeFile
		if pf.name == "rpm" && f.kind == license {
			kind = files.TypeRPMLicense
		} else if pf.name == "rpm" && f.kind == document {
			kind = files.TypeRPMDoc
		}
		if err := add(destination, kind, f.mode(), f.data); err != nil {
			return err
		}
	}
	if pf.name == "rpm" { // else they stay when the package is removed
		for _, folder := range []string{"/usr/share/doc/parley", "/usr/share/licenses/parley"} {
			contents = append(contents, &files.Content{
				Destination: folder, Type: files.TypeDir, FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: 0o755, MTime: r.time},
			})
		}
	}
	if pf.name == "deb" {
		texts := r.debianTexts()
		for _, destination := range slices.Sorted(maps.Keys(texts)) {
			if err := add(destination, files.TypeFile, 0o644, []byte(texts[destination])); err != nil {
				return err
			}
		}
	}
	info := nfpm.WithDefaults(&nfpm.Info{
		Name: "parley", Arch: p.arch, Platform: p.os, Version: r.version, MTime: r.time,
		Section: "devel", Priority: "optional", Maintainer: maintainer, Vendor: "Parley", Homepage: homepage, License: "Apache-2.0",
		Description: summary + "\n" + details, DisableGlobbing: true,
		Overridables: nfpm.Overridables{
			Contents:   contents,
			Recommends: []string{"ca-certificates", "git", "bubblewrap"},
			RPM:        nfpm.RPM{BuildHost: "localhost", Summary: summary, Group: "Development/Tools"},
		},
	})
	if err := nfpm.PrepareForPackager(info, pf.name); err != nil {
		return err
	}
	return r.create(pf.packager.ConventionalFileName(info), func(w io.Writer) error { return pf.packager.Package(info, w) })
}

// debianTexts returns what a Debian package has besides the files of the release, by destination.
func (r release) debianTexts() map[string]string {
	return map[string]string{
		"/usr/share/doc/parley/copyright": fmt.Sprintf(`Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: Parley
Source: %s

Files: *
Copyright: %d The Parley authors
License: Apache-2.0
Comment: The licences of the Go modules in the programs are in LICENSES.txt.gz.

License: Apache-2.0
 On Debian systems, the text of the Apache License, version 2.0, is in
 /usr/share/common-licenses/Apache-2.0.
`, homepage, r.time.Year()),
		"/usr/share/doc/parley/changelog.gz": fmt.Sprintf("parley (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md of the sources.\n\n -- %s  %s\n",
			r.version, maintainer, r.time.Format(time.RFC1123Z)),
		"/usr/share/lintian/overrides/parley": "# Go programs are static on purpose: they run on every distribution.\nparley: statically-linked-binary\n",
	}
}

// compressed returns data as gzip, without name and time.
func compressed(data []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err == nil {
		_, err = w.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		panic(err) // memory does not fail
	}
	return b.Bytes()
}
