package dialogue

import "testing"

func TestField(t *testing.T) {
	line := []byte(`{"type":"delta","delta":"word;","text":"no"}`)
	if got, ok := Field(`"delta":"`).Of(line); !ok || string(got) != "word;" {
		t.Errorf("got %q, %t", got, ok)
	}
	if got, ok := Field(`"id":`).Of([]byte(`{"method":"x","id":17,"params":{}}`)); !ok || string(got) != "17" {
		t.Errorf("of a number: %q, %t", got, ok)
	}
	for _, f := range []Field{`"thread":"`, `"text":"no"}`} {
		if got, ok := f.Of(line); ok {
			t.Errorf("%s: got %q", f, got)
		}
	}
	if !(Marks{`"type":"delta"`, `"no"`}).In(line) || (Marks{`"type":"delta"`, `"end"`}).In(line) || !Marks(nil).In(line) {
		t.Error("marks are not found as they should be")
	}
}

func TestClient(t *testing.T) {
	d, ok := Named("flint")
	if _, other := Named("nothing"); !ok || other {
		t.Fatal("a dialect is not found by its name")
	}
	c := Client{Dialect: d, Dir: "/w"}
	if got, want := c.Fill(c.Open, ""), `{"id":1,"method":"thread/start","params":{"cwd":"/w"}}`; got != want {
		t.Errorf("opens with %s", got)
	}
	c.Enter([]byte(`{"id":1,"result":{"thread":{"id":"t-1","cwd":"/w"}}}`))
	if got, want := c.Fill(c.Prompt, `say "hi"`), `{"id":2,"method":"turn/start","params":{"threadId":"t-1","input":[{"type":"text","text":"say \"hi\""}]}}`; got != want {
		t.Errorf("prompts with %s", got)
	}
	allow, asked := c.Allows([]byte(`{"method":"item/commandExecution/requestApproval","id":7,"params":{}}`))
	if !asked || allow != `{"id":7,"result":{"decision":"accept"}}` {
		t.Errorf("allows with %s", allow)
	}
	if _, asked := c.Allows([]byte(`{"method":"turn/completed"}`)); asked {
		t.Error("the end of a turn is taken for a question")
	}
}
