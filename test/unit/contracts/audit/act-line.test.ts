import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readActLines } from '#contracts/audit/act-line';
import { leafOf, linkHashOf } from '#contracts/audit/chain';
import { exportedValues, takeOutValues } from '#contracts/audit/disclosures';
import type { ActivityEntry } from '#contracts/audit/rows';
import { partsOf } from '#platform/audit/chain-row';

const chain = '6f1d2c3b-0000-4000-8000-000000000001';
const createdAt = '2026-01-01T00:00:00.000Z';

function readActLine(line: string) {
  return readActLines([line])[0];
}

/** The line of a row in an export. */
function lineOf(entry: ActivityEntry, sequence: number): string {
  const parts = partsOf(entry, { chain, sequence, createdAt, recordedAt: createdAt, version: 2 });
  return `${exportedValues(parts)},"hash":"${'a'.repeat(64)}","previousHash":"${'b'.repeat(64)}"}`;
}

/** The same from a parser. */
function parsedLine(line: string) {
  const { hash, previousHash, ...row } = JSON.parse(line) as Record<string, unknown>;
  const { body, disclosed } = takeOutValues(row, 0);
  const { sequence, version, committed, ...read } = JSON.parse(body) as Record<string, unknown>;
  expect(disclosed).toEqual(committed);
  const leaf = leafOf(body);
  return {
    leaf,
    linkHash: linkHashOf(String(read['chain']), 2)(Number(sequence), String(previousHash), leaf),
    hash,
    previousHash,
    chain: read['chain'],
    sequence,
    createdAt: read['createdAt'],
    version,
  };
}

/** Acts whose names are such texts. */
function actsWith(text: fc.Arbitrary<string>, number: fc.Arbitrary<number>): fc.Arbitrary<ActivityEntry> {
  const named = <Kind extends string>(object: Kind) => fc.record({ object: fc.constant(object), name: text });
  const absent = fc.constant(undefined);
  return fc.record({
    object: fc.constant('activityLog'),
    id: fc.uuid(),
    type: fc.constantFrom('read', 'write'),
    action: fc.constantFrom('update', 'index', 'action'),
    label: fc.oneof(absent, text),
    collection: fc.oneof(absent, named('collection')),
    recordIds: fc.array(text),
    recordCount: fc.oneof(fc.constant(null), fc.nat()),
    fields: fc.oneof(absent, fc.array(text)),
    user: fc.record({ object: fc.constant('user'), id: fc.nat(), email: text, username: text }),
    team: named('team'),
    role: text,
    environment: named('environment'),
    codeVersion: fc.oneof(absent, fc.nat()),
    rendering: fc.oneof(absent, fc.record({ id: fc.nat(), name: text })),
    source: fc.constantFrom('rest', 'mcp', 'api'),
    status: fc.constantFrom('pending', 'completed', 'failed'),
    correlationId: fc.oneof(absent, text),
    occurredAt: fc.constant(createdAt),
    durationMs: fc.oneof(fc.constant(null), number),
    tokenId: fc.oneof(absent, text),
  });
}

const any = actsWith(
  fc.oneof(fc.string({ unit: 'grapheme' }), fc.constantFrom('Ada ,"user":{', '","sequence":7,"x":"', 'a\n', '\u2028')),
  fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
);
/** Nothing in them needs an escape. */
const plain = actsWith(fc.constantFrom('', 'orders', 'é|8', ',user:{}', '𐀀'), fc.nat());

describe('the line of an act', () => {
  it('is read as a parser reads it, or not at all', () => {
    fc.assert(
      fc.property(any, fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (entry, sequence) => {
        const line = lineOf(entry, sequence);
        const act = readActLine(line);
        if (act) expect(act).toEqual(parsedLine(line));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is read where nothing in it needs an escape', () => {
    fc.assert(
      fc.property(plain, (entry) => {
        const line = lineOf(entry, 3);
        expect(readActLine(line)).toEqual(parsedLine(line));
      }),
    );
  });

  it('is read the same beside other lines', () => {
    const lines = fc.sample(plain, { numRuns: 40, seed: 2 }).map((entry, index) => lineOf(entry, index));
    const mixed = lines.flatMap((line, index) => [line, line.replaceAll(chain, `chain ${index}`), '', '{}']);
    expect(readActLines(mixed)).toEqual(mixed.map(readActLine));
    expect(readActLines(mixed).filter(Boolean)).toHaveLength(80);
  });

  it('is read by a parser where it is very long', () => {
    const [entry] = fc.sample(plain, { numRuns: 1, seed: 1 });
    if (!entry) throw new Error('There is no act.');
    expect(readActLine(lineOf({ ...entry, role: 'x'.repeat(2_000_000) }, 3))).toBeUndefined();
  });

  it('is not read after a change of any character, unless a parser reads the same', () => {
    const lines = plain.map((entry) => lineOf(entry, 12));
    fc.assert(
      fc.property(lines, fc.nat(), fc.constantFrom('', ' ', '"', ',', '}', '0', 'x', '\\'), (line, at, piece) => {
        const place = at % line.length;
        const changed = (line.slice(0, place) + piece + line.slice(place + 1)).toWellFormed();
        const act = readActLine(changed);
        if (act) expect(act).toEqual(parsedLine(changed));
      }),
      { numRuns: 1_000 },
    );
  });
});
