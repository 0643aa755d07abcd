import type { OutlinedCollection, OutlinedPart } from './compare-outlines.ts';
import type { SavedSchema, SavedTable } from './saved-schema.ts';
import {
  type SchemaAction,
  type SchemaDocument,
  type SchemaField,
  type SchemaFieldType,
  schemaFieldTypeSchema,
} from './schema-document.ts';

/** What programs can rely on in the collections that an agent publishes. */
export function outlineOfDocument({ collections }: Pick<SchemaDocument, 'collections'>): readonly OutlinedCollection[] {
  return collections.map(({ name, isReadOnly, isSearchable, fields, actions, segments }) => ({
    name,
    facts: { readOnly: isReadOnly, searchable: isSearchable },
    parts: [
      ...fields.map(outlineOfField),
      ...actions.map(outlineOfAction),
      ...segments.map((segment) => ({ kind: 'segment' as const, name: segment.name, facts: {} })),
    ],
  }));
}

/** The same of the tables of databases: as `main.orders` where there are several databases. */
export function outlineOfTables({ dataSources }: SavedSchema): readonly OutlinedCollection[] {
  const sources = Object.entries(dataSources);
  return sources.flatMap(([source, { tables }]) =>
    tables.map((table) => outlineOfTable(sources.length > 1 ? `${source}.${table.name}` : table.name, table)),
  );
}

function outlineOfField(field: SchemaField): OutlinedPart {
  const { field: name, relationship, reference, isRequired, isReadOnly, isFilterable, isSortable, enums } = field;
  if (relationship)
    return { kind: 'relation', name, facts: { type: relationship, to: reference ?? 'several collections' } };
  return {
    kind: 'field',
    name,
    facts: {
      type: typeText(field.type),
      key: field.isPrimaryKey,
      required: isRequired,
      readOnly: isReadOnly,
      filterable: isFilterable,
      sortable: isSortable,
      ...(enums ? { values: enums } : {}),
    },
  };
}

function outlineOfAction({ name, type, download, fields }: SchemaAction): OutlinedPart {
  const facts = {
    type,
    download,
    inputs: fields.map((input) => `${input['field']}: ${inputTypeText(input['type'])}`),
    'required inputs': fields.flatMap(({ field, isRequired }) => (isRequired === true ? [String(field)] : [])),
  };
  return { kind: 'action', name, facts };
}

/** Other agents publish inputs as well, whatever is in them. */
function inputTypeText(type: unknown): string {
  const parsed = schemaFieldTypeSchema.safeParse(type);
  return parsed.success ? typeText(parsed.data) : 'of an unknown type';
}

function typeText(type: SchemaFieldType): string {
  if (typeof type === 'string') return type;
  if (Array.isArray(type)) return `list of ${typeText(type[0])}`;
  return `{ ${type.fields.map(({ field, type: own }) => `${field}: ${typeText(own)}`).join(', ')} }`;
}

function outlineOfTable(name: string, table: SavedTable): OutlinedCollection {
  const { columns, primaryKey, foreignKeys, uniqueKeys, isView } = table;
  return {
    name,
    facts: { type: isView ? 'view' : 'table', key: primaryKey.join(', ') || 'none' },
    parts: [
      ...columns.map(({ name: column, nativeType, enumValues, ...facts }) => {
        const isGiven = facts.hasDefault || facts.isGenerated || facts.isAutoIncrement;
        return {
          kind: 'field' as const,
          name: column,
          facts: {
            type: nativeType,
            required: !facts.isNullable && !isGiven,
            nullable: facts.isNullable,
            readOnly: facts.isGenerated,
            ...(enumValues ? { values: enumValues } : {}),
          },
        };
      }),
      ...foreignKeys.map(({ columns: own, foreignTable, foreignColumns, onDelete }) => ({
        kind: 'relation' as const,
        name: own.join(', '),
        facts: { to: `${foreignTable} (${foreignColumns.join(', ')})`, ...(onDelete ? { 'on delete': onDelete } : {}) },
      })),
      ...uniqueKeys.map((key) => ({ kind: 'unique key' as const, name: key.join(', '), facts: {} })),
    ],
  };
}
