package report

import (
	"math"
	"slices"
)

// A Sample is what was measured of one figure of one program.
type Sample []float64

// At returns the quantile q of the sample, 0 to 1, between neighbours by distance; NaN of an empty one.
func (s Sample) At(q float64) float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(s))
	place := q * float64(len(sorted)-1)
	below := int(place)
	if below == len(sorted)-1 {
		return sorted[below]
	}
	return sorted[below] + (place-float64(below))*(sorted[below+1]-sorted[below])
}

// Median returns the middle of the sample.
func (s Sample) Median() float64 { return s.At(0.5) }
