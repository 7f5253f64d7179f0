package conform

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// This file writes JUnit XML. It is a few elements: encoding/xml would have each start of the program make its table of HTML entities.

// WriteJUnit writes the report as JUnit XML. A recommendation that is not met is a skipped test with the reason, because it does not fail a run.
func (r Report) WriteJUnit(w io.Writer) error {
	var b bytes.Buffer
	skipped := r.Counts[Skipped] + r.Counts[Unmet]
	fmt.Fprintf(&b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"%s\" tests=\"%d\" failures=\"%d\" skipped=\"%d\" time=\"%.3f\">\n",
		xmlText("parley conform "+r.Dialect+" "+string(r.Side)), len(r.Cases), r.Counts[Failed], skipped, r.Seconds)
	for _, c := range r.Cases {
		fmt.Fprintf(&b, "    <testcase classname=\"%s\" name=\"%s\" time=\"%.3f\">\n",
			xmlText("conform."+r.Dialect+"."+string(r.Side)), xmlText(c.Name+": "+c.Title), c.Seconds)
		first, _, _ := strings.Cut(c.Reason, "\n")
		details := c.Source + "\n" + c.Reason + "\n" + strings.Join(c.Dialogue, "\n")
		switch c.Status {
		case Failed:
			writeMessage(&b, "failure", first, details)
		case Unmet:
			writeMessage(&b, "skipped", "recommended, not met: "+first, details)
		case Skipped:
			writeMessage(&b, "skipped", c.Reason, "")
		case Passed:
		}
		if len(c.Stderr) > 0 {
			fmt.Fprintf(&b, "      <system-err>%s</system-err>\n", xmlText(strings.Join(c.Stderr, "\n")))
		}
		b.WriteString("    </testcase>\n")
	}
	b.WriteString("  </testsuite>\n</testsuites>\n")
	_, err := w.Write(b.Bytes())
	return err
}

// writeMessage writes an element that has a message and a text.
func writeMessage(b *bytes.Buffer, name, message, text string) {
	fmt.Fprintf(b, "      <%s message=\"%s\">%s</%s>\n", name, xmlText(message), xmlText(text), name)
}

// xmlText returns a text as it is written between elements, or in an attribute in double quotes. What XML 1.0 cannot have is replaced.
func xmlText(text string) string {
	var b strings.Builder
	for _, c := range text { // a byte that is not UTF-8 is utf8.RuneError
		switch {
		case c == '&':
			b.WriteString("&amp;")
		case c == '<':
			b.WriteString("&lt;")
		case c == '>':
			b.WriteString("&gt;")
		case c == '"':
			b.WriteString("&#34;")
		case c == '\t' || c == '\n' || c == '\r':
			fmt.Fprintf(&b, "&#x%X;", c)
		case c < ' ' || c == 0xFFFE || c == 0xFFFF:
			b.WriteRune(utf8.RuneError)
		default:
			b.WriteRune(c)
		}
	}
	return b.String()
}
