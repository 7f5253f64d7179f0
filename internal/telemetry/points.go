package telemetry

import (
	"context"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"parley.dev/parley/internal/telemetry/otlp"
)

// A metricExporter sends metrics of the SDK in OTLP.
type metricExporter struct {
	client *client
	delta  func(monotonic bool) bool
}

var _ metric.Exporter = metricExporter{}

// Temporality implements metric.Exporter.
func (e metricExporter) Temporality(kind metric.InstrumentKind) metricdata.Temporality {
	monotonic := kind == metric.InstrumentKindCounter || kind == metric.InstrumentKindHistogram
	if e.delta(monotonic) {
		return metricdata.DeltaTemporality
	}
	return metricdata.CumulativeTemporality
}

// Aggregation implements metric.Exporter.
func (e metricExporter) Aggregation(kind metric.InstrumentKind) metric.Aggregation {
	return metric.DefaultAggregationSelector(kind)
}

// Export sends metrics. What fails is logged, and no error.
func (e metricExporter) Export(ctx context.Context, rm *metricdata.ResourceMetrics) error {
	if md := metricsOf(rm); md != nil {
		e.client.sendMessage(ctx, md)
	}
	return nil
}

// ForceFlush implements metric.Exporter.
func (e metricExporter) ForceFlush(context.Context) error { return nil }

// Shutdown implements metric.Exporter.
func (e metricExporter) Shutdown(context.Context) error { return nil }

// metricsOf returns metrics as OTLP has them; nil if they have no points.
func metricsOf(rm *metricdata.ResourceMetrics) *otlp.Metrics {
	out := otlp.ResourceMetrics{Resource: otlp.Resource{Attributes: attributesOf(rm.Resource.Attributes())}}
	points := false
	for _, scope := range rm.ScopeMetrics {
		to := otlp.ScopeMetrics{Scope: otlp.Scope{Name: scope.Scope.Name, Version: scope.Scope.Version}, SchemaURL: scope.Scope.SchemaURL}
		for _, m := range scope.Metrics {
			metric := otlpMetric(m)
			points = points || metric.Sum != nil && len(metric.Sum.Points) > 0 || metric.Histogram != nil && len(metric.Histogram.Points) > 0
			to.Metrics = append(to.Metrics, metric)
		}
		out.ScopeMetrics = append(out.ScopeMetrics, to)
	}
	if !points {
		return nil
	}
	return &otlp.Metrics{ResourceMetrics: []otlp.ResourceMetrics{out}}
}

// otlpMetric has the kinds of data that the instruments of this package make.
func otlpMetric(m metricdata.Metrics) otlp.Metric {
	to := otlp.Metric{Name: m.Name, Description: m.Description, Unit: m.Unit}
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		to.Sum = sumOf(data, func(p *otlp.NumberPoint, value int64) { p.Int = &value })
	case metricdata.Sum[float64]:
		to.Sum = sumOf(data, func(p *otlp.NumberPoint, value float64) { p.Double = &value })
	case metricdata.Histogram[int64]:
		to.Histogram = histogramOf(data)
	case metricdata.Histogram[float64]:
		to.Histogram = histogramOf(data)
	}
	return to
}

func sumOf[N int64 | float64](data metricdata.Sum[N], set func(*otlp.NumberPoint, N)) *otlp.Sum {
	sum := &otlp.Sum{Monotonic: data.IsMonotonic, Temporality: temporality(data.Temporality)}
	for _, p := range data.DataPoints {
		point := otlp.NumberPoint{StartTime: nanoseconds(p.StartTime), Time: nanoseconds(p.Time), Attributes: attributesOf(p.Attributes.ToSlice())}
		set(&point, p.Value)
		sum.Points = append(sum.Points, point)
	}
	return sum
}

func histogramOf[N int64 | float64](data metricdata.Histogram[N]) *otlp.Histogram {
	histogram := &otlp.Histogram{Temporality: temporality(data.Temporality)}
	for _, p := range data.DataPoints {
		point := otlp.HistogramPoint{
			StartTime: nanoseconds(p.StartTime), Time: nanoseconds(p.Time), Count: p.Count, Sum: new(float64(p.Sum)), Bounds: p.Bounds,
			Attributes: attributesOf(p.Attributes.ToSlice()),
		}
		for _, n := range p.BucketCounts {
			point.BucketCounts = append(point.BucketCounts, otlp.Count(n))
		}
		if low, ok := p.Min.Value(); ok {
			point.Min = new(float64(low))
		}
		if high, ok := p.Max.Value(); ok {
			point.Max = new(float64(high))
		}
		histogram.Points = append(histogram.Points, point)
	}
	return histogram
}

func temporality(t metricdata.Temporality) otlp.Temporality {
	if t == metricdata.DeltaTemporality {
		return otlp.Delta
	}
	return otlp.Cumulative
}
