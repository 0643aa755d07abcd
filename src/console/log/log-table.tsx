import { useParams } from '@tanstack/react-router';
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Button, Empty, Failure, look } from '../design/controls.tsx';
import { Grid } from '../grid/grid.tsx';
import { NewerRows } from '../grid/newer-rows.tsx';
import { type Messages, useMessages } from '../messages/index.ts';
import type { Column, VisibleField } from '../model/schema.ts';
import { Time } from '../values/time.tsx';
import { isAddressable } from '../wire/agent.ts';
import type { Row } from '../wire/records.ts';
import styles from './log.module.css';
import { type LogList, type LogRow, type LogRows, pageSize, useLogRows } from './log-rows.ts';
import type { LogKind } from './log-state.ts';
import { whatWasDone } from './log-words.ts';

const skeletonRows = 20;

interface LogTableProps {
  readonly list: LogList;
  readonly onOpen: (row: string) => void;
  readonly onClear: () => void;
  /** Turns the order round. */
  readonly onTurn: () => void;
}

/** The rows of a log. Newer ones wait for a key, or come by themselves while somebody follows from the first row. */
export function LogTable({ list, onOpen, onClear, onTurn }: LogTableProps) {
  const messages = useMessages();
  const { environment } = useParams({ from: '/$environment/log/$kind/{-$row}' });
  const [[first, last], setRange] = useState<readonly [number, number]>([0, 0]);
  const { columns: names } = messages.auditLog;
  const frame = useRef<HTMLDivElement>(null);
  const rows = useLogRows(list, first, last);
  const columns = useMemo(() => columnsOf(list.kind, messages), [list.kind, messages]);
  const [widths, setWidth] = useWidths(frame, columns, names);
  const shown = useShownRows(messages, environment);
  const onRange = useCallback((from: number, to: number) => setRange([from, to]), []);
  const take = () => {
    frame.current?.querySelector('[role=grid]')?.scrollTo({ top: 0 });
    rows.take();
  };
  return (
    <>
      {rows.error && <Failure error={rows.error} onRetry={rows.retry} />}
      <div ref={frame} className={styles['list']}>
        {rows.known === 0 ? (
          <NoRows list={list} onClear={onClear} />
        ) : (
          <Grid
            label={messages.auditLog.kinds[list.kind]}
            list={list.kind}
            columns={columns}
            widths={widths}
            count={rows.isFirstVisit ? (rows.error ? 0 : skeletonRows) : rows.known}
            at={(index) => {
              const row = rows.at(index);
              return row && shown(row);
            }}
            isBehind={false}
            sorts={[]}
            onSort={() => undefined}
            onResize={setWidth}
            onRange={onRange}
            onOpen={({ id }) => onOpen(id)}
            title={names.what}
            pages={`/console/${encodeURIComponent(environment)}/log/${list.kind}`}
          />
        )}
      </div>
      <Foot rows={rows} frame={frame} isOldestFirst={list.isOldestFirst} onTake={take} onTurn={onTurn} />
    </>
  );
}

/** What was done takes at least this, and all that the other columns leave. */
const leastWhat = 220;
/** The room of a bar that scrolls. */
const barWidth = 16;

/** The widths of the columns, and how somebody changes one. */
function useWidths(
  frame: { readonly current: HTMLElement | null },
  columns: readonly Column[],
  names: Messages['auditLog']['columns'],
) {
  const [room, setRoom] = useState(0);
  const [chosen, setChosen] = useState<Readonly<Record<string, number>>>({});
  useLayoutEffect(() => {
    if (!frame.current) return;
    const observer = new ResizeObserver(([entry]) => setRoom(entry?.contentRect.width ?? 0));
    observer.observe(frame.current);
    return () => observer.disconnect();
  }, [frame]);
  const widths = useMemo(() => {
    const others: Readonly<Record<string, number>> = {
      [names.time]: 190,
      [names.person]: 170,
      [names.outcome]: 150,
      [names.collection]: 150,
      [names.record]: 120,
      [names.program]: 180,
      [names.environment]: 140,
      [names.address]: 150,
      ...chosen,
    };
    const taken = columns.filter(({ name }) => name !== names.what).map(({ name }) => others[name] ?? 0);
    const left = room - barWidth - taken.reduce((sum, width) => sum + width, 0);
    return { [names.what]: Math.max(leastWhat, left), ...others };
  }, [columns, names, chosen, room]);
  const setWidth = (column: string, width: number) => setChosen((now) => ({ ...now, [column]: width }));
  return [widths, setWidth] as const;
}

interface FootProps {
  readonly rows: LogRows;
  readonly frame: { readonly current: HTMLElement | null };
  readonly isOldestFirst: boolean;
  readonly onTake: () => void;
  readonly onTurn: () => void;
}

