import {
  context,
  createContextKey,
  diag,
  metrics,
  propagation,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  trace,
  type Attributes,
  type Link,
  type Meter,
  type MeterProvider,
  type Span,
  type TracerProvider,
} from "@opentelemetry/api";
import type { Destination } from "./delivery.js";
import { AftercommitError, messageOf } from "./errors.js";
import { observeJobs, type JobObserver } from "./job-observer.js";
import type { Outbox } from "./outbox/outbox.js";
import type { Message } from "./queues/queues.js";
import { receiptOf } from "./receipt.js";
import { version } from "./version.js";

export interface TelemetryOptions {
  /** Whose backlog is measured: one statement each, whenever the metrics are collected. */
  readonly outboxes?: readonly Outbox[];
  /** Default: the one that is registered. */
  readonly tracerProvider?: TracerProvider;
  /** Default: the one that is registered now. */
  readonly meterProvider?: MeterProvider;
}

const queueKey = createContextKey("queue of aftercommit");

/**
 * Makes spans and metrics of what this package does in this process, through `@opentelemetry/api`. Call it once, when the
 * SDK has been started: without one it costs little and tells nobody.
 *
 * A job's `create` span is a child of the span in which it was asked for, and its context travels with the message by the
 * registered propagator. So the `process` span of each of its runs is in the same trace, whoever has sent it. A `send`
 * span stands for one sending of several messages, and is linked to their `create` spans.
 *
 * @returns ends it
 * @throws ConfigurationError when it was called before and not ended
 */
export function startTelemetry(options: TelemetryOptions = {}): () => void {
  const tracer = (options.tracerProvider ?? trace).getTracer("aftercommit", version);
  const meter = (options.meterProvider ?? metrics).getMeter("aftercommit", version);
  const count = countersOf(meter);

  const observer: JobObserver = {
    asked(destination, id) {
      const attributes = attributesOf(destination, "create");
      const span = tracer.startSpan(`create ${destination.policy.name}`, {
        kind: SpanKind.PRODUCER,
        attributes: { ...attributes, "messaging.message.id": id },
      });
      const carrier: Record<string, string> = {};
      propagation.inject(trace.setSpan(context.active(), span), carrier);
      span.end();
      count.staged.add(1, queueOf(destination));
      return Object.keys(carrier).length === 0 ? undefined : carrier;
    },

    async sending(sender, destination, messages, send) {
      const attributes = {
        ...attributesOf(destination, "send"),
        "aftercommit.sender": sender,
        "messaging.batch.message_count": messages.length,
      };
      // A relay sends for whoever has committed, and belongs to nobody's request.
      const parent = sender === "relay" ? ROOT_CONTEXT : context.active();
      const name = `send ${destination.policy.name}`;
      const span = tracer.startSpan(name, { kind: SpanKind.CLIENT, attributes, links: linksTo(messages) }, parent);
      try {
        await context.with(trace.setSpan(parent, span), send);
      } catch (error) {
        fail(span, error);
        throw error;
      } finally {
        span.end();
      }
    },

    dispatched(sender, destination, messages) {
      const queue = queueOf(destination);
      for (const message of messages) {
        const { outcome } = receiptOf(message);
        if (outcome === "enqueued") count.dispatched.add(1, { ...queue, "aftercommit.sender": sender });
        else count.leftOut.add(1, { ...queue, "aftercommit.outcome": outcome });
      }
    },

    async handling(destination, { message, attempt }, handle) {
      const parent = propagation.extract(ROOT_CONTEXT, message.meta ?? {});
      const queue = queueOf(destination);
      const span = tracer.startSpan(
        `process ${destination.policy.name}`,
        {
          kind: SpanKind.CONSUMER,
          attributes: {
            ...attributesOf(destination, "process"),
            "messaging.message.id": message.id,
            "aftercommit.attempt": attempt,
          },
        },
        parent,
      );
      const startedAt = performance.now();
      const within = trace.setSpan(parent, span).setValue(queueKey, queue);
      const settlement = await context.with(within, handle);
      const outcome = { "aftercommit.settlement": settlement.do };
      span.setAttributes(outcome);
      if (settlement.do === "retry" || settlement.do === "fail") fail(span, settlement.error);
      span.end();
      count.handled.add(1, { ...queue, ...outcome });
      count.handling.record((performance.now() - startedAt) / 1000, { ...queue, ...outcome });
      return settlement;
    },

    stoppedDuplicate() {
      trace.getActiveSpan()?.addEvent("aftercommit.duplicate_stopped");
      count.duplicates.add(1, (context.active().getValue(queueKey) ?? {}) as Attributes);
    },
  };

  const end = observeJobs(observer);
  const endMeasuring = measure(meter, options.outboxes ?? []);
  return () => {
    end();
    endMeasuring();
  };
}

