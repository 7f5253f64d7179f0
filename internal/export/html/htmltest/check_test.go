package htmltest

import "testing"

// TestHarmIsFound feeds the check a page that does what no page may.
func TestHarmIsFound(t *testing.T) {
	page := func(body string) []byte {
		return []byte("<!doctype html><title>a</title><style>b{}</style><body><main><h1>a</h1>" + body + "</main>")
	}
	if findings := Harm(page(`<p class="a">b <a href="https://a.test">c</a> <img src="data:image/png;base64,AA" alt="d">`)); len(findings) > 0 {
		t.Errorf("a harmless page: %v", findings)
	}
	for _, body := range []string{
		"<script>1</script>", "<p onclick='a'>", "<p style='a'>", "<a href='javascript:a'>b</a>", "<a href='/b'>b</a>", "<img src='http://a.test/b.png'>",
		"<img src='data:image/svg+xml;base64,AA'>", "<iframe></iframe>", "<svg></svg>", "<style>a</style>", "<h1>b</h1>", "<form></form>", "<!-- a -->",
		"<p>\u202e", "<p>\x1b", "<p>\xff", "<base href='https://a.test'>", "<link rel='stylesheet' href='https://a.test'>",
	} {
		if len(Harm(page(body))) == 0 {
			t.Errorf("%q is not found", body)
		}
	}
}
