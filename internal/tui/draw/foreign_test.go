package draw

import (
	"fmt"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/go-json-experiment/json/jsontext"

	"parley.dev/parley/internal/racetest"
	"parley.dev/parley/internal/tui/conversation"
)

// hostile are texts that try to control the terminal, to hide or to break out of a line.
var hostile = []string{
	"plain", "", "\n\n", "\x1b[2J\x1b]0;title\x07\x1b]8;;http://evil\x07link\x1b]8;;\x07", "\u009b2J\u009d0;t\u009c", "\x9b31m", "a\rb\b\bc\x7f\x00",
	"\u202eabc\u202c\u2066x\u2069\u200b\u200e\u200f\ufeff\u00ad\u2028\u2029\u061c", "日本語テキスト一二三四五六七八九十", "👩\u200d👩\u200d👧\u200d👦 👨🏽\u200d💻 🇩🇪🇫🇷 ❤️ ☺️ 1️⃣",
	"e" + strings.Repeat("\u0301", 100), "\u0301\u0301", "\ta\tb\t\t日\t", strings.Repeat("w", 400), strings.Repeat("a b ", 100), "\u1160\u11a8\u3164\u115f", "\U000e0041\U000e007f", "กำ ำ", "ﷺ𒐫⸻",
	"&#27;[2J &#x202e; &#8238;&#x9b; &Tab; &NewLine; &ZeroWidthSpace; &rlm;", "[a](javascript:alert(1)) [b](http://a.test/\u202e) <http://x\x1b.test> ![i](file:///etc/passwd)",
	"[a](http://a.test/%1b%5d \"t\x1b\") http://a.test/\x1b]8;; https://a.test/\u009c mailto:a@b", "`\x1b[31m` ```\n\x1b[31m\n```\n    \x1b[31m", "| a\x1b | b |\n|---|:-:|\n| \u202e | 日本 |",
	"<b \x1b[31m>\n\n<div>\x1b\n</div>\n\n- \x1b\n- [x] \u202e\n> \x1b\n\n# \x1b\n\n~~\x1b~~ **\x1b** _\x1b_", "@@ -1,2 +1,3 @@\n \x1b\n-\u202ea\n+日本\tb\n+c\n", "@@ -1,999999999 +1,9223372036854775807 @@\n+a\n-b\n",
	"\x1b[38;2;1;2;3mrgb\x1b[48;5;7m256\x1b[38:2::4:5:6m\x1b[8mhidden\x1b[5mblink\x1b[4:3mcurly\x1b[m\x1b[999;1;38;5m\x1b[38;5;300m", "a\x1b[1A\x1b[2K\x1b[10;200Hb\x1b[1000Cc\x1b[J\x1b[1J日\x1b[D\x1b[Dx\x1b[2P\x1b[3X",
	"\x1bPq#0\x1b\\\x1b_Gf=32;AAAA\x1b\\\x1b^x\x1b\\\x1bX\x1b\\\x1bc\x1b(0\x1b#8", "1. T\x1b\n   https://a.test/\u202e\n   s\n2. x\n   http://b.test\n", strings.Repeat("> ", 60) + "x", strings.Repeat("- ", 60) + "x", strings.Repeat("[", 300),
}

var (
	sgr  = regexp.MustCompile(`\x1b\[[0-9;]*m`)
	osc8 = regexp.MustCompile(`\x1b\]8;;((?:https?://|mailto:)[!-~]+)?\x1b\\`)
)

// harms returns what is wrong with a line for a terminal of that width.
func harms(l string, width int) []string {
	var harms []string
	text := osc8.ReplaceAllString(sgr.ReplaceAllString(l, ""), "")
	for _, r := range text {
		if unicode.In(r, unicode.Cc, unicode.Bidi_Control) || r == '\u2028' || r == '\u2029' {
			harms = append(harms, fmt.Sprintf("it has the character %U", r))
		}
	}
	if w := max(ansi.StringWidth(text), ansi.StringWidthWc(text)); w > width {
		harms = append(harms, "it is too wide")
	}
	if all := sgr.FindAllString(l, -1); len(all) > 0 && all[len(all)-1] != "\x1b[m" {
		harms = append(harms, "its style does not end")
	}
	if all := osc8.FindAllStringSubmatch(l, -1); len(all) > 0 && all[len(all)-1][1] != "" {
		harms = append(harms, "its link does not end")
	}
	return harms
}

// foreign returns all items with a text in all their strings.
func foreign(text string) []conversation.Item {
	items := testItems()
	quoted, err := jsontext.AppendQuote(nil, strings.ToValidUTF8(text, "?"))
	if err != nil {
		panic(err)
	}
	input := jsontext.Value(`{"command":` + string(quoted) + `,` + string(quoted) + `:[` + string(quoted) + `],"x":1}`)
	for i := range items {
		key := items[i].Key
		fill(reflect.ValueOf(&items[i]).Elem(), text, input)
		items[i].Key = key
	}
	return items
}

// fill sets all strings within a value.
func fill(v reflect.Value, text string, input jsontext.Value) {
	switch {
	case v.Type() == reflect.TypeFor[jsontext.Value]():
		v.Set(reflect.ValueOf(input))
	case v.Kind() == reflect.String:
		v.SetString(text)
	case v.Kind() == reflect.Pointer && !v.IsNil():
		fill(v.Elem(), text, input)
	case v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8:
		for i := range v.Len() {
			fill(v.Index(i), text, input)
		}
	case v.Kind() == reflect.Struct:
		for i := range v.NumField() {
			if v.Field(i).CanSet() {
				fill(v.Field(i), text, input)
			}
		}
	}
}

// outcomes returns items of commands and calls with all parts but the foreign texts of real ones.
func outcomes(text string) []conversation.Item {
	items := testItems()
	for i := range items {
		it := &items[i]
		it.Key += "o"
		it.Text = text
		if it.Call != nil {
			it.Call.Output, it.Call.Summary = text, text
		}
		if it.Shell != nil {
			it.Shell.Output, it.Shell.Command = text, text
		}
		for n := range it.Changes {
			it.Changes[n].Diff, it.Changes[n].Path = text, text+".go"
		}
		if it.Approval != nil {
			for n := range it.Approval.Files {
				it.Approval.Files[n].Diff, it.Approval.Files[n].Path = text, text+".py"
			}
		}
	}
	return items
}

// FuzzForeign draws all items with any text in them: nothing of it controls the terminal, and no line is too wide.
func FuzzForeign(f *testing.F) {
	racetest.Skip(f, racetest.Sequential)
	for i, text := range hostile {
		for variant := range uint8(8) {
			f.Add(text, uint16(i*7)+uint16(variant)*20, variant)
		}
	}
	f.Fuzz(func(t *testing.T, text string, columns uint16, variant uint8) {
		if len(text) > 4000 {
			return
		}
		width := 1 + int(columns)%300
		d := New(Dark, Options{Links: true, UnfoldKey: "ctrl+x"})
		if variant&1 != 0 {
			d = New(NoColour, Options{})
		}
		items := foreign(text)
		if variant&2 != 0 {
			items = outcomes(text)
		}
		for _, item := range items {
			for _, l := range d.Lines(item, width, variant&4 != 0) {
				for _, harm := range harms(l, width) {
					t.Fatalf("%q in item %s (kind %d) at %d columns: %s: %q", text, item.Key, item.Kind, width, harm, l)
				}
			}
		}
		if l := d.Paint(Selected, text); len(harms(l, 1<<30)) > 0 {
			t.Fatalf("painted: %q", l)
		}
	})
}
