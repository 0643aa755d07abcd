import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useRef, useState } from 'react';
import { Button, Buttons, Failure, look, Notice } from '../design/controls.tsx';
import { useFocusBack } from '../design/focus.ts';
import { saveFile } from '../design/save-file.ts';
import { filtersOfIds } from '../grid/filter-tree.ts';
import { rowsKey } from '../grid/use-rows.ts';
import { useMessages } from '../messages/index.ts';
import type { VisibleCollection } from '../model/schema.ts';
import { useScreenRequest } from '../model/screen-requests.ts';
import { textOf } from '../values/text-of.ts';
import { type AgentAddress, zone } from '../wire/agent.ts';
import {
  freeTargets,
  guessTargets,
  keyOfTarget,
  pathOf,
  recordOf,
  refusedHead,
  type Target,
  targetsOf,
} from './columns.ts';
import styles from './import.module.css';
import { type ImportMode, type ImportOutcome, mostAtOnce, runImport, TooManyRows } from './run-import.ts';
import { type Table, TableUnreadable } from './table.ts';

/** What an import did, and how it was set up. */
export interface ImportDone {
  readonly targets: readonly (Target | undefined)[];
  readonly mode: ImportMode;
  readonly outcome: ImportOutcome;
}

interface ImportTableProps {
  readonly agent: AgentAddress;
  readonly collection: VisibleCollection;
  readonly table: Table;
  /** The import that left these rows. */
  readonly before: ImportDone | undefined;
  readonly onDone: (done: ImportDone) => Promise<void>;
}

/** One table: where its columns go, what is wrong with its rows, and the import itself. */
export function ImportTable({ agent, collection, table, before, onDone }: ImportTableProps) {
  const messages = useMessages();
  const words = messages.import;
  const client = useQueryClient();
  const possible = targetsOf(collection);
  const [targets, setTargets] = useState(() => before?.targets ?? guessTargets(table.columns, possible));
  const [mode, setMode] = useState<ImportMode>(before?.mode ?? 'parts');
  const [outcome, setOutcome] = useState(before?.outcome);
  const stop = useRef<AbortController>(undefined);
  const running = useMutation({
    mutationFn: async (isDryRun: boolean) => {
      stop.current = new AbortController();
      setOutcome(undefined);
      const { signal } = stop.current;
      const job = { agent, collection: collection.name, table, targets, mode, words };
      const end = await runImport({ ...job, isDryRun, signal, onProgress: setOutcome });
      setOutcome(end);
      if (!isDryRun) await onDone({ targets, mode, outcome: end });
    },
    onSettled: (_data, _error, isDryRun) => {
      if (!isDryRun) void client.invalidateQueries({ queryKey: rowsKey({ agent, collection: collection.name }) });
    },
  });
  const records = table.first.map((row) => recordOf(row, targets));
  useScreenRequest({
    label: messages.screens.import,
    agent,
    method: 'POST',
    path: ['_internal', 'import', collection.name],
    parameters: { dryRun: 'true' },
    body: { mode, format: table.format, records },
    whyNoTool: words.noTool,
  });
  const { isPending, isSuccess, variables: wasDryRun, error } = running;
  const change = (apply: () => void) => {
    running.reset();
    setOutcome(undefined);
    apply();
  };
  const isMapped = targets.some(Boolean);
  const isChecked = isSuccess && wasDryRun === true && outcome !== undefined;
  const isRight = isChecked && outcome.created > 0 && (mode === 'parts' || outcome.failed === 0);
  return (
    <div className={styles['table']}>
      <Columns
        table={table}
        possible={possible}
        targets={targets}
        isDisabled={isPending}
        onChange={(next) => change(() => setTargets(next))}
      />
      <Preview table={table} />
      <Modes mode={mode} isDisabled={isPending} onChoose={(one) => change(() => setMode(one))} />
      {!isMapped && <p>{words.noColumn}</p>}
      {error && <ImportFailure error={error} />}
      {outcome && (
        <Outcome
          table={table}
          outcome={outcome}
          isDryRun={wasDryRun === true}
          isRunning={isPending}
          isLeft={outcome === before?.outcome}
        />
      )}
      <Deeds
        isRunning={isPending}
        isMapped={isMapped}
        isRight={isRight}
        onCheck={() => running.mutate(true)}
        onImport={() => running.mutate(false)}
        onStop={() => stop.current?.abort()}
      >
        <ToList environment={agent.environment} collection={collection.name} />
        <NewRecords agent={agent} collection={collection} outcome={isPending || wasDryRun ? undefined : outcome} />
      </Deeds>
    </div>
  );
}

