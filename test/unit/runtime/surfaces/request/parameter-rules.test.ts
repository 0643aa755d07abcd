import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { silentLogger } from '#kernel/ports/logger';
import { ParameterRules } from '#runtime/surfaces/request/parameter-rules';

const routes = path.resolve(import.meta.dirname, '../../../../../src/runtime/surfaces/rest');

/** What the routes take out of the query of a request. */
function namesThatRoutesRead(): string[] {
  const names = globSync('**/*.ts', { cwd: routes }).flatMap((file) => {
    const code = readFileSync(path.join(routes, file), 'utf8');
    const single = [...code.matchAll(/query\['([^']+)'\]/g)].map(([, name = '']) => name);
    const several = [...code.matchAll(/const \{([^}]+)\} = (?:call\.)?query;/g)].flatMap(([, list = '']) =>
      list.split(',').map((name) => name.trim()),
    );
    return [...single, ...several];
  });
  return [...new Set(names)];
}

it('parameters that a route reads are known', () => {
  const rules = new ParameterRules({ unknownParameters: 'refuse' });
  const names = namesThatRoutesRead();
  expect(names).toEqual(expect.arrayContaining(['limit', 'before', 'sequence', 'page[size]']));
  const facts = { path: '/orders', correlationId: '1' };
  const model = { collections: new Map() } as never;
  for (const name of names) expect(() => rules.check({ [name]: '1' }, model, silentLogger, facts)).not.toThrow();
  expect(() => rules.check({ limits: '1' }, model, silentLogger, facts)).toThrow('Did you mean "limit"?');
});
