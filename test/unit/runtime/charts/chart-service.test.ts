import { describe, expect, it } from 'vitest';
import type { AggregateChart } from '#runtime/charts/aggregate-chart';
import { createChartService } from '#runtime/charts/chart-service';
import { compileModel } from '#runtime/compile/compile-model';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { createRecordService } from '#runtime/records/create-record-service';
import { callIn } from '../../../helpers/call-context.ts';
import { recordingAuthoriser } from '../../../helpers/recording-authoriser.ts';
import { temporaryDataSource } from '../../../helpers/temporary-database.ts';

const script = `
  create table orders (id integer primary key, status text);
  insert into orders values (1, 'paid'), (2, 'draft'), (3, 'paid');
`;

const context = callIn('UTC');

async function serve(denied?: string) {
  const collector = createDeclarationCollector();
  collector.agent.addChart('Echo', ({ parameters }, result) => result.smart(parameters));
  collector.agent.customizeCollection('orders', (orders) =>
    orders.addChart('Status', async (call, result) => {
      const { status } = await call.getRecord(['status']);
      return result.smart([call.recordId, call.compositeRecordId, status]);
    }),
  );
  const model = compileModel([await temporaryDataSource(script)], await collector.finish());
  const { authoriser, asked } = recordingAuthoriser(denied);
  return { charts: createChartService(model, createRecordService(model, authoriser), authoriser), asked };
}

const unread = () => {
  throw new TypeError('The input was read.');
};
const forbidden = { code: 'REQUEST_FORBIDDEN' };

describe('a chart of the agent', () => {
  it('gets its parameters, and needs no right', async () => {
    const { charts, asked } = await serve();
    expect((await charts.agentChart('Echo', { a: '1' }, context)).value).toEqual({ a: '1' });
    expect(asked).toEqual([]);
  });

  it('is refused by name when there is none', async () => {
    const { charts } = await serve();
    await expect(charts.agentChart('Nope', {}, context)).rejects.toMatchObject({
      code: 'REQUEST_NOT_FOUND',
      message: 'The agent has no chart "Nope".',
    });
  });
});

describe('a chart of a collection', () => {
  it('is about one record, for whoever may read the collection', async () => {
    const { charts, asked } = await serve();
    const readRecord = () => ({ parameters: {}, id: [2] });
    expect((await charts.collectionChart('orders', 'Status', readRecord, context)).value).toEqual([2, [2], 'draft']);
    expect(asked).toEqual(['read orders']);
  });

  it('is refused before its input is read', async () => {
    const { charts } = await serve('read');
    await expect(charts.collectionChart('orders', 'Status', unread, context)).rejects.toMatchObject(forbidden);
  });

  it('is refused by name when the collection has none', async () => {
    const { charts } = await serve();
    await expect(charts.collectionChart('orders', 'Nope', unread, context)).rejects.toMatchObject({
      code: 'REQUEST_NOT_FOUND',
    });
  });
});

describe('a chart that the client defines', () => {
  const definition = { type: 'Value' };
  const count: AggregateChart = { type: 'Value', measure: { operation: 'Count' }, where: undefined };

  it('counts records for whoever may see the chart, its variables filled in', async () => {
    const { charts, asked } = await serve();
    const chart = {
      definition,
      contextVariables: { status: 'paid' },
      read: (variables: (name: string) => unknown): AggregateChart => ({
        ...count,
        where: { field: 'status', operator: 'Equal', value: variables('status') },
      }),
    };
    expect(await charts.aggregateChart('orders', chart, context)).toEqual({ countCurrent: 2 });
    expect(asked).toEqual(['chart {"type":"Value"}', 'browse orders']);
  });

  it('is refused before its definition is read', async () => {
    const { charts } = await serve('chart');
    const chart = { definition, contextVariables: {}, read: unread };
    await expect(charts.aggregateChart('orders', chart, context)).rejects.toMatchObject(forbidden);
    await expect(charts.nativeQueryChart(chart, context)).rejects.toMatchObject(forbidden);
  });
});
