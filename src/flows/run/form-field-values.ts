import { DateTime } from 'luxon';
import * as z from 'zod';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';

/** A choice of a dropdown, with or without a label. */
const optionSchema = z.union([
  z.object({ label: z.string(), value: z.unknown() }),
  z.unknown().transform((value) => ({ label: String(value), value })),
]);

/** Editors of other kinds have other parameters. */
const editorSchema = z.object({
  parameters: z.object({
    static: z.object({ options: z.array(optionSchema) }).optional(),
    searchType: z.string().nullish(),
  }),
});

export const formFieldSchema = z.object({
  field: z.string(),
  label: z.string().optional(),
  description: z.string().optional(),
  type: z.union([z.string(), z.array(z.string())]),
  isRequired: z.boolean().default(false),
  isReadOnly: z.boolean().default(false),
  enums: z.array(z.string()).nullish(),
  /** The key of the collection whose records it takes. Its value is the id of one, which is a text. */
  reference: z.string().nullish(),
  widgetEdit: editorSchema.nullish(),
  value: z.unknown().optional(),
});

/** A field of a form that can be filled in now. */
export type FormField = z.infer<typeof formFieldSchema>;

/** What may be chosen: how it is shown, and the text that says its value. */
export interface Choice {
  readonly name: string;
  readonly value: string;
}

/** What a field takes; `undefined` where that is not known, as in a dropdown that asks for its choices with what is typed. */
export function choicesOf({ enums, widgetEdit }: FormField): readonly Choice[] | undefined {
  const { static: fixed, searchType } = widgetEdit?.parameters ?? {};
  const options = searchType === 'dynamic' ? undefined : fixed?.options;
  const choices =
    options?.map(({ label, value }) => ({ name: label, value: String(value) })) ??
    enums?.map((value) => ({ name: value, value }));
  return choices && choices.length > 0 ? choices : undefined;
}

/**
 * @param text of a list: its items, with commas between them.
 * @throws `USAGE_INVALID` for a text that is not a value of the field.
 */
export function valueOfText(field: FormField, text: string): unknown {
  if (Array.isArray(field.type)) return text === '' ? [] : valueOfItems(field, text.split(','));
  return single(field, field.type, text);
}

/** The value of a field that takes a list. @throws `USAGE_INVALID` for a text that is not an item of it. */
export function valueOfItems(field: FormField, items: readonly string[]): readonly unknown[] {
  return items.map((item) => single(field, String(field.type[0]), item.trim()));
}

const texts: Readonly<Record<string, { readonly wanted: string; isFitting(text: string): boolean }>> = {
  Date: {
    wanted: 'a date with its time, such as 2026-11-25T09:30:00Z',
    isFitting: (text) => text[10] === 'T' && DateTime.fromISO(text).isValid,
  },
  Dateonly: {
    wanted: 'a date, such as 2026-11-25',
    isFitting: (text) => /^\d{4}-\d\d-\d\d$/.test(text) && DateTime.fromISO(text).isValid,
  },
  Time: {
    wanted: 'a time, such as 09:30:00',
    isFitting: (text) => /^\d\d:\d\d:\d\d(\.\d+)?$/.test(text) && DateTime.fromISO(text).isValid,
  },
};

function single(field: FormField, type: string, text: string): unknown {
  if (field.reference) return text;
  const choices = choicesOf(field);
  if (choices && !choices.some(({ value }) => value === text)) {
    throw unfitting(field, text, `one of ${choices.map(({ value }) => value).join(', ')}`);
  }
  const kind = texts[type];
  if (kind && !kind.isFitting(text)) throw unfitting(field, text, kind.wanted);
  switch (type) {
    case 'Number':
      if (text.trim() === '' || Number.isNaN(Number(text))) throw unfitting(field, text, 'a number');
      return Number(text);
    case 'Boolean':
      if (text !== 'true' && text !== 'false') throw unfitting(field, text, 'true or false');
      return text === 'true';
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
  return cloudError(
    'USAGE_INVALID',
    `"${text}" does not fit the field "${field}", which takes ${wanted}.`,
    `Give ${field} another value.`,
  );
}
