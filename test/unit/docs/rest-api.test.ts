import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { routes } from '#runtime/surfaces/rest/routes/index';

const page = await readFile(path.resolve(import.meta.dirname, '../../../docs/rest-api.md'), 'utf8');

/** What a row says: methods hold for the paths behind them, and `…` stands for the first path of its row. */
function requestsOf(cell: string): string[] {
  let methods: string[] = [];
  let isOpen = false;
  let first = '';
  const found: string[] = [];
  for (const [, text = ''] of cell.matchAll(/`([^`]+)`/g)) {
    const [, method, target = ''] = /^(GET|POST|PUT|DELETE)?\s*(.*)$/.exec(text) ?? [];
    if (method) methods = isOpen ? [...methods, method] : [method];
    isOpen = target === '';
    if (isOpen) continue;
    first ||= target;
    const whole = target.startsWith('…') ? first + target.slice(1) : target;
    found.push(...methods.map((each) => `${each} ${whole}`));
  }
  return found;
}

describe('the page about the REST API', () => {
  it('lists exactly the routes that there are', () => {
    const [table = ''] = page.split('A composite key');
    const rows = [...table.matchAll(/^\| (`(?:GET|POST|PUT|DELETE).*?) \|/gm)];
    const told = rows.flatMap(([, cell = '']) => requestsOf(cell));
    const served = routes.map((route) => `${route.method} ${route.path.replaceAll(/:(\w+)/g, '<$1>')}`);
    expect(told.sort()).toEqual(served.sort());
  });
});
