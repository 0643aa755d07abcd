import { MongoServerError } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { isWorthRepeating, mongoError } from '#node/mongo/mongo-errors';

const answered = (code: number, more: object = {}) =>
  new MongoServerError({ message: 'words with a secret', code, ...more });

describe('an error of MongoDB', () => {
  it.each([
    [13, 'DATABASE_PERMISSION_DENIED'],
    [18, 'DATABASE_AUTHENTICATION_FAILED'],
    [50, 'DATABASE_TIMEOUT'],
    [66, 'DATABASE_VALUE_REFUSED'],
    [112, 'DATABASE_BUSY'],
    [121, 'DATABASE_CONSTRAINT_VIOLATED'],
    [10334, 'DATABASE_VALUE_REFUSED'],
    [11000, 'DATABASE_CONSTRAINT_VIOLATED'],
    [40324, 'DATABASE_QUERY_FAILED'],
  ])('has for %i the code %s, and none of the words of the server', (code, expected) => {
    const error = mongoError(answered(code), 1000);
    expect(error).toMatchObject({ code: expected });
    expect(String(error)).not.toContain('secret');
  });

  it('names the fields of a unique index, by its pattern or else by the name of the index', () => {
    const byPattern = answered(11000, { keyPattern: { email: 1, 'address.city': 1 } });
    expect(mongoError(byPattern, 1000)).toMatchObject({ details: { fields: ['email', 'address.city'] } });
    const message = 'E11000 duplicate key error collection: d.c index: email_1_address.city_-1 dup key: { email: "x" }';
    const byName = new MongoServerError({ message, code: 11000 });
    expect(mongoError(byName, 1000)).toMatchObject({ details: { fields: ['email', 'address.city'] } });
  });

  it('names the fields that a schema refuses', () => {
    const schemaRulesNotSatisfied = [
      { operatorName: 'required', missingProperties: ['name'] },
      { operatorName: 'properties', propertiesNotSatisfied: [{ propertyName: 'age', details: [] }] },
    ];
    const error = mongoError(answered(121, { errInfo: { details: { schemaRulesNotSatisfied } } }), 1000);
    expect(error).toMatchObject({ details: { fields: ['name', 'age'] } });
  });

  it('is worth repeating when another transaction was in the way', () => {
    const conflict = answered(112, { errorLabels: ['TransientTransactionError'] });
    expect([conflict, mongoError(conflict, 1000), answered(112)].map(isWorthRepeating)).toEqual([true, true, false]);
  });

  it('is not touched if it is not one of the driver', () => {
    const error = new RangeError('mine');
    expect(mongoError(error, 1000)).toBe(error);
  });
});
