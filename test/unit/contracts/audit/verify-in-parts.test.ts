import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type ReadStretch, readStretches, type StretchLimits } from '#contracts/audit/act-stretch';
import { MerkleTree, subtreesOf } from '#contracts/audit/merkle-tree';
import { verifiedPartSchema } from '#contracts/audit/verified-part';
import { ExportVerification, type Line, type VerifyOptions, verifyExport } from '#contracts/audit/verify-export';
import { firstRowOf, verifySegment } from '#contracts/audit/verify-segment';
import { exportedLog } from '../../../helpers/exported-log.ts';

const rows = 300;
const log = exportedLog(rows);
const noLimits: StretchLimits = { ends: new Set() };

/** The lines as threads hand them over: in texts of `size` lines. */
function inThreads(lines: readonly string[], size: number, limits = noLimits): readonly Line[] {
  const [first = '', ...others] = lines;
  const texts = Array.from({ length: Math.ceil(others.length / size) }, (_, index) =>
    others.slice(index * size, (index + 1) * size).map((line) => `${line}\n`),
  ).map((part) => part.join(''));
  const read = texts.flatMap((text) =>
    readStretches(text, limits).map((each): string | ReadStretch =>
      typeof each === 'string' ? each : { stretch: each, lines: () => text.slice(each.start, each.end).split('\n') },
    ),
  );
  return [first, ...read];
}

const changes: Readonly<Record<string, (lines: readonly string[], at: number) => readonly string[]>> = {
  nothing: (lines) => lines,
  'a text in a row': (lines, at) => lines.with(at, (lines[at] ?? '').replace('"update"', '"create"')),
  'a name in a row': (lines, at) => lines.with(at, (lines[at] ?? '').replace('Ada Lovelace', 'Eve Lovelace')),
  'a hash': (lines, at) => lines.with(at, (lines[at] ?? '').replace(/"hash":"./, '"hash":"-')),
  'a row that is missing': (lines, at) => lines.toSpliced(at, 1),
  'a row that comes twice': (lines, at) => lines.toSpliced(at, 0, lines[at] ?? ''),
  'two rows in the other order': (lines, at) => lines.toSpliced(at, 2, lines[at + 1] ?? '', lines[at] ?? ''),
  'the end that is missing': (lines, at) => lines.slice(0, at),
  'a row of another log': (lines, at) => lines.with(at, exportedLog(at + 1).rows[at] ?? ''),
};

describe('lines that threads have verified', () => {
  it('lead to the same verdict as one by one, whatever was changed', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(changes)),
        fc.integer({ min: 2, max: rows - 2 }),
        fc.integer({ min: 1, max: 120 }),
        async (change, at, size) => {
          const lines = changes[change]?.(log.part(0, rows), at) ?? [];
          const anchor = log.checkpointAt(117);
          const options = { keys: log.keys, anchors: [anchor] };
          const together = inThreads(lines, size, { ends: new Set([117]) });
          expect(await verifyExport(together, options)).toEqual(await verifyExport(lines, options));
        },
      ),
      { numRuns: 60 },
    );
    expect(inThreads(log.part(0, rows), 50).filter((each) => typeof each !== 'string').length).toBeGreaterThan(20);
  });

  it('show where a checkpoint that was kept is not that of the rows, also where no stretch ends there', async () => {
    const anchors = [exportedLog(rows).checkpointAt(115)];
    for (const ends of [new Set<number>(), new Set([115])]) {
      const verdict = await verifyExport(inThreads(log.part(0, rows), 50, { ends }), { keys: [], anchors });
      expect(verdict).toMatchObject({ problem: { kind: 'checkpoint', sequence: 115 } });
    }
  });

  it('make the root of a segment from their parts of its tree', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(changes)),
        fc.integer({ min: 2, max: rows - 2 }),
        fc.integer({ min: 1, max: 120 }),
        async (change, at, size) => {
          const lines = changes[change]?.(log.segment, at) ?? [];
          const limits = { ...noLimits, segmentFirst: firstRowOf(lines[0] ?? '') };
          const options = { keys: log.keys, anchors: [] };
          expect(await verifySegment(inThreads(lines, size, limits), options)).toEqual(
            await verifySegment(lines, options),
          );
        },
      ),
      { numRuns: 60 },
    );
  });

  it('have the largest parts of a tree, wherever they stand in it', () => {
    const leaves = Array.from({ length: 100 }, (_, index) => index.toString(16).padStart(64, '0'));
    for (const from of [1, 2, 3, 31, 32, 33, 64, 99]) {
      const [whole, parts] = [new MerkleTree(), new MerkleTree()];
      for (const leaf of leaves) whole.add(leaf);
      for (const leaf of leaves.slice(0, from)) parts.add(leaf);
      for (const { height, root } of subtreesOf(from, leaves.slice(from))) parts.addSubtree(height, root);
      expect(parts.root()).toBe(whole.root());
    }
    expect(subtreesOf(0, leaves.slice(0, 64)).map(({ height }) => height)).toEqual([6]);
  });
});

