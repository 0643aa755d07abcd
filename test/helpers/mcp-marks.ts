import { randomUUID } from 'node:crypto';
import {
  type Ask,
  askSchema,
  givenAnswerSchema,
  type MarkRead,
  type McpMark,
  type McpSession,
  useOfYesSchema,
} from '#contracts/mcp-marks';
import type { McpMarkClient } from '#platform-client/index';

interface KeptMark {
  mark: McpMark;
  records: number;
}

interface KeptAsk extends Ask {
  readonly id: string;
  answer: 'yes' | 'no' | null;
  runId: string | null;
}

/** The marks of a platform in memory, and what its people do about them. */
export interface MarksInMemory extends McpMarkClient {
  /** How many requests there were, by method. */
  readonly requests: Record<keyof McpMarkClient, number>;
  readonly asks: readonly KeptAsk[];
  markOf(session: McpSession): McpMark | undefined;
  answer(id: string, answer: 'yes' | 'no'): void;
  clear(session: McpSession): void;
}

/** Remembers marks as a platform does. */
export function marksInMemory(): MarksInMemory {
  const marks = new Map<string, KeptMark>();
  const asks: KeptAsk[] = [];
  const requests = { find: 0, give: 0, ask: 0, useYes: 0 };
  const keyOf = ({ personId, client }: McpSession) => JSON.stringify([personId, client]);
  const now = () => new Date().toISOString();
  const kept = (read: MarkRead) => ({ ...read, readAt: now() });
  const isAbove = (count: number, bound: number | null) => bound !== null && count > bound;
  return {
    requests,
    asks,
    markOf: (session) => marks.get(keyOf(session))?.mark,
    answer: (id, answer) => {
      for (const ask of asks) if (ask.id === id) ask.answer = answer;
    },
    clear: (session) => void marks.delete(keyOf(session)),
    find: async (session) => {
      requests.find += 1;
      return marks.get(keyOf(session))?.mark ?? null;
    },
    give: async (answer) => {
      requests.give += 1;
      const { personId, client, records, reads, readCount, bounds } = givenAnswerSchema.parse(answer);
      const key = keyOf({ personId, client });
      const found = marks.get(key);
      if (!found) {
        if (readCount === 0) return { isMarked: false, isBeyond: false };
        marks.set(key, { mark: { markedAt: now(), reads: reads.map(kept), readCount }, records: 0 });
        return { isMarked: true, isBeyond: false };
      }
      const given = found.records + records;
      if (bounds && records > 0 && (isAbove(records, bounds.perCall) || isAbove(given, bounds.sinceMark))) {
        return { isMarked: true, isBeyond: true };
      }
      const { mark } = found;
      found.mark = { ...mark, reads: [...mark.reads, ...reads.map(kept)], readCount: mark.readCount + readCount };
      if (bounds) found.records = given;
      return { isMarked: true, isBeyond: false };
    },
    ask: async (wanted) => {
      requests.ask += 1;
      const asked = askSchema.parse(wanted);
      const known = asks.find(({ digest, runId }) => digest === asked.digest && runId === null);
      const ask = known ?? { ...asked, id: randomUUID(), answer: null, runId: null };
      if (!known) asks.push(ask);
      const expiresAt = new Date(Date.now() + 600_000).toISOString();
      return { id: ask.id, answer: ask.answer, expiresAt, url: 'https://platform.test/settings/assistants' };
    },
    useYes: async (use) => {
      requests.useYes += 1;
      const { digest, runId } = useOfYesSchema.parse(use);
      const ask = asks.find((each) => each.digest === digest && each.answer === 'yes' && each.runId === null);
      if (ask) ask.runId = runId;
      return ask !== undefined;
    },
  };
}
