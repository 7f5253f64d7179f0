package cli_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"parley.dev/parley/internal/app"
	"parley.dev/parley/internal/cli"
	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/config/configtest"
)

// TestStorePrecedence checks that a flag wins over a variable, and a variable over the file.
func TestStorePrecedence(t *testing.T) {
	const file = `{"store": "nats://file", "store_ca": "/file"}`
	for _, test := range []struct {
		name      string
		env, args []string
		store, ca string
		wrong     string // part of the error
	}{
		{name: "file", store: "nats://file", ca: "/file"},
		{name: "variable", env: []string{"PARLEY_STORE", "nats://variable"}, store: "nats://variable", ca: "/file"},
		{name: "flag", env: []string{"PARLEY_STORE", "nats://variable", "PARLEY_STORE_CA", "/variable"}, args: []string{"--store=nats://flag"}, store: "nats://flag", ca: "/variable"},
		{name: "flag of the connection", args: []string{"--store-ca=/flag"}, store: "nats://file", ca: "/flag"},
		{name: "files", args: []string{"--store=file:"}, store: "file:", ca: "/file"},
		{name: "empty flag", args: []string{"--store="}, store: "", ca: "/file"},
		{name: "files with credentials", args: []string{"--store=file:/x", "--store-creds=/c"}, wrong: "--store-creds needs a store"},
		{name: "files without TLS", args: []string{"--store=file:/x", "--store-insecure"}, wrong: "--store-insecure needs a store"},
		{name: "certificate without key", args: []string{"--store-cert=/c"}, wrong: "need each other"},
		{name: "password", args: []string{"--store=nats://ann:geheim@h"}, wrong: "--store: the address of a store must not contain"},
		{name: "unknown", args: []string{"--store=redis://geheim"}, wrong: "--store: the address of a store is"},
	} {
		t.Run(test.name, func(t *testing.T) {
			cli.Linked = cli.Links{Parts: app.Parts{OpenShared: func(app.SharedOptions) app.Shared { return app.Shared{} }}}
			t.Cleanup(func() { cli.Linked = cli.Links{} })
			c, err := config.Load(configtest.Environment(append([]string{"PARLEY_CONFIG", configtest.File(t, file), "HOME", t.TempDir()}, test.env...)...))
			if err != nil {
				t.Fatal(err)
			}
			flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
			cli.AddStoreFlags(flags)
			if err := flags.Parse(test.args); err != nil {
				t.Fatal(err)
			}
			f := cli.StoreFlagsIn(flags)
			if f.Changed() != (len(test.args) > 0) || len(f.Args()) != len(test.args) {
				t.Errorf("the flags are %q, Changed is %v", f.Args(), f.Changed())
			}
			err = f.Apply(&c.Settings)
			if test.wrong != "" {
				exit, ok := errors.AsType[*cli.ExitError](err)
				if !ok || exit.Code != cli.ExitUsage || !strings.Contains(err.Error(), test.wrong) || strings.Contains(err.Error(), "geheim") {
					t.Errorf("%v; want an error of usage with %q", err, test.wrong)
				}
				return
			}
			if err != nil || c.Store != test.store || c.StoreCA != test.ca {
				t.Errorf("%q %q, %v; want %q %q", c.Store, c.StoreCA, err, test.store, test.ca)
			}
		})
	}
}

func TestStoreEnvironment(t *testing.T) {
	flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
	cli.AddStoreFlags(flags)
	if err := flags.Parse([]string{"--store=tls://h", "--store-creds=/c", "--store-insecure"}); err != nil {
		t.Fatal(err)
	}
	got := strings.Join(cli.StoreFlagsIn(flags).Environ(), " ")
	if want := "PARLEY_STORE=tls://h PARLEY_STORE_INSECURE=true PARLEY_STORE_CREDS=/c"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}

// TestStoreElsewhere: flags that name a store on NATS end a command of a program that does not link such stores.
func TestStoreElsewhere(t *testing.T) {
	for _, test := range []struct {
		file, flag string
		elsewhere  bool
	}{
		{`{}`, "--store=tls://a", true},
		{`{"store": "nats://a"}`, "--store=file:", false},
		{`{"store": "nats://a"}`, "", true},
		{`{"telemetry": {"endpoint": "http://a"}}`, "", true},
		{`{}`, "", false},
	} {
		c, err := config.Load(configtest.Environment("PARLEY_CONFIG", configtest.File(t, test.file), "HOME", t.TempDir()))
		if err != nil {
			t.Fatal(err)
		}
		flags := pflag.NewFlagSet("test", pflag.ContinueOnError)
		cli.AddStoreFlags(flags)
		if test.flag != "" {
			err = flags.Parse([]string{test.flag})
		}
		if err != nil {
			t.Fatal(err)
		}
		err = cli.StoreFlagsIn(flags).Apply(&c.Settings)
		if _, elsewhere := errors.AsType[*app.ElsewhereError](err); elsewhere != test.elsewhere || !elsewhere && err != nil {
			t.Errorf("%s with %q: %v", test.file, test.flag, err)
		}
	}
}
