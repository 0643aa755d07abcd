import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Input, look, Notice } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { collectionQuery } from '../model/schema.ts';
import styles from './import.module.css';
import { ImportTable } from './import-table.tsx';
import { takeText } from './pasted-table.ts';
import { type Delimiter, delimiters, openTable, type Table, TableUnreadable } from './table.ts';

interface Source {
  readonly file: Blob;
  readonly name: string;
  /** Counts the sources, so that each begins anew. */
  readonly turn: number;
}

/** Records from a file or a pasted table: chosen, mapped, checked, and then written. */
export function ImportScreen() {
  const messages = useMessages();
  const { environment, collection: name } = useParams({ from: '/$environment/import/$collection' });
  const { data: collection } = useSuspenseQuery(collectionQuery({ environment }, name));
  const [source, setSource] = useState<Source | undefined>(() => sourceOfPaste(takeText(name)));
  const [delimiter, setDelimiter] = useState<Delimiter>();
  const opened = useTable(source, delimiter);
  const choose = (file: Blob, called: string) => {
    setDelimiter(undefined);
    setSource({ file, name: called, turn: (source?.turn ?? 0) + 1 });
  };
  const { title, file, paste, unreadable } = messages.import;
  const mayAdd = collection.rights.add && !collection.isReadOnly;
  return (
    <>
      <h1>
        {title}:{' '}
        <Link to="/$environment/data/$collection" params={{ environment, collection: name }}>
          <bdi>{name}</bdi>
        </Link>
      </h1>
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
              if (chosen) choose(chosen, chosen.name);
            }}
          />
          <label htmlFor="import-text">{paste}</label>
          <textarea
            id="import-text"
            className={look.input}
            rows={3}
            onChange={({ target }) => choose(new Blob([target.value]), 'pasted')}
          />
        </div>
      )}
      {opened.error && <Notice title={unreadable[opened.error.reason](opened.error.line)} />}
      {mayAdd && opened.table && source && (
        <>
          {opened.table.delimiter && <DelimiterChoice value={opened.table.delimiter} onChange={setDelimiter} />}
          <ImportTable
            key={`${source.turn} ${delimiter}`}
            agent={{ environment }}
            collection={collection}
            table={opened.table}
          />
        </>
      )}
    </>
  );
}

function sourceOfPaste(text: string | undefined): Source | undefined {
  return text === undefined ? undefined : { file: new Blob([text]), name: 'pasted', turn: 0 };
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
