import { sql } from 'kysely';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import type { DocumentTree } from '../../query/document-change.ts';
import { slot } from '../sql/binding.ts';
import { jsonPathText } from '../sql/json-path-text.ts';
import type { Sql } from '../sql/sql-dialect.ts';

/** Every object on the way is the one that is there, or a new one: what SQLite would leave alone is replaced. */
export function changedSqliteDocument(
  _column: ColumnSchema,
  document: Sql,
  tree: DocumentTree,
  valueAt: (position: number) => Sql,
): Sql {
  const valid = sql`case when json_valid(${document}) then ${document} end`;
  const change = (node: DocumentTree, path: readonly string[]): Sql => {
    const at = slot(() => jsonPathText(path));
    const object = sql`case json_type(${valid}, ${at}) when 'object' then json_extract(${document}, ${at}) else '{}' end`;
    const values = [...node].map(([key, below]) => {
      const value = typeof below === 'number' ? valueAt(below) : change(below, [...path, key]);
      return sql`${slot(() => jsonPathText([key]))}, json(${value})`;
    });
    return sql`json_set(${object}, ${sql.join(values)})`;
  };
  return change(tree, []);
}
