package batch

import (
	"regexp"
	"testing"
	"time"

	"github.com/clipperhouse/displaywidth"

	"parley.dev/parley/internal/batch"
)

func TestBarLine(t *testing.T) {
	eta := 90
	half := batch.Report{Batch: "3fa9c1d2e4b5", Tasks: 500, Done: 298, Failed: 10, Dead: 4, Running: 4, Queued: 184, CostUSD: 1.234, Rate: 2.14, ETA: &eta}
	none := 0
	end := batch.Report{Batch: "x", Tasks: 2, Done: 1, Failed: 1, Finished: true, ETA: &none}
	for _, test := range []struct {
		r       batch.Report
		columns int
		want    string
	}{
		{half, 120, "3fa9c1d2e4b5  ━━━━━━━━━━━━━━━━━━━━━━━━╸───────────────  312/500  ✓ 298  ✗ 14   ▶ 4    $1.23   2.1/s     ETA 1m30s"},
		{half, 90, "3fa9c1d2e4b5  ━━━━━━━━━━╸─────  312/500  ✓ 298  ✗ 14   ▶ 4    $1.23   2.1/s     ETA 1m30s"},
		{half, 60, "━━━━━━╸───  312/500  ✓ 298  ✗ 14   ▶ 4    $1.23   ETA 1m30s"},
		{half, 30, "━━━━━━━━━━━━━╸───────  312/500"},
		{half, 10, "312/500"},
		{batch.Report{Tasks: 3, Queued: 3}, 80, "────────────────────────────  0/3  ✓ 0  ✗ 0  ▶ 0    $0.00"},
		{end, 80, "x  ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━  2/2  ✓ 1  ✗ 1  ▶ 0    $0.00"},
	} {
		got := barLine(test.r, test.columns, false)
		if got != test.want {
			t.Errorf("%d columns:\n%s\nwant\n%s", test.columns, got, test.want)
		}
		if n := displaywidth.String(got); n > max(test.columns, 7) {
			t.Errorf("%d columns are %d: %s", test.columns, n, got)
		}
		painted := regexp.MustCompile("\x1b\\[[0-9]*m").ReplaceAllString(barLine(test.r, test.columns, true), "")
		if displaywidth.String(painted) < displaywidth.String(got) {
			t.Errorf("with colours: %q", painted)
		}
	}
}

func TestShortDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0.0s", 1234 * time.Millisecond: "1.2s", 59 * time.Second: "59s", 61 * time.Second: "1m01s",
		3 * time.Hour: "3h00m", 50*time.Hour + time.Minute: "2d02h",
	} {
		if got := shortDuration(d); got != want {
			t.Errorf("%s: %s, want %s", d, got, want)
		}
	}
}
