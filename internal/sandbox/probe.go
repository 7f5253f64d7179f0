package sandbox

import (
	"context"
	"os/exec"
	"strings"
)

// A Mechanism is one way to confine commands, as this machine has it.
type Mechanism struct {
	Name      string
	Available bool
	Detail    string // what was found, or why there is nothing
	Fix       string // what a person can do about it; "" when Available
}

// A Report is every Mechanism that was looked for.
type Report []Mechanism

// Probe tries out which mechanisms this machine has, in some milliseconds. It says
// nothing about what is used: so far, none is.
func Probe(ctx context.Context) Report {
	return append(probeKernel(ctx), probeBubblewrap(ctx))
}

func probeBubblewrap(ctx context.Context) Mechanism {
	m := Mechanism{Name: "bubblewrap"}
	path, err := exec.LookPath("bwrap")
	if err != nil {
		m.Detail, m.Fix = "bwrap is not on PATH", "install the package bubblewrap"
		return m
	}
	out, err := exec.CommandContext(ctx, path, "--ro-bind", "/", "/", "/bin/sh", "-c", ":").CombinedOutput()
	if err != nil {
		m.Detail = path + " fails: " + firstLine(string(out), err)
		m.Fix = "allow unprivileged user namespaces, or make bwrap setuid root"
		return m
	}
	m.Available, m.Detail = true, path
	return m
}

// firstLine is the first line of what a program wrote, or else how it failed.
func firstLine(out string, err error) string {
	if line, _, _ := strings.Cut(strings.TrimSpace(out), "\n"); line != "" {
		return line
	}
	return err.Error()
}
