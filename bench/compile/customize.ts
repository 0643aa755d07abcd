import type { Agent } from '#runtime/index';

/** One customization for each table, of ten kinds in turn. */
export function customize(agent: Agent, tables: number): void {
  for (let table = 0; table < tables; table++) {
    agent.customizeCollection(`t${table}`, (on) => {
      switch (table % 10) {
        case 0:
          return on.addField('label', {
            columnType: 'String',
            dependencies: ['name', 'first:code'],
            getValues: (records) => records.map(({ name }) => String(name)),
          });
        case 1:
          return on.importField('firstName', { path: 'first:name' });
        case 2:
          return on.addManyToOneRelation('other', `t${Math.max(0, table - 5)}`, { foreignKey: 'second_id' });
        case 3:
          return on.addSegment('paid', { field: 'state', operator: 'Equal', value: 'paid' });
        case 4:
          return on.renameField('name', 'title');
        case 5:
          return on.addAction('Send', { scope: 'Bulk', execute: (_context, result) => result.success() });
        case 6:
          return on.addHook('Before', 'Update', () => undefined);
        case 7:
          return on.addFieldValidation('name', 'LongerThan', 2);
        case 8:
          return on.replaceFieldSorting('name', [{ field: 'code', ascending: true }]);
        default:
          return on.replaceFieldOperator('name', 'Equal', (value) => ({ field: 'code', operator: 'Equal', value }));
      }
    });
  }
}
