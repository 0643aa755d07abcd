import { describe, expect, it } from 'vitest';
import { cloudError } from '#kernel/errors/cloud-error';
import { publicErrorOf } from '../../../../../src/runtime/surfaces/request/public-error.ts';

describe('publicErrorOf', () => {
  it('tells a client what is wrong with its own request', () => {
    const error = cloudError('REQUEST_INVALID', 'No such field.', 'Correct it.', { details: { field: 'x' } });
    expect(publicErrorOf(error)).toEqual({
      name: 'ValidationError',
      status: 400,
      code: 'REQUEST_INVALID',
      detail: 'No such field.',
      nextSteps: ['Correct it.'],
      data: { field: 'x' },
    });
  });

  it.each(['DATABASE_UNREACHABLE', 'DATABASE_AUTHENTICATION_FAILED', 'DATABASE_UNREADABLE'] as const)(
    'keeps where the database is to itself: %s',
    (code) => {
      const error = cloudError(code, 'db.internal:5432 says no to app.', 'Fix db.internal.');
      const answer = publicErrorOf(error);
      expect(JSON.stringify(answer)).not.toMatch(/internal:|app\.|db\.internal/);
      expect(answer).toMatchObject({ status: 503, code, nextSteps: [expect.stringMatching(/\.$/)] });
    },
  );

  it('does not ask the client to try again where the database cannot carry out a query', () => {
    const error = cloudError('DATABASE_QUERY_FAILED', 'The view v of db.internal is broken.', 'To fix it.');
    const answer = publicErrorOf(error);
    expect(answer).toMatchObject({ status: 500, nextSteps: ['Tell whoever runs the agent.'] });
    expect(JSON.stringify(answer)).not.toContain('internal.');
  });

  it('keeps what foreign code threw to itself', () => {
    expect(JSON.stringify(publicErrorOf(new Error('select * from secrets')))).not.toContain('secrets');
    expect(publicErrorOf('text')).toMatchObject({ status: 500, code: 'INTERNAL_BUG', detail: 'Unexpected error' });
  });

  describe('publicErrorOf with words of the application', () => {
    class Sold extends Error {}
    const customize = (error: unknown) => (error instanceof Sold ? 'It is sold.' : null);

    it('says them of what customization code threw, and else what it says anyway', () => {
      const wrapped = cloudError('CUSTOMIZATION_FAILED', 'A hook threw.', 'Correct it.', { cause: new Sold() });
      expect(publicErrorOf(wrapped, customize)).toMatchObject({ detail: 'It is sold.', status: 500 });
      const other = new Error('select * from secrets');
      expect(publicErrorOf(other, customize)).toEqual(publicErrorOf(other));
    });

    it('says what it says anyway when they cannot be had, and reports why', () => {
      const reported: unknown[] = [];
      const broken = () => {
        throw new Error('broken');
      };
      const error = new Error('x');
      expect(publicErrorOf(error, broken, (failure) => reported.push(failure))).toEqual(publicErrorOf(error));
      expect(reported).toEqual([new Error('broken')]);
    });
  });
});
