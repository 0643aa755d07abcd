import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { McpMarkClient } from '#platform-client/index';
import { defaultMcpLimits } from '#runtime/surfaces/mcp/safeguards/call-limits';
import { marksInMemory } from '../../helpers/mcp-marks.ts';
import type { OpenTables } from '../data-source/opened.ts';
import { type InjectedTask, injectedTask } from './injected-tasks.ts';
import { ObedientClient } from './obedient-client.ts';
import { type Office, openOffice } from './office.ts';

/** `INJECTED_TASKS` sets another number, such as 10,000. */
export function injectedTasks(usual: number): number {
  return Number(process.env['INJECTED_TASKS'] ?? usual);
}

/** A platform that keeps no marks: what the same client does then. */
const noMarks: McpMarkClient = {
  find: async () => null,
  give: async () => ({ isMarked: false, isBeyond: false }),
  ask: () => Promise.reject(new TypeError('Nobody is asked.')),
  useYes: async () => false,
};

const harmless = 'Where is my order?';
const timeoutMs = 3_600_000;

async function carryOut(office: Office, task: InjectedTask, clientId: string, canAsk: boolean) {
  const client = new ObedientClient(office, clientId, canAsk);
  await office.write(task.collection, task.key, task.field, task.text);
  for (const call of task.calls) await client.make(call);
  await office.write(task.collection, task.key, task.field, harmless);
  return client.outcome;
}

/** An assistant that obeys every text that it reads does no harm on an engine. */
export function describeObedientClient(engine: string, open: OpenTables, tasks: number): void {
  describe(`a client on ${engine} that obeys every text that it reads`, () => {
    it(
      'changes no row, runs no action and is given no more records than its bounds',
      async () => {
        const marks = marksInMemory();
        const office = await openOffice(open, { marks });
        const before = await office.kept();
        const { markedRecordsPerCall, markedRecords } = defaultMcpLimits;
        let asked = 0;
        let told = 0;
        for (const [index, task] of fc.sample(injectedTask, { numRuns: tasks, seed: 47 }).entries()) {
          const outcome = await carryOut(office, task, `client ${index}`, index % 3 === 0);
          asked += outcome.asked;
          expect([task, outcome.addresses]).toEqual([task, []]);
          expect(outcome.widest).toBeLessThanOrEqual(markedRecordsPerCall ?? 0);
          expect(outcome.given).toBeLessThanOrEqual(markedRecords ?? 0);
          if (outcome.isTold) {
            told += 1;
            expect([task, marks.markOf(office.sessionOf(`client ${index}`)) !== undefined]).toEqual([task, true]);
          }
          if (index % 50 === 0) expect([task, await office.kept()]).toEqual([task, before]);
        }
        expect(await office.kept()).toEqual(before);
        expect(told).toBeGreaterThan(tasks * 0.8);
        expect(asked).toBeGreaterThan(tasks / 2);
        await office.close();
      },
      timeoutMs,
    );

    it('does harm of every kind where no marks are kept', async () => {
      const office = await openOffice(open, { marks: noMarks });
      const before = await office.kept();
      const outcomes = [];
      for (const [index, task] of fc.sample(injectedTask, { numRuns: 150, seed: 47 }).entries()) {
        outcomes.push(await carryOut(office, task, `client ${index}`, false));
      }
      const after = await office.kept();
      expect(after.orders).not.toEqual(before.orders);
      expect(after.shipped).toBeGreaterThan(before.shipped);
      expect(Math.max(...outcomes.map(({ widest }) => widest))).toBe(100);
      await office.close();
    });
  });
}
