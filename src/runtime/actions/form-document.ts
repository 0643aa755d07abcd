import type { SchemaFieldType } from '#contracts/schema-document';
import { type AnyFormElement, type AnyFormField, fieldId, fieldsIn } from '../customizer/form-element.ts';
import type { FormFieldType } from '../customizer/form-value.ts';
import type { ModelView } from '../model/compiled-model.ts';
import { schemaFieldType } from '../model/schema-field-type.ts';
import { type EvaluatedField, type EvaluatedForm, type EvaluatedNode, isEvaluatedField } from './evaluated-form.ts';
import { collectionOfField, encodeFieldValue } from './form-value-codec.ts';
import { widgetDocument } from './widget-document.ts';

type JsonRecord = Readonly<Record<string, unknown>>;

/** A form as JSON. */
export interface FormDocument {
  readonly fields: readonly JsonRecord[];
  /** Empty for a form without layout elements. */
  readonly layout: readonly JsonRecord[];
}

/** @param valueKey `value` for a form that somebody fills in, `defaultValue` for the schema. */
export function formDocument(
  model: ModelView,
  form: Pick<EvaluatedForm, 'nodes' | 'fields'>,
  valueKey: 'value' | 'defaultValue',
): FormDocument {
  const isPlain = form.nodes.every(isEvaluatedField);
  return {
    fields: form.fields.map((field) => withoutAbsent(fieldDocument(model, field, valueKey))),
    layout: isPlain ? [] : form.nodes.map(layoutDocument),
  };
}

function fieldDocument(model: ModelView, field: EvaluatedField, valueKey: string): JsonRecord {
  const { id, element, properties } = field;
  const { label, description, isRequired, isReadOnly, enumValues } = properties;
  return {
    field: id,
    label,
    description,
    isRequired: isRequired === undefined ? undefined : Boolean(isRequired),
    isReadOnly: isReadOnly === undefined ? undefined : Boolean(isReadOnly),
    type: wireType(model, element, properties['collectionName']),
    reference: referenceOf(model, element, properties['collectionName']),
    enums: element.type === 'Enum' || element.type === 'EnumList' ? enumValues : undefined,
    [valueKey]: wireValue(field),
    hook: field.isWatched ? 'changeHook' : undefined,
    widgetEdit: widgetDocument(properties),
  };
}

/** A field of a form, as it is known before anybody fills it in. */
export interface KnownFormField {
  readonly name: string;
  readonly label: string;
  readonly type: SchemaFieldType;
  /** Where it chooses a record of a collection that the reader sees. */
  readonly collection?: string;
}

/** The fields of a form that is not a function. What code decides when somebody fills it in is left out. */
export function knownFormFields(model: ModelView, form: readonly AnyFormElement[]): KnownFormField[] {
  return fieldsIn(form).map((field) => {
    const named = field.type === 'Collection' ? model.collections.get(String(field['collectionName'])) : undefined;
    const type = field.type === 'Collection' && !named ? 'String' : wireType(model, field, field['collectionName']);
    return { name: fieldId(field), label: field.label, type, ...(named ? { collection: named.name } : {}) };
  });
}

function wireType(model: ModelView, field: AnyFormField, collectionName: unknown): SchemaFieldType {
  if (field.type !== 'Collection') return wireTypes[field.type];
  const collection = collectionOfField(model, field, collectionName);
  const key = collection.fields.get(collection.primaryKey[0] ?? '');
  if (key?.kind === 'computed') return schemaFieldType(key.column.type);
  return key?.kind === 'column' ? schemaFieldType(key.type) : 'String';
}

const wireTypes: Readonly<Record<Exclude<FormFieldType, 'Collection'>, SchemaFieldType>> = {
  Boolean: 'Boolean',
  Date: 'Date',
  Dateonly: 'Dateonly',
  Enum: 'Enum',
  EnumList: ['Enum'],
  File: 'File',
  FileList: ['File'],
  Json: 'Json',
  Number: 'Number',
  NumberList: ['Number'],
  String: 'String',
  StringList: ['String'],
  Time: 'Time',
};

function referenceOf(model: ModelView, field: AnyFormField, collectionName: unknown): string | undefined {
  if (field.type !== 'Collection') return undefined;
  const { name, primaryKey } = collectionOfField(model, field, collectionName);
  return `${name}.${primaryKey[0]}`;
}

/** The form shows no value that is no longer one of the choices. */
function wireValue({ element, properties, value }: EvaluatedField): unknown {
  const { enumValues } = properties;
  const isListed = (item: unknown): boolean => Array.isArray(enumValues) && enumValues.includes(item);
  if (element.type === 'Enum' && value !== undefined) return isListed(value) ? value : null;
  if (element.type === 'EnumList' && Array.isArray(value)) return value.filter(isListed);
  return encodeFieldValue(element.type, value);
}

function layoutDocument(node: EvaluatedNode): JsonRecord {
  if (isEvaluatedField(node)) return { component: 'input', fieldId: node.id };
  const { element, properties, children } = node;
  switch (element.component) {
    case 'Separator':
      return { component: 'separator' };
    case 'HtmlBlock':
      return { component: 'htmlBlock', content: properties['content'] };
    case 'Row':
      return { component: 'row', fields: children.map(layoutDocument) };
    case 'Page': {
      const { nextButtonLabel, previousButtonLabel } = properties;
      const elements = children.map(layoutDocument);
      return withoutAbsent({ component: 'page', nextButtonLabel, previousButtonLabel, elements });
    }
  }
}

function withoutAbsent(record: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
}
