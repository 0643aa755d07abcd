import { expect, it } from 'vitest';
import { parseQueryText } from '#runtime/surfaces/request/query-parameters';

it('the query of an address keeps names as they are and joins repeated values', () => {
  expect(parseQueryText('sort=-id&page[size]=5&name=%C3%A9')).toEqual({ sort: '-id', 'page[size]': '5', name: 'é' });
  expect(parseQueryText('ids=1&ids=2&__proto__=x&flag')).toEqual(
    Object.assign(Object.create(null), { ids: '1,2', ['__proto__']: 'x', flag: '' }),
  );
  expect(parseQueryText('')).toEqual({});
});
