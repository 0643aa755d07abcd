import { describe, expect, it } from 'vitest';
import type { Agent } from '../../src/exports/index.ts';
import { ForbiddenError, NotFoundError, UnprocessableError, ValidationError } from '../../src/exports/index.ts';
import { call, startShopAgent } from '../helpers/shop-agent.ts';

const write = (method: string, attributes: unknown) => ({ method, body: { data: { attributes } } });
const errorOf = (json: unknown) => (json as { errors?: readonly unknown[] })?.errors?.[0];

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
      .addAction('Refund', {
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
  it('is answered with the status of its kind and its message', async () => {
    const agent = await startShopAgent(refuseEverywhere);
    const ask = async (target: string, options?: Parameters<typeof call>[2]) => {
      const { status, json } = await call(agent, target, options);
      return { status, error: errorOf(json) };
    };
    const refused = (name: string, status: number, detail: string, data?: object) => ({
      status,
      error: expect.objectContaining({ name, detail, status, ...(data ? { data } : {}) }),
    });
    const refund = { ids: ['1'], values: { Amount: 3 } };

    expect(await ask('/_charts/Closed')).toEqual(refused('NotFoundError', 404, 'No figures yet.'));
    expect(await ask('/lines/count')).toEqual(refused('ForbiddenError', 403, 'Nobody counts.'));
    expect(await ask('/customers/1', write('PUT', { name: 'x' }))).toEqual(
      refused('ValidationError', 400, 'Names stay.'),
    );
    expect(await ask('/customers/1', { method: 'DELETE' })).toEqual(
      refused('UnprocessableError', 422, 'Customers are kept for ten years.', { years: 10 }),
    );
    expect(await ask('/orders?fields[orders]=secret')).toEqual(refused('ForbiddenError', 403, 'The vault is closed.'));
    expect(await ask('/orders?segment=mine&fields[orders]=id')).toEqual(
      refused('ForbiddenError', 403, 'You have none.'),
    );
    expect(await ask('/_actions/orders/0/refund/hooks/load', write('POST', { ids: ['1'] }))).toEqual(
      refused('UnprocessableError', 422, 'The rates are not in.'),
    );
    expect(await ask('/_actions/orders/0/refund', write('POST', refund))).toEqual(
      refused('ValidationError', 400, 'More than was paid.', { field: 'Amount' }),
    );
    expect(await ask('/_actions/orders/1/lose', write('POST', {}))).toEqual(
      refused('UnprocessableError', 422, 'Not today.'),
    );
    expect(await ask('/_actions/orders/2/break', write('POST', {}))).toEqual({
      status: 500,
      error: expect.objectContaining({ detail: 'Unexpected error' }),
    });
  });

  it('does not keep the code from loading: the check at start passes a guard that refuses everybody', async () => {
    const agent = await startShopAgent((shop: Agent) => {
      shop.customizeCollection('orders', (orders) =>
        orders.addHook('Before', 'List', (context) => context.throwForbiddenError('Not you.')),
      );
    });
    expect((await call(agent, '/orders')).status).toBe(403);
  });

  it('is worded by the application from what was thrown', async () => {
    const agent = await startShopAgent(refuseEverywhere, {
      customizeErrorMessage: (error) => (error instanceof ValidationError ? `${error.message} Sorry!` : undefined),
    });
    const { json } = await call(agent, '/customers/1', write('PUT', { name: 'x' }));
    expect(errorOf(json)).toMatchObject({ detail: 'Names stay. Sorry!' });
  });
});
