import { expect, it } from 'vitest';
import { renderArchivedLogs } from '#cli/rendering/render-archive';
import type { ArchivedLogs } from '#flows/platform/archive-logs';
import { plainTerminal } from '../../../helpers/plain-terminal.ts';

type State = ArchivedLogs['logs'][number]['months'][number]['state'];

/** The line below the table. */
function said(...states: readonly State[]): string | undefined {
  const months = states.map((state, index) => ({ month: `2026-0${index + 1}`, rows: 3, state }));
  const logs = [{ project: 'shop', environment: 'production', chain: 'c', months }];
  return /✔ (.*)/.exec(renderArchivedLogs({ archive: '/var/archive', logs }, plainTerminal()))?.[1];
}

it.each<readonly [string, readonly State[]]>([
  ['Archived 1 month in /var/archive.', ['kept', 'archived']],
  ['Took erased values out of 2 months in /var/archive.', ['erased', 'kept', 'erased']],
  ['Archived 2 months, and took erased values out of 1 month in /var/archive.', ['erased', 'archived', 'archived']],
  ['There was nothing new to archive in /var/archive.', ['lost', 'kept']],
])('audit archive says what the run did: %s', (line, states) => {
  expect(said(...states)).toBe(line);
});
