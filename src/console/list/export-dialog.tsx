import { useMutation } from '@tanstack/react-query';
import { Button, Buttons, Dialog, Failure, look } from '../design/controls.tsx';
import { saveFile } from '../design/save-file.ts';
import { useEnd } from '../design/use-stable.ts';
import { conditionsInWords } from '../grid/filter-words.ts';
import { type ListState, shownColumns, sortsOf } from '../grid/list-state.ts';
import type { RowSource } from '../grid/use-rows.ts';
import { type Messages, useMessages } from '../messages/index.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { askAgentForBytes } from '../wire/agent.ts';
import { wholeBody } from '../wire/http.ts';

type Format = 'csv' | 'xlsx';

interface ExportDialogProps {
  readonly source: RowSource;
  readonly state: ListState;
  readonly collection: VisibleCollection;
  readonly onClose: () => void;
}

/** Says in words what a file holds before somebody makes it: every record of the list, and not more. */
export function ExportDialog({ source, state, collection, onClose }: ExportDialogProps) {
  const messages = useMessages();
  const signal = useEnd();
  const saving = useMutation({
    mutationFn: async (format: Format) => {
      const { parts, parameters } = requestFor(source, state, collection, format);
      const until = { signal: signal() };
      const answer = await askAgentForBytes(source.agent, parts, parameters, until);
      // A file that breaks off is an error here, and is not saved. Nor is one that somebody has stopped.
      saveFile(await wholeBody(answer.blob(), until.signal), `${collection.name}.${format}`);
    },
    onSuccess: onClose,
  });
  const limits = limitsInWords(source, state, messages);
  return (
    <Dialog title={`${messages.export}: ${collection.name}`} onClose={onClose}>
      <p>{limits.length === 0 ? messages.exportsAll : messages.exportsMatching}</p>
      {limits.length > 0 && (
        <ul>
          {limits.map((limit) => (
            <li key={limit}>
              <bdi>{limit}</bdi>
            </li>
          ))}
        </ul>
      )}
      {saving.error && <Failure error={saving.error} />}
      {saving.isPending && <p role="status">{messages.exporting}</p>}
      <p className={look.small}>{messages.exportColumns(shownColumns(state.columns, collection).length)}</p>
      <Buttons>
        {(['csv', 'xlsx'] as const).map((format) => (
          <Button key={format} disabled={saving.isPending} onClick={() => saving.mutate(format)}>
            {messages.fileFormats[format]}
          </Button>
        ))}
        <Button onClick={onClose}>{saving.isPending ? messages.cancel : messages.close}</Button>
      </Buttons>
    </Dialog>
  );
}

/** What keeps records out of the file, as the request has it. */
function limitsInWords({ parameters }: RowSource, state: ListState, messages: Messages): readonly string[] {
  const { search, searchExtended, segment, filters, deleted } = parameters;
  const sorts = sortsOf(state).map(({ path, isDescending }) => `${path}${isDescending ? ' ↓' : ' ↑'}`);
  return [
    ...(segment === undefined ? [] : [`${messages.segment}: ${segment}`]),
    ...(search === undefined ? [] : [`${messages.search}: ${search}`]),
    ...(searchExtended === undefined ? [] : [messages.searchRelated]),
    ...conditionsInWords(filters),
    ...(deleted === 'only' || deleted === 'with' ? [messages.deletedChoices[deleted]] : []),
    ...(sorts.length === 0 ? [] : [`${messages.sorted}: ${sorts.join(', ')}`]),
  ];
}

/** The file holds what the list shows: its columns, its search and its filters. */
function requestFor({ parameters, paths }: RowSource, state: ListState, collection: VisibleCollection, format: Format) {
  const columns = shownColumns(state.columns, collection);
  const fields = columns.map(({ name }) => name).join(',');
  const related = columns.flatMap(({ name, relation }) =>
    relation ? [[`fields[${name}]`, relation.title] as const] : [],
  );
  return {
    parts: [`${collection.name}.${format}`],
    parameters: {
      ...parameters,
      [`fields[${collection.name}]`]: fields || paths.join(','),
      ...Object.fromEntries(related),
      // A path says that a column has titles, so that an import knows it again.
      header: JSON.stringify(columns.map(({ name, relation }) => (relation ? `${name}:${relation.title}` : name))),
      filename: collection.name,
    },
  };
}