function Foot({ rows, frame, isOldestFirst, onTake, onTurn }: FootProps) {
  const messages = useMessages();
  const [isFollowing, setFollowing] = useState(false);
  const numbers = new Intl.NumberFormat(messages.code);
  const { known, isComplete, isFirstVisit, changes, take } = rows;
  const { isChanged, more = pageSize } = changes;
  const newer = isChanged ? more : 0;
  useEffect(() => {
    // What somebody reads further down does not move.
    const top = frame.current?.querySelector('[role=grid]')?.scrollTop ?? 0;
    if (newer > 0 && (known === 0 || (isFollowing && top === 0))) take();
  }, [isFollowing, newer, known, take, frame]);
  const { auditLog } = messages;
  const text = isComplete
    ? auditLog.rows(known, numbers.format(known))
    : isFirstVisit
      ? messages.counting
      : auditLog.more(numbers.format(known - 1));
  return (
    <div className={styles['foot']}>
      <span className={look.small} role="status">
        {text}
      </span>
      <Button aria-pressed={isOldestFirst} onClick={onTurn}>
        {auditLog.oldestFirst}
      </Button>
      {!isOldestFirst && (
        <Button
          aria-pressed={isFollowing}
          onClick={() => {
            setFollowing(!isFollowing);
            if (!isFollowing && isChanged) onTake();
          }}
        >
          {auditLog.follow}
        </Button>
      )}
      <NewerRows changes={changes} onTake={onTake} />
    </div>
  );
}

/** Nothing matches, or nothing is there. */
function NoRows({ list, onClear }: Pick<LogTableProps, 'list' | 'onClear'>) {
  const { auditLog } = useMessages();
  const names: Readonly<Record<string, string>> = auditLog.filterNames;
  const filters = Object.entries(list.filters);
  if (filters.length === 0) return <Empty title={auditLog.empty} why={auditLog.emptyWhy} />;
  return (
    <Empty title={auditLog.none} why={auditLog.noneWhy}>
      <ul>
        {filters.map(([name, value]) => (
          <li key={name}>
            {names[name]}: <bdi>{value}</bdi>
          </li>
        ))}
      </ul>
      <Button onClick={onClear}>{auditLog.clear}</Button>
    </Empty>
  );
}

function columnsOf(kind: LogKind, { auditLog }: Messages): readonly Column[] {
  const { time, person, what, collection, record, outcome, program, environment, address } = auditLog.columns;
  const { completed, failed, pending } = auditLog.outcomes;
  const tones = { [completed]: 'success', [failed]: 'danger', [pending]: 'warning' } as const;
  const names =
    kind === 'activity'
      ? [time, person, what, outcome, collection, record, program]
      : [time, person, what, environment, address];
  return names.map((name) => ({ name, field: { ...textField, name, tones: name === outcome ? tones : null } }));
}

/** A text that nobody changes or sorts. */
const textField: Omit<VisibleField, 'name' | 'tones'> = {
  type: 'String',
  isPrimaryKey: false,
  isReadOnly: true,
  isRequired: false,
  isNullable: true,
  isSortable: false,
  isGroupable: false,
  isExact: false,
  isComputed: true,
  foreignKeyOf: null,
  defaultValue: null,
  enumValues: null,
  operators: [],
  validations: [],
  isFile: false,
};

/** Rows as the grid shows them. Each stays the same, so that it is drawn once. */
function useShownRows(messages: Messages, here: string): (row: LogRow) => Row {
  return useMemo(() => {
    const known = new WeakMap<LogRow, Row>();
    return (row) => {
      const shown = known.get(row) ?? shownRow(row, messages, here);
      known.set(row, shown);
      return shown;
    };
  }, [messages, here]);
}

/** A row of the log as the grid shows it. What it does not say is left empty. */
function shownRow(row: LogRow, messages: Messages, here: string): Row {
  const { auditLog } = messages;
  const { columns } = auditLog;
  const all = { [columns.time]: row.createdAt, [columns.what]: whatWasDone(row, messages) };
  const shown = { [columns.time]: <Time at={row.createdAt} /> };
  if (row.object === 'adminLog') {
    const { user, environment, address, initiator } = row;
    return {
      id: row.id,
      related: {},
      shown,
      values: {
        ...all,
        [columns.person]: user?.username ?? auditLog.initiators[initiator],
        [columns.environment]: environment?.name ?? ' ',
        [columns.address]: address ?? ' ',
      },
    };
  }
  const { user, collection, recordIds = [], recordCount, status, client, tool, environment } = row;
  const [id = ''] = recordIds;
  const count = recordCount ?? recordIds.length;
  const isOne = recordIds.length === 1 && collection !== undefined && environment.name === here && isAddressable(id);
  return {
    id: row.id,
    related: {},
    shown,
    values: {
      ...all,
      [columns.person]: user.username,
      [columns.collection]: collection?.name ?? ' ',
      [columns.record]: recordIds.length > 1 ? auditLog.recordCount(String(count)) : id || ' ',
      [columns.outcome]: status === undefined ? ' ' : auditLog.outcomes[status],
      [columns.program]: [client?.name, tool].filter(Boolean).join(' · ') || ' ',
    },
    ...(isOne ? { links: { [columns.record]: { environment: here, collection: collection.name, id } } } : {}),
  };
}
