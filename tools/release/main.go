// Command release packs built programs: an archive for each platform, a Debian and an RPM package for each
// Linux platform, one container image for all of them, and the checksums of everything in the folder. What it
// writes depends on the programs, the texts beside them and the date, on nothing else of the machine.
//
//	release -dist FOLDER -parley FILE -version VERSION -epoch SECONDS [-commit REVISION] PLATFORM...
//
// The folder dist has the programs, named PROGRAM-VERSION-OS-ARCH, with .exe on Windows, the bill of materials
// of each (….cdx.json), LICENSE and LICENSES.txt. The program parley, for this machine, writes its manual pages
// and completions.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"
)

// A release is what is packed, and where.
type release struct {
	dist      string
	version   string
	commit    string
	time      time.Time // of all files
	platforms []platform
	texts     []file // manual pages and completions
}

func main() {
	var r release
	var epoch int64
	flag.StringVar(&r.dist, "dist", "dist", "folder of the programs and of what is made of them")
	parley := flag.String("parley", "parley", "the program parley for this machine")
	flag.StringVar(&r.version, "version", "", "version of the release")
	flag.StringVar(&r.commit, "commit", "", "revision of the source")
	flag.Int64Var(&epoch, "epoch", 0, "time of all files, in seconds since 1970")
	flag.Parse()
	r.time = time.Unix(epoch, 0).UTC()
	if err := r.run(*parley, flag.Args(), os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// run makes everything for the named platforms and prints what is in dist.
func (r release) run(parley string, names []string, out io.Writer) error {
	if r.version == "" || len(names) == 0 {
		return fmt.Errorf("a version and at least one platform are needed")
	}
	for _, name := range names {
		p, err := parsePlatform(name)
		if err != nil {
			return err
		}
		r.platforms = append(r.platforms, p)
	}
	texts, err := writtenTexts(parley, r.time)
	if err != nil {
		return err
	}
	r.texts = texts
	for _, p := range r.platforms {
		files, err := r.files(p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if err := r.archive(p, files); err != nil {
			return fmt.Errorf("archive for %s: %w", p, err)
		}
		if p.os != "linux" {
			continue
		}
		for _, format := range packageFormats {
			if err := r.packAs(format, p, files); err != nil {
				return fmt.Errorf("%s for %s: %w", format.name, p, err)
			}
		}
	}
	if err := r.image(); err != nil {
		return fmt.Errorf("container image: %w", err)
	}
	return r.checksums(out)
}

// create writes a file of dist as a whole.
func (r release) create(name string, write func(io.Writer) error) error {
	f, err := os.Create(filepath.Join(r.dist, name))
	if err != nil {
		return err
	}
	defer f.Close() // a second time is harmless
	if err := write(f); err != nil {
		return err
	}
	return f.Close()
}
