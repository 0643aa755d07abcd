import { sql } from 'kysely';
import { cloudError } from '#kernel/errors/cloud-error';
import { slot } from '../sql/binding.ts';
import type { LeafInput, Sql } from '../sql/sql-dialect.ts';
import { writeArray } from './postgres-arrays.ts';

/** Documents are equal when they mean the same, whatever the order of their keys; the document `null` is no value. */
export function jsonCondition(leaf: LeafInput): Sql {
  const document = sql`nullif(${leaf.reference}::jsonb, 'null')`;
  const given = sql`${slot(({ values }) => JSON.stringify(values[leaf.index]))}::jsonb`;
  const list = sql`${slot(({ values }) => writeArray(documents(values[leaf.index])))}::jsonb[]`;
  const holdsNull = leaf.variant === 'null';
  switch (leaf.operator) {
    case 'Equal':
      return holdsNull ? sql`${document} is null` : sql`${document} = ${given}`;
    case 'NotEqual':
      return holdsNull ? sql`${document} is not null` : sql`${document} is distinct from ${given}`;
    case 'In':
      return holdsNull ? sql`(${document} = any(${list}) or ${document} is null)` : sql`${document} = any(${list})`;
    case 'NotIn':
      return holdsNull
        ? sql`(${document} <> all(${list}) and ${document} is not null)`
        : sql`(${document} <> all(${list}) or ${document} is null)`;
    default:
      throw cloudError('INTERNAL_BUG', `The operator ${leaf.operator} has no SQL.`);
  }
}

function documents(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => item !== null).map((item) => JSON.stringify(item)) : [];
}
