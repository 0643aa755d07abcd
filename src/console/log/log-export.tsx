import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { Button, Buttons, Dialog, Failure, look } from '../design/controls.tsx';
import { saveFile } from '../design/save-file.ts';
import { useEnd } from '../design/use-stable.ts';
import { useMessages } from '../messages/index.ts';
import { send, wholeBody } from '../wire/http.ts';
import type { LogList } from './log-rows.ts';
import { logPath } from './log-state.ts';

const endings = { csv: 'csv', ndjson: 'ndjson', cef: 'log', ocsf: 'ndjson', hec: 'ndjson' } as const;
const formats = Object.keys(endings) as (keyof typeof endings)[];

/** Saves the rows of the list as the platform exports them. */
export function LogExportDialog({ list, onClose }: { readonly list: LogList; readonly onClose: () => void }) {
  const messages = useMessages();
  const { auditLog } = messages;
  const [format, setFormat] = useState<keyof typeof endings>('csv');
  const hasFilters = Object.keys(list.filters).length > 0;
  const signal = useEnd();
  const saving = useMutation({
    mutationFn: async () => {
      // Without filters, lines of JSON are the whole log in the form that is verified.
      const further = hasFilters || format !== 'ndjson' ? { include: 'all' } : {};
      const parameters = new URLSearchParams({ ...list.filters, ...further, format });
      const until = { signal: signal() };
      const answer = await send(`${logPath(list)}/export?${parameters}`, until);
      // A file that breaks off is an error here, and is not saved. Nor is one that somebody has stopped.
      saveFile(await wholeBody(answer.blob(), until.signal), `${list.environment}-${list.kind}.${endings[format]}`);
    },
    onSuccess: onClose,
  });
  return (
    <Dialog title={`${auditLog.export}: ${auditLog.kinds[list.kind]}`} isUnsaved={false} onClose={onClose}>
      <p>{hasFilters ? auditLog.exportMatching : auditLog.exportAll}</p>
      <p className={look.small}>{auditLog.exportMost}</p>
      <label>
        {auditLog.format}
        <select
          className={look.input}
          value={format}
          onChange={({ target }) => setFormat(formats.find((each) => each === target.value) ?? 'csv')}
        >
          {formats.map((each) => (
            <option key={each} value={each}>
              {auditLog.formats[each]}
            </option>
          ))}
        </select>
      </label>
      {saving.error && <Failure error={saving.error} />}
      {saving.isPending && <p role="status">{messages.exporting}</p>}
      <Buttons>
        <Button look="primary" disabled={saving.isPending} onClick={() => saving.mutate()}>
          {messages.save}
        </Button>
        <Button onClick={onClose}>{saving.isPending ? messages.cancel : messages.close}</Button>
      </Buttons>
    </Dialog>
  );
}
