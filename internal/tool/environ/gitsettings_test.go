package environ

import (
	"slices"
	"testing"
)

func TestGitSettings(t *testing.T) {
	added := GitSetting{"core.fsmonitor", "false"}
	for _, c := range []struct{ have, want []string }{
		{[]string{"A=b"}, []string{"A=b", "GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=false", "GIT_CONFIG_COUNT=1"}},
		{
			[]string{"GIT_CONFIG_COUNT=1", "GIT_CONFIG_VALUE_0=x=y", "GIT_CONFIG_KEY_0=a.b", "GIT_CONFIG_KEY_1=c.d", "A=b"},
			[]string{"A=b", "GIT_CONFIG_KEY_0=a.b", "GIT_CONFIG_VALUE_0=x=y", "GIT_CONFIG_KEY_1=core.fsmonitor", "GIT_CONFIG_VALUE_1=false", "GIT_CONFIG_COUNT=2"},
		},
		{[]string{"GIT_CONFIG_COUNT=-7"}, []string{"GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=false", "GIT_CONFIG_COUNT=1"}},
		{[]string{"GIT_CONFIG_COUNT=99999999999"}, []string{"GIT_CONFIG_KEY_0=core.fsmonitor", "GIT_CONFIG_VALUE_0=false", "GIT_CONFIG_COUNT=1"}},
	} {
		if got := WithGitSettings(c.have, added); !slices.Equal(got, c.want) {
			t.Errorf("%q: %q, want %q", c.have, got, c.want)
		}
		if got := ReplaceGitSettings(WithGitSettings(c.have, added), nil); slices.ContainsFunc(got, func(entry string) bool { return entry != "A=b" }) {
			t.Errorf("%q: %q are left", c.have, got)
		}
	}
}

// Children get the user's settings of git in the environment, without those that are secrets.
func TestGitSettingsOfChildren(t *testing.T) {
	got := ForChildren([]string{
		"GIT_CONFIG_COUNT=4", "GIT_CONFIG_KEY_0=http.https://x.example/.extraHeader", "GIT_CONFIG_VALUE_0=Authorization: Basic x",
		"GIT_CONFIG_KEY_1=user.name", "GIT_CONFIG_VALUE_1=Ada", "GIT_CONFIG_KEY_2=url.https://u:p@x.example/.insteadOf", "GIT_CONFIG_VALUE_2=x",
		"GIT_CONFIG_KEY_3=a.b", "GIT_CONFIG_VALUE_3=has hunter2222",
	}, "hunter2222")
	want := []string{"GIT_CONFIG_KEY_0=user.name", "GIT_CONFIG_VALUE_0=Ada", "GIT_CONFIG_COUNT=1"}
	if len(got) < 3 || !slices.Equal(got[:3], want) {
		t.Errorf("%q, want %q", got, want)
	}
}
