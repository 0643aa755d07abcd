import { type ComputedField, columnOf, type FieldRules } from '../model/compiled-model.ts';
import type { ColumnSchema } from '../query/collection-schema.ts';
import { completeOperators } from '../query/operator-equivalence.ts';
import { isListType, operatorsOfType } from '../query/operators.ts';
import { type CustomizedDraft, type RulesDraft, rulesOf } from './collection-draft.ts';

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

const listOperators = ['Equal', 'NotEqual', 'IncludesAll', 'IncludesNone'] as const;

/** The agent compares the items of a list in a document where the database cannot. */
export function emulateListOperators(draft: CustomizedDraft, field: ColumnSchema | ComputedField): void {
  const { type, operators } = columnOf(field);
  if (!isListType(type)) return;
  const rules = rulesOf(draft, field.name);
  for (const operator of listOperators) {
    if (!operators.has(operator) && !rules.replacedOperators.has(operator)) rules.emulatedOperators.add(operator);
  }
}

/** The column with what customization says of it: operators that can be had with the rules, sorting, writing. */
export function finishColumn(
  draft: CustomizedDraft,
  column: ColumnSchema,
  rules: FieldRules | undefined,
): ColumnSchema {
  const { name } = column;
  const isWritable = draft.writeHandlers.has(name);
  const isNullable = draft.nullableFields.has(name);
  // Most columns are as their table has them, and there may be thousands.
  if (!rules && !isWritable && !isNullable) return column;
  const sort = draft.rules.get(name)?.sort;
  return {
    ...column,
    operators: rules ? operatorsWith(column, rules) : column.operators,
    isSortable: sort === undefined ? column.isSortable : sort !== 'banned',
    isReadOnly: column.isReadOnly && !isWritable,
    isNullable: column.isNullable || isNullable,
  };
}

function operatorsWith({ operators, type, isNullable }: ColumnSchema, rules: FieldRules): ColumnSchema['operators'] {
  const supported = new Set([...operators, ...rules.emulatedOperators, ...rules.replacedOperators.keys()]);
  // Rewritten operators work on single values.
  return isListType(type) ? supported : completeOperators(supported, type, isNullable);
}
