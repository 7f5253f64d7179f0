package config

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"

	"parley.dev/parley/internal/approval"
)

// variables are the settings that the environment can give, in the order that config show
// prints them.
var variables = []struct {
	setting, variable string
	set               func(*Settings, string) error
	get               func(Settings) string
}{
	{"home", "PARLEY_HOME", func(s *Settings, v string) error { s.Home = v; return nil }, func(s Settings) string { return s.Home }},
	{"store", "PARLEY_STORE", func(s *Settings, v string) error { s.Store = v; return nil }, func(s Settings) string { return s.Store }},
	{"store_creds", "PARLEY_STORE_CREDS", func(s *Settings, v string) error { s.StoreCreds = v; return nil }, func(s Settings) string { return s.StoreCreds }},
	{"store_ca", "PARLEY_STORE_CA", func(s *Settings, v string) error { s.StoreCA = v; return nil }, func(s Settings) string { return s.StoreCA }},
	{"store_cert", "PARLEY_STORE_CERT", func(s *Settings, v string) error { s.StoreCert = v; return nil }, func(s Settings) string { return s.StoreCert }},
	{"store_key", "PARLEY_STORE_KEY", func(s *Settings, v string) error { s.StoreKey = v; return nil }, func(s Settings) string { return s.StoreKey }},
	{"store_insecure", "PARLEY_STORE_INSECURE", setStoreInsecure, func(s Settings) string { return strconv.FormatBool(s.StoreInsecure) }},
	{"model", "PARLEY_MODEL", func(s *Settings, v string) error { s.Model = v; return nil }, func(s Settings) string { return s.Model }},
	{"backend", "PARLEY_BACKEND", func(s *Settings, v string) error { s.Backend = v; return nil }, func(s Settings) string { return s.Backend }},
	{"permission_mode", "PARLEY_PERMISSION_MODE", setMode, func(s Settings) string { return string(s.PermissionMode) }},
	{"log", "PARLEY_LOG", func(s *Settings, v string) error { s.Log = v; return nil }, func(s Settings) string { return s.Log }},
	{"private_network", "PARLEY_PRIVATE_NETWORK", setPrivate, func(s Settings) string { return strconv.FormatBool(s.PrivateNetwork) }},
	{"openai_api", "PARLEY_OPENAI_API", func(s *Settings, v string) error { s.OpenAIAPI = v; return nil }, func(s Settings) string { return s.OpenAIAPI }},
	{"sandbox", "PARLEY_SANDBOX", func(s *Settings, v string) error { s.Sandbox = v; return nil }, func(s Settings) string { return s.Sandbox }},
	{"offline_script", "PARLEY_OFFLINE_SCRIPT", func(s *Settings, v string) error { s.OfflineScript = v; return nil }, func(s Settings) string { return s.OfflineScript }},
	{"record", "PARLEY_RECORD", func(s *Settings, v string) error { s.Record = v; return nil }, func(s Settings) string { return s.Record }},
	{"trusted_folders", "PARLEY_TRUSTED_FOLDERS", setTrusted, func(s Settings) string { return strings.Join(s.TrustedFolders, string(filepath.ListSeparator)) }},
	{"pass_variables", "PARLEY_PASS_VARIABLES", setPassVariables, func(s Settings) string { return strings.Join(s.PassVariables, ",") }},
	{"budget", "PARLEY_BUDGET", setBudget, func(s Settings) string { return s.Budget.line() }},
	{"subagents", "PARLEY_SUBAGENTS", setSubagents, func(s Settings) string { return s.Subagents.line() }},
}

func setPassVariables(s *Settings, v string) error {
	s.PassVariables = strings.FieldsFunc(v, func(r rune) bool { return r == ',' || r == ' ' })
	return nil
}

func setMode(s *Settings, v string) (err error) {
	s.PermissionMode, err = approval.ParseMode(v)
	return err
}

func setPrivate(s *Settings, v string) (err error) {
	if s.PrivateNetwork, err = strconv.ParseBool(v); err != nil {
		return fmt.Errorf("cannot read %q: expected true or false", v)
	}
	return nil
}
