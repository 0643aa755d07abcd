import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { Button, Empty, Failure, Input, look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import { type HostLog, hostLogQuery, readLines } from '../model/deliveries.ts';
import { Time } from '../values/time.tsx';
import styles from './deliveries.module.css';
import { type DeliveriesState, logLevels, readDeliveriesState, wantedLines } from './deliveries-state.ts';

/** Lines that the page draws at first, and with each press of the button. */
const shownAtOnce = 500;

/** What hosts and the code on them say, the newest line first; new ones come by themselves. */
export function HostLogPart({ environment }: { readonly environment: string }) {
  const messages = useMessages();
  const { deliveries: words } = messages;
  const state = readDeliveriesState(useSearch({ from: '/$environment/deliveries/$part/{-$version}' }));
  const [most, setMost] = useState(shownAtOnce);
  const client = useQueryClient();
  const query = hostLogQuery(environment);
  const { data: log, error, refetch } = useQuery(query);
  const older = useMutation({
    mutationFn: (before: number) => readLines(environment, before),
    onSuccess: ({ lines, nextBefore }) =>
      client.setQueryData<HostLog>(query.queryKey, (known) => ({
        lines: [...(known?.lines ?? []), ...lines],
        nextBefore,
      })),
  });
  const fitting = wantedLines(log?.lines ?? [], state);
  const showOlder = () => {
    setMost(most + shownAtOnce);
    if (log && log.nextBefore !== null && fitting.length < most + shownAtOnce) older.mutate(log.nextBefore);
  };
  const isMore = fitting.length > most || (log !== undefined && log.nextBefore !== null);
  return (
    <>
      <Filter state={state} />
      {error && <Failure error={error} onRetry={() => void refetch()} />}
      {older.error && <Failure error={older.error} />}
      {log && log.lines.length === 0 && <Empty title={words.noLines} why={words.noLinesWhy} />}
      {log && log.lines.length > 0 && (
        <p role="status" className={look.small}>
          {fitting.length === 0
            ? words.noLineFits
            : words.lines(fitting.length, new Intl.NumberFormat(messages.code).format(fitting.length))}
        </p>
      )}
      <ol className={styles['lines']} reversed aria-label={words.parts.log}>
        {fitting.slice(0, most).map(({ sequence, at, host, level, text }) => (
          <li key={sequence} data-level={level}>
            <code>
              <Time at={at} /> {level} <bdi>{host}</bdi> <bdi>{text}</bdi>
            </code>
          </li>
        ))}
      </ol>
      {isMore && (
        <div>
          <Button disabled={older.isPending} onClick={showOlder}>
            {words.olderLines}
          </Button>
        </div>
      )}
    </>
  );
}

function Filter({ state }: { readonly state: DeliveriesState }) {
  const { deliveries: words } = useMessages();
  const navigate = useNavigate({ from: '/$environment/deliveries/$part/{-$version}' });
  const change = (changed: Readonly<Record<string, string>>) =>
    void navigate({ search: readDeliveriesState({ ...state, ...changed }), replace: true });
  return (
    <div className={look.row}>
      <label className={look.row}>
        {words.level}
        <select
          className={look.input}
          value={state.level ?? 'Info'}
          onChange={({ target }) => change({ level: target.value })}
        >
          {logLevels.map((level) => (
            <option key={level} value={level}>
              {words.levels[level]}
            </option>
          ))}
        </select>
      </label>
      <div className={look.wide}>
        <Input
          type="search"
          data-key="/"
          aria-label={words.findLine}
          placeholder={words.findLine}
          value={state.grep ?? ''}
          onChange={({ target }) => change({ grep: target.value })}
        />
      </div>
    </div>
  );
}