function ToList({ environment, collection }: { readonly environment: string; readonly collection: string }) {
  const words = useMessages().import;
  return (
    <Link className={look.button} to="/$environment/data/$collection" params={{ environment, collection }}>
      {words.toList}
    </Link>
  );
}

interface NewRecordsProps {
  readonly agent: AgentAddress;
  readonly collection: VisibleCollection;
  /** `undefined` where nothing was written. */
  readonly outcome: Pick<ImportOutcome, 'ids' | 'created'> | undefined;
}

/** Leads to the records that an import made, as long as an address can name all of them. */
export function NewRecords({ agent, collection, outcome }: NewRecordsProps) {
  const words = useMessages().import;
  const { ids = [], created = 0 } = outcome ?? {};
  const filters = ids.length === created && created > 0 ? filtersOfIds(collection, ids) : undefined;
  if (filters === undefined) return null;
  return (
    <Link
      className={look.button}
      to="/$environment/data/$collection"
      params={{ ...agent, collection: collection.name }}
      search={{ filters }}
    >
      {words.newRecords(created)}
    </Link>
  );
}

interface ModesProps {
  readonly mode: ImportMode;
  readonly isDisabled: boolean;
  readonly onChoose: (mode: ImportMode) => void;
}

function Modes({ mode, isDisabled, onChoose }: ModesProps) {
  const words = useMessages().import;
  return (
    <fieldset className={styles['modes']} disabled={isDisabled}>
      {(['parts', 'all'] as const).map((one) => (
        <label key={one}>
          <input type="radio" name="mode" checked={mode === one} onChange={() => onChoose(one)} /> {words.modes[one]}
        </label>
      ))}
    </fieldset>
  );
}

interface DeedsProps {
  readonly isRunning: boolean;
  readonly isMapped: boolean;
  /** Whether a check has found rows to import. */
  readonly isRight: boolean;
  readonly onCheck: () => void;
  readonly onImport: () => void;
  readonly onStop: () => void;
  readonly children: ReactNode;
}

/** While it runs there is only the way to stop it. Afterwards the focus is on what comes next. */
function Deeds({ isRunning, isMapped, isRight, onCheck, onImport, onStop, children }: DeedsProps) {
  const words = useMessages().import;
  const importButton = useFocusBack(isRunning || !isRight);
  const checkButton = useFocusBack(isRunning);
  return (
    <Buttons>
      {isRunning ? (
        <Button autoFocus onClick={onStop}>
          {words.stop}
        </Button>
      ) : (
        <>
          <Button ref={checkButton} disabled={!isMapped} onClick={onCheck}>
            {words.check}
          </Button>
          <Button ref={importButton} look="primary" disabled={!isRight} onClick={onImport}>
            {words.run}
          </Button>
        </>
      )}
      {children}
    </Buttons>
  );
}

interface ColumnsProps {
  readonly table: Table;
  readonly possible: readonly Target[];
  readonly targets: readonly (Target | undefined)[];
  readonly isDisabled: boolean;
  readonly onChange: (targets: readonly (Target | undefined)[]) => void;
}

