package html

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"parley.dev/parley/internal/highlight"
)

func TestMarkdown(t *testing.T) {
	for _, test := range []struct{ name, source, want string }{
		{"paragraph", "a *b* **c** `<d>`", "<p>a <em>b</em> <strong>c</strong> <code>&lt;d&gt;</code></p>\n"},
		{"headings are below those of the page", "# a\n\n#### b", "<h4>a</h4>\n<h6>b</h6>\n"},
		{"links", "[a](https://a.test/?b=1&c=2)", `<p><a href="https://a.test/?b=1&amp;c=2" rel="noopener noreferrer nofollow">a</a></p>` + "\n"},
		{"bare links", "https://a.test", `<p><a href="https://a.test" rel="noopener noreferrer nofollow">https://a.test</a></p>` + "\n"},
		{"mailboxes", "<me@a.test>", `<p><a href="mailto:me@a.test" rel="noopener noreferrer nofollow">me@a.test</a></p>` + "\n"},
		{"links that run", "[a](javascript:b)", `<p><span class="dead" title="javascript:b">a</span></p>` + "\n"},
		{"links to files", "[a](b/c.go)", `<p><span class="dead" title="b/c.go">a</span></p>` + "\n"},
		{"images", "![a](https://a.test/b.png)", `<p><a href="https://a.test/b.png" rel="noopener noreferrer nofollow">image: a</a></p>` + "\n"},
		{"no link within a link", "[![a](https://a.test/b)](https://a.test/c)", `<p><a href="https://a.test/c" rel="noopener noreferrer nofollow">a</a></p>` + "\n"},
		{"HTML is text", "a <b>c</b>", "<p>a &lt;b&gt;c&lt;/b&gt;</p>\n"},
		{"blocks of HTML are text", "<div>\na\n</div>", `<p class="plain">&lt;div&gt;` + "\na\n&lt;/div&gt;</p>"},
		{"tasks", "- [x] a\n- [ ] b", "<ul>\n<li>☑ a</li>\n<li>☐ b</li>\n</ul>\n"},
		{"code", "```json\n{\"a\":1}\n```", `<pre><code>{<span class="hf">&#34;a&#34;</span>:<span class="hn">1</span>}` + "\n</code></pre>\n"},
		{"code in no language", "```what\n<a>\n```", "<pre><code>&lt;a&gt;\n</code></pre>\n"},
		{"table", "|a|\n|-:|\n|b|", "<div class=\"wide\"><table>\n<thead>\n<tr>\n<th align=\"right\">a</th>\n</tr>\n</thead>\n<tbody>\n<tr>\n<td align=\"right\">b</td>\n</tr>\n</tbody>\n</table></div>\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got, ok := (&converter{colours: &colours{coloursCap}}).convert(test.source); !ok || string(got) != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
	for name, source := range map[string]string{"too long": strings.Repeat("a\n", markdownCap), "too deep": strings.Repeat("> ", 41) + "a"} {
		if _, ok := new(converter).convert(source); ok {
			t.Error(name + ", and is Markdown")
		}
	}
	if html, _ := new(converter).convert(strings.Repeat("[a](b) ", 1000)); bytes.Count(html, []byte(`title="b"`)) != 400 {
		t.Error("a paragraph has more links than the limit of internal/commonmark")
	}
}

func TestDiff(t *testing.T) {
	var b strings.Builder
	(&sheet{w: &b}).diffLines("--- a\n+++ b\n@@ -1 +1 @@\n-<a>\n+b\n c")
	want := "<span class=\"df\">--- a\n</span><span class=\"df\">+++ b\n</span><span class=\"dh\">@@ -1 +1 @@\n</span><del>-&lt;a&gt;\n</del><ins>+b\n</ins> c"
	if b.String() != want {
		t.Errorf("got  %q\nwant %q", b.String(), want)
	}
}

func TestShorten(t *testing.T) {
	for name, text := range map[string]string{
		"lines":      strings.Repeat("a line of text\n", 20_000),
		"one line":   strings.Repeat("é", 100_000),
		"wide runes": strings.Repeat("😀", 70_000) + "\n",
		"just":       strings.Repeat("a", textCap),
	} {
		shown, left := cutMiddle(text)
		if len(shown) > textCap+100 || !utf8.ValidString(shown) || (left > 0) != (len(text) > textCap) {
			t.Errorf("%s: %d bytes shown, %d left out", name, len(shown), left)
		}
		if left > 0 && len(shown)+left < len(text) {
			t.Errorf("%s: more is left out than said", name)
		}
	}
}

func TestReadable(t *testing.T) {
	for text, want := range map[string]string{
		"a\x1b[31mb\x1b[0m\x1b[?25lc":       "abc",
		"\x1b]0;title\x07a\x1b]8;;x\x1b\\b": "ab",
		"a\r\nb":                            "a\nb",
		"\x1bMa\x1b(Bb":                     "ab",
		"plain [31m":                        "plain [31m",
	} {
		if got := readable(text); got != want {
			t.Errorf("%q became %q, want %q", text, got, want)
		}
	}
}

func TestVisible(t *testing.T) {
	for text, want := range map[string]string{
		"a\tb\nc":                "a\tb\nc",
		"a\x00b\x1bc\x7f":        "a␀b␛c␡",
		"a\u202eb\u2066\u200f":   "a⟨U+202E⟩b⟨U+2066⟩⟨U+200F⟩",
		"\u0085\u009b":           "⟨U+0085⟩⟨U+009B⟩",
		"\xff a\xc3":             "\uFFFD a\uFFFD",
		"\uFFFD שלום 👩‍💻 <&\"'>": "\uFFFD שלום 👩‍💻 &lt;&amp;&#34;&#39;&gt;",
		"\ufffe\ufdd0":           "⟨U+FFFE⟩⟨U+FDD0⟩",
		"\U0001fffe":             "⟨U+1FFFE⟩",
		"a\u200bb\u2028\u00a0":   "a⟨U+200B⟩b⟨U+2028⟩\u00a0",
	} {
		var b strings.Builder
		(&sheet{w: &b}).text(text)
		if b.String() != want {
			t.Errorf("%q became %q, want %q", text, b.String(), want)
		}
	}
}

func TestLeadsOut(t *testing.T) {
	for address, want := range map[string]bool{
		"https://a.test/b": true, "HTTP://a.test": true, "mailto:a@b.test": true,
		"javascript:a": false, "JavaScript:a": false, " javascript:a": false, "java\nscript:a": false, "data:text/html,a": false,
		"file:///etc/passwd": false, "//a.test/b": false, "/a": false, "a": false, "#a": false, "http:a": false, "https://": false, "": false, "mailto:": false,
		"javascript://a.test/%0aalert(1)": false, "file://a.test/b": false, "ftp://a.test": false,
	} {
		if leadsOut(address) != want {
			t.Errorf("%q leads out: %v", address, !want)
		}
	}
}

// TestLimits: what is long has one colour, and so has what comes after enough of others.
func TestLimits(t *testing.T) {
	for _, test := range []struct {
		text string
		left int
		want bool
	}{
		{"{\"a\": 1}", 8, true},
		{"{\"a\": 1}", 7, false},
		{"{\"a\": 1}" + strings.Repeat("\n", highlight.MaxText), coloursCap, false},
		{"{\"a\":" + strings.Repeat(" ", 400) + "1}", coloursCap, false},
	} {
		c := &colours{test.left}
		var b strings.Builder
		(&sheet{&b, c}).highlight(test.text, "json")
		if got := strings.Contains(b.String(), "<span"); got != test.want {
			t.Errorf("%.20q has colours: %v", test.text, got)
		}
		if test.want != (c.left < test.left) {
			t.Errorf("%.20q: %d of %d are left", test.text, c.left, test.left)
		}
	}
}
