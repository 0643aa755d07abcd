import type { SchemaAction } from '#contracts/schema-document';
import { formDocument } from '../actions/form-document.ts';
import { isStaticForm, staticForm } from '../actions/static-form.ts';
import { actionId } from '../compile/compile-action.ts';
import type { AnyFormElement } from '../customizer/any-form-element.ts';
import type { CompiledAction, CompiledModel } from '../model/compiled-model.ts';

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
