import * as z from 'zod';
import type { EvaluatedField, EvaluatedForm } from '../../../actions/evaluated-form.ts';
import { encodeFieldValue, isActionFile } from '../../../actions/form-value-codec.ts';

/** A field of a form, as a model sees it. */
export const formFieldOutput = z.looseObject({ name: z.string() });

interface FormField {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly isReadOnly?: true;
  readonly description?: string;
  /** Where the records of a field of the type Collection are. */
  readonly collectionName?: string;
  readonly allowedValues?: unknown[];
  readonly value?: unknown;
}

interface FormDescription {
  readonly fields: FormField[];
  readonly canExecute: boolean;
  readonly missingFields: string[];
}

const maxAllowedValues = 100;

/** The visible fields of a form, and the required ones that have no value yet. */
export function describeForm({ fields }: EvaluatedForm): FormDescription {
  const missingFields = fields
    .filter(({ properties, value }) => Boolean(properties['isRequired']) && isEmpty(value))
    .map(({ id }) => id);
  return { fields: fields.map(describeField), canExecute: missingFields.length === 0, missingFields };
}

function describeField({ id, element, properties, value }: EvaluatedField): FormField {
  const { isRequired, isReadOnly, description, collectionName, enumValues, options } = properties;
  const allowed = enumValues ?? options;
  return {
    name: id,
    type: element.type,
    isRequired: Boolean(isRequired),
    ...(isReadOnly ? { isReadOnly: true } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof collectionName === 'string' ? { collectionName } : {}),
    ...(Array.isArray(allowed) ? { allowedValues: allowed.slice(0, maxAllowedValues) } : {}),
    ...(isEmpty(value) ? {} : { value: shownValue(element.type, value) }),
  };
}

/** The bytes of a file are not shown: they would fill the context of a model. */
function shownValue(type: EvaluatedField['element']['type'], value: unknown): unknown {
  if (Array.isArray(value) && type === 'FileList') return value.map((file) => shownValue('File', file));
  if (isActionFile(value)) return { name: value.name, mimeType: value.mimeType, bytes: value.buffer.byteLength };
  return encodeFieldValue(type, value);
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
