package acp

import (
	"testing"

	"parley.dev/parley/internal/backend"
	"parley.dev/parley/internal/model"
)

const olderSession = `,"modes":{"currentModeId":"auto","availableModes":[{"id":"auto","name":"Auto"},{"id":"manual","name":"Manual"},{"id":"ask","name":"Ask"}]},` +
	`"models":{"currentModelId":"m-1","availableModels":[{"modelId":"m-1","name":"One"},{"modelId":"m-2","name":"Two","description":"Second"}]}`

// TestOlderSettings: an agent without config options has models and modes, and is set to the first mode that requests permission.
func TestOlderSettings(t *testing.T) {
	ok := "< {\"id\":$id,\"result\":{}}\n"
	w := newWire(t, Options{}, hello(`,"agentCapabilities":{"promptCapabilities":{"image":true}}`)+session(olderSession)+
		"> session/set_mode\n"+ok+"> session/set_model\n"+ok+"> session/set_mode\n"+ok+"> session/set_mode\n"+ok)
	a := w.open(backend.Opening{Settings: backend.Settings{Model: "m-2", Thinking: model.High}})
	modes := backend.Option{ID: "mode", Name: "Mode", Value: "ask", Values: []backend.OptionValue{{ID: "auto", Name: "Auto"}, {ID: "manual", Name: "Manual"}, {ID: "ask", Name: "Ask"}}}
	got, err := a.Offers(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := backend.Offers{Model: "m-2", Options: []backend.Option{modes}, Models: []backend.Model{{ID: "m-1", Name: "One", Images: true}, {ID: "m-2", Name: "Two", Description: "Second", Images: true}}}
	equal(t, got, want)
	for _, to := range []backend.Settings{{Model: "m-2", Options: map[string]string{"mode": "manual"}}, {Model: "m-2"}} { // the second one restores the mode
		if err := a.Change(w.ctx, to); err != nil {
			t.Fatal(err)
		}
	}
	w.wantReceived(a, `"modeId":"ask"`, `"modelId":"m-2"`, `"modeId":"manual"`, `"modeId":"ask"`)
}

// TestConfigOptions: config options of the known categories are models, thinking and modes, the others are options; updates replace them.
func TestConfigOptions(t *testing.T) {
	options := func(model, effort string) string {
		return `"configOptions":[` +
			`{"id":"m","name":"Mode","category":"mode","type":"select","currentValue":"yolo","options":[{"value":"yolo","name":"Free"},{"value":"plan","name":"Plan"}]},` +
			`{"id":"llm","name":"Model","category":"model","type":"select","currentValue":"` + model + `","options":[{"group":"g","name":"G","options":[{"value":"m-1","name":"One"}]},{"group":"h","name":"H","options":[{"value":"m-2","name":"Two"}]}]},` +
			`{"id":"effort","name":"Effort","category":"thought_level","type":"select","currentValue":"` + effort + `","options":[{"value":"default","name":"Default"},{"value":"max","name":"Max"},{"value":"low","name":"Low"},{"value":"none","name":"None"}]},` +
			`{"id":"fast","name":"Fast","category":"model_config","type":"boolean","currentValue":false}]`
	}
	answer := func(model, effort string) string {
		return "< {\"id\":$id,\"result\":{" + options(model, effort) + "}}\n"
	}
	w := newWire(t, Options{Mode: "plan"}, hello("")+session(","+options("m-1", "default"))+
		"> session/set_config_option\n"+answer("m-1", "default")+"> session/set_config_option\n"+answer("m-1", "max")+
		"> session/set_config_option\n"+answer("m-1", "low")+"> session/set_config_option\n"+answer("m-1", "low")+
		updates(`{"sessionUpdate":"config_option_update",`+options("m-2", "low")+`}`, `{"sessionUpdate":"current_mode_update","currentModeId":"plan"}`))
	a := w.open(backend.Opening{Settings: backend.Settings{Thinking: model.XHigh}})
	if err := a.Change(w.ctx, backend.Settings{Thinking: model.High, Options: map[string]string{"fast": "true"}}); err != nil {
		t.Fatal(err)
	}
	w.turn(a, nil)
	got, err := a.Offers(w.ctx)
	if err != nil {
		t.Fatal(err)
	}
	want := backend.Offers{
		Model:  "m-2",
		Models: []backend.Model{{ID: "m-1", Name: "One"}, {ID: "m-2", Name: "Two", Thinking: []model.Thinking{model.Off, model.Low, model.XHigh}}},
		Options: []backend.Option{
			{ID: "m", Name: "Mode", Value: "plan", Values: []backend.OptionValue{{ID: "yolo", Name: "Free"}, {ID: "plan", Name: "Plan"}}},
			{ID: "fast", Name: "Fast", Value: "false", Values: []backend.OptionValue{{ID: "true", Name: "On"}, {ID: "false", Name: "Off"}}},
		},
	}
	equal(t, got, want)
	w.wantReceived(a, `"configId":"m","value":"plan"`, `"configId":"effort","value":"max"`, `"configId":"effort","value":"low"`, `"configId":"fast","type":"boolean","value":true`)
}

// TestModeBetweenTurns: a mode that the agent reports while no turn runs is in its offers.
func TestModeBetweenTurns(t *testing.T) {
	w := newWire(t, Options{}, hello("")+"> session/new\n"+notify(`{"sessionUpdate":"available_commands_update","availableCommands":[{"name":"compact"}]}`)+
		`< {"id":$id,"result":{"sessionId":"s-1","modes":{"currentModeId":"build","availableModes":[{"id":"build","name":"Build"},{"id":"plan","name":"Plan"}]}}}`+"\n"+
		notify(`{"sessionUpdate":"current_mode_update","currentModeId":"plan"}`)+
		updates(`{"sessionUpdate":"available_commands_update","availableCommands":[]}`))
	a := w.open(backend.Opening{})
	if !a.Info().Compacts {
		t.Error("the command compact is not known")
	}
	w.turn(a, nil)
	if got, _ := a.Offers(w.ctx); got.Options[0].Value != "plan" || a.Info().Compacts {
		t.Errorf("the mode is %+v, compacts %v", got.Options, a.Info().Compacts)
	}
}

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		values []string
		want   model.Thinking
		value  string
	}{
		{[]string{"low", "high"}, model.Medium, "low"},
		{[]string{"high", "low"}, model.XHigh, "high"},
		{[]string{"low", "high"}, model.Off, "low"},
		{[]string{"off", "on"}, model.High, "off"},
		{[]string{"none", "minimal", "max"}, model.XHigh, "max"},
		{[]string{"Low", "Max", "XHigh"}, model.XHigh, "Max"},
		{[]string{"default"}, model.High, ""},
	} {
		var one selector
		for _, v := range c.values {
			one.Values = append(one.Values, backend.OptionValue{ID: v})
		}
		if value, ok := nearest(levelsOf(one), c.want); value != c.value || ok != (c.value != "") {
			t.Errorf("%v of %v is %q, %v", c.want, c.values, value, ok)
		}
	}
}
