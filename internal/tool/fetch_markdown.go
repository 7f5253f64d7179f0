package tool

import (
	"net/url"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// maxIndents is how deep quotes and lists may be nested. Each level indents all lines in
// it once more, so that a small hostile page could become gigabytes.
const maxIndents = 12

// markdown returns the readable part of an HTML page, with absolute links. What cannot be
// converted, such as elements nested hundreds deep, stays HTML.
//
// Nothing is escaped: a model needs no backslashes, and looking for what needs one takes
// quadratic time.
func markdown(text string, address *url.URL) string {
	page, err := html.Parse(strings.NewReader(text))
	if err != nil {
		return text
	}
	flatten(page, 0)
	convert := converter.NewConverter(
		converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin()),
	)
	converted, err := convert.ConvertNode(page, converter.WithDomain(address.String()))
	if err != nil {
		return text
	}
	return string(converted)
}

// flatten makes plain blocks of the quotes and lists in node that are nested too deep;
// indents is how many of them node is in. The parser bounds the depth of the recursion.
func flatten(node *html.Node, indents int) {
	switch node.DataAtom {
	case atom.Blockquote, atom.Ul, atom.Ol:
		if indents++; indents > maxIndents {
			node.Data, node.DataAtom = "div", atom.Div
		}
	}
	for child := range node.ChildNodes() {
		flatten(child, indents)
	}
}
