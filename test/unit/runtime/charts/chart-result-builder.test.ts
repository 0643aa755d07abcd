import { describe, expect, it } from 'vitest';
import { createChartResultBuilder } from '#runtime/charts/chart-result-builder';
import { runChart } from '#runtime/charts/chart-service';

const paris = createChartResultBuilder('Europe/Paris');
const pairs = (value: unknown) =>
  (value as { label: string; values: { value: unknown } }[]).map(({ label, values }) => [label, values.value]);

describe('charts of numbers', () => {
  it('show a value, with the one before where it is given', () => {
    expect(paris.value(3).value).toEqual({ countCurrent: 3 });
    expect(paris.value(3, 0).value).toEqual({ countCurrent: 3, countPrevious: 0 });
    expect(paris.value(null, null).value).toEqual({ countCurrent: null, countPrevious: null });
  });

  it('show a percentage and an objective', () => {
    expect(paris.percentage(12.5).value).toBe(12.5);
    expect(paris.objective(3, 10).value).toEqual({ value: 3, objective: 10 });
  });

  it('show a distribution as it comes, and a leaderboard with the highest first', () => {
    const values = { a: 2, b: 10, c: '9.5', d: 2 };
    expect(paris.distribution({ a: 2, b: 10 }).value).toEqual([
      { key: 'a', value: 2 },
      { key: 'b', value: 10 },
    ]);
    expect((paris.leaderboard(values).value as { key: string }[]).map(({ key }) => key)).toEqual(['b', 'c', 'a', 'd']);
  });

  it('pass anything on for a chart of the client', () => {
    const own = { any: ['thing'] };
    expect(paris.smart(own).value).toBe(own);
  });

  it('say of the code of the project what cannot be sent, and not of the product', async () => {
    const circle: Record<string, unknown> = {};
    circle['self'] = circle;
    for (const value of [{ count: 1n }, circle]) {
      const chart = runChart('The chart "Own"', (_context, result) => result.smart(value), { timezone: 'UTC' });
      await expect(chart).rejects.toMatchObject({
        code: 'CUSTOMIZATION_FAILED',
        message: expect.stringMatching(
          /The chart "Own" threw: The value of a smart chart cannot be sent as JSON: .*[^.]\.$/,
        ),
      });
    }
  });

  it('are numbers where that is exact, else texts, and never lose a digit in a sum', () => {
    expect(paris.percentage('12.50').value).toBe(12.5);
    expect(paris.percentage(12n).value).toBe(12);
    expect(paris.percentage('9007199254740993').value).toBe('9007199254740993');
    const sum = paris.timeBased('Day', [
      { date: '2024-01-01', value: '0.1' },
      { date: '2024-01-01', value: '0.2' },
    ]);
    expect(pairs(sum.value)).toEqual([['01/01/2024', 0.3]]);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 'many'])('refuse %j', (value) => {
    expect(() => paris.value(value)).toThrow(TypeError);
  });
});

