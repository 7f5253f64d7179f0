// Command sbom says what built programs are made of: for each a bill of materials in CycloneDX
// JSON, from what the Go linker wrote into it and what the sources embed, and for all of them the licences.
// It needs no network, and writes the same bytes for the same programs.
//
//	sbom [-root FOLDER] [-licenses FILE] PROGRAM...
package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

func main() {
	root := flag.String("root", "..", "the folder of the sources of the programs")
	licenses := flag.String("licenses", "", "write the licences to this file")
	flag.Parse()
	if err := run(*root, *licenses, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(root, licenses string, programs []string) error {
	if len(programs) == 0 {
		return errors.New("no program is named")
	}
	places, err := exec.Command("go", "env", "GOMODCACHE", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	modcache, goroot, _ := strings.Cut(strings.TrimSpace(string(places)), "\n")
	sources := folders{root, modcache, goroot}
	var all []text
	for _, path := range programs {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return fmt.Errorf("%s is no Go program: %w", path, err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		parts, err := sources.parts(info)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := write(path+".cdx.json", bill(filepath.Base(path), sha256.Sum256(content), info, parts)); err != nil {
			return err
		}
		for _, p := range parts {
			all = append(all, p.texts...)
		}
	}
	if licenses == "" {
		return nil
	}
	return os.WriteFile(licenses, joined(all), 0o644)
}

func write(path string, bom *cdx.BOM) error {
	var text bytes.Buffer
	if err := cdx.NewBOMEncoder(&text, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		return fmt.Errorf("encode the bill of materials: %w", err)
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}
