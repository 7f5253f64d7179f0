package main

import (
	"fmt"
	"strconv"
	"strings"
)

// parseSize returns a size in bytes from a text of lines such as "Pss:  123 kB".
func parseSize(text, name string) (int64, error) {
	for line := range strings.Lines(text) {
		rest, found := strings.CutPrefix(line, name+":")
		if !found {
			continue
		}
		fields := strings.Fields(rest)
		if len(fields) != 2 || fields[1] != "kB" {
			return 0, fmt.Errorf("size %s is %q", name, strings.TrimSpace(rest))
		}
		kib, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil {
			return 0, fmt.Errorf("size %s: %w", name, err)
		}
		return kib << 10, nil
	}
	return 0, fmt.Errorf("there is no size %s", name)
}

// machineOf returns the name of the processor from the text of /proc/cpuinfo.
func machineOf(text string) string {
	for line := range strings.Lines(text) {
		if name, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// loadOf returns the load of the last minute from the text of /proc/loadavg.
func loadOf(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if first == "" {
		return "unknown"
	}
	return first
}
