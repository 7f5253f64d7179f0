package sandbox

import (
	"slices"
	"strings"
	"testing"
)

func TestSeatbeltProfile(t *testing.T) {
	const evil = `/tmp/"))(allow default)("`
	p := Policy{Level: WorkspaceWrite, Writable: []string{"/srv/shop", evil}, Protected: []string{"/srv/shop/state"}}
	profile, parameters := seatbeltProfile(p, Options{Hidden: []string{"/home/u/state"}, Readable: []string{"/home/u/state/skills"}})
	if strings.Contains(profile, "/srv/shop") || strings.Contains(profile, "/tmp") {
		t.Errorf("a path is part of the text:\n%s", profile)
	}
	if want := []string{"WRITABLE_0=/srv/shop", "WRITABLE_1=" + evil, "PROTECTED_0=/srv/shop/state", "HIDDEN_0=/home/u/state", "READABLE_0=/home/u/state/skills"}; !slices.Equal(parameters, want) {
		t.Errorf("%q, want %q", parameters, want)
	}
	order := []string{
		"(version 1)", "(allow default)", "(deny file-write*)", `(allow file-write-data (literal "/dev/null"))`,
		`(allow file-write* (subpath (param "WRITABLE_0")))`,
		`(deny file-write* (require-all (subpath (param "WRITABLE_0")) (regex #"/\.git(/|$)")))`,
		`(allow file-write* (subpath (param "WRITABLE_1")))`,
		`(deny file-write* (subpath (param "PROTECTED_0")))`,
		`(deny file-read* file-write* (subpath (param "HIDDEN_0")))`,
		`(allow file-read* (subpath (param "READABLE_0")))`,
		"(deny network* (remote unix-socket))", "(deny network*)\n",
	}
	at := 0
	for _, line := range order {
		next := strings.Index(profile[at:], line)
		if next < 0 {
			t.Fatalf("%s is not there, or too early:\n%s", line, profile)
		}
		at += next
	}
	if strings.Count(profile, "(") != strings.Count(profile, ")") {
		t.Errorf("unbalanced:\n%s", profile)
	}

	p.Network, p.Level = true, ReadOnly
	profile, parameters = seatbeltProfile(p, Options{})
	if strings.Contains(profile, "(deny network*)") || strings.Contains(profile, "WRITABLE") || len(parameters) > 0 {
		t.Errorf("read-only with network:\n%s%q", profile, parameters)
	}
	args := seatbeltArgs(Command{Path: "/bin/sh", Args: []string{"-D", "x"}, Confine: p}, Options{})
	if tail := args[len(args)-4:]; !slices.Equal(tail, []string{"--", "/bin/sh", "-D", "x"}) {
		t.Errorf("%q", tail)
	}
}
