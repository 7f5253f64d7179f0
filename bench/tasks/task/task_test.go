package task

import (
	"strings"
	"testing"
)

const whole = `A title.
-- prompt --
Do it.
-- plan --
run true
say Done.
-- check --
true
`

func TestParse(t *testing.T) {
	task, err := Parse("one", []byte(whole+`-- settings --
hidden_window 5000
output 100
-- fix/old --
a
-- fix/new --
b
-- text/new.txt --
c
`))
	if err != nil {
		t.Fatal(err)
	}
	if task.Window != 5000 || !task.HiddenWindow || task.Output != 100 || len(task.Plan) != 2 {
		t.Errorf("the task is %+v", task)
	}
}

func TestParseFaults(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{strings.Replace(whole, "A title.", "", 1), "no title"},
		{strings.Replace(whole, "Do it.", "", 1), "no prompt"},
		{strings.Replace(whole, "-- check --\ntrue\n", "", 1), "no check"},
		{strings.Replace(whole, "say Done.", "", 1), "end with say"},
		{strings.Replace(whole, "run true", "dance", 1), "no verb dance"},
		{strings.Replace(whole, "run true", "learn port", 1), "takes 2 words"},
		{strings.Replace(whole, "run true", "look a.txt (", 1), "missing closing"},
		{strings.Replace(whole, "run true", "change a.txt:fix", 1), `no change or text "fix"`},
		{strings.Replace(whole, "run true", "change", 1), "no file is named"},
		{whole + "-- settings --\nspeed 3\n", `no setting "speed"`},
		{whole + "-- settings --\nwindow big\n", "setting window"},
		{whole + "-- fix/older --\n", `no section "fix/older"`},
	} {
		if _, err := Parse("one", []byte(test.text)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("the error is %v, want one with %q", err, test.want)
		}
	}
}