/** Where each column goes. No two go to the same place. */
function Columns({ table, possible, targets, isDisabled, onChange }: ColumnsProps) {
  const words = useMessages().import;
  const textOfTarget = (target: Target) => (target.kind === 'links' ? words.ids(target.name) : pathOf(target));
  return (
    <table className={styles['grid']}>
      <thead>
        <tr>
          <th scope="col">{words.column}</th>
          <th scope="col">{words.goesTo}</th>
        </tr>
      </thead>
      <tbody>
        {table.columns.map((column, at) => {
          const target = targets[at];
          const free = freeTargets(possible, targets, at);
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name
            <tr key={at}>
              <th scope="row">
                <bdi>{column}</bdi>
              </th>
              <td>
                <select
                  className={look.input}
                  aria-label={`${words.goesTo}: ${column}`}
                  disabled={isDisabled}
                  value={target ? keyOfTarget(target) : ''}
                  onChange={({ currentTarget: { value } }) =>
                    onChange(
                      targets.with(
                        at,
                        free.find((one) => keyOfTarget(one) === value),
                      ),
                    )
                  }
                >
                  <option value="">{words.nowhere}</option>
                  {free.map((one) => (
                    <option key={keyOfTarget(one)} value={keyOfTarget(one)}>
                      {textOfTarget(one)}
                    </option>
                  ))}
                </select>
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

/** The first rows as they were read, so that a wrong delimiter is seen. */
function Preview({ table }: { readonly table: Table }) {
  const words = useMessages().import;
  return (
    <section className={styles['preview']} aria-label={words.firstRows} tabIndex={-1}>
      <h2>{words.firstRows}</h2>
      <p className={look.small}>{words.preview}</p>
      <table className={styles['grid']}>
        <thead>
          <tr>
            <th scope="col">{words.line}</th>
            {table.columns.map((column, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name
              <th key={at} scope="col">
                <bdi>{column}</bdi>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.first.map(({ line, cells }) => (
            <tr key={line}>
              <td>{line}</td>
              {cells.map((cell, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: cells have no name of their own
                <td key={at}>
                  <bdi>{shownCell(table, cell)}</bdi>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** A cell as it is in the file. One of CSV that is empty shows nothing: the field decides whether that is null. */
function shownCell({ format }: Table, cell: unknown): string {
  if (cell === undefined || (format === 'csv' && cell === '')) return '';
  return textOf(cell, typeof cell === 'object' ? 'Json' : 'String', zone()).text;
}

function ImportFailure({ error }: { readonly error: Error }) {
  const messages = useMessages();
  const words = messages.import;
  if (error instanceof TableUnreadable) return <Notice title={words.unreadable[error.reason](error.line)} />;
  if (!(error instanceof TooManyRows)) return <Failure error={error} />;
  return <Notice title={words.tooMany(new Intl.NumberFormat(messages.code).format(mostAtOnce))} />;
}

interface OutcomeProps {
  readonly table: Table;
  readonly outcome: ImportOutcome;
  readonly isDryRun: boolean;
  readonly isRunning: boolean;
  /** Whether the table holds only what this import has left. */
  readonly isLeft: boolean;
}

/** What became of the rows, or would: how many, and what is wrong with which. */
function Outcome({ table, outcome, isDryRun, isRunning, isLeft }: OutcomeProps) {
  const messages = useMessages();
  const words = messages.import;
  const numbers = new Intl.NumberFormat(messages.code);
  const { rows, created, failed, problems, missing, refused, stopped } = outcome;
  if (isRunning) return <p role="status">{words.progress(numbers.format(rows))}</p>;
  const said = isDryRun ? words.checked : words.done;
  const save = () =>
    saveFile(
      new Blob([refusedHead(table, words.reason), ...refused.map(({ text }) => text)], { type: 'text/csv' }),
      `${table.name}-failed.csv`,
    );
  return (
    <Notice
      kind={failed === 0 && !stopped ? 'success' : 'warning'}
      title={said(numbers.format(created), numbers.format(failed))}
    >
      {stopped && <p>{stopped.isUnknown ? words.unknown(stopped.line) : words.stopped(stopped.line)}</p>}
      {isLeft && <p>{words.left}</p>}
      {missing.length > 0 && <p>{words.missing(missing.join(', '))}</p>}
      {isDryRun && created > 0 && <p>{words.mayRefuse}</p>}
      {problems.length > 0 && (
        <table className={styles['grid']}>
          <thead>
            <tr>
              <th scope="col">{words.line}</th>
              <th scope="col">{messages.field}</th>
              <th scope="col">{words.reason}</th>
            </tr>
          </thead>
          <tbody>
            {problems.map(({ line, field, text }) => (
              <tr key={`${line} ${field} ${text}`}>
                <td>{line}</td>
                <td>
                  <bdi>{field}</bdi>
                </td>
                <td>{text}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {refused.length > 0 && (
        <div>
          <Button onClick={save}>{words.saveRefused}</Button>
        </div>
      )}
    </Notice>
  );
}
