import { sql } from 'kysely';
import type { ColumnSchema } from '../../query/collection-schema.ts';
import type { DocumentTree } from '../../query/document-change.ts';
import { slot } from '../sql/binding.ts';
import type { Sql } from '../sql/sql-dialect.ts';
import { writeArray } from './postgres-arrays.ts';

/** Every object on the way is the one that is there, or a new one; its other keys stay. */
export function changedPostgresDocument(
  column: ColumnSchema,
  document: Sql,
  tree: DocumentTree,
  valueAt: (position: number) => Sql,
): Sql {
  const change = (node: DocumentTree, path: readonly string[]): Sql => {
    const inner = sql`(${document}::jsonb #> ${slot(() => writeArray(path))}::text[])`;
    const object = sql`case jsonb_typeof(${inner}) when 'object' then ${inner} else '{}'::jsonb end`;
    const values = [...node].map(([key, below]) => {
      const value = typeof below === 'number' ? sql`${valueAt(below)}::jsonb` : change(below, [...path, key]);
      return sql`${slot(() => key)}::text, ${value}`;
    });
    return sql`(${object} || jsonb_build_object(${sql.join(values)}))`;
  };
  return sql`${change(tree, [])}::${sql.raw(column.nativeType)}`;
}
