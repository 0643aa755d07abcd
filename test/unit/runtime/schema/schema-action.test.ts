import { expect, it } from 'vitest';
import { compileModel } from '#runtime/compile/compile-model';
import type { ActionDefinition } from '#runtime/customizer/action-definition';
import { createDeclarationCollector } from '#runtime/customizer/declaration-collector';
import { schemaAction } from '#runtime/schema/schema-document';
import { temporaryDataSource } from '../../../helpers/temporary-database.ts';

async function actionOf(more: Partial<ActionDefinition>) {
  const collector = createDeclarationCollector();
  const definition = { scope: 'Bulk', execute: () => undefined, ...more } as ActionDefinition;
  collector.agent.customizeCollection('orders', (orders) => orders.addAction('Pay', definition));
  const model = compileModel([await temporaryDataSource('create table orders (id integer)')], await collector.finish());
  const [action] = model.collections.get('orders')?.actions.values() ?? [];
  return action ? schemaAction(model, 'orders', action, '/service') : expect.unreachable();
}

it('an action is described in the schema, and its button says what it is asked to', async () => {
  const described = { description: 'Marks as paid.', submitButtonLabel: 'Pay now', generateFile: true };
  expect(await actionOf(described)).toMatchObject({
    description: 'Marks as paid.',
    submitButtonLabel: 'Pay now',
    download: true,
  });
});

it('an action that says nothing of it has neither in the schema', async () => {
  const plain = await actionOf({});
  expect(plain).not.toHaveProperty('description');
  expect(plain).not.toHaveProperty('submitButtonLabel');
  expect(plain.download).toBe(false);
});