function countersOf(meter: Meter) {
  const counter = (name: string, description: string) => meter.createCounter(name, { description, unit: "{job}" });
  return {
    staged: counter("aftercommit.jobs.staged", "Jobs that were asked for, whatever became of their transaction."),
    dispatched: counter("aftercommit.jobs.dispatched", "Jobs that their queue has confirmed."),
    leftOut: counter("aftercommit.jobs.left_out", "Jobs that were not sent because another does their work."),
    handled: counter("aftercommit.jobs.handled", "Runs of jobs, by what became of them."),
    duplicates: counter("aftercommit.duplicates.stopped", "Operations that a ledger found done already."),
    handling: meter.createHistogram("messaging.process.duration", {
      description: "How long handling a message took.",
      unit: "s",
    }),
  };
}

/** Measures what waits in outboxes. Returns what ends it. */
function measure(meter: Meter, outboxes: readonly Outbox[]): () => void {
  const waiting = meter.createObservableGauge("aftercommit.outbox.waiting", {
    description: "Rows that wait to be sent, or are being sent.",
    unit: "{job}",
  });
  const failed = meter.createObservableGauge("aftercommit.outbox.failed", {
    description: "Rows that were given up.",
    unit: "{job}",
  });
  const oldest = meter.createObservableGauge("aftercommit.outbox.oldest_age", {
    description: "For how long the oldest row that waits has been there.",
    unit: "s",
  });
  const gauges = [waiting, failed, oldest];
  const observe: Parameters<Meter["addBatchObservableCallback"]>[0] = async (result) => {
    for (const outbox of outboxes) {
      try {
        for (const backlog of await outbox.backlog()) {
          const attributes = { "messaging.destination.name": backlog.queue };
          result.observe(waiting, backlog.waiting, attributes);
          result.observe(failed, backlog.failed, attributes);
          result.observe(oldest, backlog.oldestAge, attributes);
        }
      } catch (error) {
        diag.error(`The backlog of an outbox could not be measured: ${messageOf(error)}`);
      }
    }
  };
  meter.addBatchObservableCallback(observe, gauges);
  return () => {
    meter.removeBatchObservableCallback(observe, gauges);
  };
}

/** Where OpenTelemetry has a word of its own for the library. */
const systems: Readonly<Record<string, string>> = { sqs: "aws_sqs" };

function queueOf({ policy, queues }: Destination): Attributes {
  return {
    "messaging.system": systems[queues.library] ?? queues.library,
    "messaging.destination.name": policy.name,
  };
}

function attributesOf(destination: Destination, operation: "create" | "send" | "process"): Attributes {
  return {
    ...queueOf(destination),
    "messaging.operation.name": operation,
    "messaging.operation.type": operation,
  };
}

function linksTo(messages: readonly Message[]): Link[] {
  return messages.flatMap(({ id, meta }) => {
    const spanContext = meta && trace.getSpanContext(propagation.extract(ROOT_CONTEXT, meta));
    return spanContext === undefined ? [] : [{ context: spanContext, attributes: { "messaging.message.id": id } }];
  });
}

function fail(span: Span, error: unknown): void {
  const type = error instanceof AftercommitError ? error.code : error instanceof Error ? error.name : "_OTHER";
  span.setAttribute("error.type", type);
  if (error instanceof Error) span.recordException(error);
  span.setStatus({ code: SpanStatusCode.ERROR, message: messageOf(error) });
}
