import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { repository } from './source-tree.ts';

it('docs/dev-events.md lists exactly the events of the code, except for what the code prints', () => {
  const page = readFileSync(path.join(repository, 'docs/dev-events.md'), 'utf8');
  const code = readFileSync(path.join(repository, 'src/flows/dev/dev-event.ts'), 'utf8');
  const listed = [...page.matchAll(/^\| `([a-z-]+)` \|/gm)].map(([, event]) => event);
  const declared = [...code.matchAll(/readonly event: '([a-z-]+)'/g)].map(([, event]) => event);
  expect(listed.sort()).toEqual(declared.filter((event) => event !== 'output').sort());
});
