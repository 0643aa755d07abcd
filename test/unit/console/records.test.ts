import { describe, expect, it } from 'vitest';
import type { VisibleCollection } from '#contracts/visible-schema';
import { targetsOf } from '../../../src/console/import/columns.ts';
import { isEditable } from '../../../src/console/model/schema.ts';
import {
  type Draft,
  editableFields,
  editableRelations,
  emptyDraft,
  openProblems,
  overDraft,
  withWritten,
} from '../../../src/console/record/form-state.ts';
import { outcomeOf } from '../../../src/console/record/outcome.ts';
import { parseExactly } from '../../../src/console/wire/exact-json.ts';
import type { RelatedRow, Row } from '../../../src/console/wire/records.ts';

const customer = (id: string): RelatedRow => ({ id, collection: 'customers', values: {} });
const row = (values: Row['values'], related: Row['related'] = {}): Row => ({ id: '1', values, related });

describe('a write whose answer never came (case 33)', () => {
  const sent = { values: { total: '2.50', note: null }, links: { customer: customer('2') } };
  const seen = row({ total: '1.00', note: 'x' }, { customer: customer('1') });

  it('was saved where the record has all that was sent', () => {
    expect(outcomeOf(sent, seen, row({ total: '2.50', note: null }, { customer: customer('2') }))).toBe('saved');
  });

  it('was not saved where the record is as it was', () => {
    expect(outcomeOf(sent, seen, seen)).toBe('not saved');
  });

  it('is a conflict in the fields that have a third value', () => {
    const now = row({ total: '9.00', note: 'x' }, { customer: customer('1') });
    expect(outcomeOf(sent, seen, now)).toEqual({ total: { seen: '1.00', now: '9.00' } });
  });

  it('compares every digit', () => {
    const big = { values: { big: parseExactly('9007199254740993') }, links: {} };
    const now = row({ big: parseExactly('9007199254740992') });
    expect(outcomeOf(big, row({ big: 0 }), now)).not.toBe('saved');
    expect(outcomeOf(big, row({ big: 0 }), row({ big: parseExactly('9007199254740993') }))).toBe('saved');
  });
});

describe('a draft that somebody takes', () => {
  it('keeps what was typed since', () => {
    const kept = { texts: { note: 'kept', total: '1' }, links: { customer: customer('1') } };
    const typed = { texts: { note: 'typed' }, links: {} };
    expect(overDraft(kept, typed)).toEqual({ texts: { note: 'typed', total: '1' }, links: kept.links });
  });
});

describe('fields that are written in one way only', () => {
  const collection = {
    rights: { edit: true },
    fields: [
      { name: 'both', foreignKeyOf: null },
      { name: 'added', writtenBy: 'add', foreignKeyOf: null },
      { name: 'edited', writtenBy: 'edit', foreignKeyOf: null },
      { name: 'shown', isReadOnly: true, foreignKeyOf: null },
    ],
    relations: [
      { name: 'owner', kind: 'ManyToOne', title: 'name', writtenBy: 'add' },
      { name: 'shelf', kind: 'ManyToOne', title: 'name', writtenBy: 'edit' },
    ],
  } as unknown as VisibleCollection;
  const names = (named: readonly { readonly name: string }[]) => named.map(({ name }) => name);

  it('are in the forms of that way', () => {
    expect(names(editableFields(collection, true))).toEqual(['both', 'added']);
    expect(names(editableFields(collection, false))).toEqual(['both', 'edited']);
    expect(names(editableRelations(collection, true))).toEqual(['owner']);
    expect(names(editableRelations(collection, false))).toEqual(['shelf']);
  });

  it('take no column of an import and no cell of a list in the other way', () => {
    expect([...new Set(names(targetsOf(collection)))]).toEqual(['both', 'added', 'owner']);
    expect(names(collection.fields.filter((field) => isEditable(collection, { name: field.name, field })))).toEqual([
      'both',
      'edited',
    ]);
  });
});

describe('problems of a field', () => {
  const refused = { texts: { total: 'x', note: 'y' }, links: { customer: customer('1') } };
  const refusal = { draft: refused, problems: { total: 'no number', note: 'too short', customer_id: 'is not there' } };
  const collection = { relations: [{ name: 'customer', keys: ['customer_id'] }] } as unknown as VisibleCollection;
  const open = (draft: Draft) => Object.keys(openProblems(refusal, draft, collection));

  it('goes when the field is changed, and stays with the others', () => {
    expect(open(refused)).toEqual(['total', 'note', 'customer_id']);
    expect(open({ ...refused, texts: { total: '1', note: 'y' } })).toEqual(['note', 'customer_id']);
    expect(open({ ...refused, links: { customer: customer('2') } })).toEqual(['total', 'note']);
    expect(open(emptyDraft)).toEqual([]);
  });
});

describe('a row that somebody has written', () => {
  it('is as the list would have it, so that their own edit is not news', () => {
    const listed = row({ id: 1, total: '1.00', __proto__x: 1 }, { customer: customer('1') });
    const answered = { total: '2.00', id: 1, note: 'not of this list' };
    const asListed = row({ id: 1, total: '2.00', __proto__x: 1 }, { customer: customer('1') });
    expect(JSON.stringify(withWritten(listed, answered))).toBe(JSON.stringify(asListed));
  });
});
