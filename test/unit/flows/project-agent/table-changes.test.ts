import { describe, expect, it } from 'vitest';
import { tableChangesText } from '#cli/rendering/render-table-changes';
import { tableChanges } from '#flows/project-agent/table-changes';
import type { TablesOutline } from '#runtime/index';

/** Tables with columns of a type. */
function outline(tables: Readonly<Record<string, Readonly<Record<string, string>>>>, rest = ''): TablesOutline {
  const entries = Object.entries(tables).map(([table, columns]) => {
    const outlined = Object.entries(columns).map(([column, type]) => [column, { type, rest: '' }]);
    return [table, { columns: Object.fromEntries(outlined), rest }];
  });
  return { tables: Object.fromEntries(entries), warnings: [] };
}

describe('the changes of tables', () => {
  it('are absent between the same tables, in whatever order', () => {
    const before = outline({ orders: { id: 'int', note: 'text' }, notes: { id: 'int' } });
    expect(tableChanges(before, outline({ notes: { id: 'int' }, orders: { note: 'text', id: 'int' } }))).toEqual([]);
  });

  it('are said by table and column', () => {
    const before = outline({ orders: { id: 'int', label: 'text', total: 'int' }, notes: { id: 'int' } });
    const after = outline({ orders: { id: 'int', note: 'text', total: 'text not null' }, invoices: { id: 'int' } });
    const changes = tableChanges(before, after);
    expect(changes).toEqual([
      { table: 'invoices', change: 'added', added: [], removed: [], changed: [], hasOtherRules: false },
      { table: 'notes', change: 'removed', added: [], removed: [], changed: [], hasOtherRules: false },
      {
        table: 'orders',
        change: 'changed',
        added: ['note'],
        removed: ['label'],
        changed: [{ column: 'total', before: 'int', after: 'text not null' }],
        hasOtherRules: false,
      },
    ]);
    expect(tableChangesText(changes)).toBe(
      '+ table invoices; − table notes; orders: + note, − label, total (int → text not null)',
    );
  });

  it('have keys and relations, too', () => {
    const tables = { orders: { id: 'int' } };
    const changes = tableChanges(outline(tables), outline(tables, 'another key'));
    expect(changes).toMatchObject([{ table: 'orders', hasOtherRules: true }]);
    expect(tableChangesText(changes)).toBe('orders: other keys or relations');
  });

  it('are reported in brief, without what would move the cursor of a terminal', () => {
    const columns = Object.fromEntries(Array.from({ length: 12 }, (_none, index) => [`c${index}`, 'int']));
    const names = Array.from(
      { length: 12 },
      (_none, index) => [`t${String(index).padStart(2, '0')}\u001b[2J`, {}] as const,
    );
    const changes = tableChanges(
      outline({ orders: {}, ...Object.fromEntries(names) }),
      outline({ orders: columns, ...Object.fromEntries(names.slice(0, 1)) }),
    );
    const text = tableChangesText(changes);
    expect(text).toMatch(/^orders: \+ c0, .*, 2 more; − table t01.*; 2 more$/);
    expect(text).not.toContain('\u001b');
  });
});