describe('a verification that goes on', () => {
  const options: VerifyOptions = { keys: log.keys };
  const at = '2026-11-29T12:00:00.000Z';

  /** What an earlier run has kept, by way of the disk. */
  function keptAfter(to: number, given = options) {
    const verification = new ExportVerification(given);
    verification.take(log.part(0, to));
    return verifiedPartSchema.parse(JSON.parse(JSON.stringify(verification.part(at))));
  }

  it('proves the rows behind the verified ones, and says what it did not look at', async () => {
    const verdict = await verifyExport(log.part(120, rows), { ...options, before: keptAfter(120) });
    expect(verdict).toMatchObject({ outcome: 'holds', rows, first: 1, last: rows, earlier: { to: 120, at } });
    expect(await verifyExport(log.part(0, rows), options)).not.toHaveProperty('earlier');
  });

  it('finds what was changed behind the verified rows, and where others are joined to them', async () => {
    const before = keptAfter(120);
    const changed = log.part(120, rows).with(51, (log.part(120, rows)[51] ?? '').replace('"update"', '"create"'));
    expect(await verifyExport(changed, { ...options, before })).toMatchObject({ problem: { sequence: 171 } });
    const other = exportedLog(rows);
    expect(await verifyExport(other.part(120, rows), { keys: [], before })).toMatchObject({ outcome: 'broken' });
    expect(await verifyExport(log.part(130, rows), { ...options, before })).toMatchObject({ problem: { kind: 'gap' } });
  });

  it('leaves a changed row among the verified ones to a whole run', async () => {
    const whole = log.part(0, rows).with(51, (log.part(0, rows)[51] ?? '').replace('"update"', '"create"'));
    expect(await verifyExport(whole, options)).toMatchObject({ outcome: 'broken', problem: { sequence: 51 } });
    expect(await verifyExport(log.part(120, rows), { ...options, before: keptAfter(120) })).toMatchObject({
      outcome: 'holds',
      earlier: { to: 120 },
    });
  });

  it('does not vouch for checkpoints of verified rows that were not compared with them', async () => {
    const anchors = [log.checkpointAt(100), log.checkpointAt(200)];
    const verify = (before: VerifyOptions['before']) =>
      verifyExport(log.part(120, rows), { ...options, anchors, before });
    expect(await verify(keptAfter(120))).toMatchObject({ outcome: 'unverifiable' });
    expect(await verify(keptAfter(120, { ...options, anchors }))).toMatchObject({ outcome: 'holds' });
  });

  it('remembers nothing of a log that does not hold', () => {
    const verification = new ExportVerification(options);
    expect(verification.take(log.part(0, rows).toSpliced(50, 1))).toBe(false);
    expect(verification.part(at)).toBeUndefined();
  });
});
