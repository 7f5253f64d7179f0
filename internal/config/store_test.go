package config_test

import (
	"strings"
	"testing"

	"parley.dev/parley/internal/config"
	"parley.dev/parley/internal/config/configtest"
)

func TestStoreAddress(t *testing.T) {
	for text, want := range map[string]string{ // an error begins with !
		"":                                    "file ",
		"file:":                               "file ",
		"file:/srv/sessions":                  "file /srv/sessions",
		"file:///srv/sessions":                "file /srv/sessions",
		"file:sessions":                       "file sessions",
		"file://host/sessions":                "!file:PATH",
		"nats://h":                            "nats nats://h:4222/parley",
		"nats://h:1,k:2/team_1":               "nats nats://h:1,nats://k:2/team_1",
		"tls://h/":                            "nats tls://h:4222/parley",
		"nats://[::1]":                        "nats nats://[::1]:4222/parley",
		"nats://":                             "!not the address of a server",
		"nats://h/Team":                       "!namespace",
		"nats://h/a.b":                        "!namespace",
		"nats://h/" + strings.Repeat("a", 33): "!namespace",
		"nats://u:geheim@h":                   "!password",
		"nats://geheim@h":                     "!password",
		"nats://h?token=geheim":               "!must not contain",
		"nats://u:geheim%40h":                 "!must not contain",
		"ftp://u:geheim@h":                    "!file:PATH, nats://",
		"/srv/geheim":                         "!file:PATH, nats://",
		"ws://h":                              "!file:PATH, nats://",
	} {
		a, err := config.ParseStore(text)
		if cause, wrong := strings.CutPrefix(want, "!"); wrong {
			if err == nil || !strings.Contains(err.Error(), cause) || strings.Contains(err.Error(), "geheim") {
				t.Errorf("%q: %v; want an error with %q", text, err, cause)
			}
			continue
		}
		got := a.Kind + " " + a.Folder
		if a.Kind == config.NATSStore {
			got += a.Stream.String()
		}
		if err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestStoreSettings(t *testing.T) {
	file := configtest.File(t, `{"store": "nats://h/file", "store_creds": "/creds", "store_insecure": true}`)
	for _, test := range []struct {
		env         []string
		store, want string // an error begins with !
	}{
		{nil, "nats://h/file", "/creds"},
		{[]string{"PARLEY_STORE", "file:/x"}, "file:/x", "/creds"},
		{[]string{"PARLEY_STORE_CREDS", "/other"}, "nats://h/file", "/other"},
		{[]string{"PARLEY_STORE", "nats://u:geheim@h"}, "", "!PARLEY_STORE: the address of a store must not"},
		{[]string{"PARLEY_STORE_CERT", "/cert"}, "", "!PARLEY_STORE_CERT: the certificate"},
		{[]string{"PARLEY_STORE_INSECURE", "perhaps"}, "", "!PARLEY_STORE_INSECURE: cannot read"},
	} {
		c, err := config.Load(configtest.Environment(append([]string{"PARLEY_CONFIG", file, "HOME", "/home/x"}, test.env...)...))
		if cause, wrong := strings.CutPrefix(test.want, "!"); wrong {
			if err == nil || !strings.Contains(err.Error(), cause) || strings.Contains(err.Error(), "geheim") {
				t.Errorf("%q: %v; want an error with %q", test.env, err, cause)
			}
			continue
		}
		if err != nil || c.Store != test.store || c.StoreCreds != test.want || !c.StoreInsecure {
			t.Errorf("%q: %+v, %v", test.env, c.StoreSettings, err)
		}
	}
}
