import { expect, it } from 'vitest';
import { viewColumnTypes } from '#runtime/data-sources/sqlite/sqlite-view-columns';

it.each([
  ['count(*), sum(total) as n, qty * 2', ['Number', 'Number', 'Number']],
  ["coalesce(sum(n), 0), round(avg(n)) + 1, date('now')", ['Number', 'Number', 'Dateonly']],
  ["name || (qty * 2), count(*) || ' items', 1 || 'x'", [undefined, undefined, undefined]],
  ["data ->> '$.name', json_object('a', 1) -> '$.a'", [undefined, undefined]],
  ["case when qty - 1 > 0 then 'in' else 'out' end", [undefined]],
  ['sum(case when qty - 1 > 0 then 1 else 0 end), length(name)', ['Number', 'Number']],
  ['count(*), orders.*, length(name)', ['Number']],
  ['*, length(name)', []],
])('the columns of "select %s" are of the types that their expressions tell', (selected, types) => {
  expect(viewColumnTypes(`create view v as select ${selected} from t`)).toEqual(types);
});
