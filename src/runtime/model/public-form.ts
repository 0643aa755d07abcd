import { type CompiledCollection, type CompiledField, isValueField } from './compiled-model.ts';

/** Collections that public forms fill, by the last word of their names. In them every text counts that is not about the work with it. */
const collectionsOfForms: ReadonlySet<string> = new Set([
  ...['message', 'comment', 'review', 'feedback', 'testimonial', 'rating', 'reply', 'chat', 'conversation'],
  ...['ticket', 'complaint', 'inquiry', 'enquiry', 'contact', 'submission', 'application', 'applicant', 'lead'],
  ...['survey', 'guestbook', 'email', 'mail'],
]);

/** The same where another word of the name is one of these: `contact_forms`, `feedback_entries`. */
const containers: ReadonlySet<string> = new Set(['form', 'entry', 'request', 'response']);

/** Texts that people outside write wherever they stand, by the last word of their names. */
const fieldsOfForms: ReadonlySet<string> = new Set([
  ...['message', 'comment', 'review', 'feedback', 'testimonial', 'complaint', 'inquiry', 'enquiry', 'bio'],
]);

/** Texts beside them that those write who work with them, by the last word of their names. */
const fieldsOfWork: ReadonlySet<string> = new Set([
  ...['status', 'state', 'stage', 'step', 'type', 'kind', 'category', 'priority', 'severity', 'level', 'channel'],
  ...['source', 'locale', 'language', 'currency', 'timezone', 'assignee', 'owner', 'agent', 'team', 'queue'],
  ...['code', 'ref', 'reference', 'number', 'slug', 'id', 'uuid', 'key', 'hash', 'token', 'by', 'at'],
]);

/**
 * Whether a column looks as if a public form fills it: a free text in a collection, or with a name, as such forms have them. Only names
 * tell; code says it for sure.
 */
export function looksPublic(collection: CompiledCollection, field: CompiledField): boolean {
  if (field.kind !== 'column' || field.expression || !isFreeText(field)) return false;
  if (collection.primaryKey.includes(field.name) || isForeignKey(collection, field.name)) return false;
  const words = wordsOf(field.name);
  const last = words.at(-1) ?? '';
  if (fieldsOfForms.has(last)) return true;
  return isOfForms(wordsOf(collection.name)) && !fieldsOfWork.has(last);
}

function isOfForms(words: readonly string[]): boolean {
  const last = words.at(-1) ?? '';
  return collectionsOfForms.has(last) || (containers.has(last) && words.some((word) => collectionsOfForms.has(word)));
}

function isFreeText({ type, enumValues }: Extract<CompiledField, { kind: 'column' }>): boolean {
  return (type === 'String' && !enumValues) || type === 'Json';
}

function isForeignKey({ fields }: CompiledCollection, name: string): boolean {
  return [...fields.values()].some(
    (field) => !isValueField(field) && field.kind === 'ManyToOne' && field.join.some(({ local }) => local === name),
  );
}

/** The words of a name in the singular: `ticketComments` and `ticket_comments` are `ticket`, `comment`. */
function wordsOf(name: string): readonly string[] {
  return name
    .replaceAll(/(?<=[a-z\d])[A-Z]/g, (letter) => ` ${letter}`)
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter(Boolean)
    .map(singular);
}

function singular(word: string): string {
  if (word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  return /[^su]s$/.test(word) ? word.slice(0, -1) : word;
}
