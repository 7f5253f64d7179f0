package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// notices begin the names, in upper case, of files that go with a program.
var notices = []string{"LICENSE", "LICENCE", "COPYING", "NOTICE"}

// noticesIn returns the paths of such files in a folder, sorted.
func noticesIn(folder string) ([]string, error) {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil, err
	}
	var found []string
	for _, e := range entries {
		name := strings.ToUpper(e.Name())
		if e.Type().IsRegular() && filepath.Ext(name) != ".GO" && slices.ContainsFunc(notices, func(n string) bool { return strings.HasPrefix(name, n) }) {
			found = append(found, filepath.Join(folder, e.Name()))
		}
	}
	return found, nil
}

// A text is a licence as it goes with a program.
type text struct{ title, content string }

// readTexts reads the files of what is in a program. Without any it must not be distributed, which is an error.
func readTexts(name, folder string, files []string) ([]text, error) {
	if len(files) == 0 {
		return nil, fmt.Errorf("%s has no licence in %s", name, folder)
	}
	var all []text
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		file, err := filepath.Rel(folder, path)
		if err != nil {
			return nil, err
		}
		all = append(all, text{name + ": " + filepath.ToSlash(file), string(bytes.TrimSpace(content))})
	}
	return all, nil
}

// joined returns texts one after the other, each once, with those of Go first.
func joined(all []text) []byte {
	sorted := map[string]string{}
	for _, t := range all {
		sorted[t.title] = t.content
	}
	var out bytes.Buffer
	write := func(title string) { fmt.Fprintf(&out, "==== %s\n\n%s\n\n", title, sorted[title]) }
	ofGo := func(title string) bool { return strings.HasPrefix(title, goName+": ") }
	titles := slices.Sorted(maps.Keys(sorted))
	for _, title := range titles {
		if ofGo(title) {
			write(title)
		}
	}
	for _, title := range titles {
		if !ofGo(title) {
			write(title)
		}
	}
	return out.Bytes()
}

// An identifier is that of SPDX for licences that have all of some phrases. Blanks count as one.
var identifiers = []struct {
	id      string
	phrases []string
	not     string
}{
	{"Apache-2.0", []string{"Apache License Version 2.0, January 2004", "Grant of Copyright License."}, ""},
	{"BSD-2-Clause", []string{"Redistribution and use in source and binary forms"}, "endorse or promote"},
	{"BSD-3-Clause", []string{"Redistribution and use in source and binary forms", "endorse or promote"}, ""},
	{"ISC", []string{"Permission to use, copy, modify, and"}, ""},
	{"LicenseRef-public-domain", []string{"SQLite Is Public Domain"}, ""},
	{"MIT", []string{"Permission is hereby granted, free of charge, to any person obtaining a copy of this software"}, ""},
	{"MPL-2.0", []string{"Mozilla Public License, version 2.0"}, ""},
	{"OFL-1.1", []string{"SIL OPEN FONT LICENSE Version 1.1"}, ""},
}

// expression returns the SPDX expression of texts. An unknown licence is an error: it has to be read first. Files about other
// modules, which are components of their own, and about logos do not count.
func expression(name string, texts []text) (string, error) {
	found := map[string]bool{}
	for _, t := range texts {
		file := strings.ToUpper(t.title[strings.LastIndexAny(t.title, "/ ")+1:])
		if strings.HasPrefix(file, "NOTICE") || strings.Contains(file, "3RD-PARTY") || strings.Contains(file, "LOGO") {
			continue
		}
		words := strings.Join(strings.Fields(t.content), " ")
		known := false
		for _, i := range identifiers {
			lacks := func(phrase string) bool { return !strings.Contains(words, phrase) }
			if !slices.ContainsFunc(i.phrases, lacks) && (i.not == "" || lacks(i.not)) {
				found[i.id], known = true, true
			}
		}
		if !known {
			return "", fmt.Errorf("the licence of %s is not known: %s", name, t.title)
		}
	}
	if len(found) == 0 {
		return "", fmt.Errorf("%s has no licence, but notices", name)
	}
	return strings.Join(slices.Sorted(maps.Keys(found)), " AND "), nil
}
