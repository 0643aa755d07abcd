import { describe, expect, it } from 'vitest';
import { activityContinuationSchema, activitySchema } from '#contracts/activity';
import { type ActFacts, type ActOutcome, entriesOf } from '#runtime/activity/activity-entries';
import { factsOf } from '../../../helpers/activity-outbox.ts';

const times = { id: '0f0c1e9e-5a8e-4d0c-9a53-0d2f5f5b7c11', occurredAt: '2026-01-02T03:04:05.678Z', durationMs: 12 };
const ids = (count: number, text = 'x') => Array.from({ length: count }, (_, index) => `${index}-${text}`);

/** The entries as the platform reads them. */
function entries(facts: Partial<ActFacts>, outcome: ActOutcome | undefined = { status: 'completed' }) {
  const [first, ...others] = entriesOf({ ...factsOf('update'), recordIds: undefined, ...facts }, times, outcome);
  return {
    report: activitySchema.parse(JSON.parse(first)),
    continuations: others.map((text) => activityContinuationSchema.parse(JSON.parse(text))),
    bytes: [first, ...others].map((text) => Buffer.byteLength(text)),
  };
}

describe('the report of an act', () => {
  it('holds a thousand ids, and its continuations the others in order', () => {
    const { report, continuations } = entries({ recordIds: ids(2_500) });
    expect(report).toMatchObject({ ...times, recordCount: 2_500, status: 'completed' });
    expect(continuations.map(({ id, part, recordIds }) => [id, part, recordIds.length])).toEqual([
      [times.id, 1, 1_000],
      [times.id, 2, 500],
    ]);
    expect([report, ...continuations].flatMap(({ recordIds }) => recordIds)).toEqual(ids(2_500));
  });

  it.each(['x'.repeat(600), '€'.repeat(600), '\u0001'.repeat(600)])('has small entries for long ids: %#', (text) => {
    const { report, continuations, bytes } = entries(
      { recordIds: ids(1_500, text), label: text, collection: text },
      { status: 'completed', fields: ids(1_500, text) },
    );
    expect(Math.max(...bytes)).toBeLessThan(400 * 1024);
    expect([report, ...continuations].flatMap(({ recordIds }) => recordIds)).toEqual(
      ids(1_500, text).map((id) => id.slice(0, 512)),
    );
  });

  it('takes the ids from the outcome where the request named none', () => {
    expect(entries({}, { status: 'completed', recordIds: ['4'], fields: ['name'] }).report).toMatchObject({
      recordIds: ['4'],
      recordCount: 1,
      fields: ['name'],
    });
    expect(entries({}, { status: 'completed', recordCount: 30 }).report).toMatchObject({
      recordIds: [],
      recordCount: 30,
    });
    expect(entries({}, { status: 'failed' }).report).toMatchObject({ recordIds: [], recordCount: null });
  });

  it('says whose yes it was only where a marked session has one', () => {
    expect(entries({ source: 'mcp', consent: 'platform' }).report).toMatchObject({
      source: 'mcp',
      consent: 'platform',
    });
    expect(entries({ source: 'mcp' }).report).not.toHaveProperty('consent');
  });

  it('names the version of the code only where a host serves one', () => {
    expect(entries({ codeVersion: 12 }).report).toMatchObject({ codeVersion: 12 });
    expect(entries({}).report).not.toHaveProperty('codeVersion');
  });

  it('is pending before its outcome', () => {
    const [pending] = entriesOf(factsOf('update', '4'), { ...times, durationMs: null }, undefined);
    expect(activitySchema.parse(JSON.parse(pending))).toMatchObject({ status: 'pending', durationMs: null });
  });

  it('has no text that a store refuses, and splits no character', () => {
    const { report } = entries({
      recordIds: ['a\u0000b', '\ud83d', `${'x'.repeat(511)}😀`],
      label: `${'l'.repeat(254)}😀`,
      collection: 'c\udc00',
    });
    expect(report.recordIds).toEqual(['ab', '\ufffd', 'x'.repeat(511)]);
    expect(report.label).toBe('l'.repeat(254));
    expect(report.collection).toBe('c\ufffd');
  });
});
