package draw

import (
	"fmt"
	"image/color"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
)

// TestContrast holds all colours to 4.5:1 on the backgrounds that terminals have, and to 7:1 in high contrast.
func TestContrast(t *testing.T) {
	for _, test := range []struct {
		theme Theme
		name  string
		backs []string
		least float64
	}{
		{Dark, "dark", []string{"#000000", "#1e1e1e", "#282c34"}, 4.5},
		{Light, "light", []string{"#ffffff", "#fafafa", "#fdf6e3"}, 4.5},
		{Contrast, "contrast", []string{"#000000", "#1e1e1e"}, 7},
		{ContrastLight, "contrast light", []string{"#ffffff"}, 7},
	} {
		c := themes[test.theme]
		v := reflect.ValueOf(c)
		for i := range v.NumField() {
			name, colour := v.Type().Field(i).Name, v.Field(i).String()
			if strings.HasSuffix(name, "Back") || name == "selected" {
				continue
			}
			backs := test.backs
			switch name {
			case "good", "comment", "keyword", "literal", "number", "called", "named":
				backs = append(backs[:len(backs):len(backs)], c.addedBack, c.removedBack)
			case "bad":
				backs = append(backs[:len(backs):len(backs)], c.removedBack)
			}
			for _, back := range backs {
				if got := contrast(colour, back); got < test.least {
					t.Errorf("%s: %s %s on %s has %.2f:1", test.name, name, colour, back, got)
				}
				if slices.Contains(test.backs, back) {
					continue
				}
				if got := contrast(nearest(colour), nearest(back)); got < 4.5 {
					t.Errorf("%s: of 256 colours, %s %s on %s has %.2f:1", test.name, name, nearest(colour), nearest(back), got)
				}
			}
			for _, back := range test.backs {
				if got := contrast(nearest(colour), back); got < 4.5 {
					t.Errorf("%s: of 256 colours, %s %s on %s has %.2f:1", test.name, name, nearest(colour), back, got)
				}
			}
		}
		if got := contrast(c.selected, c.selectedBack); got < test.least {
			t.Errorf("%s: the selected row has %.2f:1", test.name, got)
		}
	}
}

// contrast returns the contrast of two colours as WCAG 2.2 defines it.
func contrast(a, b string) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(colour string) float64 {
	var parts [3]uint8
	_, _ = fmt.Sscanf(colour, "#%02x%02x%02x", &parts[0], &parts[1], &parts[2])
	var linear [3]float64
	for i, p := range parts {
		if v := float64(p) / 255; v <= 0.04045 {
			linear[i] = v / 12.92
		} else {
			linear[i] = math.Pow((v+0.055)/1.055, 2.4)
		}
	}
	return 0.2126*linear[0] + 0.7152*linear[1] + 0.0722*linear[2]
}

// TestNoColour: no colour is sent in the theme without one, not even those of commands.
func TestNoColour(t *testing.T) {
	d := New(NoColour, Options{Links: true})
	for _, item := range testItems() {
		for _, l := range d.Lines(item, 80, true) {
			for _, sequence := range sgr.FindAllString(l, -1) {
				for p := range strings.SplitSeq(strings.Trim(sequence, "\x1b[m"), ";") {
					if len(p) > 1 {
						t.Errorf("item %s: %q", item.Key, l)
					}
				}
			}
		}
	}
}

// nearest returns the colour that a terminal with 256 shows.
func nearest(colour string) string {
	c := color.RGBA{A: 0xff}
	_, _ = fmt.Sscanf(colour, "#%02x%02x%02x", &c.R, &c.G, &c.B)
	r, g, b, _ := ansi.Convert256(c).RGBA()
	return fmt.Sprintf("#%02x%02x%02x", r>>8, g>>8, b>>8)
}
