// Command collector is the OpenTelemetry Collector with the parts that the tests of package e2e/telemetry need: its OTLP
// receiver, and an exporter that appends what it receives to a file, as a JSON object a line.
package main

import (
	"context"
	"os"
	"sync"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/fileprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/exporterhelper"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/pdata/pmetric"
	"go.opentelemetry.io/collector/pdata/ptrace"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry"
)

func main() {
	command := otelcol.NewCommand(otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{Command: "collector", Version: "test"},
		Factories: factories,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{ResolverSettings: confmap.ResolverSettings{
			ProviderFactories: []confmap.ProviderFactory{fileprovider.NewFactory()}, DefaultScheme: "file",
		}},
	})
	if command.Execute() != nil {
		os.Exit(1)
	}
}

// factories returns the components of the collector.
func factories() (otelcol.Factories, error) {
	receivers, err := otelcol.MakeFactoryMap[receiver.Factory](otlpreceiver.NewFactory())
	if err != nil {
		return otelcol.Factories{}, err
	}
	exporters, err := otelcol.MakeFactoryMap[exporter.Factory](fileFactory())
	return otelcol.Factories{Receivers: receivers, Exporters: exporters, Telemetry: telemetry.NewFactory(func() component.Config { return &struct{}{} })}, err
}

// fileConfig is the configuration of the exporter.
type fileConfig struct {
	Path string `mapstructure:"path"`
}

// fileFactory returns the factory of the exporter.
func fileFactory() exporter.Factory {
	var mu sync.Mutex
	return exporter.NewFactory(component.MustNewType("file"), func() component.Config { return &fileConfig{} },
		exporter.WithTraces(func(ctx context.Context, set exporter.Settings, c component.Config) (exporter.Traces, error) {
			return exporterhelper.NewTraces(ctx, set, c, func(_ context.Context, td ptrace.Traces) error {
				line, err := (&ptrace.JSONMarshaler{}).MarshalTraces(td)
				return appendLine(&mu, c.(*fileConfig).Path, line, err)
			})
		}, component.StabilityLevelDevelopment),
		exporter.WithMetrics(func(ctx context.Context, set exporter.Settings, c component.Config) (exporter.Metrics, error) {
			return exporterhelper.NewMetrics(ctx, set, c, func(_ context.Context, md pmetric.Metrics) error {
				line, err := (&pmetric.JSONMarshaler{}).MarshalMetrics(md)
				return appendLine(&mu, c.(*fileConfig).Path, line, err)
			})
		}, component.StabilityLevelDevelopment))
}

// appendLine appends a line to a file, unless there is an error.
func appendLine(mu *sync.Mutex, path string, line []byte, err error) error {
	if err != nil {
		return err
	}
	mu.Lock()
	defer mu.Unlock()
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	if closed := file.Close(); err == nil {
		err = closed
	}
	return err
}