describe('charts over time', () => {
  it.each([
    ['Day', ['30/12/2023', '31/12/2023', '01/01/2024'], ['2023-12-30', '2024-01-01']],
    ['Week', ['W52-2023', 'W1-2024'], ['2023-12-31', '2024-01-01']],
    ['Month', ['Nov 23', 'Dec 23', 'Jan 24'], ['2023-11-30', '2024-01-01']],
    ['Quarter', ['Q3-2023', 'Q4-2023', 'Q1-2024'], ['2023-09-30', '2024-01-01']],
    ['Year', ['2022', '2023', '2024'], ['2022-06-01', '2024-01-01']],
  ] as const)('are labelled in English by %s, with gaps filled by 0', (range, labels, [from, to]) => {
    const { value } = paris.timeBased(range, [
      { date: to, value: 2 },
      { date: from, value: 1 },
    ]);
    const zeros = labels.slice(1, -1).map((label) => [label, 0]);
    expect(pairs(value)).toEqual([[labels[0], 1], ...zeros, [labels.at(-1), 2]]);
  });

  it('take instants in the time zone of the caller, days in none', () => {
    const instant = [{ date: '2024-01-01T23:30:00.000Z', value: 1 }];
    const labelIn = (zone: string, values: typeof instant) =>
      pairs(createChartResultBuilder(zone).timeBased('Day', values).value)[0]?.[0];
    expect(labelIn('Europe/Paris', instant)).toBe('02/01/2024');
    expect(labelIn('America/New_York', instant)).toBe('01/01/2024');
    expect(labelIn('America/New_York', [{ date: '2024-01-01', value: 1 }])).toBe('01/01/2024');
    const newYork = createChartResultBuilder('America/New_York');
    expect(pairs(newYork.timeBased('Month', { '2024-01': 1, '2024-02': 2 }).value)).toEqual([
      ['Jan 24', 1],
      ['Feb 24', 2],
    ]);
    expect(pairs(paris.timeBased('Day', [{ date: new Date('2024-01-01T23:30:00Z'), value: 1 }]).value)).toEqual([
      ['02/01/2024', 1],
    ]);
  });

  it('have one point a day across the change of the clock', () => {
    const points = ['2024-03-30T12:00:00Z', '2024-04-01T12:00:00Z'].map((date) => ({ date, value: 1 }));
    expect(pairs(paris.timeBased('Day', points).value)).toEqual([
      ['30/03/2024', 1],
      ['31/03/2024', 0],
      ['01/04/2024', 1],
    ]);
  });

  it('add up what is in one stretch; null marks missing data and stays null', () => {
    const { value } = paris.timeBased('Month', [
      { date: '2024-01-01', value: 1 },
      { date: '2024-01-31', value: 2 },
      { date: '2024-02-01', value: null },
      { date: '2024-03-01', value: null },
      { date: '2024-03-02', value: 4 },
    ]);
    expect(pairs(value)).toEqual([
      ['Jan 24', 3],
      ['Feb 24', null],
      ['Mar 24', 4],
    ]);
  });

  it('take values by date as well, and show nothing for none', () => {
    expect(pairs(paris.timeBased('Year', { '2023-05-05': 1, '2024-05-05': null }).value)).toEqual([
      ['2023', 1],
      ['2024', null],
    ]);
    expect(paris.timeBased('Day', []).value).toEqual([]);
    expect(paris.timeBased('Day', undefined as never).value).toEqual([]);
  });

  it('show several lines over the same dates', () => {
    const dates = ['2024-01-15', '2024-03-15', new Date('2024-03-31T23:00:00Z')];
    const lines = [
      { label: 'a', values: [1, null, 3] },
      { label: 'b', values: [null, 5, 6] },
    ];
    expect(paris.multipleTimeBased('Month', dates, lines).value).toEqual({
      labels: ['Jan 24', 'Feb 24', 'Mar 24', 'Apr 24'],
      values: [
        { key: 'a', values: [1, 0, null, 3] },
        { key: 'b', values: [null, 0, 5, 6] },
      ],
    });
    expect(paris.multipleTimeBased('Day', [], lines).value).toEqual({ labels: [], values: null });
  });

  it('refuse what cannot be a chart', () => {
    expect(() => paris.timeBased('Day', [{ date: 'soon', value: 1 }])).toThrow('"soon" is not a date');
    expect(() => paris.timeBased('Hour' as 'Day', { '2024-01-01': 1 })).toThrow('"Hour" is not a time range');
    expect(() => paris.timeBased('Day', { '1900-01-01': 1, '2024-01-01': 1 })).toThrow('more than 10000 points');
    expect(() => paris.multipleTimeBased('Day', ['2024-01-01'], [{ label: 'a', values: [] }])).toThrow(
      '0 values for 1',
    );
  });
});

describe('running a chart', () => {
  const context = { timezone: 'Asia/Tokyo' };

  it('gives the builder the time zone of the caller', async () => {
    const { value } = await runChart(
      'The chart "a"',
      (_context, build) => build.timeBased('Day', { '2024-01-01T20:00:00Z': 1 }),
      context,
    );
    expect(pairs(value)).toEqual([['02/01/2024', 1]]);
  });

  it.each<[string, () => never]>([
    [
      'a chart that throws',
      () => {
        throw new Error('boom');
      },
    ],
    ['a chart that returns something of its own', () => ({ countCurrent: 1 }) as never],
  ])('fails for %s', async (_what, definition) => {
    await expect(runChart('The chart "Sales"', definition, context)).rejects.toMatchObject({
      code: 'CUSTOMIZATION_FAILED',
      message: expect.stringContaining('The chart "Sales"'),
    });
  });
});
