import { expect, it } from 'vitest';
import { parseQueryText } from '#runtime/surfaces/request/query-parameters';

it('the query of an address keeps names as they are and joins repeated values', () => {
  expect(parseQueryText('sort=-id&page[size]=5&name=%C3%A9')).toEqual({ sort: '-id', 'page[size]': '5', name: 'é' });
  expect(parseQueryText('ids=1&ids=2&__proto__=x&flag')).toEqual(
    Object.assign(Object.create(null), { ids: '1,2', ['__proto__']: 'x', flag: '' }),
  );
  expect(parseQueryText('')).toEqual({});
});

it('a text of fields and a zone leads to one frozen object, and what people look for is not remembered', () => {
  const one = 'fields[orders]=id&timezone=UTC';
  expect(parseQueryText(one)).toBe(parseQueryText(`${one}`));
  expect(Object.isFrozen(parseQueryText(one))).toBe(true);
  for (const text of [
    `${one}&search=ada`,
    `${one}&%66ilters=x`,
    `${one}&page[size]=5`,
    `${one}&sort=${'x'.repeat(1_000)}`,
  ]) {
    expect(parseQueryText(text)).not.toBe(parseQueryText(text));
    expect(parseQueryText(text)).toEqual(parseQueryText(text));
  }
});

it('more texts than are remembered lead to the right parameters', () => {
  for (let zone = 0; zone < 1_200; zone++)
    expect(parseQueryText(`timezone=${zone}`)).toEqual({ timezone: String(zone) });
});
