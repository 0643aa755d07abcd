import { expect, it, onTestFinished, vi } from 'vitest';
import type { ReplicatedDatabase } from '#runtime/data-sources/interface/read-session';
import { ReadPositions } from '#runtime/surfaces/request/read-positions';

const key = new Uint8Array(32).fill(1);

/** A database that the test writes to by hand. */
function createDatabase() {
  let written: string | undefined;
  const database: ReplicatedDatabase = {
    name: () => 'shop',
    written: () => written,
    join: (one, other) => (one > other ? one : other),
    look: async () => [],
    onChange: () => undefined,
  };
  return {
    databases: [database],
    write: (position: string) => {
      written = position;
    },
  };
}

const request = { personId: 1, sent: [] as string[], asksPrimary: false };

it('the answer to a write gives a position, that of a read without news gives none', () => {
  const { databases, write } = createDatabase();
  const positions = new ReadPositions(key);
  const writing = positions.begin({ ...request, databases, isReading: false });
  write('05');
  const told = writing.end('done');
  expect(told?.cookies).toEqual(['service_read_position']);
  const reading = positions.begin({ ...request, databases, isReading: true, sent: [told?.token ?? ''] });
  expect(reading.session.of('shop')?.minimum).toBe('05');
  write('07');
  expect(reading.end('done')).toBeUndefined();
});

it('several positions of a client are joined', () => {
  const { databases, write } = createDatabase();
  const tokens = ['05', '03'].map((position) => {
    const writing = new ReadPositions(key).begin({ ...request, databases, isReading: false });
    write(position);
    return writing.end('done')?.token ?? '';
  });
  const reading = new ReadPositions(key).begin({ ...request, databases, isReading: true, sent: tokens });
  expect(reading.session.of('shop')?.minimum).toBe('05');
});

it('a write that was refused may be there, so that only the primary answers afterwards', () => {
  const { databases } = createDatabase();
  const positions = new ReadPositions(key);
  const told = positions.begin({ ...request, databases, isReading: false }).end('uncertain');
  const reading = positions.begin({ ...request, databases, isReading: true, sent: [told?.token ?? ''] });
  expect(reading.session.of('shop')?.minimum).toBe('?');
});

it('a position is good for its person, and for the environment that signed it', () => {
  const { databases, write } = createDatabase();
  const writing = new ReadPositions(key).begin({ ...request, databases, isReading: false });
  write('05');
  const sent = [writing.end('done')?.token ?? ''];
  const minimumOf = (positions: ReadPositions, personId: number) =>
    positions.begin({ ...request, databases, isReading: true, personId, sent }).session.of('shop')?.minimum;
  expect(minimumOf(new ReadPositions(key), 1)).toBe('05');
  expect(minimumOf(new ReadPositions(key), 2)).toBeUndefined();
  expect(minimumOf(new ReadPositions(new Uint8Array(32).fill(2)), 1)).toBeUndefined();
});

it('a position is good on a host whose clock is a year behind or ahead', () => {
  onTestFinished(() => void vi.useRealTimers());
  const { databases, write } = createDatabase();
  const writing = new ReadPositions(key).begin({ ...request, databases, isReading: false });
  write('05');
  const sent = [writing.end('done')?.token ?? ''];
  const yearMs = 365 * 24 * 60 * 60_000;
  for (const offMs of [-yearMs, yearMs]) {
    vi.useFakeTimers({ now: Date.now() + offMs, toFake: ['Date'] });
    const reading = new ReadPositions(key).begin({ ...request, databases, isReading: true, sent });
    expect(reading.session.of('shop')?.minimum).toBe('05');
    vi.useRealTimers();
  }
});
