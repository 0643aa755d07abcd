import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createPostgresStatements } from '#node/postgres/postgres-statements';

const sql = 'select $1';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
});
afterEach(() => {
  vi.useRealTimers();
});

describe('a known statement', () => {
  it('has the same name each time, and another name than any other text', () => {
    const statements = createPostgresStatements(true);
    expect(statements.find(sql)?.name).toBe(statements.find(sql)?.name);
    expect(statements.find(sql)?.name).not.toBe(statements.find('select $2')?.name);
    expect(createPostgresStatements(false).find(sql)).toBeUndefined();
  });

  it('remembers how long it has taken lately', () => {
    const statement = createPostgresStatements(true).find(sql);
    expect(statement?.typicalMs).toBeUndefined();
    statement?.took(8);
    expect(statement?.typicalMs).toBe(8);
    statement?.took(16);
    expect(statement?.typicalMs).toBe(9);
  });

  it('remembers what its executions rarely exceed: more where they differ', () => {
    const statements = createPostgresStatements(true);
    const [steady, varying] = [statements.find(sql), statements.find('select $2')];
    expect(steady?.rarelyAboveMs).toBeUndefined();
    for (let time = 0; time < 100; time++) {
      steady?.took(3);
      varying?.took(time % 2 === 0 ? 1 : 5);
    }
    expect(steady?.rarelyAboveMs).toBe(3);
    expect(varying?.typicalMs).toBeCloseTo(3, 0);
    expect(varying?.rarelyAboveMs).toBeCloseTo(7, 0);
  });

  it('goes without a name for a minute after it took long twice', () => {
    const statements = createPostgresStatements(true);
    statements.find(sql)?.took(200);
    vi.advanceTimersByTime(2000);
    statements.find(sql)?.took(199);
    expect(statements.find(sql)).toBeDefined();
    statements.find(sql)?.took(200);
    expect(statements.find(sql)).toBeUndefined();
    expect(statements.find('select $2')).toBeDefined();
    vi.advanceTimersByTime(60_000);
    expect(statements.find(sql)).toBeDefined();
  });

  it('keeps its name when one pause made many executions long, and when the last long one was long ago', () => {
    const statements = createPostgresStatements(true);
    const statement = statements.find(sql);
    for (let time = 0; time < 16; time++) statement?.took(500);
    vi.advanceTimersByTime(60_001);
    statement?.took(500);
    expect(statements.find(sql)).toBeDefined();
  });
});
