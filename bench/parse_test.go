package main

import "testing"

func TestParseSize(t *testing.T) {
	const text = "Name:\tparley\nVmHWM:\t   40960 kB\nPss_Anon:            12 kB\nPss:                1024 kB\nVmBad:\tmuch\nVmNot:\tx kB\n"
	for name, want := range map[string]int64{"VmHWM": 40 << 20, "Pss": 1 << 20, "Pss_Anon": 12 << 10} {
		if got, err := parseSize(text, name); err != nil || got != want {
			t.Errorf("%s is %d, %v; want %d", name, got, err, want)
		}
	}
	for _, name := range []string{"VmRSS", "VmBad", "VmNot", "Name"} {
		if got, err := parseSize(text, name); err == nil {
			t.Errorf("%s is %d, want an error", name, got)
		}
	}
}

func TestMachine(t *testing.T) {
	if got := machineOf("processor\t: 0\nmodel name\t: Fast One 9\nflags : a b\n"); got != "Fast One 9" {
		t.Errorf("got %q", got)
	}
	if got := machineOf(""); got != "unknown processor" {
		t.Errorf("got %q", got)
	}
	if got, none := loadOf("0.52 1 2 3/4 5\n"), loadOf(""); got != "0.52" || none != "unknown" {
		t.Errorf("got %q and %q", got, none)
	}
}
