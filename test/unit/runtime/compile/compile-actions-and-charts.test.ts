import { describe, expect, it } from 'vitest';
import { schemaDocumentSchema } from '#contracts/schema-document';
import { compileModel } from '#runtime/compile/compile-model';
import type { Agent } from '#runtime/customizer/agent';
import type { ChartResultBuilder } from '#runtime/customizer/chart-definition';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { buildSchemaDocument } from '#runtime/schema/schema-document';
import { temporaryDataSource } from '../../../helpers/temporary-database.ts';

const script = `
  create table orders (id integer primary key, reference text not null);
  create table people (code text primary key, name text);
  create table log (line text, rowid text, _rowid_ text, oid text);
`;
const execute = () => undefined;

async function compile(customize: (agent: Agent) => void) {
  const collector = createDeclarationCollector();
  customize(collector.agent);
  return compileModel([await temporaryDataSource(script)], await collector.finish());
}

/** The actions of `orders` as the schema document has them. */
async function documentOf(customize: (agent: Agent) => void) {
  const document = buildSchemaDocument(await compile(customize), { prefix: '/service', version: '1' });
  expect(schemaDocumentSchema.parse(document)).toEqual(document);
  return document.collections.find(({ name }) => name === 'orders')?.actions ?? [];
}

describe('compiling actions', () => {
  it('reports what is wrong with static forms, each with its place', async () => {
    await expect(
      compile((agent) =>
        agent.customizeCollection('orders', (orders) =>
          orders
            .addAction('Types', { scope: 'Bulk', form: [{ type: 'Sting' as 'String', label: 'a' }], execute })
            .addAction('Ids', {
              scope: 'Bulk',
              form: [
                { type: 'String', label: 'a' },
                { type: 'Number', label: 'b', id: 'a' },
              ],
              execute,
            })
            .addAction('Pick', {
              scope: 'Bulk',
              form: [
                {
                  type: 'Layout',
                  component: 'Row',
                  fields: [{ type: 'Collection', label: 'who', collectionName: 'peple' }],
                },
              ],
              execute,
            })
            .addAction('Keyless', {
              scope: 'Bulk',
              form: [{ type: 'Collection', label: 'line', collectionName: 'log' }],
              execute,
            }),
        ),
      ),
    ).rejects.toMatchObject({
      code: 'CUSTOMIZATION_INVALID',
      message: expect.stringMatching(
        /4 declarations[\s\S]*"Types" of "orders" has a form that cannot be used: the field "a" has the unknown type "Sting"[\s\S]*compile-actions-and-charts\.test\.ts:\d+[\s\S]*two fields have the id "a"[\s\S]*"who" of the action "Pick" of "orders" picks from "peple", which does not exist\. Did you mean "people"\?[\s\S]*"log", which has no primary key/,
      ),
    });
  });

  it('leaves forms that a function makes to the time they are asked for', async () => {
    const customize = (agent: Agent) =>
      agent.customizeCollection('orders', (orders) =>
        orders.addAction('Later', { scope: 'Bulk', form: () => [{ type: 'Sting' as 'String', label: 'a' }], execute }),
      );
    await expect(compile(customize)).resolves.toBeDefined();
  });
});

describe('actions in the schema document', () => {
  it('tell the fields and the layout of a static form, and that nothing has to be loaded', async () => {
    const [action] = await documentOf((agent) =>
      agent.customizeCollection('orders', (orders) =>
        orders.addAction('Report', {
          scope: 'Bulk',
          generateFile: true,
          form: [
            { type: 'Enum', label: 'Kind', enumValues: ['b', 'a'], defaultValue: 'a', isRequired: true },
            { type: 'Layout', component: 'Separator' },
            {
              type: 'Layout',
              component: 'Row',
              fields: [
                { type: 'Collection', label: 'Who', collectionName: 'people', defaultValue: ['x'] },
                { type: 'StringList', label: 'Tags', widget: 'TextInputList' },
              ],
            },
          ],
          execute,
        }),
      ),
    );
    expect(action).toEqual({
      id: 'orders-0-report',
      name: 'Report',
      type: 'bulk',
      baseUrl: null,
      endpoint: '/service/_actions/orders/0/report',
      httpMethod: 'POST',
      redirect: null,
      download: true,
      fields: [
        { field: 'Kind', label: 'Kind', isRequired: true, type: 'Enum', enums: ['b', 'a'], defaultValue: 'a' },
        { field: 'Who', label: 'Who', type: 'String', reference: 'people.code', defaultValue: 'x' },
        {
          field: 'Tags',
          label: 'Tags',
          type: ['String'],
          widgetEdit: {
            name: 'input array',
            parameters: { placeholder: null, allowDuplicate: false, enableReorder: true, allowEmptyValue: false },
          },
        },
      ],
      layout: [
        { component: 'input', fieldId: 'Kind' },
        { component: 'separator' },
        {
          component: 'row',
          fields: [
            { component: 'input', fieldId: 'Who' },
            { component: 'input', fieldId: 'Tags' },
          ],
        },
      ],
      hooks: { load: false, change: ['changeHook'] },
    });
  });

  it('tell of a dynamic form only that it has to be loaded', async () => {
    const [dynamic, none] = await documentOf((agent) =>
      agent.customizeCollection('orders', (orders) =>
        orders
          .addAction('Dynamic', {
            scope: 'Bulk',
            form: [{ type: 'String', label: 'a', defaultValue: () => 'x' }],
            execute,
          })
          .addAction('None', { scope: 'Global', execute }),
      ),
    );
    expect(dynamic).toMatchObject({ fields: [{ field: 'Loading...', type: 'String' }], hooks: { load: true } });
    expect(dynamic).not.toHaveProperty('layout');
    expect(none).toMatchObject({ fields: [], download: false, hooks: { load: false, change: ['changeHook'] } });
  });
});

describe('compiling charts', () => {
  it('keeps those of the agent apart from those of its collections', async () => {
    const model = await compile((agent) =>
      agent
        .addChart('Sales', (_context, result) => result.value(1))
        .customizeCollection('orders', (orders) => orders.addChart('Sales', (_context, result) => result.value(2))),
    );
    expect([...model.charts.keys()]).toEqual(['Sales']);
    expect([...(model.collections.get('orders')?.charts.keys() ?? [])]).toEqual(['Sales']);
  });

  it('refuses a second one of the same name, one without a name and one that is not a function', async () => {
    const chart = (_context: unknown, result: ChartResultBuilder) => result.value(1);
    await expect(
      compile((agent) =>
        agent
          .addChart('Sales', chart)
          .addChart('Sales', chart)
          .addChart('', chart)
          .customizeCollection('orders', (orders) =>
            orders
              .addChart('Total', chart)
              .addChart('Total', chart)
              .addChart('Empty', {} as never),
          ),
      ),
    ).rejects.toMatchObject({
      code: 'CUSTOMIZATION_INVALID',
      message: expect.stringMatching(
        /4 declarations[\s\S]*The agent has a chart "Sales" already[\s\S]*compile-actions-and-charts\.test\.ts:\d+[\s\S]*The agent has a chart that needs a name[\s\S]*"orders" has a chart "Total" already[\s\S]*"orders" has a chart "Empty" that is not a function/,
      ),
    });
  });

  it('refuses one that comes after the start', async () => {
    const collector = createDeclarationCollector();
    await collector.finish();
    expect(() => collector.agent.addChart('Late', (_context, result) => result.value(1))).toThrow(
      'The chart "Late" was added after the agent had started.',
    );
  });
});
