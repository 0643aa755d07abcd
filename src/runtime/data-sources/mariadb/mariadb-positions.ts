import { hash } from 'node:crypto';
import type { SqlRow } from '#kernel/ports/sql-row';
import type { ReplicaRules, ServerState } from '../sql/replica.ts';

/**
 * What a server is and which transactions it shows, one statement for both servers. `gtid_current_pos` is what a server of MariaDB has
 * carried out, whether it was sent there or written there.
 */
export const stateQuery = `
  select concat(/*M! @@global.server_uid */ /*!50708 @@global.server_uuid */) as server, database() as \`database\`,
    @@global.read_only as isReadOnly, /*M! @@global.gtid_current_pos */ /*!50708 @@global.gtid_executed */ as gtids`;

/** From a transaction to another one, both of them included. */
type Range = readonly [first: bigint, last: bigint];
/** The transactions of each source: a server of MySQL, or a domain of MariaDB. The ranges are sorted, and none touches another one. */
type Transactions = ReadonlyMap<string, readonly Range[]>;

const mariadbGtid = /^(\d+)-(\d+)-(\d+)$/;

export function stateOf(row: SqlRow): ServerState {
  const server = digestOf(String(row['server']));
  const gtids = String(row['gtids'] ?? '')
    .split(/,\s*/)
    .filter(Boolean);
  const parsed = gtids.map((gtid) => mariadbGtid.exec(gtid));
  const isMariadb = parsed.some(Boolean);
  const shown = isMariadb ? transactionsOfMariadb(parsed) : transactionsOfMysql(gtids);
  return {
    database: digestOf(`${server}/${String(row['database'])}`),
    branch: parsed.map((gtid) => `${gtid?.[1]}-${gtid?.[2]}`).join(),
    run: server,
    isStandby: String(row['isReadOnly']) === '1',
    position: shown.size === 0 ? undefined : textOf(shown),
  };
}

/** A position travels to clients, and the number of a server may have the address of its network card in it. */
function digestOf(name: string): string {
  return hash('sha256', name, 'base64url').slice(0, 12);
}

/** As `0-1-42`: domain, server, number. A server shows what the domain had before, too. */
function transactionsOfMariadb(gtids: readonly (RegExpExecArray | null)[]): Transactions {
  return new Map(gtids.flatMap((gtid) => (gtid ? [[gtid[1] ?? '', [[0n, BigInt(gtid[3] ?? 0)]]] as const] : [])));
}

/** As `3e11fa47-71ca-11e1-9e33-c80aa9429562:1-5:7:batch:1-9`: server, ranges, and further ranges behind each tag. */
function transactionsOfMysql(gtids: readonly string[]): Transactions {
  const found = new Map<string, readonly Range[]>();
  for (const gtid of gtids) {
    const [server = '', ...parts] = gtid.split(':');
    let source = digestOf(server);
    for (const part of parts) {
      if (/^\d/.test(part)) found.set(source, merged([...(found.get(source) ?? []), rangeOf(part)]));
      else source = digestOf(`${server}:${part}`);
    }
  }
  return found;
}

function rangeOf(text: string): Range {
  const [first = '', last = first] = text.split('-');
  return [BigInt(first), BigInt(last)];
}

function merged(ranges: readonly Range[]): readonly Range[] {
  const sorted = ranges.toSorted(([one], [other]) => (one < other ? -1 : 1));
  const whole: Range[] = [];
  for (const [first, last] of sorted) {
    const before = whole.at(-1);
    if (before && first <= before[1] + 1n) whole[whole.length - 1] = [before[0], last > before[1] ? last : before[1]];
    else whole.push([first, last]);
  }
  return whole;
}

function textOf(transactions: Transactions): string {
  const sorted = [...transactions].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return sorted
    .map(([source, ranges]) => [source, ...ranges.map(([first, last]) => `${first}-${last}`)].join(':'))
    .join();
}

/** Positions that were compared lately. Each read compares two. */
const known = new Map<string, Transactions>();
const mostKnown = 200;

function transactionsIn(position: string): Transactions {
  let found = known.get(position);
  if (found) return found;
  found = new Map(
    position.split(',').map((each) => {
      const [source = '', ...ranges] = each.split(':');
      return [source, ranges.map(rangeOf)];
    }),
  );
  known.set(position, found);
  const [oldest = position] = known.keys();
  if (known.size > mostKnown) known.delete(oldest);
  return found;
}

/** Positions are sets of transactions. A server shows what another one does if it has carried out each of its transactions. */
export const mariadbRules: ReplicaRules = {
  hasReached(position, wanted) {
    if (position === wanted) return true;
    const shown = transactionsIn(position);
    return [...transactionsIn(wanted)].every(([source, ranges]) => {
      const own = shown.get(source) ?? [];
      return ranges.every(([first, last]) => own.some((range) => range[0] <= first && last <= range[1]));
    });
  },
  join(position, other) {
    if (position === other) return position;
    const both = new Map(transactionsIn(position));
    for (const [source, ranges] of transactionsIn(other)) {
      both.set(source, merged([...(both.get(source) ?? []), ...ranges]));
    }
    return textOf(both);
  },
  /** Copies share no name. But the numbers of their transactions do, and nobody else may write there. */
  problemOf(state, primary) {
    if (state.run === primary.run) return 'It is the primary itself.';
    if (!state.isStandby) return 'It can be written to: its "read_only" is off.';
    const writers = new Map(primary.branch.split(',').map((writer) => [writer.split('-')[0], writer]));
    const isForeign = (writer: string) => (writers.get(writer.split('-')[0]) ?? writer) !== writer;
    return state.branch.split(',').some(isForeign) ? 'It follows another primary.' : undefined;
  },
};
