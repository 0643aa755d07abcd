import type { Logger } from '#kernel/ports/logger';

/**
 * Receives reports of requests. The shapes are those of `@opentelemetry/api`: pass `trace.getTracer(…)` and
 * `metrics.getMeter(…)`. Names and attributes follow its semantic conventions for HTTP servers.
 */
export interface Telemetry {
  readonly tracer?: TelemetryTracer | undefined;
  readonly meter?: TelemetryMeter | undefined;
}

type Attributes = Record<string, string | number>;

/** What traces requests; the tracers of OpenTelemetry have this form. */
export interface TelemetryTracer {
  startSpan(name: string, options?: { readonly kind?: number; readonly attributes?: Attributes }): TelemetrySpan;
}

interface TelemetrySpan {
  setAttributes(attributes: Attributes): unknown;
  setStatus(status: { readonly code: number }): unknown;
  end(): void;
}

/** What measures requests; the meters of OpenTelemetry have this form. */
export interface TelemetryMeter {
  createHistogram(name: string, options?: { readonly description?: string; readonly unit?: string }): Recorder;
  createUpDownCounter(name: string, options?: { readonly description?: string; readonly unit?: string }): Counter;
}

interface Recorder {
  record(value: number, attributes?: Attributes): void;
}

interface Counter {
  add(value: number, attributes?: Attributes): void;
}

const serverKind = 1;
const errorStatus = 2;

/** A request in progress. */
interface ObservedRequest {
  /** @param servers those that answered reads, where a database has replicas */
  end(status: number, servers?: readonly string[]): void;
}

interface RequestFactsForTelemetry {
  readonly method: string;
  /** The pattern of the path, `/service/:collection/:id`; it holds no names or ids. */
  readonly route: string;
  readonly correlationId: string;
}

/** Begins to observe a request; `undefined` when there is neither a tracer nor a meter. */
export type ObserveRequest = (request: RequestFactsForTelemetry) => ObservedRequest;

/** An error in a tracer or a meter is logged once and harms no request. */
export function observeRequests({ tracer, meter }: Telemetry = {}, logger: Logger): ObserveRequest | undefined {
  if (!tracer && !meter) return undefined;
  const guarded = createGuard(logger);
  const durations = meter?.createHistogram('http.server.request.duration', {
    description: 'Duration of HTTP server requests.',
    unit: 's',
  });
  const active = meter?.createUpDownCounter('http.server.active_requests', {
    description: 'Number of active HTTP server requests.',
    unit: '{request}',
  });
  return ({ method, route, correlationId }) => {
    const startedAt = performance.now();
    const attributes = { 'http.request.method': method, 'http.route': route };
    const span = guarded(() =>
      tracer?.startSpan(`${method} ${route}`, {
        kind: serverKind,
        attributes: { ...attributes, 'service.correlation_id': correlationId },
      }),
    );
    guarded(() => active?.add(1, { 'http.request.method': method }));
    return {
      end: (status, servers = []) => {
        const result: Attributes = {
          'http.response.status_code': status,
          ...(servers.length > 0 ? { 'service.read_from': [...servers].sort().join(' ') } : {}),
          ...(status >= 500 ? { 'error.type': String(status) } : {}),
        };
        guarded(() => {
          span?.setAttributes(result);
          if (status >= 500) span?.setStatus({ code: errorStatus });
          span?.end();
        });
        guarded(() => active?.add(-1, { 'http.request.method': method }));
        guarded(() => durations?.record((performance.now() - startedAt) / 1000, { ...attributes, ...result }));
      },
    };
  };
}

function createGuard(logger: Logger): <Result>(report: () => Result) => Result | undefined {
  let isTold = false;
  return (report) => {
    try {
      return report();
    } catch (error) {
      if (!isTold) logger.log('Error', 'Telemetry failed; requests go on without it.', { error });
      isTold = true;
      return undefined;
    }
  };
}
