import { SpanKind, SpanStatusCode } from '@opentelemetry/api';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createSqlDataSource } from '../../src/exports/agent.ts';
import { createEmbeddedShop } from '../helpers/embedded-agent.ts';
import { call } from '../helpers/rest-call.ts';

describe('telemetry', () => {
  it('reports requests to OpenTelemetry, by the pattern of their path', async () => {
    const spans = new InMemorySpanExporter();
    const tracing = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(spans)] });
    const metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter: metrics, exportIntervalMillis: 3_600_000 });
    const metering = new MeterProvider({ readers: [reader] });
    onTestFinished(async () => {
      await tracing.shutdown();
      await metering.shutdown();
    });
    const shop = await createEmbeddedShop({
      telemetry: { tracer: tracing.getTracer('shop'), meter: metering.getMeter('shop') },
    });
    shop.agent
      .addDataSource(createSqlDataSource(shop.databaseUri))
      .customizeCollection('orders', (orders) =>
        orders.addHook('Before', 'Create', () => {
          throw new TypeError('of the shop');
        }),
      )
      .mountOnStandaloneServer(0);
    await shop.agent.start();
    const rest = { agentUrl: `http://127.0.0.1:${shop.agent.standaloneServerPort}/service`, token: shop.token };
    const found = await call(rest, '/orders/1');
    await call(rest, '/orders/99');
    await call(rest, '/orders', { method: 'POST', body: { data: { attributes: { ref: 'A-9' } } } });

    const seen = spans
      .getFinishedSpans()
      .map(({ name, kind, attributes, status }) => ({ name, kind, attributes, status }));
    expect(seen).toMatchObject([
      {
        name: 'GET /service/:collection/:id',
        kind: SpanKind.SERVER,
        attributes: {
          'http.response.status_code': 200,
          'service.correlation_id': found.headers.get('x-service-correlation-id'),
        },
      },
      { attributes: { 'http.response.status_code': 404 }, status: { code: SpanStatusCode.UNSET } },
      {
        name: 'POST /service/:collection',
        attributes: { 'http.response.status_code': 500, 'error.type': '500' },
        status: { code: SpanStatusCode.ERROR },
      },
    ]);
    await metering.forceFlush();
    const points = metrics
      .getMetrics()
      .flatMap(({ scopeMetrics }) => scopeMetrics)
      .flatMap((scope) => scope.metrics)
      .map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints.map(({ value }) => value)] as const);
    expect(Object.fromEntries(points)).toMatchObject({
      'http.server.request.duration': [{ count: 1 }, { count: 1 }, { count: 1 }],
      'http.server.active_requests': [0, 0],
    });
  });

  it('harms no request when it fails, and logs the failure once', async () => {
    const fail = () => {
      throw new Error('of the exporter');
    };
    const lines: string[] = [];
    const shop = await createEmbeddedShop({
      telemetry: {
        tracer: { startSpan: () => ({ setAttributes: fail, setStatus: fail, end: fail }) },
        meter: { createHistogram: () => ({ record: fail }), createUpDownCounter: () => ({ add: fail }) },
      },
      logger: (_level, message) => lines.push(message),
    });
    shop.agent.addDataSource(createSqlDataSource(shop.databaseUri)).mountOnStandaloneServer(0);
    await shop.agent.start();
    const rest = { agentUrl: `http://127.0.0.1:${shop.agent.standaloneServerPort}/service`, token: shop.token };
    for (let index = 0; index < 3; index += 1) expect((await call(rest, '/orders/1')).status).toBe(200);
    await shop.agent.stop();
    expect(lines.filter((line) => line.includes('Telemetry failed'))).toHaveLength(1);
  });
});
