import {
  type CompiledField,
  type ComputedField,
  columnOf,
  type FieldRules,
  type ImportedField,
  isValueField,
} from '../model/compiled-model.ts';
import type { ColumnSchema } from '../query/collection-schema.ts';
import { completeOperators } from '../query/operator-equivalence.ts';
import { isListType, operatorsOfType } from '../query/operators.ts';
import {
  type CollectionDraft,
  type CollectionDrafts,
  type CustomizedDraft,
  type Refuse,
  type RulesDraft,
  rulesOf,
} from './collection-draft.ts';
import type { Relations } from './declared-relations.ts';
import type { ResolvedExpressions } from './resolve-expressions.ts';
import type { ResolvedImport } from './resolve-imports.ts';

/** The fields of a collection after customization, in the order of the table, then of their declarations. */
export interface FinishedFields {
  readonly fields: ReadonlyMap<string, CompiledField>;
  readonly rules: ReadonlyMap<string, FieldRules>;
}

export const noRules: FinishedFields['rules'] = new Map();

/** The fields that are not as the table has them. */
interface OpenFields {
  readonly fields: Map<string, CompiledField>;
  readonly rules: Map<string, FieldRules>;
}

/** The fields of every customized collection. An import that must be written and cannot be is refused. */
export function finishFields(
  drafts: CollectionDrafts,
  relations: Relations,
  imports: readonly ResolvedImport[],
  expressions: ResolvedExpressions,
  refuse: Refuse,
): ReadonlyMap<CollectionDraft, FinishedFields> {
  const open = new Map<CollectionDraft, OpenFields>(
    [...drafts.customized.values()].map((draft) => [draft, ownFields(draft, relations, expressions)]),
  );
  const fieldAt = ({ target, targetField: name }: ResolvedImport) =>
    open.get(target)?.fields.get(name) ?? target.native.fields.get(name);
  for (const resolved of imports) {
    const source = fieldAt(resolved);
    const owner = drafts.customized.get(resolved.owner.name);
    const into = owner && open.get(owner);
    if (!into || !source || !isValueField(source)) continue;
    const imported = finishImport(owner, resolved, columnOf(source), into.rules, refuse);
    into.fields.set(imported.name, imported);
  }
  return new Map([...drafts.customized.values()].map((draft) => [draft, inOrder(draft, open.get(draft))]));
}

/** Everything but imports, which depend on the fields of other collections. */
function ownFields(draft: CustomizedDraft, relations: Relations, expressions: ResolvedExpressions): OpenFields {
  const { native, declaredFields, rules, writeHandlers, nullableFields } = draft;
  const open: OpenFields = { fields: new Map(), rules: new Map() };
  const said = new Set([...rules.keys(), ...writeHandlers.keys(), ...nullableFields]);
  for (const field of said.size > 0 ? native.fields.values() : []) {
    if (field.kind === 'column' && said.has(field.name))
      open.fields.set(field.name, finishWithRules(draft, field, open.rules));
  }
  for (const declared of declaredFields.values()) {
    const resolved = declared.kind === 'expression' ? expressions.get(declared)?.field : undefined;
    if (resolved) emulateListOperators(draft, resolved);
    const field = declared.kind === 'expression' ? resolved : declared;
    if (field?.kind === 'column') {
      open.fields.set(field.name, finishWithRules(draft, field, open.rules));
    } else if (field?.kind === 'computed') {
      open.fields.set(field.name, { ...field, column: finishWithRules(draft, field.column, open.rules) });
    } else {
      const relation = relations.named(draft, declared.name);
      if (relation) open.fields.set(relation.name, relation);
    }
  }
  return open;
}

function finishWithRules(draft: CustomizedDraft, column: ColumnSchema, into: Map<string, FieldRules>): ColumnSchema {
  const given = draft.rules.get(column.name);
  const rules = given && finishRules(given, column);
  if (rules) into.set(column.name, rules);
  return finishColumn(draft, column, rules);
}

function finishImport(
  owner: CustomizedDraft,
  { draft: { name, definition, declaration }, path }: ResolvedImport,
  original: ColumnSchema,
  into: Map<string, FieldRules>,
  refuse: Refuse,
): ImportedField {
  // A write through a relation changes a record, or makes one.
  const isReadOnly = original.isReadOnly || original.writtenBy !== undefined;
  if (definition.readonly === false && isReadOnly) {
    refuse(`The imported field "${name}" of "${owner.name}" cannot be written: its source is read-only.`, declaration);
  }
  const { defaultValue: _default, expression: _expression, writtenBy: _way, ...rest } = original;
  const column: ColumnSchema = {
    ...rest,
    name,
    isPrimaryKey: false,
    isNullable: true,
    hasDefault: false,
    isReadOnly: definition.readonly === true || isReadOnly,
  };
  return { kind: 'imported', name, path, column: finishWithRules(owner, column, into) };
}

function inOrder({ native, declaredFields }: CustomizedDraft, open: OpenFields | undefined): FinishedFields {
  if (!open || open.fields.size === 0) return { fields: native.fields, rules: noRules };
  const fields = new Map<string, CompiledField>(native.fields);
  for (const [name, field] of open.fields) if (native.fields.has(name)) fields.set(name, field);
  for (const name of declaredFields.keys()) {
    const field = open.fields.get(name);
    if (field) fields.set(name, field);
  }
  return { fields, rules: open.rules };
}

/** The rules of a field, "every operator" spelled out: those of its type that it has no better way for. */
function finishRules(rules: RulesDraft, column: ColumnSchema): FieldRules {
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
function emulateListOperators(draft: CustomizedDraft, field: ColumnSchema | ComputedField): void {
  const { type, operators } = columnOf(field);
  if (!isListType(type)) return;
  const rules = rulesOf(draft, field.name);
  for (const operator of listOperators) {
    if (!operators.has(operator) && !rules.replacedOperators.has(operator)) rules.emulatedOperators.add(operator);
  }
}

/** The column with what customization says of it: operators that can be had with the rules, sorting, writing. */
function finishColumn(draft: CustomizedDraft, column: ColumnSchema, rules: FieldRules | undefined): ColumnSchema {
  const { name } = column;
  const isWritable = draft.writeHandlers.has(name);
  const isNullable = draft.nullableFields.has(name);
  const isFile = draft.fileFields.has(name);
  // Most columns are as their table has them, and there may be thousands.
  if (!rules && !isWritable && !isNullable && !isFile) return column;
  const sort = draft.rules.get(name)?.sort;
  const { writtenBy, ...others } = column;
  return {
    ...others,
    ...(writtenBy && !isWritable ? { writtenBy } : {}),
    operators: rules ? operatorsWith(column, rules) : column.operators,
    isSortable: sort === undefined ? column.isSortable : sort !== 'banned',
    isReadOnly: column.isReadOnly && !isWritable,
    isNullable: column.isNullable || isNullable,
    ...(isFile ? { isFile } : {}),
  };
}

function operatorsWith({ operators, type, isNullable }: ColumnSchema, rules: FieldRules): ColumnSchema['operators'] {
  const supported = new Set([...operators, ...rules.emulatedOperators, ...rules.replacedOperators.keys()]);
  // Rewritten operators work on single values.
  return isListType(type) ? supported : completeOperators(supported, type, isNullable);
}
