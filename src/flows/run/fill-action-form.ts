import path from 'node:path';
import * as z from 'zod';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { FlowContext } from '../flow-context.ts';
import type { AgentClient } from './agent-client.ts';
import { type FormField, formFieldSchema, valueOfText } from './form-field-values.ts';

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

/** Where the files of a form are. */
type FilesContext = Pick<FlowContext, 'fs' | 'workingFolder'>;

/**
 * Values of a form with the files that they name: a field for files takes the path of one, and the agent gets a data URI.
 *
 * @throws `USAGE_INVALID` for a file that is not there.
 */
async function readFormFiles(
  { fs, workingFolder }: FilesContext,
  fields: readonly FormField[],
  values: ReadonlyMap<string, unknown>,
): Promise<ReadonlyMap<string, unknown>> {
  const read = async (value: unknown) => {
    if (typeof value !== 'string' || /^data:/i.test(value)) return value;
    const place = path.resolve(workingFolder, value);
    const buffer = (await fs.isFolder(place)) ? null : await fs.readBytes(place);
    if (buffer === null) throw fileMissing(place);
    const [{ lookup }, { fileUriOf }] = await Promise.all([import('mime-types'), import('#runtime/index')]);
    return fileUriOf({ name: path.basename(place), mimeType: lookup(place) || 'application/octet-stream', buffer });
  };
  const filled = fields.flatMap(({ field, type }) => (values.has(field) ? [{ field, type }] : []));
  const entries = filled.map(async ({ field, type }): Promise<[string, unknown]> => {
    const value = values.get(field);
    if (type === 'File') return [field, await read(value)];
    if (String(type) === 'File' && Array.isArray(value)) return [field, await Promise.all(value.map(read))];
    return [field, value];
  });
  return new Map(await Promise.all(entries));
}

function fileMissing(place: string): CloudError {
  return cloudError('USAGE_INVALID', `There is no file ${place}.`, 'Give the field the path of a file.');
}
