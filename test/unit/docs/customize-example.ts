import {
  type Agent,
  caseWhen,
  coalesce,
  concat,
  datePart,
  divide,
  field,
  jsonPath,
  multiply,
  when,
} from '../../../src/exports/index.ts';

export function customize(agent: Agent): void {
  agent.customizeCollection('orders', (orders) =>
    orders
      .addField('total', { columnType: 'Number', expression: multiply(field('price'), field('quantity')) })
      .addField('share', { columnType: 'Number', expression: divide(field('total'), field('customer:credit')) })
      .addField('title', {
        columnType: 'String',
        expression: concat('#', field('id'), ' for ', coalesce(field('customer:name'), 'nobody')),
      })
      .addField('size', {
        columnType: 'Enum',
        enumValues: ['large', 'small'],
        expression: caseWhen([when({ field: 'total', operator: 'GreaterThan', value: 1000 }, 'large')], 'small'),
      })
      .addField('hour', { columnType: 'Number', expression: datePart('hour', 'placed_at') })
      .addField('city', { columnType: 'String', expression: jsonPath('payload', ['address', 'city']), readonly: false })
      .addField('shout', {
        columnType: 'String',
        dependencies: ['title'],
        getValues: (records) => records.map(({ title }) => String(title).toUpperCase()),
      }),
  );
}
