package main

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// settings are those of the build that change what comes out of it.
var settings = []string{"GOOS", "GOARCH", "GOAMD64", "GOARM64", "CGO_ENABLED", "-trimpath", "-ldflags", "-tags", "GOEXPERIMENT"}

// bill returns the bill of materials of a program. It has neither a time nor a number of its own, which would differ with
// every run.
func bill(name string, sum [32]byte, info *debug.BuildInfo, parts []part) *cdx.BOM {
	main := cdx.Component{
		BOMRef: name, Type: cdx.ComponentTypeApplication, Name: name, Version: strings.Trim(info.Main.Version, "()"),
		PackageURL: purl(info.Main.Path, ""), Hashes: hashes(sum[:]), Licenses: licenses("Apache-2.0"), Properties: &[]cdx.Property{},
	}
	for _, s := range info.Settings {
		if slices.Contains(settings, s.Key) {
			*main.Properties = append(*main.Properties, cdx.Property{Name: "go:build:" + s.Key, Value: s.Value})
		}
	}
	var components []cdx.Component
	var refs []string
	for _, p := range parts {
		c := cdx.Component{
			BOMRef: p.url, Type: cdx.ComponentTypeLibrary, Name: p.name, Version: p.version, PackageURL: p.url, Description: p.description,
			Licenses: licenses(p.license),
		}
		if p.sum != nil {
			c.Hashes = hashes(p.sum)
		}
		components, refs = append(components, c), append(refs, p.url)
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &main}
	bom.Components = &components
	bom.Dependencies = &[]cdx.Dependency{{Ref: name, Dependencies: &refs}}
	return bom
}

// licenses returns an SPDX expression; one that is an identifier only as such.
func licenses(expression string) *cdx.Licenses {
	if strings.Contains(expression, " ") || strings.HasPrefix(expression, "LicenseRef-") {
		return &cdx.Licenses{{Expression: expression}}
	}
	return &cdx.Licenses{{License: &cdx.License{ID: expression}}}
}

// purl returns a module as a package URL.
func purl(path, version string) string {
	if version == "" {
		return "pkg:golang/" + path
	}
	return "pkg:golang/" + path + "@" + strings.ReplaceAll(version, "+", "%2B")
}

// treeSum returns the SHA-256 of a module, as go.sum has it.
func treeSum(sum string) ([]byte, error) {
	tree, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(sum, "h1:"))
	if err != nil {
		return nil, fmt.Errorf("the checksum %s: %w", sum, err)
	}
	return tree, nil
}

func hashes(sum []byte) *[]cdx.Hash {
	return &[]cdx.Hash{{Algorithm: cdx.HashAlgoSHA256, Value: hex.EncodeToString(sum)}}
}
