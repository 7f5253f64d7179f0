package main

import (
	"encoding/base64"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"

	cdx "github.com/CycloneDX/cyclonedx-go"
)

// A component is a module in a program, after replacements.
type component struct {
	path, version, sum string
}

// modules returns every module in a program but its own, sorted.
func modules(info *debug.BuildInfo) []component {
	var all []component
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		all = append(all, component{m.Path, m.Version, m.Sum})
	}
	slices.SortFunc(all, func(a, b component) int { return strings.Compare(a.path, b.path) })
	return all
}

// settings are those of the build that change what comes out of it.
var settings = []string{"GOOS", "GOARCH", "GOAMD64", "GOARM64", "CGO_ENABLED", "-trimpath", "-ldflags", "-tags", "GOEXPERIMENT"}

// bill returns the bill of materials of a program. It has neither a time nor a number of its own,
// which would differ with every run.
func bill(name string, sum [32]byte, info *debug.BuildInfo) (*cdx.BOM, error) {
	main := cdx.Component{
		BOMRef: name, Type: cdx.ComponentTypeApplication, Name: name, Version: strings.Trim(info.Main.Version, "()"),
		PackageURL: purl(component{path: info.Main.Path}), Hashes: hashes(sum[:]), Properties: &[]cdx.Property{},
	}
	for _, s := range info.Settings {
		if slices.Contains(settings, s.Key) {
			*main.Properties = append(*main.Properties, cdx.Property{Name: "go:build:" + s.Key, Value: s.Value})
		}
	}
	goRef := "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go")
	parts := []cdx.Component{{
		BOMRef: goRef, Type: cdx.ComponentTypeLibrary, Name: "std", Version: info.GoVersion, PackageURL: goRef,
		Description: "the standard library and the runtime of Go",
	}}
	refs := []string{goRef}
	for _, c := range modules(info) {
		part := cdx.Component{BOMRef: purl(c), Type: cdx.ComponentTypeLibrary, Name: c.path, Version: c.version, PackageURL: purl(c)}
		if c.sum != "" {
			tree, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(c.sum, "h1:"))
			if err != nil {
				return nil, fmt.Errorf("the checksum of %s: %w", c.path, err)
			}
			part.Hashes = hashes(tree)
		}
		parts, refs = append(parts, part), append(refs, purl(c))
	}
	bom := cdx.NewBOM()
	bom.Metadata = &cdx.Metadata{Component: &main}
	bom.Components = &parts
	bom.Dependencies = &[]cdx.Dependency{{Ref: name, Dependencies: &refs}}
	return bom, nil
}

// purl returns a module as a package URL.
func purl(c component) string {
	if c.version == "" {
		return "pkg:golang/" + c.path
	}
	return "pkg:golang/" + c.path + "@" + strings.ReplaceAll(c.version, "+", "%2B")
}
