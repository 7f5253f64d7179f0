package tool

import (
	"slices"
	"testing"
)

func TestEnvironDropsSecrets(t *testing.T) {
	for entry, kept := range map[string]bool{
		"PATH=/usr/bin":                       true,
		"HOME=/home/ada":                      true,
		"PWD=/tmp":                            true,
		"SSH_AUTH_SOCK=/run/agent":            true,
		"TOKENIZERS_PARALLELISM=false":        true,
		"KEYBOARD=de":                         true,
		"COMPASS=north":                       true,
		"EMPTY=":                              true,
		"A=b=c":                               true,
		"PARLEY_SPAWN=x.1;":                   true,
		"SHORT=/home/test":                    true, // holds a secret too short to look for
		"GITHUB_TOKEN=x":                      false,
		"token=x":                             false,
		"NPM_CONFIG__AUTHTOKEN=x":             false,
		"npm_config_//host/:_authToken=x":     false,
		"AWS_SECRET_ACCESS_KEY=x":             false,
		"AWS_ACCESS_KEY_ID=x":                 false,
		"GEMINI_API_KEY=x":                    false,
		"MY_APIKEY=x":                         false,
		"DB_PASSWORD=x":                       false,
		"PGPASSWORD=x":                        false,
		"MYSQL_PWD=x":                         false,
		"GOOGLE_APPLICATION_CREDENTIALS=/key": false,
		"DEPLOY_PRIVATE_KEY=x":                false,
		"ANTHROPIC_BASE_URL=http://gateway":   false,
		"OPENAI_ORG_ID=x":                     false,
		"SCAI_HOST=x":                         false,
		"scaiServer=x":                        false,
		"GATEWAY=http://u:hunter2222@host":    false, // holds a secret
		"SAME=test":                           false, // is a short secret
		"malformed":                           false,
		"=C:=C:\\":                            false,
	} {
		got := slices.Contains(Environ([]string{entry}, "hunter2222", "test", ""), entry)
		if got != kept {
			t.Errorf("%s: kept is %t, want %t", entry, got, kept)
		}
	}
}

func TestEnvironSettings(t *testing.T) {
	got := Environ([]string{"TERM=xterm", "PARLEY=0", "PAGER="})
	want := []string{"TERM=xterm", "PAGER=", "PARLEY=1", "NO_COLOR=1", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "DEBIAN_FRONTEND=noninteractive"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}
