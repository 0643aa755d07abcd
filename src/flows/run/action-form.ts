import * as z from 'zod';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { AgentClient } from './agent-client.ts';
import { type FormField, formFieldSchema, valueOfText } from './form-field.ts';
import { type FilesContext, readFormFiles } from './form-files.ts';

const formSchema = z.object({ fields: z.array(formFieldSchema) });

/** The form of an action on a selection, as the agent evaluates it. */
export interface ActionForm {
  readonly fields: readonly FormField[];
  /** The form once `values` are filled in; what depends on them has changed. */
  fill(values: ReadonlyMap<string, unknown>): Promise<ActionForm>;
}

export interface FormAddress {
  /** Of the action, below the prefix. */
  readonly path: string;
  readonly timezone: string;
  readonly selection: Readonly<Record<string, unknown>>;
}

export async function openForm(agent: AgentClient, address: FormAddress): Promise<ActionForm> {
  return formOf(agent, address, await ask(agent, address, 'load', {}));
}

function formOf(agent: AgentClient, address: FormAddress, fields: readonly FormField[]): ActionForm {
  return {
    fields,
    fill: async (values) => {
      const filled = fields
        .map(({ field, value }) => ({ field, value: values.has(field) ? values.get(field) : value }))
        // Nothing is sent for a field without a value, because it has a default then.
        .filter(({ value }) => value !== undefined);
      const [changed] = [...values.keys()].slice(-1);
      return formOf(agent, address, await ask(agent, address, 'change', { fields: filled, changed_field: changed }));
    },
  };
}

async function ask(
  agent: AgentClient,
  { path, timezone, selection }: FormAddress,
  hook: 'load' | 'change',
  state: object,
): Promise<readonly FormField[]> {
  const body = { data: { attributes: { ...selection, ...state } } };
  return formSchema.parse(
    await agent.json({ method: 'POST', path: `${path}/hooks/${hook}`, query: { timezone }, body }),
  ).fields;
}

/** Fields that must have a value and have none. */
export function missingFields({ fields }: ActionForm): readonly FormField[] {
  return fields.filter(({ isRequired, isReadOnly, value }) => isRequired && !isReadOnly && isEmpty(value));
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}

/** Fill values into a form; those of files are their paths. @throws `USAGE_INVALID` for a file that is not there. */
export async function fillValues(
  context: FilesContext,
  form: ActionForm,
  values: ReadonlyMap<string, unknown>,
): Promise<ActionForm> {
  return form.fill(await readFormFiles(context, form.fields, values));
}

/**
 * Fill texts into a form, in as many rounds as it takes: a field may only show once another one is filled in.
 *
 * @throws `USAGE_INVALID` for a field that the form does not have.
 */
export async function fillTexts(
  context: FilesContext,
  form: ActionForm,
  texts: ReadonlyMap<string, string>,
): Promise<ActionForm> {
  const shown = new Map(form.fields.map((field) => [field.field, field]));
  const fitting = [...texts].flatMap(([name, text]) => {
    const field = shown.get(name);
    return field ? [[name, valueOfText(field, text)] as const] : [];
  });
  if (fitting.length === 0 && texts.size > 0) throw unknownField([...texts.keys()][0] ?? '', form);
  if (fitting.length === 0) return form;
  const filled = await fillValues(context, form, new Map(fitting));
  const names = new Set(fitting.map(([name]) => name));
  return fillTexts(context, filled, new Map([...texts].filter(([name]) => !names.has(name))));
}

function unknownField(name: string, { fields }: ActionForm): CloudError {
  const names = fields.map(({ field }) => field);
  return cloudError(
    'USAGE_INVALID',
    `The form has no field "${name}".${didYouMean(nearestName(name, names))}`,
    names.length > 0 ? `Its fields are: ${names.join(', ')}.` : 'The action has no form; give it no values.',
  );
}
