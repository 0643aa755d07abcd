import { describe, expect, it } from 'vitest';
import { operatorFromWire, operatorNames, operatorsOfType, operatorToWire } from '#runtime/query/operators';

describe('operators', () => {
  it('are 44, and every wire spelling leads back to its operator', () => {
    expect(operatorNames).toHaveLength(44);
    expect(operatorNames.map((name) => operatorFromWire(operatorToWire(name)))).toEqual(operatorNames);
  });

  it('are spelled in snake case on the wire', () => {
    expect(operatorToWire('IContains')).toBe('i_contains');
    expect(operatorToWire('PreviousXDaysToDate')).toBe('previous_x_days_to_date');
    expect(operatorToWire('BeforeXHoursAgo')).toBe('before_x_hours_ago');
  });

  it('are understood in the spelling of the code too', () => {
    expect(operatorFromWire('Equal')).toBe('Equal');
    expect(operatorFromWire('greaterThan')).toBe('GreaterThan');
  });

  it('are refused in an unknown spelling', () => {
    expect(operatorFromWire('icontains')).toBeUndefined();
    expect(operatorFromWire('constructor')).toBeUndefined();
    expect(operatorFromWire('')).toBeUndefined();
  });

  it('depend on the type: no order on texts, lists of dates and times, no regular expressions from outside', () => {
    expect(operatorsOfType('String').has('LessThan')).toBe(false);
    expect(operatorsOfType('String').has('Match')).toBe(false);
    for (const type of ['Date', 'Dateonly', 'Time'] as const) {
      expect(operatorsOfType(type).has('In')).toBe(true);
      expect(operatorsOfType(type).has('NotIn')).toBe(true);
    }
    expect(operatorsOfType('Date').has('AfterXHoursAgo')).toBe(true);
    expect(operatorsOfType('Dateonly').has('AfterXHoursAgo')).toBe(false);
    expect(operatorsOfType('Dateonly').has('PreviousXDaysToDate')).toBe(true);
    expect(operatorsOfType(['Number']).has('GreaterThan')).toBe(true);
    expect(operatorsOfType({ street: 'String' }).size).toBe(0);
  });
});
