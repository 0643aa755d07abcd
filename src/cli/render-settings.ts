import type { ExplainedSetting } from '#flows/doctor/explain-config';
import { renderTable } from './table.ts';
import type { Terminal } from './terminal.ts';

/** The settings that something says a value of; `--json` has the others too. */
export function renderSettings(settings: readonly ExplainedSetting[], terminal: Terminal): string {
  const rows = settings
    .filter(({ source }) => source !== null)
    .map(({ name, value, source, overruled }) => [
      name,
      overruled.length === 0 ? (source ?? '') : `${source}, not ${overruled.join(', ')}`,
      value ?? '',
    ]);
  return renderTable(['SETTING', 'FROM', 'VALUE'], rows, terminal);
}
