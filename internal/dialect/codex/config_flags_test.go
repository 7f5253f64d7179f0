package codex

import (
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/approval"
)

// TestConfigOfCommandLine: what the command line gives holds for threads that give nothing, before what clients have written.
func TestConfigOfCommandLine(t *testing.T) {
	flags := DefaultFlags()
	flags.Config = map[string]jsontext.Value{"approval_policy": jsontext.Value(`"never"`), "sandbox_mode": jsontext.Value(`"danger-full-access"`)}
	if err := CheckConfig(flags.Config); err != nil {
		t.Fatal(err)
	}
	c := &conn{cfg: Config{Home: t.TempDir(), Process: NewProcess(), Log: slog.New(slog.NewTextHandler(io.Discard, nil)), Flags: flags}}
	_, err := c.configuration().change("", func(written tree) error {
		written.put([]string{"approval_policy"}, jsontext.Value(`"untrusted"`), false)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	w := c.written()
	if w.ApprovalPolicy == nil || w.ApprovalPolicy.Word != "never" || sandboxKinds[string(w.SandboxMode)] != approval.SandboxNone {
		t.Errorf("the configuration is %+v", w)
	}
}

func TestCheckConfig(t *testing.T) {
	for value, want := range map[string]string{`"perhaps"`: "approval_policy", `7`: "approval_policy"} {
		err := CheckConfig(map[string]jsontext.Value{"approval_policy": jsontext.Value(value)})
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", value, err)
		}
	}
}
