import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Button, Input, look, Notice, Title } from '../design/controls.tsx';
import { saveFile } from '../design/save-file.ts';
import { useMessages } from '../messages/index.ts';
import { collectionQuery, type VisibleCollection } from '../model/schema.ts';
import { csvLine, pathOf, targetsOf } from './columns.ts';
import styles from './import.module.css';
import { type ImportDone, ImportTable, NewRecords } from './import-table.tsx';
import { takeText } from './pasted-table.ts';
import { type Delimiter, delimiters, openTable, remainderOf, type Table, TableUnreadable } from './table.ts';

interface Source {
  readonly file: Blob;
  readonly name: string;
  /** Counts the sources, so that each begins anew. */
  readonly turn: number;
  /** What the text of the field was; absent for a file. */
  readonly text?: string;
  /** The import that left this of an earlier text. */
  readonly before?: ImportDone;
}

/** Records from a file or a pasted table: chosen, mapped, checked, and then written. */
export function ImportScreen() {
  const messages = useMessages();
  const { environment, collection: name } = useParams({ from: '/$environment/import/$collection' });
  const { data: collection } = useSuspenseQuery(collectionQuery({ environment }, name));
  const [source, setSource] = useState<Source | undefined>(() => pasted(takeText(name) ?? '', 0));
  const [delimiter, setDelimiter] = useState<Delimiter>();
  const opened = useTable(source, delimiter);
  const turn = (source?.turn ?? 0) + 1;
  const paste = (text: string, before?: ImportDone) =>
    setSource({ ...pasted(text, turn), ...(before ? { before } : {}) });
  const choose = (next: Source) => {
    setDelimiter(undefined);
    setSource(next);
  };
  const { file, paste: pasteHere, unreadable, done } = messages.import;
  const numbers = new Intl.NumberFormat(messages.code);
  const mayAdd = collection.rights.add && !collection.isReadOnly;
  return (
    <>
      <Title>
        {messages.screens.import}:{' '}
        <Link to="/$environment/data/$collection" params={{ environment, collection: name }}>
          <bdi>{name}</bdi>
        </Link>
      </Title>
      {!mayAdd && <Notice kind="warning" title={messages.mayNotAdd(name)} />}
      {mayAdd && (
        <div className={styles['source']}>
          <label htmlFor="import-file">{file}</label>
          <Input
            id="import-file"
            type="file"
            accept=".csv,.ndjson,.jsonl,text/csv,application/x-ndjson"
            onChange={({ target }) => {
              const [chosen] = target.files ?? [];
              if (chosen) choose({ file: chosen, name: chosen.name, turn });
            }}
          />
          <label htmlFor="import-text">{pasteHere}</label>
          <textarea
            id="import-text"
            className={look.input}
            rows={3}
            value={source?.text ?? ''}
            onChange={({ target }) => choose(pasted(target.value, turn))}
          />
        </div>
      )}
      {mayAdd && (!source || source.file.size === 0) && !source?.before && <Expected collection={collection} />}
      {opened.error && <Notice title={unreadable[opened.error.reason](opened.error.line)} />}
      {source?.text === '' && source.before && (
        <Notice kind="success" title={done(numbers.format(source.before.outcome.created), '0')}>
          <div>
            <NewRecords agent={{ environment }} collection={collection} outcome={source.before.outcome} />
          </div>
        </Notice>
      )}
      {mayAdd && opened.table && source && source.text !== '' && (
        <>
          {opened.table.delimiter && <DelimiterChoice value={opened.table.delimiter} onChange={setDelimiter} />}
          <ImportTable
            key={`${source.turn} ${delimiter}`}
            agent={{ environment }}
            collection={collection}
            table={opened.table}
            before={source.before}
            onDone={async (outcome) => {
              if (source.text !== undefined && opened.table)
                paste(...(await restOf(source.text, opened.table, outcome)));
            }}
          />
        </>
      )}
    </>
  );
}

/** What the columns of a table may be called, and a file that has only its head. */
function Expected({ collection }: { readonly collection: VisibleCollection }) {
  const messages = useMessages();
  const words = messages.import;
  const targets = targetsOf(collection).filter(({ kind }) => kind !== 'links');
  const save = () =>
    saveFile(new Blob([csvLine(targets.map(pathOf))], { type: 'text/csv' }), `${collection.name}-empty.csv`);
  return (
    <section aria-label={words.expected} className={look.form}>
      <h2>{words.expected}</h2>
      <ul className={look.list}>
        {targets.map((target) => {
          const field = collection.fields.find(({ name }) => target.kind === 'values' && name === target.name);
          return (
            <li key={pathOf(target)}>
              <code>{pathOf(target)}</code>
              {field?.isRequired && ` · ${messages.required}`}
              {field?.enumValues && ` · ${field.enumValues.join(', ')}`}
              {target.kind === 'titles' && ` · ${words.titlesOf(target.name)}`}
            </li>
          );
        })}
      </ul>
      <div>
        <Button onClick={save}>{words.saveEmpty}</Button>
      </div>
    </section>
  );
}

function pasted(text: string, turn: number): Source {
  return { file: new Blob([text]), name: 'pasted', turn, text };
}

/** What of a text is not imported, or may not be: the next try sends nothing twice. */
async function restOf(text: string, table: Table, done: ImportDone): Promise<[string, ImportDone]> {
  const { refused, problems, stopped } = done.outcome;
  const lines = new Set(refused.map(({ line }) => line));
  const isLeft = (line: number) => lines.has(line) || (stopped !== undefined && line >= stopped.line);
  const { text: left, newLines } = await remainderOf(text, table, isLeft);
  const moved = (line: number) => newLines.get(line) ?? line;
  const outcome = {
    ...done.outcome,
    problems: problems.map((problem) => ({ ...problem, line: problem.line === null ? null : moved(problem.line) })),
    ...(stopped ? { stopped: { ...stopped, line: moved(stopped.line) } } : {}),
  };
  return [left, { ...done, outcome }];
}

interface Opened {
  readonly table?: Table;
  readonly error?: TableUnreadable;
}

/** The table of a source. An answer that comes after another choice is dropped. */
function useTable(source: Source | undefined, delimiter: Delimiter | undefined): Opened {
  const [opened, setOpened] = useState<Opened>({});
  useEffect(() => {
    let isNewest = true;
    setOpened({});
    if (!source || source.file.size === 0) return;
    const show = (next: Opened) => {
      if (isNewest) setOpened(next);
    };
    openTable(source.file, source.name, delimiter).then(
      (table) => show({ table }),
      (error: unknown) => {
        if (!(error instanceof TableUnreadable)) throw error;
        show({ error });
      },
    );
    return () => {
      isNewest = false;
    };
  }, [source, delimiter]);
  return opened;
}

interface DelimiterChoiceProps {
  readonly value: Delimiter;
  readonly onChange: (delimiter: Delimiter | undefined) => void;
}

/** The sign between cells is guessed until somebody says another one. */
function DelimiterChoice({ value, onChange }: DelimiterChoiceProps) {
  const { delimiter, delimiters: names } = useMessages().import;
  return (
    <label className={look.row}>
      {delimiter}
      <select
        className={look.button}
        value={value}
        onChange={({ target }) => onChange(delimiters.find((sign) => sign === target.value))}
      >
        {delimiters.map((sign) => (
          <option key={sign} value={sign}>
            {names[sign]}
          </option>
        ))}
      </select>
    </label>
  );
}
