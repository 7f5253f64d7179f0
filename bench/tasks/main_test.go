package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"parley.dev/parley/bench/tasks/scripted"
	"parley.dev/parley/bench/tasks/task"
)

func results(whys ...string) (all []result) {
	for _, why := range whys {
		r := result{why: why, calls: 2, failed: 1, written: 50, meter: figures{requests: 3, head: 4000, history: 8000, earlier: 100, kept: 99}}
		r.run = run{task: &task.Task{Name: "rename"}, temperament: scripted.Temperaments()[len(all)], title: "rename", label: scripted.Temperaments()[len(all)].Name}
		all = append(all, r)
	}
	return all
}

func TestCompare(t *testing.T) {
	path := filepath.Join(t.TempDir(), "expected.txt")
	if err := os.WriteFile(path, []byte(formatTable(results("", ""))), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name  string
		table string
		part  bool
		want  []string // parts of the error; none: no error
	}{
		{"the same", formatTable(results("", "")), false, nil},
		{"a part", formatTable(results("")), true, nil},
		{"a run is missing", formatTable(results("")), false, []string{"- rename            sloppy"}},
		{"a new run", formatTable(results("", "", "")), false, []string{"+ rename            gpt-like"}},
		{"not done", formatTable(results("check: exit status 1", "")), true, []string{"- rename            careful   done", "+ rename            careful   not done"}},
		{"another count", strings.Replace(formatTable(results("", "")), "99%", "98%", 1), false, []string{"99%", "98%"}},
	} {
		err := compare(path, test.table, test.part)
		if (err != nil) != (test.want != nil) {
			t.Errorf("%s: the error is %v", test.name, err)
		}
		for _, want := range test.want {
			if err != nil && !strings.Contains(err.Error(), want) {
				t.Errorf("%s: the error is %v, want one with %q", test.name, err, want)
			}
		}
	}
}

func TestCountRecords(t *testing.T) {
	r := countRecords([]byte(`{"kind":"tool_ended","data":{"outcome":"succeeded"}}
{"kind":"tool_ended","data":{"outcome":"failed"}}
{"kind":"context_note","data":{"outcome":7}}
{"kind":"compacted","data":{}}
{"kind":"turn_ended","data":{"usage":{"output":12}}}
`))
	if r.calls != 2 || r.failed != 1 || r.compactions != 1 || r.written != 12 {
		t.Errorf("the counts are %+v", r)
	}
}
