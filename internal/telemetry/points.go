package telemetry

import (
	"context"

	"go.opentelemetry.io/collector/pdata/pcommon"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
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
	md := metricsOf(rm)
	if md.DataPointCount() == 0 {
		return nil
	}
	var body []byte
	var err error
	if e.client.target.JSON {
		body, err = (&pmetric.JSONMarshaler{}).MarshalMetrics(md)
	} else {
		body, err = (&pmetric.ProtoMarshaler{}).MarshalMetrics(md)
	}
	if err != nil {
		e.client.log.Error("telemetry cannot be encoded", "error", err)
		return nil
	}
	e.client.send(ctx, body)
	return nil
}

// ForceFlush implements metric.Exporter.
func (e metricExporter) ForceFlush(context.Context) error { return nil }

// Shutdown implements metric.Exporter.
func (e metricExporter) Shutdown(context.Context) error { return nil }

// metricsOf returns metrics as OTLP has them.
func metricsOf(rm *metricdata.ResourceMetrics) pmetric.Metrics {
	md := pmetric.NewMetrics()
	out := md.ResourceMetrics().AppendEmpty()
	putAll(out.Resource().Attributes(), rm.Resource.Attributes())
	for _, scope := range rm.ScopeMetrics {
		to := out.ScopeMetrics().AppendEmpty()
		to.Scope().SetName(scope.Scope.Name)
		to.Scope().SetVersion(scope.Scope.Version)
		to.SetSchemaUrl(scope.Scope.SchemaURL)
		for _, m := range scope.Metrics {
			putMetric(to.Metrics().AppendEmpty(), m)
		}
	}
	return md
}

// putMetric has the kinds of data that the instruments of this package make.
func putMetric(to pmetric.Metric, m metricdata.Metrics) {
	to.SetName(m.Name)
	to.SetDescription(m.Description)
	to.SetUnit(m.Unit)
	switch data := m.Data.(type) {
	case metricdata.Sum[int64]:
		sum := to.SetEmptySum()
		sum.SetIsMonotonic(data.IsMonotonic)
		sum.SetAggregationTemporality(temporality(data.Temporality))
		for _, p := range data.DataPoints {
			putPoint(sum.DataPoints().AppendEmpty(), p).SetIntValue(p.Value)
		}
	case metricdata.Sum[float64]:
		sum := to.SetEmptySum()
		sum.SetIsMonotonic(data.IsMonotonic)
		sum.SetAggregationTemporality(temporality(data.Temporality))
		for _, p := range data.DataPoints {
			putPoint(sum.DataPoints().AppendEmpty(), p).SetDoubleValue(p.Value)
		}
	case metricdata.Histogram[int64]:
		putHistogram(to.SetEmptyHistogram(), data)
	case metricdata.Histogram[float64]:
		putHistogram(to.SetEmptyHistogram(), data)
	}
}

func putPoint[N int64 | float64](to pmetric.NumberDataPoint, p metricdata.DataPoint[N]) pmetric.NumberDataPoint {
	putAll(to.Attributes(), p.Attributes.ToSlice())
	to.SetStartTimestamp(pcommon.NewTimestampFromTime(p.StartTime))
	to.SetTimestamp(pcommon.NewTimestampFromTime(p.Time))
	return to
}

func putHistogram[N int64 | float64](to pmetric.Histogram, data metricdata.Histogram[N]) {
	to.SetAggregationTemporality(temporality(data.Temporality))
	for _, p := range data.DataPoints {
		point := to.DataPoints().AppendEmpty()
		putAll(point.Attributes(), p.Attributes.ToSlice())
		point.SetStartTimestamp(pcommon.NewTimestampFromTime(p.StartTime))
		point.SetTimestamp(pcommon.NewTimestampFromTime(p.Time))
		point.SetCount(p.Count)
		point.SetSum(float64(p.Sum))
		if low, ok := p.Min.Value(); ok {
			point.SetMin(float64(low))
		}
		if high, ok := p.Max.Value(); ok {
			point.SetMax(float64(high))
		}
		point.ExplicitBounds().FromRaw(p.Bounds)
		point.BucketCounts().FromRaw(p.BucketCounts)
	}
}

func temporality(t metricdata.Temporality) pmetric.AggregationTemporality {
	if t == metricdata.DeltaTemporality {
		return pmetric.AggregationTemporalityDelta
	}
	return pmetric.AggregationTemporalityCumulative
}
