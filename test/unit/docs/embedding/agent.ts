import { createAgent, createSqlDataSource } from '../../../../src/exports/agent.ts';

const { SERVICE_AUTH_SECRET: authSecret = '', SERVICE_ENV_SECRET: envSecret = '' } = process.env;

export const agent = createAgent({ authSecret, envSecret })
  .addDataSource(createSqlDataSource('sqlite:./shop.sqlite'), {
    exclude: ['sessions'],
    rename: { customers: 'clients' },
  })
  .customizeCollection('orders', (orders) =>
    orders.addSegment('paid', { field: 'status', operator: 'Equal', value: 'paid' }),
  );
