package report

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"
)

func TestSample(t *testing.T) {
	s := Sample{5, 1, 3, 2, 4}
	for q, want := range map[float64]float64{0: 1, 0.1: 1.4, 0.5: 3, 0.9: 4.6, 1: 5} {
		if got := s.At(q); math.Abs(got-want) > 1e-9 {
			t.Errorf("At(%g) = %g, want %g", q, got, want)
		}
	}
	if got := (Sample{7}).At(0.9); got != 7 {
		t.Errorf("of one: %g", got)
	}
	if got := (Sample{}).Median(); !math.IsNaN(got) {
		t.Errorf("of none: %g", got)
	}
	if s[0] != 5 {
		t.Error("the sample was sorted in place")
	}
}

func TestUsed(t *testing.T) {
	for name, test := range map[string]struct {
		budget       Budget
		value, floor float64
		want         float64
		judged       bool
	}{
		"most":           {Budget{Most: 20}, 10, 0, 0.5, true},
		"times":          {Budget{Times: 4}, 8, 1, 2, true},
		"least":          {Budget{Least: 0.5}, 100, 200, 1, true},
		"least, slow":    {Budget{Least: 0.5}, 50, 200, 2, true},
		"without floor":  {Budget{Times: 4}, 8, 0, 0, false},
		"unknown floor":  {Budget{Times: 4}, 8, math.NaN(), 0, false},
		"without budget": {Budget{}, 8, 1, 0, false},
	} {
		if got, judged := test.budget.Used(test.value, test.floor); got != test.want || judged != test.judged {
			t.Errorf("%s: %g, %t; want %g, %t", name, got, judged, test.want, test.judged)
		}
	}
}

func TestFormat(t *testing.T) {
	for want, got := range map[string]string{
		"1.20 s": Seconds.Format(1.2), "3.10 ms": Seconds.Format(0.0031), "67.0 µs": Seconds.Format(67e-6), "0.50 µs": Seconds.Format(5e-7),
		"20.0 MiB": Memory.Format(20 << 20), "64.0 KiB": Memory.Format(64 << 10), "-1.00 MiB": Memory.Format(-1 << 20),
		"1.60 MB": Data.Format(1.6e6), "352,000/s": PerSecond.Format(352000), "12/s": PerSecond.Format(12),
		"1.50 cores": Cores.Format(1.5), "≤ 2 × embedded": Budget{Times: 2, Beside: "x"}.limit(Seconds), "≤ 4 × floor": Budget{Times: 4}.limit(Seconds), "≥ 0.5 × floor": Budget{Least: 0.5}.limit(PerSecond), "≤ 30.0 ms": Budget{Most: 0.03}.limit(Seconds), "–": Budget{}.limit(Seconds),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestFigures: ids are unique, and a program of its own has a limit of its own.
func TestFigures(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range Figures() {
		if seen[f.ID] || f.Name == "" || f.Unit == "" {
			t.Errorf("%+v is twice there, or not whole", f)
		}
		seen[f.ID] = true
		if f.ID == "delta-bytes" && (f.budget("pisces").Most != 20e6 || f.budget("flint").Most != 8e6) {
			t.Errorf("limits are %v and %v", f.budget("pisces"), f.budget("flint"))
		}
	}
}

func sampleRun() *Run {
	r := &Run{Head: Head{Machine: "a <machine> & more", Cores: 2}, Programs: []Program{{Name: Floor}, {Name: "good", Ours: true}, {Name: "bad"}}}
	r.Add("cold-start", Floor, 0.001, 0.003, 0.002)
	r.Add("cold-start", "good", 0.004)
	r.Add("cold-start", "bad", 0.080)
	r.Add("exit", "good", 0.003)
	r.Add("embedded-start", "good", 0.002)
	r.Add("host-start", "good", 0.009)
	return r
}

func TestMarkdown(t *testing.T) {
	text := sampleRun().Markdown()
	for _, want := range []string{
		"| cold start to the first protocol answer | ≤ 2.2 × floor | 0.91 | **18.2** |\n",
		"| cold start to the first protocol answer | floor | 2.00 ms | 1.20 ms – 2.80 ms |  |  |  |\n",
		"|  | good | 4.00 ms | 4.00 ms – 4.00 ms | 2.00 | ≤ 2.2 × floor | met |\n",
		"|  | bad | 80.0 ms | 80.0 ms – 80.0 ms | 40.0 | ≤ 2.2 × floor | **not met** |\n",
		"| end of stdin to exit | good | 3.00 ms | 3.00 ms – 3.00 ms |  | ≤ 30.0 ms | met |\n",
		"| cold start of parley serve, until clients can connect | good | 9.00 ms | 9.00 ms – 9.00 ms | 4.50 | ≤ 3 × embedded | **not met** |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}

func TestJSON(t *testing.T) {
	text, err := sampleRun().JSON()
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Results []struct {
			Program string   `json:"program"`
			Figure  string   `json:"figure"`
			Ratio   *float64 `json:"ratio"`
			Met     *bool    `json:"met"`
		} `json:"results"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Results) != 6 || got.Results[0].Met != nil || !*got.Results[1].Met || *got.Results[2].Met || *got.Results[2].Ratio != 40 || got.Results[3].Ratio != nil {
		t.Errorf("%s", text)
	}
}

// TestSVG: the picture is XML, and the bar of a subject that exceeds a budget crosses its line.
func TestSVG(t *testing.T) {
	text, err := sampleRun().SVG()
	if err != nil {
		t.Fatal(err)
	}
	bars, lines := 0, 0
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if start, ok := token.(xml.StartElement); ok {
			switch start.Name.Local {
			case "rect":
				bars++
			case "line":
				lines++
			}
		}
	}
	if bars != 1+2+4 || lines < 3 { // the ground, the legend, the bars
		t.Errorf("%d bars, %d lines in\n%s", bars, lines, text)
	}
	a := axisOf(sampleRun().Cells())
	if !(a.at(0.5) < a.at(1) && a.at(1) < a.at(10) && a.at(10) < plotEnd) {
		t.Errorf("the axis %+v is not one", a)
	}
}

// TestLegend checks that each of as many programs as there can be has a color of its own, and its name a place in the picture.
func TestLegend(t *testing.T) {
	r := sampleRun()
	r.Programs = []Program{{Name: Floor}}
	for i := range plotColors {
		r.Programs = append(r.Programs, Program{Name: fmt.Sprintf("a-program-%d", i)})
	}
	text, err := r.SVG()
	if err != nil {
		t.Fatal(err)
	}
	places := map[string]bool{}
	for _, key := range regexp.MustCompile(`<rect x="(\d+)" y="(\d+)" width="10" height="10" fill="(#[0-9a-f]+)"/>`).FindAllStringSubmatch(text, -1) {
		if x, _ := strconv.Atoi(key[1]); x > plotEnd-100 || places[key[3]] || places[key[1]+","+key[2]] {
			t.Errorf("%s at %s, %s", key[3], key[1], key[2])
		}
		places[key[3]], places[key[1]+","+key[2]] = true, true
	}
	if len(places) != 2*len(plotColors) {
		t.Errorf("%d places for %d programs", len(places)/2, len(plotColors))
	}
}

func TestUnknown(t *testing.T) {
	r := sampleRun()
	r.Add("telepathy", "good", 1)
	if got := r.Unknown(); len(got) != 1 || got[0] != "telepathy" {
		t.Errorf("got %q", got)
	}
}
