import { QueryObserver } from '@tanstack/react-query';
import { describe, expect, it } from 'vitest';
import { ConsoleQueries } from '../../../src/console/wire/queries.ts';

/** A list on a server whose answers arrive when the test lets them. */
function slowList() {
  const notes: string[] = [];
  const answers: (() => void)[] = [];
  const asked = () =>
    new Promise<readonly string[]>((resolve) => {
      const seen = [...notes];
      answers.push(() => resolve(seen));
    });
  return { notes, answers, options: { queryKey: ['notes', 'list'], queryFn: asked } };
}

describe('the queries of the console', () => {
  it('show a change that somebody made while the first answer was on its way', async () => {
    const { notes, answers, options } = slowList();
    const queries = new ConsoleQueries();
    const shown = new QueryObserver(queries, options);
    const stop = shown.subscribe(() => {});
    const waiting = queries.ensureQueryData(options);
    notes.push('Late');
    const again = queries.invalidateQueries({ queryKey: ['notes'] });
    for (const answer of answers) answer();
    await again;
    expect(shown.getCurrentResult().data).toEqual(['Late']);
    expect(await waiting).toEqual(['Late']);
    stop();
  });

  it('ask again for what nobody shows yet, but only where its first answer is on its way', async () => {
    const { notes, answers, options } = slowList();
    const queries = new ConsoleQueries();
    const waiting = queries.ensureQueryData(options);
    notes.push('Late');
    await queries.invalidateQueries();
    for (const answer of answers) answer();
    expect(await waiting).toEqual(['Late']);
    await queries.invalidateQueries();
    expect(answers).toHaveLength(2);
  });

  it('say an error to whoever waits, and to nobody else', async () => {
    const queries = new ConsoleQueries();
    const refuse: (() => void)[] = [];
    const queryFn = () => new Promise<string>((_, reject) => refuse.push(() => reject(new Error('Refused'))));
    const waiting = queries.ensureQueryData({ queryKey: ['a'], queryFn });
    const again = queries.invalidateQueries();
    for (const each of refuse) each();
    await expect(waiting).rejects.toThrow('Refused');
    await again;
  });
});
