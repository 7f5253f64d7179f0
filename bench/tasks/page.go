package main

import (
	"fmt"
	"os"
	"strings"
)

// The table is between these lines of the page.
const (
	pageBegin = "```text\n"
	pageEnd   = "```\n"
)

// writePage replaces the table of the page.
func writePage(path, table string) error {
	before, _, after, err := cutPage(path)
	if err != nil {
		return err
	}
	return os.WriteFile(path, []byte(before+table+after), 0o644)
}

// checkPage reports a page with another table.
func checkPage(path, table string) error {
	_, shown, _, err := cutPage(path)
	if err == nil && shown != table {
		err = fmt.Errorf("the table in %s is another one: run `make tasks UPDATE=1`", path)
	}
	return err
}

// cutPage cuts the page before and after its table.
func cutPage(path string) (before, table, after string, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", "", "", err
	}
	before, rest, found := strings.Cut(string(data), pageBegin)
	table, after, ended := strings.Cut(rest, pageEnd)
	if !found || !ended {
		return "", "", "", fmt.Errorf("%s has no block of text for the table", path)
	}
	return before + pageBegin, table, pageEnd + after, nil
}
