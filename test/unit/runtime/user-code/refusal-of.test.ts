import { describe, expect, it } from 'vitest';
import { cloudError } from '#kernel/errors/cloud-error';
import { publicErrorOf } from '#runtime/surfaces/request/public-error';
import { refusalOf } from '#runtime/user-code/refusal-of';
import { ForbiddenError, NotFoundError, UnprocessableError, ValidationError } from '#runtime/user-code/refusals';

/** How a client is answered to what user code threw. */
function answerTo(thrown: unknown) {
  const refusal = refusalOf(thrown);
  if (!refusal) return undefined;
  const { name, status, detail, data } = publicErrorOf(refusal);
  return { name, status, detail, ...(data ? { data } : {}) };
}

describe('a refusal of user code', () => {
  it.each([
    [ValidationError, 400],
    [ForbiddenError, 403],
    [NotFoundError, 404],
    [UnprocessableError, 422],
  ])('has the status and the message of its class: %o', (Class, status) => {
    const { name } = new Class('');
    expect(answerTo(new Class('Closed.'))).toEqual({ name, status, detail: 'Closed.' });
    expect(answerTo(new Class('Closed.', { field: 'total', most: 3 }))).toEqual({
      name,
      status,
      detail: 'Closed.',
      data: { field: 'total', most: 3 },
    });
  });

  it('keeps the name of a class of its own', () => {
    class TooManyItems extends ValidationError {
      override readonly name = 'TooManyItemsError';
    }
    expect(answerTo(new TooManyItems('At most ten.'))).toMatchObject({ name: 'TooManyItemsError', status: 400 });
  });

  it('is known by its mark when the names of its classes are shortened', () => {
    const a = class extends ForbiddenError {
      override readonly name = 'a';
    };
    expect(answerTo(new a('No.'))).toMatchObject({ name: 'a', status: 403, detail: 'No.' });
  });

  it('is known by its name or that of one of its classes, whatever library it is of', () => {
    class NotFoundError extends Error {}
    class OrderMissing extends NotFoundError {}
    expect(answerTo(new OrderMissing('No such order.'))).toMatchObject({ name: 'NotFoundError', status: 404 });
    expect(answerTo(Object.assign(new Error('Wrong.'), { name: 'ValidationError', field: 'total' }))).toEqual({
      name: 'ValidationError',
      status: 400,
      detail: 'Wrong.',
      data: { field: 'total' },
    });
    class BusinessError extends Error {}
    expect(answerTo(new BusinessError('Busy.'))).toMatchObject({ name: 'UnprocessableError', status: 422 });
  });

  it('says no more than any unexpected error when it has no message', () => {
    expect(answerTo(new ValidationError(''))).toMatchObject({ status: 400, detail: 'Unexpected error' });
  });

  it('leaves out data that JSON cannot say', () => {
    expect(answerTo(new ValidationError('Wrong.', { total: 3n }))).not.toHaveProperty('data');
  });

  it('passes errors of ours through', () => {
    const error = cloudError('REQUEST_CONFLICT', 'Twice.', 'Once.');
    expect(refusalOf(error)).toBe(error);
  });

  it.each([new Error('boom'), new TypeError('boom'), 'ValidationError', null, { name: 'ValidationError' }])(
    'is not seen in %s',
    (thrown) => {
      expect(refusalOf(thrown)).toBeUndefined();
    },
  );
});
