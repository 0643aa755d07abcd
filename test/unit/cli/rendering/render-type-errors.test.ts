import { expect, it } from 'vitest';
import { renderTypeErrors } from '#cli/rendering/render-checks';
import { plainTerminal } from '../../../helpers/plain-terminal.ts';

const problem = (file: string, code: string) => ({ file, line: 1, column: 1, code, message: 'm', frame: '> 1 | x' });
const headings = (problems: readonly ReturnType<typeof problem>[]) =>
  renderTypeErrors(problems, plainTerminal(), '/shop')
    .split('\n')
    .filter((line) => line.startsWith('!'));

it('says of a file that does not parse that it does not parse, and nothing of what is served', () => {
  expect(headings([problem('/shop/src/other.ts', 'TS1005'), problem('/shop/src/other.ts', 'TS1109')])).toEqual([
    '! src/other.ts does not parse.',
  ]);
});

it('says that code with a wrong type is served', () => {
  expect(headings([problem('/shop/src/a.ts', 'TS2322'), problem('/shop/src/b.ts', 'TS1192')])).toEqual([
    '! 2 type errors. The code is served all the same.',
  ]);
  expect(headings([problem('/shop/src/a.ts', 'TS1005'), problem('/shop/src/b.ts', 'TS2322')])).toEqual([
    '! src/a.ts does not parse.',
    '! One type error. The code is served all the same.',
  ]);
});
