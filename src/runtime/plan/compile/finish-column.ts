import type { ColumnSchema } from '../../data-sources/collection-schema.ts';
import { completeOperators } from '../../query/operator-equivalence.ts';
import { operatorsOfType } from '../../query/operators.ts';
import type { FieldRules } from '../compiled-model.ts';
import type { CollectionDraft, RulesDraft } from './collection-draft.ts';

/** The rules of a field, "every operator" spelled out: those of its type that it has no better way for. */
export function finishRules(rules: RulesDraft, column: ColumnSchema): FieldRules {
  const emulatedOperators = new Set(rules.emulatedOperators);
  if (rules.isWhollyEmulated) {
    for (const operator of operatorsOfType(column.type)) {
      if (!column.operators.has(operator) && !rules.replacedOperators.has(operator)) emulatedOperators.add(operator);
    }
  }
  return {
    replacedOperators: rules.replacedOperators,
    emulatedOperators,
    sort: rules.sort === 'banned' ? undefined : rules.sort,
  };
}

/** The column with what customization says of it: operators that can be had with the rules, sorting, writing. */
export function finishColumn(
  draft: CollectionDraft,
  column: ColumnSchema,
  rules: FieldRules | undefined,
): ColumnSchema {
  const { name } = column;
  const sort = draft.rules.get(name)?.sort;
  const supported = new Set([
    ...column.operators,
    ...(rules?.emulatedOperators ?? []),
    ...(rules?.replacedOperators.keys() ?? []),
  ]);
  return {
    ...column,
    operators: rules ? completeOperators(supported, column.type, column.isNullable) : column.operators,
    isSortable: sort === undefined ? column.isSortable : sort !== 'banned',
    isReadOnly: column.isReadOnly && !draft.writeHandlers.has(name),
    isNullable: column.isNullable || draft.nullableFields.has(name),
  };
}
