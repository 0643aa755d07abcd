import { describe, expect, it } from 'vitest';
import type { Deployment } from '#contracts/deployments';
import { readDeliveriesState, wantedLines } from '../../../src/console/deliveries/deliveries-state.ts';
import { standingOf, swapTo } from '../../../src/console/deliveries/standing.ts';
import { type Deliveries, type HostLog, readNewLines } from '../../../src/console/model/deliveries.ts';

function deployment(number: number, version: number, state: Deployment['state']): Deployment {
  const at = '2031-03-04T09:10:11.000Z';
  const author = { name: 'Ada Lovelace', email: 'ada@example.test' };
  return { number, version, state, variablesRevision: number, note: null, author, createdAt: at, finishedAt: at };
}

const live = deployment(4, 3, 'live');
const deliveries: Deliveries = {
  live,
  newestVariables: 9,
  deployments: [
    deployment(6, 5, 'checking'),
    deployment(5, 4, 'failed'),
    live,
    deployment(3, 2, 'failed'),
    deployment(2, 2, 'replaced'),
    deployment(1, 3, 'replaced'),
  ],
  isComplete: true,
};

describe('how a version stands', () => {
  it('follows from its deployments', () => {
    expect([1, 2, 3, 4, 5].map((version) => standingOf(version, deliveries))).toEqual([
      'waiting',
      'served',
      'live',
      'refused',
      'coming',
    ]);
  });

  it('is not known where older deployments are out of sight', () => {
    expect(standingOf(1, { ...deliveries, isComplete: false })).toBe('unknown');
    expect(standingOf(3, { ...deliveries, deployments: [], isComplete: false })).toBe('live');
  });

  it('leads back to the deployment that served, and deploys what never did', () => {
    expect(swapTo(2, 'production', deliveries)).toMatchObject({ kind: 'rollback', deployment: { number: 2 } });
    expect(swapTo(4, 'production', deliveries)).toMatchObject({ kind: 'deploy', deployment: null });
    // It serves already, so that only its variables are to change.
    expect(swapTo(3, 'production', deliveries)).toMatchObject({ kind: 'deploy', deployment: null });
  });
});

const line = (sequence: number, level: 'Debug' | 'Info' | 'Warn' | 'Error' = 'Info', text = `line ${sequence}`) => ({
  sequence,
  level,
  text,
  host: 'berlin-1',
  at: '2031-03-04T09:10:11.000Z',
});

describe('the log of the hosts', () => {
  it('shows the levels and texts that somebody asks for', () => {
    const lines = [line(4, 'Debug'), line(3, 'Warn', 'Refund refused'), line(2), line(1, 'Error', 'refund failed')];
    const shown = (search: Readonly<Record<string, unknown>>) =>
      wantedLines(lines, readDeliveriesState(search)).map(({ sequence }) => sequence);
    expect(shown({})).toEqual([3, 2, 1]);
    expect(shown({ level: 'Debug', grep: 4 })).toEqual([4, 3, 2, 1]);
    expect(shown({ level: 'Warn' })).toEqual([3, 1]);
    expect(shown({ level: 'nonsense', grep: 'REFUND' })).toEqual([3, 1]);
  });

  it('grows without a gap, however much came meanwhile', async () => {
    const pageOf = (before: number | null): HostLog => {
      const first = (before ?? 8) - 1;
      return { lines: [line(first), line(first - 1)], nextBefore: first - 1 };
    };
    const asked: (number | null)[] = [];
    const read = async (before: number | null) => {
      asked.push(before);
      return pageOf(before);
    };
    const known: HostLog = { lines: [line(3), line(2)], nextBefore: 2 };
    const grown = await readNewLines(() => known, read);
    expect(grown.lines.map(({ sequence }) => sequence)).toEqual([7, 6, 5, 4, 3, 2]);
    expect([grown.nextBefore, asked]).toEqual([2, [null, 6]]);
    expect(await readNewLines(() => undefined, read)).toEqual(pageOf(null));
  });
});
