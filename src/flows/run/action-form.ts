import * as z from 'zod';
import { CloudError } from '#kernel/errors/cloud-error';
import { didYouMean, nearestName } from '#kernel/text/nearest-name';
import type { AgentClient } from './agent-client.ts';

const fieldSchema = z.object({
  field: z.string(),
  label: z.string().optional(),
  description: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]),
  isRequired: z.boolean().default(false),
  isReadOnly: z.boolean().default(false),
  enums: z.array(z.string()).nullish(),
  /** The key of the collection whose records it takes. Its value is the id of one, which is a text. */
  reference: z.string().nullish(),
  value: z.unknown().optional(),
});
const formSchema = z.object({ fields: z.array(fieldSchema) });

/** A field of a form that can be filled in now. */
export type FormField = z.infer<typeof fieldSchema>;

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

/**
 * Fill texts into a form, in as many rounds as it takes: a field may only show once another one is filled in.
 *
 * @throws `USAGE_INVALID` for a field that the form does not have.
 */
export async function fillTexts(form: ActionForm, texts: ReadonlyMap<string, string>): Promise<ActionForm> {
  const shown = new Map(form.fields.map((field) => [field.field, field]));
  const fitting = [...texts].flatMap(([name, text]) => {
    const field = shown.get(name);
    return field ? [[name, valueOfText(field, text)] as const] : [];
  });
  if (fitting.length === 0 && texts.size > 0) throw unknownField([...texts.keys()][0] ?? '', form);
  if (fitting.length === 0) return form;
  const filled = await form.fill(new Map(fitting));
  const names = new Set(fitting.map(([name]) => name));
  return fillTexts(filled, new Map([...texts].filter(([name]) => !names.has(name))));
}

/** @throws `USAGE_INVALID` for a text that is no value of the field. */
export function valueOfText(field: FormField, text: string): unknown {
  const { type, reference } = field;
  if (reference) return text;
  if (Array.isArray(type))
    return text === '' ? [] : text.split(',').map((item) => single(field, type[0] ?? '', item.trim()));
  return single(field, type, text);
}

function single(field: FormField, type: string, text: string): unknown {
  switch (type) {
    case 'Number':
      if (text.trim() === '' || Number.isNaN(Number(text))) throw unfitting(field, text, 'a number');
      return Number(text);
    case 'Boolean':
      if (text !== 'true' && text !== 'false') throw unfitting(field, text, 'true or false');
      return text === 'true';
    case 'Enum':
      if (field.enums && !field.enums.includes(text)) throw unfitting(field, text, `one of ${field.enums.join(', ')}`);
      return text;
    case 'Json':
      try {
        return JSON.parse(text);
      } catch {
        throw unfitting(field, text, 'JSON');
      }
    default:
      return text;
  }
}

function unfitting({ field }: FormField, text: string, wanted: string): CloudError {
  return new CloudError({
    code: 'USAGE_INVALID',
    message: `"${text}" does not fit the field "${field}", which takes ${wanted}.`,
    nextSteps: [`Give ${field} another value.`],
  });
}

function unknownField(name: string, { fields }: ActionForm): CloudError {
  const names = fields.map(({ field }) => field);
  return new CloudError({
    code: 'USAGE_INVALID',
    message: `The form has no field "${name}".${didYouMean(nearestName(name, names))}`,
    nextSteps: [
      names.length > 0 ? `Its fields are: ${names.join(', ')}.` : 'The action has no form; give it no values.',
    ],
  });
}
