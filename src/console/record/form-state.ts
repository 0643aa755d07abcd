import type { Messages } from '../messages/index.ts';
import type { VisibleCollection, VisibleField } from '../model/schema.ts';
import { isWritten } from '../model/schema.ts';
import { editableText, readTyped } from '../values/typed.ts';
import { zone } from '../wire/agent.ts';
import { own } from '../wire/own.ts';
import type { RelatedRow, Row } from '../wire/records.ts';

/** What somebody has typed into a form: texts by field, `null` for no value, and where to-one relations lead. */
export interface Draft {
  readonly texts: Readonly<Record<string, string | null>>;
  readonly links: Readonly<Record<string, RelatedRow | null>>;
}

export const emptyDraft: Draft = { texts: {}, links: {} };

export function isEmptyDraft(draft: Draft): boolean {
  return sizeOfDraft(draft) === 0;
}

/** How many fields and relations are changed. */
export function sizeOfDraft({ texts, links }: Draft): number {
  return Object.keys(texts).length + Object.keys(links).length;
}

/** A draft over another one: of a field that both have, what is above counts. */
export function overDraft(below: Draft, above: Draft): Draft {
  return { texts: { ...below.texts, ...above.texts }, links: { ...below.links, ...above.links } };
}

/** What somebody has typed since a draft was sent. */
export function draftSince(sent: Draft, { texts, links }: Draft): Draft {
  const newer = <Entry>(now: Readonly<Record<string, Entry>>, before: Readonly<Record<string, Entry>>) =>
    Object.fromEntries(Object.entries(now).filter(([name, entry]) => own(before, name) !== entry));
  return { texts: newer(texts, sent.texts), links: newer(links, sent.links) };
}

/**
 * The fields that a form shows: those that can be changed, without the keys that relations stand for. Agents refuse every body with a
 * member `__proto__`, so that a field of that name is only read.
 */
export function editableFields({ fields }: VisibleCollection, isNew: boolean): readonly VisibleField[] {
  return fields.filter(
    (field) =>
      isWritten(field, isNew ? 'add' : 'edit') &&
      field.foreignKeyOf === null &&
      (isNew || !field.isPrimaryKey) &&
      field.name !== '__proto__',
  );
}

export function editableRelations({ relations }: VisibleCollection, isNew: boolean) {
  return relations.filter((relation) => relation.kind === 'ManyToOne' && isWritten(relation, isNew ? 'add' : 'edit'));
}

/** The text of a field: what was typed, or what the record has. */
export function textOfField(draft: Draft, field: VisibleField, row: Row | undefined): string | null {
  const typed = own(draft.texts, field.name);
  if (typed !== undefined) return typed;
  const value = row ? own(row.values, field.name) : field.defaultValue;
  return value === null || value === undefined
    ? row && field.isNullable
      ? null
      : ''
    : editableText(value, field, zone());
}

/** The values of a draft, and the fields whose text is not a value. */
export interface DraftValues {
  readonly values: Readonly<Record<string, unknown>>;
  readonly problems: Readonly<Record<string, string>>;
}

export function valuesOf(draft: Draft, collection: VisibleCollection, words: Messages['typed']): DraftValues {
  const values = new Map<string, unknown>();
  const problems = new Map<string, string>();
  for (const field of collection.fields) {
    const text = own(draft.texts, field.name);
    if (text === undefined) continue;
    const typed = text === null ? { value: null } : readTyped(text, field, zone(), words);
    if ('problem' in typed) problems.set(field.name, typed.problem);
    else values.set(field.name, typed.value);
  }
  return { values: Object.fromEntries(values), problems: Object.fromEntries(problems) };
}

/** A draft with a field changed. A text that is the one of the record again is not a change. */
export function withText(draft: Draft, field: VisibleField, text: string | null, row: Row | undefined): Draft {
  const { [field.name]: _before, ...others } = draft.texts;
  const isSame = row !== undefined && text === textOfField({ ...draft, texts: others }, field, row);
  return { ...draft, texts: isSame ? others : { ...others, [field.name]: text } };
}

/** What is still against a draft: a field that was changed since may be right. */
export function openProblems(
  { problems, draft: refused }: { readonly problems: Readonly<Record<string, string>>; readonly draft: Draft },
  draft: Draft,
  { relations }: Pick<VisibleCollection, 'relations'>,
): Readonly<Record<string, string>> {
  const isAsRefused = (name: string) =>
    own(draft.texts, name) === own(refused.texts, name) && own(draft.links, name) === own(refused.links, name);
  const open = Object.entries(problems).filter(([name]) => {
    const linked = relations.find(({ keys }) => keys.includes(name));
    return isAsRefused(name) && (!linked || isAsRefused(linked.name));
  });
  return Object.fromEntries(open);
}

/** A row of a list with what was written, as the list would have it: what else a record has is not of this list. */
export function withWritten(
  row: Row,
  attributes: Readonly<Record<string, unknown>>,
  links: Draft['links'] = emptyDraft.links,
): Row {
  const values = Object.entries(row.values).map(([name, old]) => [
    name,
    Object.hasOwn(attributes, name) ? attributes[name] : old,
  ]);
  const related = Object.entries(row.related).map(([name, old]) => [
    name,
    Object.hasOwn(links, name) ? links[name] : old,
  ]);
  return { ...row, values: Object.fromEntries(values), related: Object.fromEntries(related) };
}

export function withLink(draft: Draft, relation: string, to: RelatedRow | null): Draft {
  return { ...draft, links: { ...draft.links, [relation]: to } };
}
