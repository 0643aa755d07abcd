import { sql } from 'kysely';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import type { DocumentTree } from '../../query/document-change.ts';
import { slot } from '../sql/binding.ts';
import { jsonPathText } from '../sql/json-path-text.ts';
import type { Sql } from '../sql/sql-dialect.ts';

/** Every object on the way is the one that is there, or a new one; its other keys stay. */
export function changedMariadbDocument(
  _column: ColumnSchema,
  document: Sql,
  tree: DocumentTree,
  valueAt: (position: number) => Sql,
): Sql {
  const change = (node: DocumentTree, path: readonly string[]): Sql => {
    const inner = sql`json_extract(${document}, ${slot(() => jsonPathText(path))})`;
    const object = sql`case when json_type(${inner}) = 'OBJECT' then ${inner} else '{}' end`;
    const values = [...node].map(([key, below]) => {
      // A parameter is a text until it is taken for JSON.
      const value =
        typeof below === 'number' ? sql`json_extract(${valueAt(below)}, '$')` : change(below, [...path, key]);
      return sql`${slot(() => jsonPathText([key]))}, ${value}`;
    });
    return sql`json_set(${object}, ${sql.join(values)})`;
  };
  return change(tree, []);
}
