package environ

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
		"PARLEY_STORE_CREDS=/key":             false,
		"PARLEY_STORE_KEY=/key":               false,
		"DEPLOY_PRIVATE_KEY=x":                false,
		"ANTHROPIC_BASE_URL=http://gateway":   false,
		"OPENAI_ORG_ID=x":                     false,
		"SCAI_HOST=x":                         false,
		"scaiServer=x":                        false,
		"GATEWAY=http://u:hunter2222@host":    false, // holds a secret
		"SAME=test":                           false, // is a short secret
		"OTEL_EXPORTER_OTLP_HEADERS=a=x":      false, "OTEL_EXPORTER_OTLP_TRACES_HEADERS=a=x": false, "OTEL_SERVICE_NAME=x": true,
		"SSH_KEY=x": false, "GEMINI_KEY=x": false, "KEY=x": false, "SESSION_KEY=x": false, "APP_KEYS=x": false, "DB_PASS=x": false, "PASS=x": false,
		"DB_PWD=x": false, "OLDPWD=/tmp": true, "GH_PAT=x": false, "BEARER=x": false, "AUTHORIZATION=x": false, "NPM_AUTH=x": false,
		"AWS_SESSION=x": false, "STRIPE_SK=x": false, "SENTRY_DSN=x": false, "SLACK_WEBHOOK=x": false,
		"DATABASE_URL=postgres://user:pw@h/db": false, "REDIS_URL=redis://:pw@h": false, "PAGES=see https://u:p@h/ there": false,
		"KEYMAP=de": true, "PATTERN=x": true, "SITE=https://h:8080/a@b": true, "GIT=ssh://git@host/x": true, "MAIL=a:b@c": true, "GIT_AUTHOR_NAME=x": true,
		"XDG_SESSION_ID=1": true, "GIT_ASKPASS=/bin/true": true, "SKIP=1": true,
		"accessKeySecret=x": false, "MNEMONIC=x": false, "WALLET_SEED_PHRASE=x": false, "PRIVATE_PEM=x": false, "OTP=x": false, "CONNECTION_STRING=x": false,
		"AzureConnectionString=x": false, "KAFKA_SASL_JAAS=x": false, "goVersion=1": true, "RANDOM_SEED=1": true, "LOTP=x": true,
		"malformed": false,
		"=C:=C:\\":  false,
	} {
		got := slices.Contains(ForChildren([]string{entry}, "hunter2222", "test", ""), entry)
		if got != kept {
			t.Errorf("%s: kept is %t, want %t", entry, got, kept)
		}
	}
}

func TestEnvironSettings(t *testing.T) {
	got := ForChildren([]string{"TERM=xterm", "PARLEY=0", "PAGER="})
	want := []string{"TERM=xterm", "PAGER=", "PARLEY=1", "NO_COLOR=1", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat", "DEBIAN_FRONTEND=noninteractive"}
	if !slices.Equal(got, want) {
		t.Errorf("%q\nwant %q", got, want)
	}
}

// TestPass: the user's own exceptions are passed on, but for keys that are known; a lasting
// shell keeps them.
func TestPass(t *testing.T) {
	base := []string{"PATH=/bin", "DB_PASS=x", "DEPLOY_KEY=hunter2222", "OTHER_KEY=x"}
	got := Pass([]string{"PATH=/bin"}, base, []string{"DB_PASS", "DEPLOY_KEY", "PATH"}, "hunter2222")
	if want := []string{"PATH=/bin", "DB_PASS=x"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if kept := KeepSecrets([]string{"PATH=/usr/bin"}, got); !slices.Equal(kept, []string{"PATH=/usr/bin", "DB_PASS=x"}) {
		t.Errorf("%q", kept)
	}
}
