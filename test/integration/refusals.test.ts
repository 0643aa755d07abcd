import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { AgentHttpError, type AgentTestClient } from '../../src/exports/agent-testing.ts';
import {
  type Agent,
  ForbiddenError,
  NotFoundError,
  UnprocessableError,
  ValidationError,
} from '../../src/exports/index.ts';
import { openShopTestAgent } from '../helpers/shop-test-agent.ts';

/** Refuses wherever code of a project runs. */
function refuseEverywhere(shop: Agent): void {
  shop.addChart('Closed', () => {
    throw new NotFoundError('No figures yet.');
  });
  shop.customizeCollection('lines', (lines) =>
    lines.addHook('Before', 'Aggregate', (context) => context.throwForbiddenError('Nobody counts.')),
  );
  shop.customizeCollection('customers', (customers) =>
    customers
      .replaceFieldWriting('name', (_value, context) => context.throwValidationError('Names stay.'))
      .overrideDelete(() => {
        throw new UnprocessableError('Customers are kept for ten years.', { years: 10 });
      }),
  );
  shop.customizeCollection('orders', (orders) =>
    orders
      .addField('secret', {
        columnType: 'String',
        dependencies: ['id'],
        getValues: () => {
          throw new ForbiddenError('The vault is closed.');
        },
      })
      .addSegment('mine', () => {
        throw new ForbiddenError('You have none.');
      })
      .addAction('Rate', {
        scope: 'Single',
        form: [
          {
            type: 'Number',
            label: 'Amount',
            defaultValue: () => {
              throw new UnprocessableError('The rates are not in.');
            },
          },
        ],
        execute: () => undefined,
      })
      .addAction('Refund', {
        scope: 'Single',
        form: [{ type: 'Number', label: 'Amount' }],
        execute: () => {
          throw new ValidationError('More than was paid.', { field: 'Amount' });
        },
      })
      .addAction('Lose', { scope: 'Global', execute: (context) => context.throwError('Not today.') })
      .addAction('Break', {
        scope: 'Global',
        execute: () => {
          throw new Error('password=hunter2');
        },
      }),
  );
}

describe('a refusal by the code of a project', () => {
  let client: AgentTestClient;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ client, close } = await openShopTestAgent({
      customize: refuseEverywhere,
      agentOptions: {
        customizeErrorMessage: (error) =>
          error instanceof ValidationError && error.message === 'Names stay.' ? `${error.message} Sorry!` : undefined,
      },
    }));
  });
  afterAll(() => close?.());

  /** What the request is refused with. */
  const refusalOf = async (request: Promise<unknown>) => {
    const error: unknown = await request.catch((reason: unknown) => reason);
    if (!(error instanceof AgentHttpError)) throw new TypeError('Nothing was refused.');
    const [told] = (error.body as { errors: readonly Readonly<Record<string, unknown>>[] }).errors;
    return { status: error.status, name: told?.['name'], detail: told?.['detail'], data: told?.['data'] };
  };
  const one = { recordId: 1 };

  it('is answered with the status of its kind and its message', async () => {
    const [orders, customers] = [client.collection('orders'), client.collection('customers')];
    expect(await refusalOf(client.valueChart('Closed'))).toMatchObject({
      status: 404,
      name: 'NotFoundError',
      detail: 'No figures yet.',
    });
    expect(await refusalOf(client.collection('lines').count())).toMatchObject({
      status: 403,
      name: 'ForbiddenError',
      detail: 'Nobody counts.',
    });
    expect(await refusalOf(customers.delete([1]))).toEqual({
      status: 422,
      name: 'UnprocessableError',
      detail: 'Customers are kept for ten years.',
      data: { years: 10 },
    });
    const secret = orders.list({ fields: ['secret'] });
    expect(await refusalOf(secret)).toMatchObject({
      status: 403,
      name: 'ForbiddenError',
      detail: 'The vault is closed.',
    });
    const mine = orders.segment('mine').list({ fields: ['id'] });
    expect(await refusalOf(mine)).toMatchObject({ status: 403, name: 'ForbiddenError', detail: 'You have none.' });
  });

  it('reaches the form of an action, and its run', async () => {
    const orders = client.collection('orders');
    const opened = orders.action('Rate', one);
    expect(await refusalOf(opened)).toMatchObject({
      status: 422,
      name: 'UnprocessableError',
      detail: 'The rates are not in.',
    });
    const refund = await orders.action('Refund', one);
    await refund.setFields({ Amount: 3 });
    await expect(refund.execute()).rejects.toMatchObject({ field: 'Amount' });
    expect(await refusalOf(refund.execute())).toEqual({
      status: 400,
      name: 'ValidationError',
      detail: 'More than was paid.',
      data: { field: 'Amount' },
    });
    const run = async (name: string) => (await orders.action(name)).execute();
    expect(await refusalOf(run('Lose'))).toMatchObject({
      status: 422,
      name: 'UnprocessableError',
      detail: 'Not today.',
    });
    expect(await refusalOf(run('Break'))).toMatchObject({
      status: 500,
      name: expect.any(String),
      detail: 'Unexpected error',
    });
  });

  it('is worded by the application from what was thrown', async () => {
    const renamed = client.collection('customers').update(1, { name: 'x' });
    expect(await refusalOf(renamed)).toMatchObject({
      status: 400,
      name: 'ValidationError',
      detail: 'Names stay. Sorry!',
    });
  });
});
