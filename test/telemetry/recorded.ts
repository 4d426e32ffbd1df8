import { context, metrics, propagation, trace, type Attributes, type SpanContext } from "@opentelemetry/api";
import { AsyncLocalStorageContextManager } from "@opentelemetry/context-async-hooks";
import { W3CTraceContextPropagator } from "@opentelemetry/core";
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
  type DataPoint,
} from "@opentelemetry/sdk-metrics";
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider, type ReadableSpan } from "@opentelemetry/sdk-trace";

/** OpenTelemetry's own SDK, as a program starts it, with what it exports kept in memory. */
export function startSdk() {
  const spans = new InMemorySpanExporter();
  const tracerProvider = new TracerProvider({ spanProcessors: [new SimpleSpanProcessor({ exporter: spans })] });
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  const meterProvider = new MeterProvider({
    // It exports when a test asks for it.
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })],
  });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(tracerProvider);
  metrics.setGlobalMeterProvider(meterProvider);
  return {
    /** Ended spans of this name, in the order in which they ended. */
    spans: (name: string): readonly ReadableSpan[] => spans.getFinishedSpans().filter((span) => span.name === name),

    /** Runs something in a span of its own, as the instrumentation of a server does. */
    inSpan: <T>(name: string, work: () => Promise<T>): Promise<T> =>
      trace.getTracer("test").startActiveSpan(name, async (span) => {
        try {
          return await work();
        } finally {
          span.end();
        }
      }),

    /** What a metric says now, of each set of attributes. */
    async measured(name: string): Promise<readonly { readonly attributes: Attributes; readonly value: unknown }[]> {
      exporter.reset();
      await meterProvider.forceFlush();
      return exporter
        .getMetrics()
        .flatMap(({ scopeMetrics }) => scopeMetrics)
        .flatMap((scope) => scope.metrics)
        .filter(({ descriptor }) => descriptor.name === name)
        .flatMap(({ dataPoints }): readonly DataPoint<unknown>[] => dataPoints)
        .map(({ attributes, value }) => ({ attributes, value }));
    },

    async stop() {
      for (const api of [context, propagation, trace, metrics]) api.disable();
      await Promise.all([tracerProvider.shutdown(), meterProvider.shutdown()]);
    },
  };
}

export function idsOf(span: ReadableSpan | undefined): Pick<SpanContext, "traceId" | "spanId"> {
  const { traceId = "none", spanId = "none" } = span?.spanContext() ?? {};
  return { traceId, spanId };
}
