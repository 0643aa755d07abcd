import type { SchemaAction, SchemaCollection, SchemaDocument } from '#contracts/schema-document';
import { isStaticForm, staticForm } from '../actions/check-form-values.ts';
import { formDocument } from '../actions/form-document.ts';
import { actionId } from '../compile/compile-action.ts';
import type { AnyFormElement } from '../customizer/form-element.ts';
import {
  type CompiledAction,
  type CompiledCollection,
  type CompiledModel,
  columnOf,
  isValueField,
} from '../model/compiled-model.ts';
import { isOnlyForeignKey, schemaField } from './schema-field.ts';

export { renderSchemaDocument } from './render-schema-document.ts';

export interface SchemaDocumentOptions {
  /** The prefix of the agent's routes, for instance `/service`. */
  readonly prefix: string;
  /** Version of this package. */
  readonly version: string;
  /** Optional abilities of the agent, by name, with their version. Default: none. */
  readonly features?: Readonly<Record<string, string>> | undefined;
}

/** The schema of the collections that the agent sends to the platform, in canonical order. */
export function buildSchemaDocument(
  model: CompiledModel,
  { prefix, version, features }: SchemaDocumentOptions,
): SchemaDocument {
  const collections = [...model.collections.values()].toSorted((a, b) => compareNames(a.name, b.name));
  return {
    collections: collections.map((collection) => schemaCollection(model, collection, prefix)),
    meta: {
      agent: 'vendor-nodejs-agent',
      agent_version: version,
      agent_features: features ?? null,
      stack: { engine: 'nodejs', engine_version: process.versions.node },
      ...(model.masks.size > 0 && { masks: [...model.masks.keys()].toSorted(codePointOrder) }),
    },
  };
}

/** A collection as the schema document has it. */
export function schemaCollection(
  model: CompiledModel,
  collection: CompiledCollection,
  prefix: string,
): SchemaCollection {
  const { name } = collection;
  const fields = [...collection.fields.values()].toSorted((a, b) => codePointOrder(a.name, b.name));
  const actions = [...collection.actions.values()].toSorted((a, b) => codePointOrder(a.name, b.name));
  const foreignKeys = fields.filter((field) => isOnlyForeignKey(collection, field)).map((field) => field.name);
  return {
    actions: actions.map((action) => schemaAction(model, name, action, prefix)),
    fields: fields.flatMap((field) => schemaField(model, collection, field) ?? []),
    ...(foreignKeys.length > 0 && { foreignKeys }),
    icon: null,
    integration: null,
    isReadOnly: [...collection.fields.values()].every((field) => !isValueField(field) || columnOf(field).isReadOnly),
    isSearchable: collection.isSearchable,
    isVirtual: false,
    name,
    onlyForRelationships: false,
    paginationType: 'page',
    segments: [...collection.segments.keys()].sort().map((segment) => ({ id: `${name}.${segment}`, name: segment })),
  };
}

const collator = new Intl.Collator('en', { sensitivity: 'base' });

/** Case-insensitive, in the order of one fixed language, so that the file is the same on every machine. */
export function compareNames(a: string, b: string): number {
  return collator.compare(a, b) || codePointOrder(a, b);
}

function codePointOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

const actionTypes = { Single: 'single', Bulk: 'bulk', Global: 'global' } as const;

/** The placeholder that a client shows for a form that it has to load first. It never reaches a handler. */
const loadingField = {
  field: 'Loading...',
  label: 'Loading...',
  type: 'String',
  isReadOnly: true,
  defaultValue: 'Form is loading',
  description: '',
  enums: null,
  hook: null,
  isRequired: false,
  reference: null,
  widgetEdit: null,
};

/** An action as the schema document has it. */
export function schemaAction(
  model: CompiledModel,
  collection: string,
  action: CompiledAction,
  prefix: string,
): SchemaAction {
  const { name, address, definition } = action;
  const { description, submitButtonLabel, generateFile } = definition;
  return {
    id: actionId(collection, action),
    name,
    type: actionTypes[definition.scope],
    baseUrl: null,
    endpoint: `${prefix}/_actions/${collection}/${address}`,
    httpMethod: 'POST',
    redirect: null,
    download: generateFile === true,
    ...(description === undefined ? {} : { description }),
    ...(submitButtonLabel === undefined ? {} : { submitButtonLabel }),
    ...formOf(model, definition.form),
  };
}

function formOf(model: CompiledModel, form: unknown): Pick<SchemaAction, 'fields' | 'layout' | 'hooks'> {
  const isStatic = isStaticForm(form);
  const hooks = { load: !isStatic, change: ['changeHook'] };
  if (!isStatic) return { fields: [loadingField], hooks };
  const elements = (form ?? []) as readonly AnyFormElement[];
  const { fields, layout } = formDocument(model, staticForm(elements), 'defaultValue');
  return { fields: [...fields], ...(layout.length > 0 ? { layout: [...layout] } : {}), hooks };
}
