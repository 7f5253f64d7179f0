package telemetry

import (
	"errors"

	"go.opentelemetry.io/otel/metric"
)

// Names of metrics. Those that begin with gen_ai are of the semantic conventions.
const (
	metricModelDuration = "gen_ai.client.operation.duration"
	metricFirstChunk    = "gen_ai.client.operation.time_to_first_chunk"
	metricTokens        = "gen_ai.client.token.usage"
	metricTurnDuration  = "gen_ai.invoke_agent.duration"
	metricToolDuration  = "gen_ai.execute_tool.duration"
	metricCost          = "parley.cost"
	metricRetries       = "parley.model.retries"
	metricApprovalWait  = "parley.approval.wait.duration"
	metricQuestionWait  = "parley.question.wait.duration"
	metricQueueWait     = "parley.queue.wait.duration"
	metricQueued        = "parley.queue.prompts"
	metricCompaction    = "parley.compaction.duration"
	metricActiveTurns   = "parley.turns.active"
	metricSessions      = "parley.sessions.open"
)

// Bounds of buckets: those of the conventions, and those of waits for users, which may take hours.
var (
	secondsBounds = []float64{0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92}
	chunkBounds   = []float64{0.001, 0.005, 0.01, 0.02, 0.04, 0.06, 0.08, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10}
	tokenBounds   = []float64{1, 4, 16, 64, 256, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216, 67108864}
	turnBounds    = []float64{0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800, 3600, 7200}
	waitBounds    = []float64{0.1, 1, 5, 15, 60, 300, 900, 3600, 14400, 86400}
)

// instruments are what sessions count with.
type instruments struct {
	modelDuration, firstChunk, turnDuration, toolDuration   metric.Float64Histogram
	approvalWait, questionWait, queueWait, compactionLength metric.Float64Histogram
	tokens                                                  metric.Int64Histogram
	cost                                                    metric.Float64Counter
	retries                                                 metric.Int64Counter
	queued, activeTurns, sessions                           metric.Int64UpDownCounter
}

// newInstruments makes the instruments of a meter.
func newInstruments(m metric.Meter) (in instruments, err error) {
	var errs []error
	seconds := func(to *metric.Float64Histogram, name, description string, bounds []float64) {
		h, err := m.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(description), metric.WithExplicitBucketBoundaries(bounds...))
		*to, errs = h, append(errs, err)
	}
	level := func(to *metric.Int64UpDownCounter, name, unit, description string) {
		c, err := m.Int64UpDownCounter(name, metric.WithUnit(unit), metric.WithDescription(description))
		*to, errs = c, append(errs, err)
	}
	seconds(&in.modelDuration, metricModelDuration, "Duration of a call of a model, with its retries.", secondsBounds)
	seconds(&in.firstChunk, metricFirstChunk, "Time until the answer of a model began.", chunkBounds)
	seconds(&in.turnDuration, metricTurnDuration, "Duration of a turn.", turnBounds)
	seconds(&in.toolDuration, metricToolDuration, "Duration of a tool call, without the wait for its approval.", secondsBounds)
	seconds(&in.approvalWait, metricApprovalWait, "Time until an approval was given or denied.", waitBounds)
	seconds(&in.questionWait, metricQuestionWait, "Time until a question was answered.", waitBounds)
	seconds(&in.queueWait, metricQueueWait, "Time that a prompt was in a queue.", waitBounds)
	seconds(&in.compactionLength, metricCompaction, "Duration of a compaction.", secondsBounds)
	level(&in.queued, metricQueued, "{prompt}", "Prompts in queues.")
	level(&in.activeTurns, metricActiveTurns, "{turn}", "Turns that run.")
	level(&in.sessions, metricSessions, "{session}", "Sessions that are open in the process.")
	in.tokens, err = m.Int64Histogram(metricTokens, metric.WithUnit("{token}"), metric.WithDescription("Tokens of a call of a model."),
		metric.WithExplicitBucketBoundaries(tokenBounds...))
	errs = append(errs, err)
	in.cost, err = m.Float64Counter(metricCost, metric.WithUnit("{USD}"), metric.WithDescription("Cost of calls of models in US dollars."))
	errs = append(errs, err)
	in.retries, err = m.Int64Counter(metricRetries, metric.WithUnit("{retry}"), metric.WithDescription("Calls of models that were made again."))
	return in, errors.Join(append(errs, err)...)
}
