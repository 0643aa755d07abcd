import { expect, it } from 'vitest';
import { readContent } from '#cli/asking/read-note-content';
import { maxContentBytes } from '#contracts/notes';

async function* parts(...texts: readonly string[]) {
  for (const text of texts) yield Buffer.from(text);
}

it('the flag comes before stdin', async () => {
  const environment = { isInputTerminal: false, input: parts('piped') };
  expect(await readContent({ content: 'given' }, environment)).toBe('given');
});

it('stdin is read to its end, whatever parts it comes in', async () => {
  const [first, second] = [Buffer.from('né').subarray(0, 2), Buffer.from('né').subarray(2)];
  async function* halves() {
    yield first;
    yield second;
  }
  expect(await readContent({}, { isInputTerminal: false, input: halves() })).toBe('né');
});

it('a terminal is not waited for, and endless input is refused', async () => {
  const fromTerminal = readContent({}, { isInputTerminal: true, input: parts() });
  await expect(fromTerminal).rejects.toMatchObject({ code: 'USAGE_INVALID' });
  async function* endless() {
    for (;;) yield Buffer.alloc(1024);
  }
  const refused = readContent({}, { isInputTerminal: false, input: endless() });
  await expect(refused).rejects.toThrow(`more than ${maxContentBytes} bytes`);
});
