import { describe, expect, it } from 'vitest';
import { maxLinesPerBeat } from '#contracts/hosting';
import { createHostLog, type HostLog } from '#flows/serve/host-log';
import { systemClock } from '#node/system/system-clock';

const texts = ({ lines }: ReturnType<HostLog['next']>) => lines.map(({ text }) => text);

function logWith(count: number, first = 1): HostLog {
  const log = createHostLog(systemClock);
  for (let index = 0; index < count; index++) log.add('Info', `line ${first + index}`);
  return log;
}

describe('the log of a host', () => {
  it('keeps lines until the platform has them', () => {
    const log = logWith(2);
    log.next();
    const again = log.next();
    expect(texts(again)).toEqual(['line 1', 'line 2']);
    log.add('Error', 'line 3');
    again.arrived();
    expect(texts(log.next())).toEqual(['line 3']);
  });

  it('sends this many lines at a time as the platform takes', () => {
    const log = logWith(maxLinesPerBeat + 1);
    const first = log.next();
    expect(first.lines).toHaveLength(maxLinesPerBeat);
    first.arrived();
    expect(texts(log.next())).toEqual([`line ${maxLinesPerBeat + 1}`]);
  });

  it('drops the oldest lines, and says how many, until the platform knows', () => {
    const log = logWith(1_003);
    expect(texts(log.next()).slice(0, 2)).toEqual([
      '3 older lines were dropped while the platform was away.',
      'line 4',
    ]);
    log.add('Info', 'line 1004');
    const sent = log.next();
    expect(texts(sent)[0]).toMatch(/^4 older lines/);
    // A line that is dropped while it is sent arrives all the same.
    log.add('Info', 'line 1005');
    sent.arrived();
    expect(texts(log.next()).slice(0, 2)).toEqual([
      'One older line was dropped while the platform was away.',
      `line ${5 + maxLinesPerBeat - 1}`,
    ]);
  });

  it('cuts a line that is very long', () => {
    const log = createHostLog(systemClock);
    log.add('Info', 'x'.repeat(10_000));
    expect(texts(log.next())[0]).toHaveLength(4_000);
  });
});
