// Command sbom says what built programs are made of: for each a bill of materials in CycloneDX
// JSON, from what the Go linker wrote into it, and for all of them the licences of the modules.
// It needs no network, and writes the same bytes for the same programs.
//
//	sbom [-licenses FILE] PROGRAM...
package main

import (
	"bytes"
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
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
	licenses := flag.String("licenses", "", "write the licences of all modules to this file")
	flag.Parse()
	if err := run(*licenses, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(licenses string, programs []string) error {
	if len(programs) == 0 {
		return errors.New("no program is named")
	}
	var all []component
	for _, path := range programs {
		info, err := buildinfo.ReadFile(path)
		if err != nil {
			return fmt.Errorf("%s is no Go program: %w", path, err)
		}
		content, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		bom, err := bill(filepath.Base(path), sha256.Sum256(content), info)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := write(path+".cdx.json", bom); err != nil {
			return err
		}
		all = append(all, modules(info)...)
	}
	if licenses == "" {
		return nil
	}
	cache, err := exec.Command("go", "env", "GOMODCACHE", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("go env: %w", err)
	}
	modcache, goroot, _ := strings.Cut(strings.TrimSpace(string(cache)), "\n")
	text, err := texts(modcache, goroot, all)
	if err != nil {
		return err
	}
	return os.WriteFile(licenses, text, 0o644)
}

func write(path string, bom *cdx.BOM) error {
	var text bytes.Buffer
	if err := cdx.NewBOMEncoder(&text, cdx.BOMFileFormatJSON).SetPretty(true).EncodeVersion(bom, cdx.SpecVersion1_6); err != nil {
		return fmt.Errorf("encode the bill of materials: %w", err)
	}
	return os.WriteFile(path, text.Bytes(), 0o644)
}

func hashes(sum []byte) *[]cdx.Hash {
	return &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
}
