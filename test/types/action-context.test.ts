import { describe, expectTypeOf, it } from 'vitest';
import type { ActionContext, ActionDefinition } from '#runtime/customizer/action-definition';
import type { Agent } from '#runtime/customizer/agent';
import type { FormElement } from '#runtime/customizer/form-element';

interface Schema {
  orders: { fields: { id: number; ref: string; total: string | null }; relations: { customer: 'customers' | null } };
  customers: { fields: { id: number; name: string }; relations: Record<never, never> };
}

/** Checked by the compiler only: nothing here is ever run. */
function customize(agent: Agent<Schema>): void {
  agent.customizeCollection('orders', (orders) =>
    orders
      .addAction('One', {
        scope: 'Single',
        form: [
          {
            type: 'Number',
            label: 'Amount',
            defaultValue: async (context) => Number((await context.getRecord(['total'])).total),
            if: (context) => context.hasFieldChanged('x'),
          },
          // @ts-expect-error a Number has no text area
          { type: 'Number', label: 'a', widget: 'TextArea' },
          // @ts-expect-error an Enum needs its values
          { type: 'Enum', label: 'b' },
          // @ts-expect-error there is no such type
          { type: 'Sting', label: 'c' },
          // @ts-expect-error the default of a Boolean is not a text
          { type: 'Boolean', label: 'd', defaultValue: 'yes' },
          // @ts-expect-error a dropdown needs options
          { type: 'String', label: 'e', widget: 'Dropdown' },
          {
            type: 'String',
            label: 'f',
            widget: 'Dropdown',
            search: 'dynamic',
            options: async (context, searchValue) => {
              expectTypeOf(searchValue).toEqualTypeOf<string | undefined>();
              return [await context.getField('ref'), { value: 'x', label: 'X' }];
            },
          },
          {
            type: 'Layout',
            component: 'Row',
            // @ts-expect-error a row holds fields only
            fields: [{ type: 'Layout', component: 'Separator' }],
          },
        ],
        execute: async (context, result) => {
          expectTypeOf(await context.getRecordId()).toEqualTypeOf<string | number>();
          expectTypeOf(await context.getField('total')).toEqualTypeOf<string | null>();
          const record = await context.getRecord(['ref', 'customer:name']);
          expectTypeOf(record.ref).toEqualTypeOf<string>();
          expectTypeOf(record.customer?.name).toEqualTypeOf<string | undefined>();
          // @ts-expect-error a misspelt field
          await context.getRecord(['reff']);
          // @ts-expect-error a misspelt field
          await context.getField('reff');
          return result.file('x', 'a.txt', 'text/plain');
        },
      })
      .addAction('Several', {
        scope: 'Bulk',
        form: async (context) => {
          // @ts-expect-error several records have no single one
          await context.getField('ref');
          return [{ type: 'String', label: 'a' }];
        },
        execute: async (context) => {
          const [first] = await context.getRecords(['ref']);
          expectTypeOf(first?.ref).toEqualTypeOf<string | undefined>();
          // @ts-expect-error several records have no single one
          await context.getRecord(['ref']);
          // @ts-expect-error nor one key
          await context.getRecordId();
          // @ts-expect-error the values are read-only
          context.formValues['a'] = 1;
        },
      })
      .addAction('Values of a literal form', {
        scope: 'Single',
        form: [
          { type: 'StringList', label: 'Store', if: ({ formValues }) => formValues['Amount'] === 3 },
          { type: 'Collection', label: 'Customer', collectionName: 'customers', value: async () => [1] },
          {
            type: 'Layout',
            component: 'Page',
            elements: [
              {
                type: 'Layout',
                component: 'Row',
                fields: [{ type: 'Number', label: 'Amount', id: 'amount', isReadOnly: async () => true }],
              },
            ],
          },
        ],
        execute: async ({ formValues, getField }) => {
          expectTypeOf(formValues['Store']?.[0]).toEqualTypeOf<string | undefined>();
          expectTypeOf(formValues['Customer']?.[0]).toEqualTypeOf<string | number | undefined>();
          expectTypeOf(formValues.amount).toEqualTypeOf<number | null | undefined>();
          expectTypeOf(await getField('ref')).toEqualTypeOf<string>();
          // @ts-expect-error the id is the key, not the label
          formValues['Amount'];
          // @ts-expect-error a misspelt field
          formValues['Stroe'];
        },
      })
      .addAction('Values of a form that is made', {
        scope: 'Global',
        form: ({ formValues }) => [
          { type: 'String', label: String(formValues['Store']?.[0]) },
          { type: 'String', label: 'b', if: () => formValues['a'] === 'x' || formValues['a'] === 3 },
        ],
        execute: ({ formValues }) => {
          expectTypeOf(formValues['Store']?.[0]).toEqualTypeOf<unknown>();
          const text = formValues['a'];
          if (typeof text === 'string') expectTypeOf(text.trim()).toEqualTypeOf<string>();
          expectTypeOf(formValues['a'] as number[]).toEqualTypeOf<number[]>();
          // @ts-expect-error nobody knows that it is a number
          Math.round(formValues['a']);
        },
      })
      .addAction('All', {
        scope: 'Global',
        execute: async (context, result) => {
          // @ts-expect-error a Global action has no records
          await context.getRecords(['ref']);
          // @ts-expect-error nor one
          await context.getRecord(['ref']);
          return result.success(context.caller.email);
        },
      })
      .addChart('Total', async (context, result) => {
        expectTypeOf((await context.getRecord(['total'])).total).toEqualTypeOf<string | null>();
        // @ts-expect-error a misspelt field
        await context.getRecord(['totl']);
        return result.value((await context.getRecord(['total'])).total, context.recordId);
      }),
  );
  // Parts may be kept apart, in the general types.
  const elements: FormElement<ActionContext>[] = [
    { type: 'String', label: 'a', if: (context) => context.formValues['b'] },
  ];
  const definition: ActionDefinition = {
    scope: 'Single',
    form: elements,
    execute: async (context, result) => result.success(String(await context.getField('ref'))),
  };
  agent.customizeCollection('orders', (orders) =>
    orders
      .addAction('Kept', definition)
      .addAction('Shared', { scope: 'Bulk', form: elements, execute: () => undefined }),
  );
  // @ts-expect-error a chart returns what the builder has made
  agent.addChart('Raw', () => ({ countCurrent: 1 }));
  agent.addChart('Zone', (context, result) => result.smart(context.timezone));
  // @ts-expect-error a chart of the agent is about no record
  agent.addChart('Record', (context, result) => result.smart(context.recordId));
}

describe('the types of actions and charts', () => {
  it('depend on the scope and on the schema, as the compiler has checked', () => {
    expectTypeOf(customize).toBeFunction();
  });
});
