import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { Button, Empty, look, Missing, Title } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { mayReadLog, meQuery } from '../model/me.ts';
import { schemaQuery } from '../model/schema.ts';
import { LogFilters } from './log-filters.tsx';
import { type ChangeLog, filtersOf, type LogKind, type LogState, readLogState, stateOfOther } from './log-state.ts';
import { LogTable } from './log-table.tsx';

const ExportDialog = lazy(async () => ({ default: (await import('./log-export.tsx')).LogExportDialog }));
const Verification = lazy(async () => ({ default: (await import('./log-verification.tsx')).LogVerification }));
const RowPanel = lazy(async () => ({ default: (await import('./row-panel.tsx')).RowPanel }));

/** What people did, and how the project was changed. */
export function LogScreen() {
  const messages = useMessages();
  const { kind } = useParams({ from: '/$environment/log/$kind/{-$row}' });
  const { data: person } = useSuspenseQuery(meQuery);
  if (kind !== 'activity' && kind !== 'admin') return <Missing />;
  if (!mayReadLog(person)) return <Empty title={messages.auditLog.mayNot} why={messages.auditLog.mayNotWhy} />;
  return <LogView kind={kind} project={person.project} environments={person.environments.map(({ name }) => name)} />;
}

interface LogViewProps {
  readonly kind: LogKind;
  readonly project: string;
  readonly environments: readonly string[];
}

function LogView({ kind, project, environments }: LogViewProps) {
  const { environment: here, row } = useParams({ from: '/$environment/log/$kind/{-$row}' });
  const state = readLogState(useSearch({ from: '/$environment/log/$kind/{-$row}' }));
  const [isExporting, setExporting] = useState(false);
  const [isVerifying, setVerifying] = useState(false);
  const navigate = useNavigate();
  const filters = filtersOf(kind, state);
  const isOldestFirst = state.order === 'asc';
  const list = { kind, project, environment: state.environment ?? here, filters, isOldestFirst };
  const change: ChangeLog = (changes) => {
    const search = Object.fromEntries(Object.entries({ ...state, ...changes }).filter(([, value]) => value));
    void navigate({
      to: '/$environment/log/$kind/{-$row}',
      params: { environment: here, kind, row: undefined },
      search,
    });
  };
  const goTo = (next?: string) =>
    void navigate({
      to: '/$environment/log/$kind/{-$row}',
      params: { environment: here, kind, row: next },
      search: state,
      replace: next === undefined,
    });
  const { data: schema } = useQuery(schemaQuery({ environment: here }));
  return (
    <>
      <Head kind={kind} state={state} onExport={() => setExporting(true)} onVerify={() => setVerifying(true)} />
      {isVerifying && (
        <Suspense>
          <Verification
            key={JSON.stringify([kind, list.environment])}
            source={{ kind, project, environment: list.environment }}
            onClose={() => setVerifying(false)}
          />
        </Suspense>
      )}
      <LogFilters
        key={kind}
        kind={kind}
        state={state}
        environments={environments}
        collections={schema?.collections.map(({ name }) => name) ?? []}
        onChange={change}
      />
      <LogTable
        key={JSON.stringify(list)}
        list={list}
        onOpen={goTo}
        onClear={() => change(cleared(filters))}
        onTurn={() => change({ order: isOldestFirst ? undefined : 'asc' })}
      />
      {isExporting && (
        <Suspense>
          <ExportDialog list={list} onClose={() => setExporting(false)} />
        </Suspense>
      )}
      {row !== undefined && (
        <Suspense>
          <RowPanel key={row} list={list} id={row} onClose={() => goTo()} />
        </Suspense>
      )}
    </>
  );
}

function cleared(filters: Readonly<Record<string, string>>) {
  return Object.fromEntries(Object.keys(filters).map((name) => [name, undefined]));
}

interface HeadProps {
  readonly kind: LogKind;
  readonly state: LogState;
  readonly onExport: () => void;
  readonly onVerify: () => void;
}

function Head({ kind, state, onExport, onVerify }: HeadProps) {
  const { auditLog, screens } = useMessages();
  const { environment } = useParams({ from: '/$environment/log/$kind/{-$row}' });
  return (
    <div className={look.head}>
      <Title>{screens.log}</Title>
      {(['activity', 'admin'] as const).map((each) => (
        <Link
          key={each}
          to="/$environment/log/$kind/{-$row}"
          params={{ environment, kind: each, row: undefined }}
          search={each === kind ? state : stateOfOther(state)}
          aria-current={each === kind ? 'page' : undefined}
          className={look.tab}
        >
          {auditLog.kinds[each]}
        </Link>
      ))}
      <Button onClick={onExport}>{auditLog.export}</Button>
      <Button onClick={onVerify}>{auditLog.verify}</Button>
    </div>
  );
}
